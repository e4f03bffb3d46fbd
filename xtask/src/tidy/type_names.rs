//! One public type per name, unless the glossary says what each of them means.
//!
//! A declaration is known by the folder below `src` it is in, else by its crate: `delegation`, `wire`.

use std::collections::BTreeMap;

use super::Finding;
use super::tree::{File, Tree};

const GLOSSARY: &str = "GLOSSARY.md";
const HEADING: &str = "## Names used in several modules";
const ITEMS: &[&str] = &["pub struct ", "pub enum ", "pub trait ", "pub type "];

struct Declaration<'a> {
    path: &'a str,
    line: usize,
    module: &'a str,
}

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut declared: BTreeMap<&str, Vec<Declaration>> = BTreeMap::new();
    for file in tree.rust() {
        let Some(module) = module(&file.path) else { continue };
        for (line, code) in file.numbered().filter(|(_, line)| !line.in_test) {
            if let Some(name) = public_type(&code.code) {
                declared.entry(name).or_default().push(Declaration { path: &file.path, line, module });
            }
        }
    }
    declared.retain(|_, declarations| declarations.len() > 1);
    let listed = tree.file(GLOSSARY).map(rows).unwrap_or_default();
    let mut found = Vec::new();
    for (name, declarations) in &declared {
        let meanings = listed.get(name).map_or("", |(_, meanings)| meanings);
        for one in declarations.iter().filter(|one| !meanings.contains(&format!("`{}`", one.module))) {
            let advice = format!(
                "there is another public `{name}`: rename one of them, or say in {GLOSSARY} below \"{}\" what it is in `{}`",
                HEADING.trim_start_matches("## "),
                one.module
            );
            found.push(Finding::new(one.path, one.line, advice));
        }
    }
    for (name, (line, _)) in listed.iter().filter(|(name, _)| !declared.contains_key(*name)) {
        found.push(Finding::new(GLOSSARY, *line, format!("`{name}` is no longer used twice: drop the row")));
    }
    found
}

/// `delegation` of `crates/wilco-protocol/src/delegation/event.rs`, `wire` of `crates/wilco-wire/src/page.rs`.
fn module(path: &str) -> Option<&str> {
    let (krate, inside) = path.strip_prefix("crates/")?.split_once("/src/")?;
    let folder = inside.split_once('/').map(|(folder, _)| folder);
    Some(folder.unwrap_or_else(|| krate.strip_prefix("wilco-").unwrap_or(krate)))
}

fn public_type(code: &str) -> Option<&str> {
    let rest = ITEMS.iter().find_map(|item| code.trim_start().strip_prefix(item))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end])
}

/// The rows `| name | meanings |` of the glossary's section, with their lines.
fn rows(file: &File) -> BTreeMap<&str, (usize, &str)> {
    let section = file.text.lines().zip(1..).skip_while(|(line, _)| *line != HEADING).skip(1);
    let section = section.take_while(|(line, _)| !line.starts_with("## "));
    let rows = section.filter_map(|(line, number)| {
        let (name, meanings) = line.strip_prefix("| `")?.split_once("` |")?;
        Some((name, (number, meanings)))
    });
    rows.collect()
}

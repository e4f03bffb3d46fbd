//! Which crate may use which, read from the manifests.

use toml::Table;

use super::Finding;
use super::absences::PURE;
use super::tree::{File, Tree};

/// Top to bottom: each crate may use only those above it.
const ORDER: &[&str] = &[
    "wilco-protocol",
    "wilco-language",
    "wilco-store",
    "wilco-engine",
    "wilco-sim",
    "wilco-outside",
    "wilco-runtime",
    "wilco-wire",
    "wilco-clients",
    "wilco-server",
    "wilco-client",
    "wilco-bench",
    "wilco",
    "wilco-testkit",
    "wilco-fuzz",
    "xtask",
];

/// What the tests of every crate may use, whatever it uses itself; never a part of the program.
const TESTKIT: &str = "wilco-testkit";

/// What the pure crates may use: crates that only compute.
const COMPUTING: &[&str] = &[
    "blake3",
    "indexmap",
    "jiff",
    "jsonc-parser",
    "minijinja",
    "pulldown-cmark",
    "rust-stemmers",
    "serde",
    "serde_json",
    "serde_path_to_error",
    "similar",
    "smallvec",
    "strsim",
    "strum",
    "thiserror",
    "toml_edit",
    "unicode-normalization",
    "unicode-segmentation",
    "winnow",
];

/// Crates that have one home; a second user means that a layer leaks.
const AT_HOME: &[(&str, &str)] =
    &[("rusqlite", "wilco-store"), ("tokio-postgres", "wilco-store"), ("deadpool-postgres", "wilco-store")];

pub(crate) fn layers(tree: &Tree) -> Vec<Finding> {
    manifests(tree)
        .flat_map(|(file, manifest)| match manifest {
            Ok(manifest) => crate_in_order(file, &manifest),
            Err(error) => vec![Finding::new(&file.path, 1, format!("cannot be read: {}", error.message()))],
        })
        .collect()
}

fn crate_in_order(file: &File, manifest: &Table) -> Vec<Finding> {
    let Some(name) = package(manifest) else { return Vec::new() };
    let Some(place) = ORDER.iter().position(|known| *known == name) else {
        let advice = format!("`{name}` has no place in the order of crates: give it one");
        return vec![Finding::new(&file.path, 1, advice)];
    };
    let mut found = Vec::new();
    let tests = used(manifest, &["dev-dependencies"]).into_iter().filter(|used| used != TESTKIT);
    for used in used(manifest, &["dependencies", "build-dependencies"]).into_iter().chain(tests) {
        if (used == "wilco" || used.starts_with("wilco-")) && !ORDER[..place].contains(&used.as_str()) {
            let advice = format!("`{name}` may not use `{used}`, which is not above it: turn the need round");
            found.push(Finding::new(&file.path, line_of(file, &used), advice));
        }
    }
    for used in used(manifest, &["dependencies", "build-dependencies"]) {
        let home = AT_HOME.iter().find(|(guest, _)| *guest == used).map_or(name, |(_, home)| home);
        if home != name {
            let advice = format!("`{used}` belongs to {home} alone: ask {home} for what you need");
            found.push(Finding::new(&file.path, line_of(file, &used), advice));
        }
    }
    found
}

pub(crate) fn pure_dependencies(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (file, manifest) in manifests(tree) {
        let Some(manifest) = manifest.ok() else { continue };
        if !package(&manifest).is_some_and(|name| PURE.contains(&name)) {
            continue;
        }
        for used in used(&manifest, &["dependencies", "build-dependencies"]) {
            if !COMPUTING.contains(&used.as_str()) && !PURE.contains(&used.as_str()) {
                let advice = format!(
                    "`{used}` is not known to be pure: do without, or add it to the list with a reason"
                );
                found.push(Finding::new(&file.path, line_of(file, &used), advice));
            }
        }
    }
    found
}

/// The workspace forbids `unsafe`, and every crate takes over the workspace's lints.
pub(crate) fn lints(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    let root = tree.file("Cargo.toml").and_then(|file| file.text.parse::<Table>().ok());
    if root
        .is_none_or(|root| text_at(&root, &["workspace", "lints", "rust", "unsafe_code"]) != Some("forbid"))
    {
        found.push(Finding::new(
            "Cargo.toml",
            1,
            "the workspace's lints must say `unsafe_code = \"forbid\"`",
        ));
    }
    for (file, manifest) in manifests(tree) {
        let lints = manifest.ok().and_then(|manifest| manifest.get("lints")?.get("workspace")?.as_bool());
        if lints != Some(true) {
            found.push(Finding::new(&file.path, 1, "take over the lints: `[lints]` with `workspace = true`"));
        }
    }
    found
}

fn text_at<'a>(table: &'a Table, keys: &[&str]) -> Option<&'a str> {
    let (first, rest) = keys.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |value, key| value.get(key))?.as_str()
}

fn manifests(tree: &Tree) -> impl Iterator<Item = (&File, Result<Table, toml::de::Error>)> {
    let files = tree.files.iter().filter(|file| file.path.ends_with("/Cargo.toml"));
    files.map(|file| (file, file.text.parse()))
}

fn package(manifest: &Table) -> Option<&str> {
    manifest.get("package")?.get("name")?.as_str()
}

/// The crates named in these sections, also per target, under their real names.
fn used(manifest: &Table, sections: &[&str]) -> Vec<String> {
    let targets = manifest.get("target").and_then(|targets| targets.as_table());
    let targets =
        targets.into_iter().flat_map(|targets| targets.values().filter_map(|target| target.as_table()));
    let mut names = Vec::new();
    for table in std::iter::once(manifest).chain(targets) {
        for section in sections {
            let entries = table.get(*section).and_then(|section| section.as_table());
            for (key, entry) in entries.into_iter().flatten() {
                let real = entry.get("package").and_then(|package| package.as_str());
                names.push(real.unwrap_or(key).to_owned());
            }
        }
    }
    names
}

/// The line that names the crate; tables carry no positions.
fn line_of(file: &File, name: &str) -> usize {
    let named = |line: &str| {
        let rest = line.trim_start().strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with(['.', ' ', '=']))
    };
    (1..).zip(file.text.lines()).find(|(_, line)| named(line)).map_or(1, |(number, _)| number)
}

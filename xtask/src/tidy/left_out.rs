//! The tests of a crate are one program, `tests/main.rs`; a file that it does not name is never compiled.

use super::Finding;
use super::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust() {
        let Some((folder, name)) = file.path.rsplit_once("/tests/") else { continue };
        let name = name.strip_suffix("/mod.rs").unwrap_or(name.trim_end_matches(".rs"));
        let Some(main) = tree.file(&format!("{folder}/tests/main.rs")) else { continue };
        let declared = format!("mod {name};");
        if name != "main" && !name.contains('/') && !main.text.lines().any(|line| line == declared) {
            found.push(Finding::new(
                &file.path,
                1,
                format!("is never compiled: add `{declared}` to {}", main.path),
            ));
        }
    }
    found
}

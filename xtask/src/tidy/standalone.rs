//! The project stands alone: no file names a place on one machine, a neighbour directory or a registry.

use super::Finding;
use super::tree::{File, Tree};

/// Top directories in which people keep their own files.
const HOMES: &[&str] = &["home", "root", "Users", "work", "workspace"];
/// Directories beside the project that may exist on one machine and not on the next.
const NEIGHBOURS: &[&str] = &["shared"];
const CRATES_IO: &[&str] = &["github.com/rust-lang/crates.io-index", "index.crates.io"];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let homes: Vec<String> = HOMES.iter().map(|home| format!("/{home}/")).collect();
    let neighbours: Vec<String> = NEIGHBOURS.iter().map(|neighbour| format!("../{neighbour}")).collect();
    let mut found = Vec::new();
    for file in &tree.files {
        for (line, number) in file.text.lines().zip(1..) {
            let advice = if homes.iter().any(|home| begins_path(line, home)) {
                "a path of one machine: make it relative, or take it from the environment"
            } else if neighbours.iter().any(|neighbour| line.contains(neighbour.as_str())) {
                "leads out of the project: bring what is needed inside"
            } else if names_registry(file, line) {
                "names a registry: crates.io is the only source"
            } else {
                continue;
            };
            found.push(Finding::new(&file.path, number, advice));
        }
    }
    found
}

/// Whether the line has this as the start of an absolute path, not as the middle of a longer path or address.
fn begins_path(line: &str, start: &str) -> bool {
    line.match_indices(start).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let inside = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '}' | '>' | '*');
        !before.is_some_and(inside)
    })
}

fn names_registry(file: &File, line: &str) -> bool {
    let line = line.trim();
    let locked = file.path == "Cargo.lock" && line.starts_with("source = ");
    let addressed = line.contains(concat!("registry", "+http")) || line.contains(concat!("sparse", "+http"));
    let configured = file.path.starts_with(".cargo/")
        && ["[source", "[registries", "[registry", "replace-with", "registry ="]
            .iter()
            .any(|key| line.starts_with(key));
    configured || ((locked || addressed) && !CRATES_IO.iter().any(|host| line.contains(host)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not in the fixture, because no file at all may hold such a path.
    #[test]
    fn neighbours_are_found() {
        let text = format!("see ../{}/notes.md\nsee ../docs/notes.md\n", NEIGHBOURS[0]);
        let found = check(&Tree { files: vec![File::new("crates/wilco/README.md", text)] });
        assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [1]);
    }
}

//! `cargo xtask coverage`: the requirements the project claims, by prefix, with the tests that show them.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::Context;

use crate::requirements::{self, Row};
use crate::workspace::root;

pub(crate) fn run() -> anyhow::Result<()> {
    let path = root().join(requirements::PATH);
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("could not read {}", requirements::PATH))?;
    print!("{}", render(&requirements::rows(&text)));
    Ok(())
}

fn render(rows: &[Row]) -> String {
    let mut groups: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry(row.prefix()).or_default().push(row);
    }
    let mut out = String::new();
    for (prefix, rows) in &groups {
        let _ = writeln!(out, "{prefix}: {} claimed", rows.len());
        for row in rows {
            let _ = writeln!(out, "  {:<8} {}", row.id, row.words);
            for test in &row.tests {
                let _ = writeln!(out, "  {:<8}   {test}", "");
            }
        }
    }
    let _ = writeln!(out, "{} requirements claimed", rows.len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_counted_and_their_tests_listed() {
        let rows = requirements::rows("| MSG-4 | Limits. | `msg_4` |\n| DEL-1 | Starts. | `a`, `b` |\n");
        assert_eq!(
            render(&rows),
            "DEL: 1 claimed\n  DEL-1    Starts.\n             a\n             b\n\
             MSG: 1 claimed\n  MSG-4    Limits.\n             msg_4\n2 requirements claimed\n"
        );
    }
}

//! Imports written out: `use std::{fs, io::Read}` names `std::fs` as much as `use std::fs` does.

use super::lexer::Line;

/// Note on each line the full paths that a `use` brings in there.
pub(crate) fn expand(lines: &mut [Line]) {
    let mut at = 0;
    while at < lines.len() {
        at = if is_use(&lines[at].code) { statement(lines, at) } else { at + 1 };
    }
}

fn is_use(code: &str) -> bool {
    let code = code.trim_start();
    let code = code.strip_prefix("pub").map_or(code, |rest| {
        let rest = rest.trim_start();
        rest.strip_prefix('(')
            .and_then(|scope| scope.split_once(')'))
            .map_or(rest, |(_, rest)| rest)
            .trim_start()
    });
    code.starts_with("use ")
}

/// Read one statement up to its `;`; answers the line after it.
fn statement(lines: &mut [Line], first: usize) -> usize {
    let mut prefixes: Vec<String> = Vec::new();
    let mut word = String::new();
    for (at, line) in lines.iter_mut().enumerate().skip(first) {
        let code =
            if at == first { line.code.split_once("use ").map_or("", |(_, rest)| rest) } else { &line.code };
        for c in code.chars() {
            match c {
                '{' => {
                    let prefix = prefixes.last().cloned().unwrap_or_default() + word.trim();
                    prefixes.push(prefix);
                    word.clear();
                }
                ',' | '}' | ';' => {
                    let name = word.split(" as ").next().unwrap_or_default().trim();
                    if !name.is_empty() {
                        let path = prefixes.last().cloned().unwrap_or_default() + name;
                        line.imports.push(path);
                    }
                    word.clear();
                    if c == '}' {
                        prefixes.pop();
                    }
                }
                _ => word.push(c),
            }
            if c == ';' {
                return at + 1;
            }
        }
        word.push(' ');
    }
    lines.len()
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    #[test]
    fn groups_are_written_out_on_the_line_of_each_name() {
        let mut lines = lex("pub(crate) use std::{\n    fs,\n    io::{self, Read as R},\n};\nuse a::b;\n");
        expand(&mut lines);
        assert_eq!(lines[1].imports, ["std::fs"]);
        assert_eq!(lines[2].imports, ["std::io::self", "std::io::Read"]);
        assert_eq!(lines[4].imports, ["a::b"]);
    }
}

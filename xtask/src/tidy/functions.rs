//! Finding functions, their ends, and which of them are tests.

use super::lexer::Line;

pub(crate) struct Function {
    pub(crate) name: String,
    /// Lines, counted from 1.
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) is_test: bool,
    /// The comments directly above it.
    pub(crate) comment: String,
}

pub(crate) fn of(lines: &[Line]) -> Vec<Function> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((column, name)) = declared(&line.code) else { continue };
        let (is_test, comment) = above(lines, at, column);
        found.push(Function { name, first: at + 1, last: end(lines, at, column) + 1, is_test, comment });
    }
    found
}

/// Mark the lines that only tests run: all of a test file, else what `#[cfg(test)]` stands before.
pub(crate) fn mark_tests(lines: &mut [Line], whole_file: bool) {
    if whole_file {
        lines.iter_mut().for_each(|line| line.in_test = true);
        return;
    }
    for at in 0..lines.len() {
        if let Some(column) = lines[at].code.find("#[cfg(test)]") {
            let last = end(lines, at, column + "#[cfg(test)]".len());
            lines[at..=last].iter_mut().for_each(|line| line.in_test = true);
        }
    }
}

/// The column and name of a function that begins on this line.
fn declared(code: &str) -> Option<(usize, String)> {
    code.match_indices("fn ").find_map(|(at, word)| {
        let alone = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let rest = code[at + word.len()..].trim_start();
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        (alone && !name.is_empty()).then_some((at, name))
    })
}

/// The line on which the item that begins here ends: at its `;`, or where its braces close.
fn end(lines: &[Line], first: usize, column: usize) -> usize {
    let (mut braces, mut others) = (0usize, 0usize);
    for (at, line) in lines.iter().enumerate().skip(first) {
        let code = if at == first { &line.code[column..] } else { &line.code };
        for c in code.chars() {
            match c {
                '(' | '[' => others += 1,
                ')' | ']' => others = others.saturating_sub(1),
                '{' => braces += 1,
                '}' => braces = braces.saturating_sub(1),
                _ => {}
            }
            if (c == '}' && braces == 0) || (c == ';' && braces == 0 && others == 0) {
                return at;
            }
        }
    }
    lines.len() - 1
}

/// Whether an attribute above makes it a test, and what the comments there say.
fn above(lines: &[Line], at: usize, column: usize) -> (bool, String) {
    let mut is_test = is_test_attribute(&lines[at].code[..column]);
    let mut comments = Vec::new();
    for line in lines[..at].iter().rev() {
        let code = line.code.trim();
        if (code.is_empty() && line.comment.is_empty()) || code.ends_with(['{', '}', ';']) {
            break;
        }
        is_test |= is_test_attribute(code);
        comments.push(line.comment.as_str());
    }
    comments.reverse();
    (is_test, comments.join("\n"))
}

/// `#[test]`, `#[tokio::test(…)]`, `#[rstest]`: the attribute's own name ends in "test".
fn is_test_attribute(code: &str) -> bool {
    code.split("#[").skip(1).any(|attribute| {
        let path = attribute.split(['(', ']', '=', ' ']).next().unwrap_or_default();
        path.ends_with("test")
    })
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    const SOURCE: &str = "\
fn plain(a: [u8; 4]) -> u8 {
    a[0]
}
#[cfg(test)]
mod tests {
    /// MSG-12 once
    #[tokio::test(flavor = \"current_thread\")]
    async fn twice() {}
}
trait T {
    fn declared(&self);
}
";

    #[test]
    fn functions_have_ends_and_tests_are_known() {
        let found = of(&lex(SOURCE));
        let seen: Vec<_> = found.iter().map(|f| (f.name.as_str(), f.first, f.last, f.is_test)).collect();
        assert_eq!(seen, [("plain", 1, 3, false), ("twice", 8, 8, true), ("declared", 11, 11, false)]);
        assert_eq!(found[1].comment.trim(), "/// MSG-12 once");
    }

    #[test]
    fn only_the_test_module_is_marked() {
        let mut lines = lex(SOURCE);
        mark_tests(&mut lines, false);
        let marked: Vec<_> =
            (1..).zip(&lines).filter(|(_, line)| line.in_test).map(|(number, _)| number).collect();
        assert_eq!(marked, [4, 5, 6, 7, 8, 9]);
    }
}

//! Rust source taken apart line by line: code, comments and the insides of strings.
//!
//! A rule about code must not fire on a text that merely speaks of it, and a rule about strings not on code.
//! Nothing here knows grammar; a lexer is enough.

#[derive(Debug, Default, Clone)]
pub(crate) struct Line {
    /// Without comments; strings and characters are emptied.
    pub(crate) code: String,
    pub(crate) comment: String,
    /// What stands inside string literals on this line.
    pub(crate) strings: Vec<String>,
    /// What `use` brings in on this line, each path written out.
    pub(crate) imports: Vec<String>,
    pub(crate) in_test: bool,
}

impl Line {
    /// Whether the code or an import names `word`, as a whole word.
    pub(crate) fn mentions(&self, word: &str) -> bool {
        has_word(&self.code, word) || self.imports.iter().any(|path| has_word(path, word))
    }
}

/// Whether `word` stands in `text` and is not part of a longer identifier.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let joins =
        |inner: Option<char>, outer: Option<char>| inner.is_some_and(is_ident) && outer.is_some_and(is_ident);
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !joins(word.chars().next(), before) && !joins(word.chars().next_back(), after)
    })
}

fn is_ident(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

pub(crate) fn lex(text: &str) -> Vec<Line> {
    let mut lexer = Lexer { chars: text.chars().collect(), at: 0, lines: vec![Line::default()] };
    while let Some(c) = lexer.peek(0) {
        match (c, lexer.peek(1)) {
            ('/', Some('/')) => lexer.line_comment(),
            ('/', Some('*')) => lexer.block_comment(),
            ('"', _) => lexer.string(),
            ('\'', _) => lexer.character(),
            _ => lexer.code(c),
        }
    }
    if text.ends_with('\n') {
        lexer.lines.pop();
    }
    lexer.lines
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    lines: Vec<Line>,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    /// The line being read; there always is one.
    fn line(&mut self) -> &mut Line {
        let last = self.lines.len() - 1;
        &mut self.lines[last]
    }

    fn code(&mut self, c: char) {
        self.at += 1;
        if c == '\n' { self.lines.push(Line::default()) } else { self.line().code.push(c) }
    }

    fn line_comment(&mut self) {
        while let Some(c) = self.peek(0).filter(|c| *c != '\n') {
            self.line().comment.push(c);
            self.at += 1;
        }
    }

    /// Block comments nest.
    fn block_comment(&mut self) {
        let mut depth = 0;
        while let Some(c) = self.peek(0) {
            match (c, self.peek(1)) {
                ('/', Some('*')) => depth += 1,
                ('*', Some('/')) => depth -= 1,
                _ => {
                    self.at += 1;
                    if c == '\n' {
                        self.lines.push(Line::default())
                    } else {
                        self.line().comment.push(c)
                    }
                    continue;
                }
            }
            self.at += 2;
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        let hashes = raw_hashes(&self.line().code);
        self.line().code.push('"');
        self.at += 1;
        let mut inside = String::new();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '"' if self.closes(hashes) => break,
                '\n' => {
                    let text = std::mem::take(&mut inside);
                    self.line().strings.push(text);
                    self.lines.push(Line::default());
                }
                // An escaped quote does not end the string; an escaped line end is still a line end.
                '\\' if hashes.is_none() && self.peek(0) != Some('\n') => {
                    inside.push(c);
                    inside.extend(self.peek(0));
                    self.at += 1;
                }
                _ => inside.push(c),
            }
        }
        self.line().strings.push(inside);
        self.line().code.push('"');
    }

    /// Whether the quote just read ends the string: a raw one needs its hashes after it.
    fn closes(&self, hashes: Option<usize>) -> bool {
        (0..hashes.unwrap_or(0)).all(|ahead| self.peek(ahead) == Some('#'))
    }

    /// A character literal is emptied; a lifetime is code.
    fn character(&mut self) {
        let length = match (self.peek(1), self.peek(2)) {
            (Some('\\'), _) => {
                self.chars.iter().skip(self.at + 3).position(|c| *c == '\'').map(|more| more + 4)
            }
            (Some(_), Some('\'')) => Some(3),
            _ => None,
        };
        match length {
            Some(length) => {
                self.at += length;
                self.line().code.push_str("''");
            }
            None => self.code('\''),
        }
    }
}

/// If the code ends in `r`, `br` or `cr` with hashes, the string that follows is raw, with so many of them.
fn raw_hashes(code: &str) -> Option<usize> {
    let before = code.trim_end_matches('#');
    let rest = before.strip_suffix('r')?;
    let rest = rest.strip_suffix(['b', 'c']).unwrap_or(rest);
    (!rest.ends_with(is_ident)).then_some(code.len() - before.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_comments_and_strings_are_told_apart() {
        let lines =
            lex("let a = \"x \\\" // y\"; // why\n/* one /* two */\nstill */ let c = '{'; fn f<'a>() {}\n");
        assert_eq!(lines.len(), 3);
        assert_eq!((lines[0].code.as_str(), lines[0].comment.as_str()), ("let a = \"\"; ", "// why"));
        assert_eq!(lines[0].strings, ["x \\\" // y"]);
        assert_eq!(lines[2].code, " let c = ''; fn f<'a>() {}");
    }

    #[test]
    fn raw_strings_end_with_their_hashes() {
        let lines = lex("let q = r#\"a \" b\nc\"#; let n = '\\'';\nlet b = br\"\\\";");
        assert_eq!(lines[0].strings, ["a \" b"]);
        assert_eq!((lines[1].strings[0].as_str(), lines[1].code.as_str()), ("c", "\"#; let n = '';"));
        assert_eq!(lines[2].code, "let b = br\"\";");
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("use tokio::sync;", "tokio") && has_word("a.await", ".await"));
        assert!(!has_word("let tokios = 1;", "tokio") && !has_word("operand::x", "rand::"));
    }
}

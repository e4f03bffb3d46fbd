//! The ids that a text names in its sentences: `GH-2 is done`. Whose they are is for others to find out.

use std::borrow::Cow;

use super::sentence::sentences;
use super::text;

/// Of more words that look like ids, the rest names nothing.
const MOST: usize = 12;

/// What looks like an id in the text's own lines, each once, in lower case: a word with a digit and a letter, a number
/// behind `#`, words joined by a dash.
pub fn mentioned(body: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in text::lines(body).iter().filter(|line| !line.quoted) {
        let words = line.text.split(|c: char| c.is_whitespace() || is_apart(c));
        for word in words.filter(|word| word.contains(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_')))
        {
            let id = word.trim_matches(|c: char| matches!(c, '.' | '-' | '_' | '~')).to_lowercase();
            if looks_like_id(&id) && !found.contains(&id) && found.len() < MOST {
                found.push(id);
            }
        }
    }
    found
}

/// Whether the text does nothing but ask: "How is GH-42 going?" is a question to its reader and asks nothing of Wilco.
pub fn only_asks(body: &str) -> bool {
    let said = sentences(body);
    !said.is_empty() && said.iter().all(|sentence| sentence.asks)
}

/// The text with `GH-1 and GH-2 are done` as `GH-1 are done`: what is said of several together is said of each. Only
/// where nothing else can be meant: before a verb of several, or at the end of the sentence.
pub fn said_of<'a>(body: &'a str, own: &str) -> Cow<'a, str> {
    let names = mentioned(body);
    if names.len() < 2 || !names.contains(&own.to_lowercase()) {
        return Cow::Borrowed(body);
    }
    let lines: Vec<_> = body.split('\n').map(|line| line_said_of(line, own)).collect();
    Cow::Owned(lines.join("\n"))
}

fn line_said_of(line: &str, own: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let (mut said, mut at) = (Vec::new(), 0);
    while let Some(word) = words.get(at) {
        match together(&words[at..]) {
            Some((ids, length)) if ids.iter().any(|id| id.eq_ignore_ascii_case(own)) => {
                let last = words[at + length - 1];
                let mark = &last[last.trim_end_matches(['.', '!', ':']).len()..];
                said.push(format!("{own}{mark}"));
                at += length;
            }
            Some(_) | None => {
                said.push((*word).to_owned());
                at += 1;
            }
        }
    }
    said.join(" ")
}

/// The ids of `GH-1, GH-2 and GH-3` at the beginning of these words, and how many words they are.
fn together<'a>(words: &[&'a str]) -> Option<(Vec<&'a str>, usize)> {
    let bare = |word: &'a str| word.trim_matches(|c: char| is_apart(c) || c == '.');
    let is_id = |word: &&'a str| looks_like_id(bare(word));
    let (mut ids, mut at) = (vec![bare(words.first().filter(|word| is_id(word))?)], 1);
    while words[at - 1].ends_with(',') && words.get(at).is_some_and(is_id) {
        ids.push(bare(words[at]));
        at += 1;
    }
    let joined = words.get(at).is_some_and(|word| matches!(*word, "and" | "&"))
        && words.get(at + 1).is_some_and(is_id);
    if !joined {
        return None;
    }
    ids.push(bare(words[at + 1]));
    let (last, next) = (words[at + 1], words.get(at + 2));
    let ends = next.is_none() || last.ends_with(['.', '!']);
    let several = next.is_some_and(|next| matches!(*next, "are" | "were" | "have" | "both"));
    (ends || several).then_some((ids, at + 2))
}

fn is_apart(c: char) -> bool {
    matches!(
        c,
        ',' | ';'
            | ':'
            | '!'
            | '?'
            | '('
            | ')'
            | '['
            | ']'
            | '{'
            | '}'
            | '<'
            | '>'
            | '"'
            | '\''
            | '’'
            | '“'
            | '”'
            | '*'
            | '`'
            | '|'
            | '='
            | '/'
            | '\\'
            | '…'
            | '—'
            | '–'
    )
}

fn looks_like_id(word: &str) -> bool {
    const LONGEST: usize = 128;
    let has = |such: fn(char) -> bool| word.contains(such);
    let (digit, letter) = (has(|c| c.is_ascii_digit()), has(char::is_alphabetic));
    let joined = letter && word.contains(['-', '_']);
    word.len() <= LONGEST && ((digit && (letter || word.starts_with('#'))) || joined)
}

#[cfg(test)]
mod tests {
    use super::{mentioned, said_of};

    #[test]
    fn talk_11_what_is_said_of_several_together_is_said_of_each() {
        let table = [
            ("GH-1 and GH-2 are done.", "GH-2 are done."),
            ("Both GH-1, GH-2 and GH-3 have been completed", "Both GH-2 have been completed"),
            ("I have completed GH-1 & GH-2.", "I have completed GH-2."),
            ("GH-1 is done and GH-2 is not.", "GH-1 is done and GH-2 is not."),
            ("Finished GH-1 and GH-2 is next", "Finished GH-1 and GH-2 is next"),
            ("Finished GH-1, GH-2 next", "Finished GH-1, GH-2 next"),
            ("GH-1 or GH-2 are done", "GH-1 or GH-2 are done"),
        ];
        for (body, expected) in table {
            assert_eq!(said_of(body, "GH-2"), expected);
        }
        assert_eq!(said_of("GH-1 and GH-3 are done", "GH-2"), "GH-1 and GH-3 are done");
    }

    #[test]
    fn talk_11_ids_in_sentences_are_found_whatever_stands_around_them() {
        assert_eq!(mentioned("GH-1 is done, GH-2 isn't. (See gh-1.)"), ["gh-1", "gh-2"]);
        assert_eq!(
            mentioned("**GH-1**: done\n> GH-7 is quoted\nGH-3's tests/GH-4"),
            ["gh-1", "gh-3", "gh-4"]
        );
        assert_eq!(mentioned("42 of #43 and docs-update - ok"), ["#43", "docs-update"]);
        assert!(mentioned("I see. Interesting, tell me more.").is_empty());
    }
}

//! The word behind a head's separator, read with the vocabulary of its tag.
//!
//! Tells a plain word from a template (`RECEIVED|QUEUED`), from a question and from two words at
//! once. What the word means is the vocabulary's matter.

use super::block::{Block, Opening};
use super::text;

/// The word somebody said, and what they said behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReadWord<T> {
    pub(super) word: T,
    pub(super) remark: Option<String>,
    /// Another word of the vocabulary follows: `RECEIVED / QUEUED`.
    pub(super) contradicted: bool,
    /// What follows goes on in the same breath: `RECEIVED by the previous agent`.
    joined: bool,
}

/// The word of a block. The less of the form there is around it, the less may follow it.
pub(super) fn word_of<T: PartialEq>(
    block: &Block,
    vocabulary: impl Fn(&str) -> Option<T>,
) -> Option<ReadWord<T>> {
    const GOES_ON: [&str; 12] =
        ["is", "was", "would", "means", "will", "when", "if", "once", "as", "should", "unless", "depends"];
    let read = said(&block.said, vocabulary)?;
    let first =
        read.remark.as_deref().and_then(|remark| remark.split_whitespace().next()).map(str::to_lowercase);
    let goes_on = read.joined && first.is_some_and(|word| GOES_ON.contains(&word.as_str()));
    let refused = match block.opening {
        Opening::Bracketed => goes_on,
        Opening::Bare => read.joined,
        Opening::Preambled => read.remark.is_some(),
    };
    (!refused).then_some(read)
}

/// Reads the longest word of the vocabulary at the start of `text`.
pub(super) fn said<T: PartialEq>(text: &str, vocabulary: impl Fn(&str) -> Option<T>) -> Option<ReadWord<T>> {
    let text = text.replace(['*', '`'], "");
    let text = opened(&text)?;
    let (word, rest) = leading(text, &vocabulary)?;
    let rest = rest.trim_start();
    let joined = rest.starts_with(char::is_alphanumeric);
    let other = rest
        .strip_prefix(['|', '/', ',', '&', '+'])
        .or_else(|| rest.strip_prefix("or "))
        .or_else(|| rest.strip_prefix("OR "))
        .or_else(|| rest.strip_prefix("and "))
        .map(|next| next.trim_start().trim_start_matches("or "));
    let other_word = other.and_then(|next| leading(next, &vocabulary));
    let template = rest.starts_with('|')
        && (other_word.is_some() || other.is_some_and(|next| next.starts_with(['…', '.'])));
    if template || rest.starts_with('?') {
        return None;
    }
    let contradicted = other_word.is_some_and(|(other, _)| other != word);
    let remark = rest.trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(c, '-' | ':' | '.' | ',' | ';' | '|' | '!' | '–' | '—')
            || text::ornament(c)
    });
    let remark = remark.strip_prefix('(').and_then(|r| r.strip_suffix(')')).unwrap_or(remark);
    Some(ReadWord { word, remark: (!remark.is_empty()).then(|| remark.to_owned()), contradicted, joined })
}

/// Steps into brackets around the word, unless they hold a choice: `{RECEIVED|QUEUED}`.
fn opened(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || text::ornament(c));
    let close = match text.chars().next()? {
        '{' => '}',
        '<' => '>',
        '[' => ']',
        '(' => ')',
        _ => return Some(text),
    };
    let inner = &text[1..];
    let choice = inner.split(close).next().is_some_and(|held| held.contains(['|', '…', '/', ',']));
    (!choice).then_some(inner)
}

/// A vocabulary word of three words, two or one, ending where a word ends.
fn leading<'a, T>(text: &'a str, vocabulary: &impl Fn(&str) -> Option<T>) -> Option<(T, &'a str)> {
    let first = word_end(text, 0)?;
    let next = |end: usize| {
        let gap = text[end..].len() - text[end..].trim_start_matches([' ', '_', '-']).len();
        (gap > 0).then(|| word_end(text, end + gap)).flatten()
    };
    let second = next(first);
    let third = second.and_then(next);
    [third, second, Some(first)].into_iter().flatten().find_map(|end| {
        let rest = ended(&text[end..])?;
        vocabulary(&text[..end]).map(|word| (word, rest))
    })
}

fn word_end(text: &str, from: usize) -> Option<usize> {
    let letters = text[from..].find(|c: char| !c.is_alphabetic());
    let end = from + letters.unwrap_or(text.len() - from);
    (end > from).then_some(end)
}

/// The text behind a word, without the bracket that closes around it; none inside a longer word.
fn ended(rest: &str) -> Option<&str> {
    let mut chars = rest.chars();
    let longer = match (chars.next(), chars.next()) {
        (Some(c), _) if c.is_alphanumeric() || c == '_' => true,
        (Some('-' | '\''), Some(next)) => next.is_alphanumeric(),
        _ => false,
    };
    (!longer).then(|| rest.trim_start_matches(['}', '>', ']', ')']))
}

//! A text as the look reads it: words with their stems, in clauses and sentences.

use crate::read::understanding::{is_stop, stem};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LookWord {
    pub(super) lower: String,
    /// Words for "change" are one, because who says a thing back takes another of them.
    pub(super) stem: String,
    pub(super) clause: usize,
    pub(super) sentence: usize,
    /// Says something by itself: no grammar, no number, no denial.
    pub(super) tells: bool,
    /// A mark such as `1.`, `2)` or `(3)` may begin a point of a list.
    pub(super) numbers_a_point: bool,
}

/// What all words for a change are compared as.
pub(super) const CHANGE: &str = "~change";

pub(super) fn look_words(text: &str) -> Vec<LookWord> {
    // A class of characters counts nothing.
    let chars: Vec<char> = text.to_lowercase().replace("[0-9]", " ").chars().collect();
    let (mut words, mut clause, mut sentence, mut at) = (Vec::new(), 0, 0, 0);
    while at < chars.len() {
        let end = word_end(&chars, at);
        if end > at {
            let lower: String = chars[at..end].iter().collect();
            let numbers_a_point = lower.chars().all(|c| c.is_ascii_digit()) && is_mark(&chars, at, end);
            words.push(word(lower.trim_matches('\''), clause, sentence, numbers_a_point));
            at = end;
            continue;
        }
        let c = chars[at];
        let spaced = chars.get(at + 1).is_none_or(|next| next.is_whitespace());
        let dash = c == '-' && spaced && at > 0 && chars[at - 1].is_whitespace();
        match c {
            '%' => words.push(word("%", clause, sentence, false)),
            '.' | '!' | '?' if !spaced => {}
            '.' | '!' | '?' | ';' | '\n' => (clause, sentence) = (clause + 1, sentence + 1),
            ',' | ':' | '(' | ')' | '–' | '—' => clause += 1,
            '→' | '⇒' => clause += 1,
            '>' if at > 0 && matches!(chars[at - 1], '-' | '=') => clause += 1,
            _ if dash => clause += 1,
            _ => {}
        }
        at += 1;
    }
    words
}

/// Where the word ends that begins here; numbers keep their points, commas and colons.
fn word_end(chars: &[char], at: usize) -> usize {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    let mut end = at;
    while end < chars.len() {
        let digits = end > at
            && chars[end - 1].is_ascii_digit()
            && chars.get(end + 1).is_some_and(char::is_ascii_digit);
        let inside = matches!(chars[end], '.' | ',' | ':') && digits;
        if !part(chars[end]) && !inside {
            break;
        }
        end += 1;
    }
    end
}

/// `(1)`, or `1.` and `1)` at the beginning of something.
fn is_mark(chars: &[char], at: usize, end: usize) -> bool {
    let before = chars[..at].iter().rev().find(|c| **c != ' ');
    let after = chars.get(end);
    let begins = before.is_none_or(|c| matches!(c, '\n' | '.' | ',' | ';' | ':' | '(' | '-' | '*'));
    begins && matches!(after, Some('.' | ')'))
}

fn word(lower: &str, clause: usize, sentence: usize, numbers_a_point: bool) -> LookWord {
    let letters = lower.chars().all(|c| c.is_alphabetic() || c == '\'' || c == '_');
    let grammar = lower.is_empty() || is_stop(lower) || is_denial(lower) || is_grammar(lower);
    let tells = letters && (!grammar || lower == "off");
    LookWord { lower: lower.to_owned(), stem: look_stem(lower), clause, sentence, tells, numbers_a_point }
}

/// The stem of a word, one for all words of some kinds.
pub(super) fn look_stem(lower: &str) -> String {
    match stem(lower) {
        stem if CHANGES.contains(&stem.as_str()) => CHANGE.to_owned(),
        stem if REPEATS.contains(&stem.as_str()) => "~repeat".to_owned(),
        stem if DELETES.contains(&stem.as_str()) => DELETE.to_owned(),
        stem if stem == "known" => "know".to_owned(),
        stem => stem,
    }
}

/// What all words for taking away for good are compared as.
pub(super) const DELETE: &str = "~delete";
const DELETES: [&str; 6] = ["delet", "remov", "drop", "purg", "eras", "wipe"];
const REPEATS: [&str; 8] = ["repeat", "retri", "resend", "resent", "repetit", "rerun", "redo", "reattempt"];
const CHANGES: [&str; 12] = [
    "chang", "touch", "alter", "modifi", "affect", "notic", "impact", "edit", "differ", "unchang",
    "unaffect", "untouch",
];

fn is_grammar(lower: &str) -> bool {
    const GRAMMAR: [&str; 18] = [
        "any",
        "anybody",
        "ever",
        "themselves",
        "only",
        "just",
        "else",
        "still",
        "yet",
        "even",
        "longer",
        "least",
        "might",
        "cannot",
        "either",
        "instead",
        "rather",
        "want",
    ];
    GRAMMAR.contains(&lower)
}

/// A word that says no.
pub(super) fn is_denial(lower: &str) -> bool {
    const DENIALS: [&str; 23] = [
        "not", "no", "never", "none", "neither", "nor", "nobody", "nothing", "nowhere", "without", "cannot",
        "non", "zero", "dont", "doesnt", "wont", "isnt", "kein", "keine", "keinen", "nicht", "nie", "ohne",
    ];
    DENIALS.contains(&lower) || lower.ends_with("n't")
}

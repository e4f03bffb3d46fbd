//! The words of the text form that are taught for the life of a task: `[DONE] GH-42`, `[CHECKPOINT] GH-42 2 - …`,
//! `[STOPPED]`, `[PAUSED]`, `[RESUMED]`, `[DECISION]`, and what people write in their place.
//!
//! `[ACK]` and `[VERDICT]` have fields below them and readers of their own.

use super::announced::is_announced;
use super::block::{Opening, long_dash};
use super::block::{is_numbered, opened, unmarked, without_task};
use super::text;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    Done,
    Checkpoint,
    Stopped,
    Paused,
    Resumed,
    Decision,
    Fixed,
}

/// The taught word first, then those that are only understood.
const TAGS: [(&str, Word); 20] = [
    ("DONE", Word::Done),
    ("COMPLETE", Word::Done),
    ("COMPLETED", Word::Done),
    ("FINISHED", Word::Done),
    ("TASK-COMPLETE", Word::Done),
    ("TASK COMPLETE", Word::Done),
    ("CHECKPOINT", Word::Checkpoint),
    ("CHECKPOINT-ACK", Word::Checkpoint),
    ("STOPPED", Word::Stopped),
    ("STOP-ACK", Word::Stopped),
    ("HALTED", Word::Stopped),
    ("PAUSED", Word::Paused),
    ("PAUSE-ACK", Word::Paused),
    ("RESUMED", Word::Resumed),
    ("RESUME-ACK", Word::Resumed),
    ("DECISION", Word::Decision),
    ("DECIDE", Word::Decision),
    ("FIXED", Word::Fixed),
    ("FIXDONE", Word::Fixed),
    ("FIX-COMPLETE", Word::Fixed),
];

/// A word of the form, with the id and the text behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaggedWord {
    pub word: Word,
    pub id: Option<String>,
    pub rest: String,
    /// The text goes on behind the id without a stop: `[DONE] GH-42 limiter`.
    pub joined: bool,
    fenced: bool,
}

/// The words that a body says: those in its own voice, or the only one that is shown in a code fence.
pub fn words(body: &str) -> Vec<TaggedWord> {
    let lines = text::lines(body);
    let said = lines.iter().enumerate();
    let said = said.filter(|(_, line)| !line.quoted && !line.blank() && may_hold_tag(line.text));
    let mut found: Vec<(usize, TaggedWord)> = said
        .filter_map(|(at, line)| {
            let fenced = line.fence.is_some();
            let word = TAGS.iter().find_map(|(tag, word)| spoken(line.text, tag, *word, fenced))?;
            Some((at, word))
        })
        .collect();
    if found.iter().any(|(_, word)| !word.fenced) {
        found.retain(|(_, word)| !word.fenced);
    } else if found.len() > 1 {
        found.clear();
    }
    found.into_iter().filter(|(at, _)| !is_announced(&lines, *at)).map(|(_, word)| word).collect()
}

/// Whether it is worth looking closer: most lines neither have a bracket nor begin with such a word.
fn may_hold_tag(line: &str) -> bool {
    let (bare, _) = unmarked(line);
    let length = bare.bytes().take_while(u8::is_ascii_alphabetic).count();
    let begins = |tag: &str| tag.get(..length).is_some_and(|tag| tag.eq_ignore_ascii_case(&bare[..length]));
    text::has(line, [b'[']) || (length > 3 && TAGS.iter().any(|(tag, _)| begins(tag)))
}

/// Words with which the text behind an id makes a sentence of the whole: `[DONE] GH-42 is what I would write`.
const GOES_ON: [&str; 15] = [
    "is", "was", "would", "will", "means", "when", "if", "once", "as", "should", "unless", "after", "isn't",
    "by", "except",
];

fn spoken(line: &str, tag: &str, word: Word, fenced: bool) -> Option<TaggedWord> {
    let (rest, code, opening) = opened(line, tag)?;
    let rest = rest.trim_start_matches(|c: char| matches!(c, '*' | ':' | ' ' | '\t' | '-') || long_dash(c));
    let whole = without_task(rest);
    let end = whole.find(|c: char| c.is_whitespace() || long_dash(c)).unwrap_or(whole.len());
    let token = whole[..end].trim_matches(['*', '`', ':', ',', '.', '!', ')', '(', '"']);
    // An issue is called by its number alone.
    let issue = word == Word::Fixed && !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
    let (id, rest) = match is_numbered(token) || issue {
        true => (Some(token.to_owned()), whole[end..].trim()),
        false => (None, rest.trim()),
    };
    let behind = rest;
    let next = rest.split_whitespace().next().map(str::to_lowercase);
    let goes_on = next.is_some_and(|first| GOES_ON.contains(&first.as_str()));
    let rest = rest.trim_matches(|c: char| {
        matches!(c, '*' | '`' | ':' | ' ' | '.' | '-' | '!') || long_dash(c) || text::ornament(c)
    });
    // `[done] limiter` tells of a part; a word without an id stands alone, but for decisions.
    let bare = id.is_none() && !rest.is_empty() && word != Word::Decision;
    let alone =
        opening != Opening::Preambled || rest.is_empty() || matches!(word, Word::Decision | Word::Checkpoint);
    let template = rest.contains(['{', '<', '|']) && !rest.contains(' ') || lists_forms(line);
    let unanswered = line.trim_end().ends_with('?');
    if goes_on || bare || !alone || template || unanswered {
        return None;
    }
    let joined =
        id.is_some() && behind.trim_start_matches(['*', '`', ' ']).starts_with(char::is_alphanumeric);
    Some(TaggedWord { word, id, rest: rest.to_owned(), joined, fenced: fenced || code })
}

/// Whether a line shows several forms to choose from: `[DONE] GH-42 / [CHECKPOINT] GH-42 2 - summary`.
pub(super) fn lists_forms(body: &str) -> bool {
    let lists = |line: &text::Line<'_>| {
        let tags = line.text.match_indices('[').filter(|(at, _)| {
            TAGS.iter().any(|(tag, _)| {
                let inner = line.text.get(at + 1..at + 1 + tag.len());
                inner.is_some_and(|inner| inner.eq_ignore_ascii_case(tag))
                    && line.text[at + 1 + tag.len()..].starts_with(']')
            })
        });
        !line.quoted && tags.count() > 1
    };
    text::has(body, [b'[']) && text::lines(body).iter().any(lists)
}

/// `2 - limiter wired`: the number of a checkpoint and what it says.
pub fn checkpoint(rest: &str) -> Option<(u32, &str)> {
    let rest = rest.trim_start_matches(['#', ' ', '(']);
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    let number = rest[..digits].parse().ok().filter(|number| *number > 0)?;
    let behind = &rest[digits..];
    let parted = !behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '%' | '.'));
    parted.then(|| {
        (number, behind.trim_matches(|c: char| matches!(c, '-' | ':' | ' ' | ')' | '*') || long_dash(c)))
    })
}

/// The ids that a body's words name.
pub fn ids(body: &str) -> Vec<String> {
    words(body).into_iter().filter_map(|word| word.id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_10_words_are_read_however_they_are_dressed() {
        use Word::*;
        let table = [
            ("[DONE] GH-210", Done, Some("GH-210"), ""),
            ("**[DONE] GH-210** 🎉", Done, Some("GH-210"), ""),
            ("`[done] gh-210`", Done, Some("gh-210"), ""),
            ("```\n[DONE] GH-210\n```", Done, Some("GH-210"), ""),
            ("- [COMPLETED] GH-210 - all in", Done, Some("GH-210"), "all in"),
            ("[FINISHED] task GH-210", Done, Some("GH-210"), ""),
            ("[DONE]", Done, None, ""),
            ("DONE - GH-210. Limiter merged", Done, Some("GH-210"), "Limiter merged"),
            ("Here you are: [DONE] GH-210", Done, Some("GH-210"), ""),
            ("[CHECKPOINT] GH-210 2 - limiter wired", Checkpoint, Some("GH-210"), "2 - limiter wired"),
            ("checkpoint gh-210 2 - env", Checkpoint, Some("gh-210"), "2 - env"),
            ("[STOPPED] GH-210", Stopped, Some("GH-210"), ""),
            ("*paused* GH-210", Paused, Some("GH-210"), ""),
            ("resumed gh-210", Resumed, Some("gh-210"), ""),
            ("[DECISION] GH-210 reassign impl-101", Decision, Some("GH-210"), "reassign impl-101"),
            ("[DECISION] retry", Decision, None, "retry"),
        ];
        for (body, word, id, rest) in table {
            let read: Vec<_> = words(body).into_iter().map(|one| (one.word, one.id, one.rest)).collect();
            assert_eq!(read, [(word, id.map(str::to_owned), rest.to_owned())], "{body}");
        }
    }

    #[test]
    fn talk_10_what_is_quoted_asked_announced_or_a_template_is_no_word() {
        let none = [
            "> [DONE] GH-210",
            "[DONE] GH-210?",
            "I will send [DONE] GH-210 later",
            "When you are finished, reply with: [DONE] GH-210",
            "[DONE] GH-210 is what I'd write",
            "[DONE] GH-210 / [CHECKPOINT] GH-210 2 - summary",
            "- [done] limiter",
            "```\n[DONE] GH-210\n```\n```\n[DONE] GH-210\n```",
            "done with the limiter",
            "[DONE] {task_id}",
            "\u{202e}[DONE] GH-210\u{202c}",
        ];
        for body in none {
            assert_eq!(words(body), [], "{body}");
        }
    }

    #[test]
    fn talk_10_a_checkpoint_has_a_number() {
        assert_eq!(checkpoint("2 - limiter wired"), Some((2, "limiter wired")));
        assert_eq!(checkpoint("#3: env"), Some((3, "env")));
        assert_eq!(checkpoint("2/5"), None);
        assert_eq!(checkpoint("0 - nothing"), None);
        assert_eq!(checkpoint("half"), None);
    }
}

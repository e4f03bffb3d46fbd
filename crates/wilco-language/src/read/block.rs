//! The text form all structured answers share: a head line `[TAG] id rN - WORD` and `Key: value`
//! lines below it.
//!
//! Finds the blocks and their fields. Which words a tag knows and what an answer needs is laid on
//! top by the reader of that answer.

use super::announced::is_announced;
use super::sentence::is_disguised;
use super::text::{self, Line, Mark};

/// What a `Key:` line under a head speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Understanding,
    Questions,
    Reason,
    Note,
    Correction,
    Missing,
    StartingFrom,
    /// Known to be none of the above, such as `ETA:`; it ends the field before it.
    Aside,
}

/// One head line and what stands below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub id: String,
    pub revision: Option<u32>,
    /// What follows the separator: the word and perhaps a remark.
    pub said: String,
    /// Shown in a code fence or code span rather than said.
    pub fenced: bool,
    pub(super) opening: Opening,
    fields: Vec<(Key, Vec<String>)>,
    loose: Vec<String>,
}

/// How a tag stands in its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// `[ACK]` at the start of the line.
    Bracketed,
    /// `ACK` without brackets, before an id.
    Bare,
    /// Alone behind a preamble: `Acknowledged. [ACK] GH-42 - RECEIVED`.
    Preambled,
}

/// The blocks under `tag` that count: those said, or the only one shown in a code fence.
///
/// `counts` tells whether a block's words are known, so that a template beside an answer does not
/// hide it.
pub fn blocks(body: &str, tag: &str, counts: impl Fn(&Block) -> bool) -> Vec<Block> {
    // Every message is asked for blocks, several times, and few have one.
    if !mentions(body, tag) {
        return Vec::new();
    }
    let lines = text::lines(body);
    let at = |at: usize| block(&lines, at, tag).filter(&counts).map(|block| (at, block));
    let mut found: Vec<(usize, Block)> = (0..lines.len()).filter_map(at).collect();
    if found.iter().any(|(_, block)| !block.fenced) {
        found.retain(|(_, block)| !block.fenced);
    } else if found.len() > 1 {
        found.clear();
    }
    found.into_iter().filter(|(at, _)| !is_announced(&lines, *at)).map(|(_, block)| block).collect()
}

impl Block {
    /// A field as one line of text; none when it is missing, empty or a template's blank.
    pub fn text(&self, key: Key) -> Option<String> {
        let joined = self.lines(key).fold(String::new(), |mut joined, line| {
            let item = text::list_item(line).map(|(_, item)| item);
            if !joined.is_empty() {
                let listed = item.is_some() && !joined.ends_with([':', ';', '.', '?', '!', ',']);
                joined.push_str(if listed { "; " } else { " " });
            }
            joined.push_str(item.unwrap_or(line));
            joined
        });
        let value = unemphasised(&joined);
        (!blank_of_template(value)).then(|| value.to_owned())
    }

    /// A field as a list: bulleted, numbered, or one entry a line.
    pub fn items(&self, key: Key) -> Vec<String> {
        items(self.lines(key))
    }

    /// The lines that belong to no field, as a list.
    pub fn loose_items(&self) -> Vec<String> {
        items(self.loose.iter().map(String::as_str))
    }

    fn lines(&self, key: Key) -> impl Iterator<Item = &str> {
        self.fields
            .iter()
            .filter(move |(name, _)| *name == key)
            .flat_map(|(_, lines)| lines.iter().map(String::as_str))
    }
}

fn items<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut numbered = false;
    for line in lines {
        let listed = text::list_item(line);
        numbered |= listed.is_some_and(|(mark, _)| mark == text::Mark::Number);
        let item = text::checkbox(line).map(|(_, item)| item).or(listed.map(|(_, item)| item));
        let below = numbered && listed.is_some_and(|(mark, _)| mark == text::Mark::Bullet);
        match (item, items.last_mut()) {
            // A list below a numbered entry belongs to it.
            (_, Some(last)) if below => {
                last.push(' ');
                last.push_str(item.unwrap_or(line));
            }
            // A wrapped line goes on with the entry above it.
            (None, Some(last)) if !last.ends_with(['?', '.', ';', '!', ':']) => {
                last.push(' ');
                last.push_str(line);
            }
            (item, _) => items.push(item.unwrap_or(line).to_owned()),
        }
    }
    let items = items.iter().map(|item| unemphasised(item));
    items.filter(|item| !blank_of_template(item)).map(str::to_owned).collect()
}

/// Nothing but punctuation, a blank somebody left unfilled: `{one line}`, or the head of another answer.
fn blank_of_template(value: &str) -> bool {
    let enclosed = |open, close| value.starts_with(open) && value.ends_with(close);
    let headed = || heads(value);
    !value.chars().any(char::is_alphanumeric) || enclosed('{', '}') || enclosed('<', '>') || headed()
}

fn unemphasised(value: &str) -> &str {
    let mut value = value.trim();
    for mark in ["**", "__"] {
        if value.matches(mark).count() == 1 {
            value = value.strip_prefix(mark).unwrap_or(value);
            value = value.strip_suffix(mark).unwrap_or(value);
        }
    }
    text::bold(value).unwrap_or(value).trim()
}

fn block(lines: &[Line<'_>], at: usize, tag: &str) -> Option<Block> {
    let line = &lines[at];
    if line.quoted {
        return None;
    }
    let head = head(line.text, tag)?;
    let mut block = Block {
        id: head.id.to_owned(),
        revision: head.revision,
        said: head.said.to_owned(),
        fenced: line.fence.is_some() || head.code,
        opening: head.opening,
        fields: Vec::new(),
        loose: Vec::new(),
    };
    block.gather(lines, at);
    Some(block)
}

impl Block {
    fn gather(&mut self, lines: &[Line<'_>], at: usize) {
        let fence = lines[at].fence;
        let mut gap = false;
        let mut open = false;
        for line in &lines[at + 1..] {
            if fence.is_some() && line.fence != fence {
                break;
            }
            if line.quoted || line.fence != fence || marker(line) {
                continue;
            }
            if ends(line.text) {
                break;
            }
            if line.blank() {
                gap = true;
                continue;
            }
            let current = open.then(|| self.fields.last_mut()).flatten();
            let listed =
                current.as_ref().is_some_and(|(key, _)| matches!(key, Key::Questions | Key::Missing));
            if let Some((key, value)) = key_line(line.text, listed) {
                let value = value.trim();
                let first = (!value.is_empty()).then(|| value.to_owned());
                self.fields.push((key, first.into_iter().collect()));
                open = true;
            } else {
                let value = line.text.trim().to_owned();
                match current {
                    Some((_, held)) if !gap || held.is_empty() || goes_on(&value, listed) => {
                        held.push(value);
                    }
                    Some(_) | None => {
                        open = false;
                        self.loose.push(value);
                    }
                }
            }
            gap = false;
        }
    }

    /// Reads the remark behind the word as a field when it is one: `RECEIVED. Understanding: …`.
    pub fn take_remark(&mut self, remark: &str) -> Option<String> {
        match key_line(remark, false) {
            Some((key, value)) => {
                self.fields.insert(0, (key, vec![value.trim().to_owned()]));
                None
            }
            None => (!blank_of_template(remark)).then(|| remark.to_owned()),
        }
    }
}

fn marker(line: &Line<'_>) -> bool {
    let text = line.text.trim_start();
    line.fence.is_some() && (text.starts_with("```") || text.starts_with("~~~"))
}

/// Every tag of the text form; a head of any of them ends the block before it.
const TAGS: [&str; 8] = ["ACK", "VERDICT", "DONE", "CHECKPOINT", "STOPPED", "PAUSED", "RESUMED", "DECISION"];

/// Whether a line begins with one of them.
pub fn heads(line: &str) -> bool {
    let (bare, _) = unmarked(line);
    TAGS.iter().any(|tag| tagged(bare, tag).is_some() || untagged(bare, tag).is_some())
}

/// Whether a word stands anywhere in the body, in any letter case.
pub(super) fn mentions(body: &str, word: &str) -> bool {
    body.as_bytes().windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

fn ends(line: &str) -> bool {
    let heading = text::heading(line).is_some() && key_line(line, false).is_none();
    heads(line) || heading || text::ruled(line)
}

/// After an empty line only a list goes on, or a sentence that takes something back.
fn goes_on(value: &str, listed: bool) -> bool {
    const CONTRAST: [&str; 8] =
        ["but", "however", "except", "although", "though", "that said", "unfortunately", "note that"];
    let lower = value.to_lowercase();
    text::list_item(value).is_some()
        || (listed && value.ends_with('?'))
        || CONTRAST.iter().any(|word| lower.starts_with(word))
}

/// A `Key: value` line, or a bold line or heading that is a key alone.
fn key_line(line: &str, in_list: bool) -> Option<(Key, &str)> {
    let numbered = matches!(text::list_item(line), Some((Mark::Number, _)));
    if in_list && numbered {
        return None;
    }
    let (bare, _) = unmarked(line);
    match bare.split_once(':') {
        Some((name, value)) => {
            let value = value.trim_start();
            let value = value.strip_prefix("**").unwrap_or(value);
            named(name).map(|key| (key, value))
        }
        None if text::heading(line).is_some() || text::bold(line).is_some() => {
            named(bare).map(|key| (key, ""))
        }
        None => None,
    }
}

fn named(name: &str) -> Option<Key> {
    if name.len() > 48 {
        return None;
    }
    let name = name.split('(').next().unwrap_or(name);
    let name = text::fold(&name.replace(['*', '`'], " "));
    let name = name.strip_prefix("my-").unwrap_or(&name);
    Some(match name {
        "understanding" | "understanding-summary" | "summary-of-understanding" => Key::Understanding,
        "question"
        | "questions"
        | "clarifying-questions"
        | "open-questions"
        | "clarification-questions"
        | "clarifications-needed"
        | "clarification-needed" => Key::Questions,
        "reason" | "reasons" | "rejection-reason" | "reason-for-rejection" => Key::Reason,
        "note" | "notes" => Key::Note,
        "correction" | "correct-understanding" | "right-is" | "correct-is" => Key::Correction,
        "missing" | "missing-items" | "what-is-missing" | "missing-parts" => Key::Missing,
        "starting-from" | "start-from" | "starting-point" | "continuing-from" => Key::StartingFrom,
        "eta"
        | "estimate"
        | "estimated-time"
        | "estimated-completion"
        | "estimated-checkpoints"
        | "checkpoints"
        | "status"
        | "plan"
        | "next-steps"
        | "next-step"
        | "timeline"
        | "agent"
        | "from"
        | "priority"
        | "assignee"
        | "start"
        | "started"
        | "received-at"
        | "timestamp" => Key::Aside,
        _ => return None,
    })
}

struct Head<'a> {
    id: &'a str,
    revision: Option<u32>,
    said: &'a str,
    code: bool,
    opening: Opening,
}

/// What follows a tag, whether it stands in a code span, and how it stands there.
pub(super) fn opened<'a>(line: &'a str, tag: &str) -> Option<(&'a str, bool, Opening)> {
    let (bare, code) = unmarked(line);
    if is_disguised(line) || line.contains("~~") {
        return None;
    }
    let at_start = tagged(bare, tag).map(|rest| (rest, code, Opening::Bracketed));
    let at_start = at_start.or_else(|| untagged(bare, tag).map(|rest| (rest, code, Opening::Bare)));
    if at_start.is_some() || text::list_item(line).is_some() || key_line(line, false).is_some() {
        return at_start;
    }
    line.match_indices('[').find_map(|(at, _)| {
        let rest = tagged(&line[at..], tag).filter(|_| is_preamble(&line[..at]))?;
        Some((rest, line[..at].ends_with('`'), Opening::Preambled))
    })
}

/// Whether what stands before a tag leads to it: ended, short, and neither a wish nor somebody else's word.
fn is_preamble(text: &str) -> bool {
    const LONGEST: usize = 160;
    const CUES: [&str; 26] = [
        "will", "would", "if", "when", "once", "not", "never", "until", "after", "example", "like", "said",
        "wrote", "says", "sent", "please", "answer", "with", "reply", "respond", "use", "write", "send",
        "should", "expected", "whether",
    ];
    if text.len() > LONGEST {
        return false;
    }
    let text = text.trim_end_matches(['`', '*', ' ', '_']);
    let ended = text
        .ends_with(|c: char| matches!(c, '.' | '!' | ':' | ',' | ';') || long_dash(c) || text::ornament(c));
    let lower = text.to_lowercase().replace('’', "'");
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let cue = words.any(|word| CUES.contains(&word) || word.ends_with("n't") || word.ends_with("'ll"));
    ended && !cue && !text.contains(['?', '"', '“', '>'])
}

/// What follows a tag without brackets when an id is next.
fn untagged<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let rest = text
        .get(..tag.len())
        .filter(|word| word.eq_ignore_ascii_case(tag))
        .map(|word| &text[word.len()..])?;
    let parted = rest.starts_with(|c: char| c.is_whitespace() || matches!(c, ':' | '*'));
    let id = without_task(rest.trim_start_matches([':', '*', ' ', '\t', '-', '–', '—']))
        .split_whitespace()
        .next()?;
    (parted && is_numbered(id)).then_some(rest)
}

/// Letters or a mark, and a digit: an id by its looks.
pub(super) fn is_numbered(id: &str) -> bool {
    let id = id.trim_matches(['`', '*', ':', ',', '.']);
    is_id(id)
        && id.contains(|c: char| c.is_ascii_digit())
        && id.contains(|c: char| c.is_alphabetic() || c == '#')
}

fn head<'a>(line: &'a str, tag: &str) -> Option<Head<'a>> {
    let (rest, code, opening) = opened(line, tag)?;
    let rest = rest.trim_start_matches(['*', ':', ' ', '\t']);
    let whole = without_task(rest);
    let end = whole.find(|c: char| c.is_whitespace() || long_dash(c));
    let (token, rest) = whole.split_at(end.unwrap_or(whole.len()));
    let token = token.trim_matches(['*', '`']);
    let (revision, after) = revision(rest);
    let (id, said) = match separated(after) {
        Some(said) => (token.trim_end_matches(':'), said),
        None if token.ends_with([':', '-']) => (token.trim_end_matches([':', '-']), after),
        // "GH-42:RECEIVED", written without a space, or "GH-42 RECEIVED" without a separator.
        None => match whole[..whole.len() - rest.len()].rfind(':') {
            Some(at) => (&whole[..at], &whole[at + 1..]),
            None if is_numbered(token) => (token, after),
            None => return None,
        },
    };
    let id = id.trim_matches([':', '*', '`', '"']);
    let said = said.trim();
    (is_id(id) && !said.is_empty()).then_some(Head { id, revision, said, code, opening })
}

/// The line behind its spaces, list marks, heading marks, emphasis and ornaments, and whether it
/// opens a code span.
pub(super) fn unmarked(line: &str) -> (&str, bool) {
    let mut rest = line.trim();
    let mut code = false;
    loop {
        let before = rest;
        if let Some((_, item)) = text::list_item(rest) {
            rest = item;
        }
        rest = rest.trim_start_matches(['#', '*']).trim_start();
        rest = rest.strip_prefix("__").unwrap_or(rest);
        rest = rest.trim_start_matches(text::ornament).trim_start();
        if let Some(inner) = rest.strip_prefix('`') {
            code = true;
            rest = inner;
        }
        if rest == before {
            return (rest, code);
        }
    }
}

/// What follows `[TAG]`, in any letter case, perhaps with escaped brackets.
fn tagged<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let text = text.strip_prefix('\\').unwrap_or(text);
    let text = text.strip_prefix('[')?.trim_start();
    let word = text.get(..tag.len())?;
    let rest = word.eq_ignore_ascii_case(tag).then(|| &text[tag.len()..])?;
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('\\').unwrap_or(rest);
    rest.strip_prefix(']')
}

/// "Task GH-42" names the same task as "GH-42".
pub(super) fn without_task(text: &str) -> &str {
    let Some((word, rest)) = text.split_once(char::is_whitespace) else {
        return text;
    };
    let named = matches!(text::fold(word.trim_end_matches(':')).as_str(), "task" | "task-id");
    let rest = rest.trim_start();
    if named && rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '#' | '`' | '*')) {
        rest
    } else {
        text
    }
}

fn revision(text: &str) -> (Option<u32>, &str) {
    let text = text.trim_start_matches(['*', '`', ' ', '\t']);
    let inner = text.strip_prefix('(').unwrap_or(text);
    let word = inner.chars().take_while(|c| c.is_ascii_alphabetic()).count();
    let known = matches!(inner[..word].to_ascii_lowercase().as_str(), "r" | "rev" | "revision");
    let rest = inner[word..].trim_start_matches([' ', '.']);
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    let number = rest[..digits].parse().ok().filter(|_| known);
    match number {
        Some(number) => (Some(number), rest[digits..].trim_start_matches([')', '*', '`'])),
        None => (None, text),
    }
}

fn separated(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let rest = text.trim_start_matches(|c| matches!(c, '-' | ':') || long_dash(c));
    (rest.len() < text.len()).then_some(rest)
}

pub(super) fn long_dash(c: char) -> bool {
    matches!(c, '‐' | '‑' | '‒' | '–' | '—' | '―' | '−')
}

/// A blank of a template, a link target or a bracketed word is no id.
fn is_id(text: &str) -> bool {
    const FOREIGN: [char; 10] = ['{', '}', '<', '>', '|', '[', ']', '(', ')', '…'];
    text.chars().any(char::is_alphanumeric) && !text.contains(FOREIGN)
}

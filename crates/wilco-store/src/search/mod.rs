//! Looking for messages by what they say and who sent them.
//!
//! What fits is decided here, for every store alike. An index may say where to look; it is never asked
//! for the truth.

mod words;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use wilco_protocol::Name;

use crate::batch::MessageRow;
use crate::reader::{PAGE_BYTES, Room};

pub use words::words;

/// What is looked for; a message fits when all of it holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchFilter {
    /// Each must be the beginning of a word of the message: as `words` gives them.
    pub words: Vec<String>,
    pub from: Option<Name>,
    pub to: Option<Name>,
    /// Its sender or its recipient.
    pub agent: Option<Name>,
    /// The type of its content, as `kind_word` gives it.
    pub kind: Option<String>,
    /// The number of the exchange it belongs to.
    pub exchange: Option<u64>,
    /// Only those before this position: newest first.
    pub before: Option<u64>,
    pub limit: usize,
}

/// A part of what was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    pub rows: Vec<MessageRow>,
    /// Where to go on, when not everything was looked at.
    pub next: Option<u64>,
}

/// Messages that one call looks at; the caller goes on from there.
pub(crate) const MAX_LOOKED: usize = 2000;

/// A type in the spelling that all are compared in. A message without one is conversation.
pub fn kind_word(kind: &str) -> String {
    match kind.trim() {
        "" => "conversation".to_owned(),
        word => word.to_lowercase().replace('_', "-"),
    }
}

/// What of a stored message can be looked for.
#[derive(Deserialize)]
struct Body<'a> {
    from: Name,
    to: Name,
    subject: String,
    #[serde(borrow)]
    content: &'a RawValue,
}

impl SearchFilter {
    /// Whether this message is looked for. One that cannot be read never is.
    pub fn fits(&self, row: &MessageRow) -> bool {
        if self.exchange.is_some() && self.exchange != row.exchange {
            return false;
        }
        if self.is_everything() {
            return true;
        }
        let Ok(body) = serde_json::from_slice::<Body<'_>>(&row.body) else { return false };
        let is = |wanted: &Option<Name>, name: &Name| wanted.as_ref().is_none_or(|wanted| wanted == name);
        if !is(&self.from, &body.from) || !is(&self.to, &body.to) {
            return false;
        }
        if !is(&self.agent, &body.from) && !is(&self.agent, &body.to) {
            return false;
        }
        let content: Value = serde_json::from_str(body.content.get()).unwrap_or(Value::Null);
        if self.kind.as_ref().is_some_and(|kind| *kind != kind_of(&content)) {
            return false;
        }
        let mut missing: Vec<&str> = self.words.iter().map(String::as_str).collect();
        said(&body.subject, &content, &mut |word| missing.retain(|wanted| !word.starts_with(wanted)));
        missing.is_empty()
    }

    /// Whether every message fits, as far as its body is concerned.
    fn is_everything(&self) -> bool {
        self.words.is_empty()
            && self.from.is_none()
            && self.to.is_none()
            && self.agent.is_none()
            && self.kind.is_none()
    }
}

fn kind_of(content: &Value) -> String {
    kind_word(content.get("type").and_then(Value::as_str).unwrap_or(""))
}

/// Every word of the subject and of the values of the content.
fn said(subject: &str, content: &Value, word: &mut impl FnMut(&str)) {
    words(subject).iter().for_each(|one| word(one));
    let mut waiting = vec![content];
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) => words(text).iter().for_each(|one| word(one)),
            Value::Number(number) => words(&number.to_string()).iter().for_each(|one| word(one)),
            Value::Array(items) => waiting.extend(items),
            Value::Object(fields) => waiting.extend(fields.values()),
            Value::Null | Value::Bool(_) => {}
        }
    }
}

/// What an index must know of a message so that `SearchFilter` can be answered with it.
pub(crate) struct Terms {
    pub(crate) from: Name,
    pub(crate) to: Name,
    pub(crate) kind: String,
    pub(crate) words: std::collections::BTreeSet<String>,
}

/// None when the message cannot be read; it is never found.
pub(crate) fn terms(row: &MessageRow) -> Option<Terms> {
    let body: Body<'_> = serde_json::from_slice(&row.body).ok()?;
    let content: Value = serde_json::from_str(body.content.get()).unwrap_or(Value::Null);
    let mut words = std::collections::BTreeSet::new();
    said(&body.subject, &content, &mut |word| {
        if !words.contains(word) {
            words.insert(word.to_owned());
        }
    });
    Some(Terms { kind: kind_of(&content), from: body.from, to: body.to, words })
}

/// Terms of different kinds begin with characters that no word has: those for private use.
pub(crate) const FROM: char = '\u{E000}';
pub(crate) const TO: char = '\u{E001}';
pub(crate) const KIND: char = '\u{E002}';
pub(crate) const EXCHANGE: char = '\u{E003}';
/// In place of what would end a term.
const OTHER: char = '\u{E010}';

/// Different names may give the same term; they are told apart when the message is looked at.
pub(crate) fn term(kind: char, text: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || !char.is_ascii();
    let chars = text.chars().map(|char| if plain(char) { char.to_ascii_lowercase() } else { OTHER });
    std::iter::once(kind).chain(chars).collect()
}

/// Everything that an index keeps of a message.
pub(crate) fn index_terms(terms: Terms, exchange: Option<u64>) -> Vec<String> {
    let mut list: Vec<String> = terms.words.into_iter().collect();
    list.push(term(FROM, terms.from.as_str()));
    list.push(term(TO, terms.to.as_str()));
    list.push(term(KIND, &terms.kind));
    list.extend(exchange.map(|number| term(EXCHANGE, &number.to_string())));
    list
}

/// Looks through messages that `page` gives newest first, those before a position, so many at a time.
pub(crate) fn scan<E>(
    filter: &SearchFilter,
    mut page: impl FnMut(u64, usize) -> Result<Vec<MessageRow>, E>,
) -> Result<Found, E> {
    const PAGE: usize = 200;
    let (mut rows, mut looked, mut room) = (Vec::new(), 0, Room::new(PAGE_BYTES));
    let mut before = filter.before.unwrap_or(u64::MAX);
    loop {
        let read = page(before, PAGE)?;
        let all = read.is_empty();
        for row in read {
            let full = rows.len() >= filter.limit || looked >= MAX_LOOKED;
            let fits = !full && filter.fits(&row);
            if full || (fits && !room.takes(row.body.len())) {
                return Ok(Found { rows, next: Some(before) });
            }
            (before, looked) = (row.position, looked + 1);
            if fits {
                rows.push(row);
            }
        }
        if all {
            return Ok(Found { rows, next: None });
        }
    }
}

//! Exported events: a line each, with the exact bytes inside, that verify without a store.
//!
//! A line is the stored object with three members added: `position` in front, `previous` and `hash` behind.
//! In YAML each is an item of a list; JSON is YAML too, but for some characters, which are written as escapes.

use std::io::{self, BufRead};

use crate::chain::{Hash, genesis, hex, link};
use crate::generation::continues;

/// An event with the hash of the one before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    pub position: u64,
    pub bytes: Vec<u8>,
    pub previous: Hash,
    pub hash: Hash,
}

/// What a file of exported events holds, when all of it is as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    pub events: u64,
    /// The hash of the last event.
    pub head: Hash,
    /// The first position between them that it leaves out.
    pub gap: Option<u64>,
}

/// Why a file of exported events cannot be believed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("{reason}")]
    Damaged {
        /// 0 when it cannot even be said which event it is.
        position: u64,
        reason: String,
    },
    #[error("the file cannot be read: {0}")]
    Read(#[from] io::Error),
}

/// A line no event is as long as.
const MAX_LINE: u64 = 64 << 20;

impl Exported {
    /// Without the end of the line.
    pub fn line(&self) -> String {
        let bytes = String::from_utf8_lossy(&self.bytes);
        let inner = bytes.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(&bytes);
        let Exported { position, previous, hash, .. } = self;
        format!(r#"{{"position":{position},{inner},"previous":"{}","hash":"{}"}}"#, hex(previous), hex(hash))
    }

    /// The same as an item of a YAML list.
    pub fn yaml(&self) -> String {
        let mut out = String::from("- ");
        for char in self.line().chars() {
            match is_foreign_to_yaml(char) {
                true => out.push_str(&format!("\\u{:04x}", char as u32)),
                false => out.push(char),
            }
        }
        out
    }

    fn read(line: &str) -> Option<Exported> {
        let line = match line.strip_prefix("- ") {
            Some(item) => plain(item),
            None => line.to_owned(),
        };
        let (position, rest) = line.strip_prefix(r#"{"position":"#)?.split_once(',')?;
        let (rest, hash) = rest.strip_suffix(r#""}"#)?.rsplit_once(r#"","hash":""#)?;
        let (inner, previous) = rest.rsplit_once(r#","previous":""#)?;
        Some(Exported {
            position: position.parse().ok()?,
            bytes: format!("{{{inner}}}").into_bytes(),
            previous: from_hex(previous)?,
            hash: from_hex(hash)?,
        })
    }
}

/// Checks a file of exported events by itself: every event against its hash and the one before it, and those
/// that follow each other against each other. Events that were left out leave gaps.
pub fn verify_export(file: impl BufRead) -> Result<Export, ExportError> {
    let damaged = |position, reason: &str| ExportError::Damaged { position, reason: reason.to_owned() };
    let (mut events, mut last, mut gap) = (0, (0, genesis()), None);
    let mut file = file.take(u64::MAX);
    loop {
        let mut line = Vec::new();
        file.set_limit(MAX_LINE);
        if file.read_until(b'\n', &mut line)? == 0 {
            return Ok(Export { events, head: last.1, gap });
        }
        let line = line.trim_ascii_end();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let event = std::str::from_utf8(line).ok().and_then(Exported::read);
        let event = event.ok_or_else(|| damaged(last.0 + 1, "the line is no exported event"))?;
        let position = event.position;
        if position <= last.0 {
            return Err(damaged(position, "the event stands behind a later one"));
        }
        let goes_on = continues(last.0, position, &event.bytes);
        if goes_on && event.previous != last.1 {
            return Err(damaged(position, "the event does not follow the one before it"));
        }
        if link(&event.previous, position, &event.bytes) != event.hash {
            return Err(damaged(position, "the event does not match its hash"));
        }
        if events > 0 && !goes_on {
            gap = gap.or(Some(last.0 + 1));
        }
        (events, last) = (events + 1, (position, event.hash));
    }
}

/// What YAML does not take as it stands, and JSON does not write as an escape.
fn is_foreign_to_yaml(char: char) -> bool {
    matches!(char as u32, 0x7F..=0x9F | 0x2028 | 0x2029 | 0xFEFF | 0xFFFE | 0xFFFF)
}

/// Takes back the escapes that `yaml` made. An escaped backslash begins none.
fn plain(item: &str) -> String {
    let mut out = String::with_capacity(item.len());
    let mut rest = item;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let code = rest.get(at + 2..at + 6).filter(|_| rest[at + 1..].starts_with('u'));
        let char = code.and_then(|code| char::from_u32(u32::from_str_radix(code, 16).ok()?));
        match char.filter(|char| is_foreign_to_yaml(*char)) {
            Some(char) => {
                out.push(char);
                rest = &rest[at + 6..];
            }
            None => {
                let end = (at + 2..=rest.len()).find(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len());
                out.push_str(&rest[at..end]);
                rest = &rest[end..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn from_hex(text: &str) -> Option<Hash> {
    let mut hash = Hash::default();
    if text.len() != 2 * hash.len() || !text.is_ascii() {
        return None;
    }
    for (byte, at) in hash.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal() -> Vec<Exported> {
        let texts = ["plain", "\u{85}\u{7f} \\\\u0085 \u{fffe}", "\\\" ,\\\"hash\\\":\\\"", "end"];
        let mut previous = genesis();
        (1..)
            .zip(texts)
            .map(|(position, text)| {
                let bytes = format!(r#"{{"type":"x","data":{{"text":"{text}"}}}}"#).into_bytes();
                let hash = link(&previous, position, &bytes);
                Exported { position, bytes, previous: std::mem::replace(&mut previous, hash), hash }
            })
            .collect()
    }

    #[test]
    fn api_7_an_exported_file_verifies_alone() {
        let events = journal();
        for form in [Exported::line, Exported::yaml] {
            let lines: Vec<String> = events.iter().map(|event| form(event) + "\n").collect();
            let whole = verify_export(lines.concat().as_bytes()).unwrap();
            assert_eq!(whole, Export { events: 4, head: events[3].hash, gap: None });
            let part = verify_export(lines[2..].concat().as_bytes()).unwrap();
            assert_eq!((part.events, part.gap), (2, None), "a part of it too");
            let holed = [&lines[..1], &lines[2..]].concat().concat();
            assert_eq!(verify_export(holed.as_bytes()).unwrap().gap, Some(2));

            let position = |text: String| match verify_export(text.as_bytes()) {
                Err(ExportError::Damaged { position, .. }) => position,
                other => panic!("{other:?}"),
            };
            assert_eq!(position(lines.concat().replacen("plain", "PLAIN", 1)), 1);
            assert_eq!(position(lines.concat().replacen("\"end\"", "\"ends\"", 1)), 4);
            assert_eq!(position([&*lines[1], &*lines[0]].concat()), 1);
            assert_eq!(position(format!("{}nonsense\n", lines[0])), 2);
        }
        let mut forged = events.clone();
        forged[1].previous = genesis();
        forged[1].hash = link(&genesis(), 2, &forged[1].bytes);
        let text: String = forged.iter().map(|event| event.line() + "\n").collect();
        assert!(matches!(verify_export(text.as_bytes()), Err(ExportError::Damaged { position: 2, .. })));
    }
}

//! A message that goes on to somebody else.

use serde_json::{Map, Value};

/// What is known of the message that goes on.
#[derive(Debug, Clone, Copy)]
pub struct Forwarded<'a> {
    pub from: &'a str,
    pub to: &'a str,
    pub subject: &'a str,
    pub timestamp: &'a str,
    pub content: &'a Map<String, Value>,
}

/// How it is worded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForwardText {
    pub subject: String,
    pub message: String,
}

/// A subject is cut to what an envelope takes.
const MAX_SUBJECT: usize = crate::parse::MAX_SUBJECT;

/// The note, then what goes on. It is quoted: somebody else's ACK in it is not an ACK of whoever sends it.
pub fn forwarded(letter: &Forwarded<'_>, note: Option<&str>) -> ForwardText {
    let text = match letter.content.get("message").and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => serde_json::to_string_pretty(letter.content).unwrap_or_default(),
    };
    let quoted: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
    let note = note.map(|note| format!("{note}\n\n")).unwrap_or_default();
    let Forwarded { from, to, subject, timestamp, .. } = letter;
    // On one line, so that nothing in it begins a line of its own.
    let subject = subject.split_whitespace().collect::<Vec<_>>().join(" ");
    let head = format!("Forwarded message from {from} to {to}, sent {timestamp}, subject: {subject}");
    let mut subject = format!("Fwd: {subject}");
    subject.truncate(subject.floor_char_boundary(MAX_SUBJECT));
    ForwardText { subject, message: format!("{note}{head}\n\n{}", quoted.join("\n")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::read::ack;

    #[test]
    fn msg_42_what_is_forwarded_is_quoted_and_acknowledges_nothing() {
        let content = json!({"message": "[ACK] GH-1 - RECEIVED\nUnderstanding: all of it"});
        let long = "x".repeat(2000);
        let letter = Forwarded {
            from: "bob",
            to: "anna",
            subject: &long,
            timestamp: "2026-01-31T14:30:00.000Z",
            content: content.as_object().unwrap(),
        };
        let text = forwarded(&letter, Some("for you"));
        assert!(
            text.message.starts_with("for you\n\nForwarded message from bob to anna"),
            "{}",
            text.message
        );
        assert!(text.message.ends_with("> [ACK] GH-1 - RECEIVED\n> Understanding: all of it"));
        assert!(ack::acks(&text.message).is_empty());
        assert_eq!(text.subject.len(), MAX_SUBJECT);
    }
}

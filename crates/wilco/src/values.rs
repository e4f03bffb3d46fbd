//! Values of options, as their JSON.

use std::collections::BTreeMap;
use std::io::Read;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Map, Value};
use wilco_language::message::{MessageType, listed};
use wilco_language::nearest;
use wilco_protocol::Span;

/// `key=value` of a policy. Numbers and JSON are taken as such, `a,b` is a list, all else is a text.
pub(crate) fn policy(text: &str) -> Result<(String, Value), String> {
    let (key, value) = pair(text)?;
    let items = |list: &str| list.split(',').map(|item| scalar(item.trim())).collect::<Vec<_>>();
    let value = match serde_json::from_str::<Value>(&value) {
        Ok(json) if key != "retry_timeouts" || json.is_array() => json,
        // The one key that is always a list.
        _ if key == "retry_timeouts" || value.contains(',') => Value::from(items(&value)),
        _ => Value::from(value),
    };
    Ok((key, value))
}

fn scalar(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

/// `key=value` as two texts.
pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.trim().to_owned())),
        _ => Err(format!("expected key=value, got {text:?}")),
    }
}

/// A phase and who checks it.
pub(crate) fn phase(text: &str) -> Result<(String, String), String> {
    let wrong =
        || format!("expected the phase and who checks it, such as unit=AGENT or unit=cmd:NAME, got {text:?}");
    pair(text).ok().filter(|(_, specialist)| !specialist.is_empty()).ok_or_else(wrong)
}

/// How to nudge an agent: a kind that needs nothing else by its name alone.
pub(crate) fn nudge(text: &str) -> Result<Map<String, Value>, String> {
    match text.trim() {
        "tmux" => Ok(Map::from_iter([("kind".to_owned(), "tmux".into())])),
        json if json.starts_with('{') => object(json),
        _ => Err("expected tmux, or a JSON object such as {\"kind\": \"webhook\", \"url\": \"https://…\"}"
            .to_owned()),
    }
}

/// Says which of these words may stand here, and which of them was probably meant.
pub(crate) fn expected(given: &str, words: &[&str]) -> String {
    let list = listed(words);
    match nearest(given, words.iter().copied()) {
        Some(near) => format!("expected {list}; did you mean {near}?"),
        None => format!("expected {list}"),
    }
}

/// A JSON object.
pub(crate) fn object(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| format!("expected a JSON object: {error}"))
}

pub(crate) fn span(text: &str) -> Result<Span, String> {
    text.parse::<Span>().map_err(|error| error.to_string())
}

pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "expected an address and a port, such as 127.0.0.1:23000".to_owned())
}

pub(crate) fn duration(span: Span) -> Duration {
    Duration::from_millis(span.as_millis())
}

/// How the help names a value that is a text of the caller's own.
pub(crate) const FREE_TEXT: &str = "TEXT";

/// The text, or what stands on stdin when it is `-`. There is one stdin, so one text can come from it.
pub(crate) fn free_text(text: &str) -> Result<String, String> {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    if text != "-" {
        return Ok(text.to_owned());
    }
    if TAKEN.swap(true, Ordering::Relaxed) {
        return Err("stdin is read by another option already; only one can be -".to_owned());
    }
    let mut read = String::new();
    let done = std::io::stdin().read_to_string(&mut read);
    done.map_err(|error| format!("stdin cannot be read: {error}"))?;
    Ok(read.trim_end_matches('\n').to_owned())
}

/// The content of a message: its type, and the fields that are given.
#[derive(Debug)]
pub(crate) struct Content(Map<String, Value>);

impl Content {
    pub(crate) fn new(of: MessageType) -> Content {
        Content(Map::from_iter([("type".to_owned(), Value::from(of.name()))]))
    }

    /// Sets a field; nothing, an empty list or false says nothing and stays out.
    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Content {
        let value = value.into();
        let says_nothing = match &value {
            Value::Null | Value::Bool(false) => true,
            Value::Array(items) => items.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            _ => false,
        };
        if !says_nothing {
            self.0.insert(key.to_owned(), value);
        }
        self
    }

    pub(crate) fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    pub(crate) fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

pub(crate) fn map(pairs: &[(String, Value)]) -> Map<String, Value> {
    pairs.iter().cloned().collect()
}

pub(crate) fn labels(pairs: &[(String, String)]) -> Option<BTreeMap<String, String>> {
    (!pairs.is_empty()).then(|| pairs.iter().cloned().collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cli_3_policies_are_given_as_key_and_value() {
        for (text, key, value) in [
            ("ack_timeout=90s", "ack_timeout", json!("90s")),
            ("ack_timeout=90", "ack_timeout", json!(90)),
            ("max_corrections=3", "max_corrections", json!(3)),
            ("retry_timeouts=2m", "retry_timeouts", json!(["2m"])),
            ("retry_timeouts=2m, 1m", "retry_timeouts", json!(["2m", "1m"])),
            ("retry_timeouts=60", "retry_timeouts", json!([60])),
            ("retry_timeouts=[\"2m\"]", "retry_timeouts", json!(["2m"])),
            ("understanding=accept", "understanding", json!("accept")),
            ("preset = critical", "preset", json!("critical")),
        ] {
            assert_eq!(policy(text), Ok((key.to_owned(), value)), "{text}");
        }
        assert!(policy("ack_timeout").is_err() && policy("=5m").is_err());
    }

    #[test]
    fn what_is_not_given_is_not_said() {
        let content = Content::new(MessageType::StopAck)
            .with("message", None::<String>)
            .with("list", Vec::<String>::new());
        assert_eq!(content.with("flag", false).into_value(), json!({"type": "stop-ack"}));
    }
}

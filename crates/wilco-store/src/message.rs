//! A message as it is kept: the original, and the delivered form where it differs.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use wilco_protocol::{ExchangeId, Meaning, MessageId, Name, Time};

/// Immutable once accepted. One recipient each: a message to several is several.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Message {
    pub id: MessageId,
    pub from: Name,
    pub from_verified: bool,
    /// Nobody of this name was known when it came, and somebody of nearly this name was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_unknown: bool,
    /// The operator who sent it in the sender's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_by: Option<Name>,
    pub to: Name,
    pub subject: String,
    pub priority: Priority,
    /// As it was sent, to the byte.
    pub content: Box<RawValue>,
    /// The content as its reader gets it, where Wilco added something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<MessageId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<ExchangeId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broadcast_id: Option<String>,
    pub timestamp: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
    /// The content as values, once somebody asked for them or when they are known anyway.
    #[serde(skip)]
    pub parsed: OnceLock<Arc<Map<String, Value>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    Low,
    #[default]
    Normal,
    High,
    Urgent,
}

/// How Wilco understood a message, and what followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    pub exchange: Option<ExchangeId>,
    /// The rule by which it was taken to belong to the exchange.
    pub rule: Option<Cow<'static, str>>,
    pub meaning: StoredMeaning,
    pub effect: Cow<'static, str>,
}

/// What a message was taken to mean, as it was stored. A word that this version does not know is shown as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StoredMeaning {
    Known(Meaning),
    Other(String),
}

impl StoredMeaning {
    pub fn known(&self) -> Option<Meaning> {
        match self {
            StoredMeaning::Known(meaning) => Some(*meaning),
            StoredMeaning::Other(_) => None,
        }
    }

    pub fn word(&self) -> &str {
        match self {
            StoredMeaning::Known(meaning) => meaning.word(),
            StoredMeaning::Other(word) => word,
        }
    }
}

impl From<Meaning> for StoredMeaning {
    fn from(meaning: Meaning) -> StoredMeaning {
        StoredMeaning::Known(meaning)
    }
}

impl Message {
    /// The content as it was sent, as values.
    pub fn values(&self) -> &Arc<Map<String, Value>> {
        self.parsed.get_or_init(|| serde_json::from_str(self.content.get()).unwrap_or_default())
    }

    /// The type that its content names.
    pub fn kind(&self) -> Option<String> {
        content_kind(&self.content)
    }

    /// The content as its reader gets it.
    pub fn delivered(&self) -> &RawValue {
        self.delivered.as_deref().unwrap_or(&self.content)
    }
}

/// The type that a content names. The rest of it is passed over.
pub fn content_kind(content: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct Typed {
        #[serde(rename = "type")]
        kind: Option<String>,
    }
    match serde_json::from_str::<Typed>(content.get()) {
        Ok(typed) => typed.kind,
        // Of an odd one, with another kind of type or two of them, all is read.
        Err(_) => {
            let all: Map<String, Value> = serde_json::from_str(content.get()).unwrap_or_default();
            all.get("type").and_then(Value::as_str).map(str::to_owned)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meaning_that_nobody_knows_any_more_is_read_and_shown_as_it_is() {
        for (word, known) in [
            ("answers", Some(Meaning::Answers)),
            ("needs_clarification", Some(Meaning::HandoffNeedsClarification)),
            ("needs-clarification", Some(Meaning::NeedsClarification)),
            ("from a later version", None),
        ] {
            let stored =
                serde_json::json!({"exchange": null, "rule": null, "meaning": word, "effect": "none"});
            let reading: Reading = serde_json::from_value(stored.clone()).unwrap();
            assert_eq!((reading.meaning.known(), reading.meaning.word()), (known, word));
            assert_eq!(serde_json::to_value(&reading).unwrap(), stored);
        }
    }

    #[test]
    fn the_type_of_a_content_is_what_all_of_it_says() {
        let texts = [
            r#"{"a":1,"type":"x\"y","b":[{}]}"#,
            r#"{"type":1}"#,
            r#"{"type":"a","type":"b"}"#,
            r#"{"type":null}"#,
            r#"{}"#,
            r#"[]"#,
        ];
        for text in texts {
            let content: Box<RawValue> = serde_json::from_str(text).unwrap();
            let all: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
            let said = all.get("type").and_then(Value::as_str).map(str::to_owned);
            assert_eq!(content_kind(&content), said, "{text}");
        }
    }
}

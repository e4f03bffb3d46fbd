//! Policies are set key by key, from built-in presets, the configuration and the request, and a key
//! that is unknown or has a bad value is refused by name.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::time::Span;

/// Settings that lie over a policy, in the order of their keys.
pub type Overrides = BTreeMap<String, Value>;

/// Why a key could not be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadKey {
    pub key: String,
    pub problem: KeyProblem,
}

/// What is wrong with a key or its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyProblem {
    Unknown { known: &'static [&'static str] },
    Value { expected: String },
}

impl BadKey {
    pub fn unknown(key: &str, known: &'static [&'static str]) -> BadKey {
        BadKey { key: key.to_owned(), problem: KeyProblem::Unknown { known } }
    }

    pub fn value(key: &str, expected: impl Into<String>) -> BadKey {
        BadKey { key: key.to_owned(), problem: KeyProblem::Value { expected: expected.into() } }
    }
}

impl From<BadKey> for Vec<BadKey> {
    fn from(bad: BadKey) -> Vec<BadKey> {
        vec![bad]
    }
}

/// A deadline: longer than nothing, or a wake could never move it past now.
pub fn deadline(key: &str, value: &Value) -> Result<Span, BadKey> {
    let span = span(key, value)?;
    if span.is_zero() {
        return Err(BadKey::value(key, "a duration longer than zero, such as 90s or 5m"));
    }
    Ok(span)
}

pub fn span(key: &str, value: &Value) -> Result<Span, BadKey> {
    let wrong = |error: serde_json::Error| match value.is_string() || value.is_number() {
        true => BadKey::value(key, error.to_string()),
        false => BadKey::value(key, "a duration such as 250ms, 90s, 5m, 1h30m or a number of seconds"),
    };
    serde_json::from_value(value.clone()).map_err(wrong)
}

pub fn whole(key: &str, value: &Value, most: u64) -> Result<u32, BadKey> {
    match value.as_u64() {
        Some(number) if number <= most => Ok(number as u32),
        _ => Err(BadKey::value(key, format!("a whole number from 0 to {most}"))),
    }
}

/// One of a few words.
pub fn word<T: Copy>(key: &str, value: &Value, words: &[(&str, T)]) -> Result<T, BadKey> {
    let found = value.as_str().and_then(|text| words.iter().find(|(word, _)| *word == text));
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let list: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        BadKey::value(key, format!("one of {}", list.join(", ")))
    })
}

pub fn flag(key: &str, value: &Value) -> Result<bool, BadKey> {
    value.as_bool().ok_or_else(|| BadKey::value(key, "true or false"))
}

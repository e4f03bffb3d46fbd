//! Policies are set key by key, from built-in presets, the configuration and the request, and a key
//! that is unknown or has a bad value is refused by name. Each protocol lists its keys as rows.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use strum::VariantNames;

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

/// One key of a policy. Its default stands in the policy's `Default`.
#[derive(Debug)]
pub struct Row<P> {
    pub key: &'static str,
    /// What it means, as the protocol's page in `docs/` says it.
    pub meaning: &'static str,
    set: Setter<P>,
}

type Setter<P> = fn(&mut P, Given<'_>) -> Result<(), Vec<BadKey>>;

/// The numbers and choices of a protocol, as rows.
pub trait Rows: Default + Serialize + 'static {
    const ROWS: &'static [Row<Self>];
    const KEYS: &'static [&'static str];
    /// Another name that a key may have, and the key.
    const ALIASES: &'static [(&'static str, &'static str)] = &[];
    /// The key that is set before the others, whose defaults follow from it.
    const FIRST: Option<&'static str> = None;

    /// The presets that exist without any configuration, as what they change.
    fn presets() -> Vec<(&'static str, Overrides)> {
        Vec::new()
    }

    /// The policy when nothing is configured, as JSON.
    fn unset() -> Value {
        serde_json::to_value(Self::default()).unwrap_or_default()
    }
}

/// Sets every key, or says which could not be set; the keys of its preset must have been set before.
pub fn set_all<P: Rows>(policy: &mut P, overrides: &Overrides) -> Result<(), Vec<BadKey>> {
    let is_first = |(key, _): &(&String, &Value)| P::FIRST == Some(key.as_str());
    let (first, others): (Vec<_>, Vec<_>) = overrides.iter().partition(is_first);
    let given = first.into_iter().chain(others).map(|(key, value)| Given { key, value });
    let bad: Vec<_> = given.filter_map(|given| set_one(policy, given).err()).flatten().collect();
    if bad.is_empty() { Ok(()) } else { Err(bad) }
}

fn set_one<P: Rows>(policy: &mut P, given: Given<'_>) -> Result<(), Vec<BadKey>> {
    let alias = P::ALIASES.iter().find(|(alias, _)| *alias == given.key);
    let name = alias.map_or(given.key, |(_, name)| name);
    match P::ROWS.iter().find(|row| row.key == name) {
        Some(row) => (row.set)(policy, given),
        None => Err(vec![BadKey::unknown(given.key, P::KEYS)]),
    }
}

pub(crate) const fn row<P>(key: &'static str, meaning: &'static str, set: Setter<P>) -> Row<P> {
    Row { key, meaning, set }
}

/// The row of the preset, which chooses what the others are set to and changes nothing itself.
pub(crate) const fn preset<P>(meaning: &'static str) -> Row<P> {
    row("preset", meaning, |_, _| Ok(()))
}

pub(crate) const fn keys<P, const N: usize>(rows: &[Row<P>; N]) -> [&'static str; N] {
    let mut keys = [""; N];
    let mut place = 0;
    while place < N {
        keys[place] = rows[place].key;
        place += 1;
    }
    keys
}

/// Puts what was read into its field.
pub(crate) fn put<T>(field: &mut T, read: Result<T, Vec<BadKey>>) -> Result<(), Vec<BadKey>> {
    *field = read?;
    Ok(())
}

/// A value for a key, as somebody gave it.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    key: &'a str,
    value: &'a Value,
}

impl<'a> Given<'a> {
    fn expected<T>(self, expected: impl Into<String>) -> Result<T, Vec<BadKey>> {
        Err(vec![BadKey::value(self.key, expected)])
    }

    /// A deadline: longer than nothing, or a wake could never move it past now.
    pub(crate) fn deadline(self) -> Result<Span, Vec<BadKey>> {
        match self.span()? {
            span if span.is_zero() => self.expected("a duration longer than zero, such as 90s or 5m"),
            span => Ok(span),
        }
    }

    pub(crate) fn span(self) -> Result<Span, Vec<BadKey>> {
        serde_json::from_value(self.value.clone()).or_else(|error: serde_json::Error| {
            if self.value.is_string() || self.value.is_number() {
                return self.expected(error.to_string());
            }
            self.expected("a duration such as 250ms, 90s, 5m, 1h30m or a number of seconds")
        })
    }

    /// A deadline; nothing, zero and `none` mean that there is none.
    pub(crate) fn optional_deadline(self) -> Result<Option<Span>, Vec<BadKey>> {
        match self.value {
            Value::Null => Ok(None),
            Value::String(text) if text == "none" => Ok(None),
            _ => self.span().map(|span| Some(span).filter(|span| !span.is_zero())),
        }
    }

    /// The entries of a list of durations.
    pub(crate) fn entries(self, most: usize, such_as: &str) -> Result<&'a [Value], Vec<BadKey>> {
        match self.value.as_array() {
            Some(items) if items.len() <= most => Ok(items),
            _ => self.expected(format!("a list of at most {most} durations, such as {such_as}")),
        }
    }

    /// The same key with another value.
    pub(crate) fn of(self, value: &'a Value) -> Given<'a> {
        Given { value, ..self }
    }

    /// Every wrong entry is named by its place in the list.
    pub(crate) fn deadlines(self, most: usize, such_as: &str) -> Result<Vec<Span>, Vec<BadKey>> {
        let entries = self.entries(most, such_as)?.iter().enumerate();
        let read =
            entries.map(|(place, value)| Given { key: &format!("{}/{place}", self.key), value }.deadline());
        let (good, bad): (Vec<_>, Vec<_>) = read.partition(Result::is_ok);
        if bad.is_empty() {
            return Ok(good.into_iter().flatten().collect());
        }
        Err(bad.into_iter().filter_map(Result::err).flatten().collect())
    }

    pub(crate) fn whole(self, range: RangeInclusive<u32>) -> Result<u32, Vec<BadKey>> {
        let number = self.value.as_u64().and_then(|number| u32::try_from(number).ok());
        match number.filter(|number| range.contains(number)) {
            Some(number) => Ok(number),
            None => self.expected(format!("a whole number from {} to {}", range.start(), range.end())),
        }
    }

    /// One of a few words.
    pub(crate) fn word<T: FromStr + VariantNames>(self) -> Result<T, Vec<BadKey>> {
        let found = self.value.as_str().and_then(|text| text.parse().ok());
        found.map_or_else(|| self.expected(format!("one of {}", T::VARIANTS.join(", "))), Ok)
    }

    pub(crate) fn flag(self) -> Result<bool, Vec<BadKey>> {
        self.value.as_bool().map_or_else(|| self.expected("true or false"), Ok)
    }

    /// Whatever its type reads.
    pub(crate) fn read<T: DeserializeOwned>(self, expected: &str) -> Result<T, Vec<BadKey>> {
        serde_json::from_value(self.value.clone()).or_else(|_| self.expected(expected))
    }
}

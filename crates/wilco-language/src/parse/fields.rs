//! Reading the fields of a JSON object and remembering everything that is wrong with them.

use serde_json::{Map, Value};
use wilco_protocol::time::Span;

/// What is wrong with one field. `pointer` starts at the request body: `/content/status`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    pub pointer: String,
    pub detail: String,
}

/// An object whose fields are read one by one. A field that is null counts as missing.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    map: &'a Map<String, Value>,
    pointer: &'static str,
    pub(crate) errors: Vec<FieldError>,
}

/// Lists in a message have at most this many entries.
const MAX_ENTRIES: usize = 1000;

impl<'a> Fields<'a> {
    pub(crate) fn new(map: &'a Map<String, Value>, pointer: &'static str) -> Fields<'a> {
        Fields { map, pointer, errors: Vec::new() }
    }

    /// Fields of the source's nested form, looked at when the flat one is missing.
    fn nested(&self) -> Option<&'a Map<String, Value>> {
        self.map.get("content").and_then(Value::as_object)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a Value> {
        let present = |map: &'a Map<String, Value>| map.get(key).filter(|value| !value.is_null());
        present(self.map).or_else(|| self.nested().and_then(present))
    }

    pub(crate) fn error(&mut self, key: &str, detail: impl Into<String>) {
        let place = self.place(key);
        self.errors
            .push(FieldError { pointer: format!("{}{place}/{key}", self.pointer), detail: detail.into() });
    }

    /// Where a field stands: flat, or in the source's nested form.
    fn place(&self, key: &str) -> &'static str {
        let name = key.split('/').next().unwrap_or(key);
        let present = |map: &Map<String, Value>| map.get(name).is_some_and(|value| !value.is_null());
        if !present(self.map) && self.nested().is_some_and(present) { "/content" } else { "" }
    }

    /// Whether a field is there and says something.
    pub(crate) fn says(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value.as_str().is_none_or(|text| !text.trim().is_empty()))
    }

    fn read<T>(&mut self, key: &str, expected: &str, read: impl Fn(&'a Value) -> Option<T>) -> Option<T> {
        let value = self.get(key)?;
        let found = read(value);
        if found.is_none() {
            self.error(key, format!("expected {expected}, got {}", shown(value)));
        }
        found
    }

    pub(crate) fn text(&mut self, key: &str) -> Option<String> {
        self.words(key).map(str::to_owned)
    }

    /// A text where it stands.
    pub(crate) fn words(&mut self, key: &str) -> Option<&'a str> {
        self.read(key, "a text", Value::as_str)
    }

    /// A text that must be there and say something.
    pub(crate) fn required(&mut self, key: &str, why: &str) -> Option<String> {
        if self.get(key).is_none() {
            self.error(key, format!("is required: {why}"));
            return None;
        }
        let text = self.text(key)?;
        if text.trim().is_empty() {
            self.error(key, format!("must not be empty: {why}"));
            return None;
        }
        Some(text)
    }

    pub(crate) fn flag(&mut self, key: &str) -> Option<bool> {
        self.read(key, "true or false", Value::as_bool)
    }

    pub(crate) fn whole(&mut self, key: &str, least: u64, most: u64) -> Option<u64> {
        let fits = |number: &u64| (least..=most).contains(number);
        self.read(key, &format!("a whole number from {least} to {most}"), |value| value.as_u64().filter(fits))
    }

    pub(crate) fn span(&mut self, key: &str) -> Option<Span> {
        let value = self.get(key)?;
        match serde_json::from_value(value.clone()) {
            Ok(span) => Some(span),
            Err(error) => {
                self.error(key, error.to_string());
                None
            }
        }
    }

    pub(crate) fn minutes(&mut self, key: &str) -> Option<Span> {
        let expected = "a number of minutes above zero";
        self.read(key, expected, |value| {
            let minutes = value.as_f64().filter(|minutes| *minutes > 0.0)?;
            Span::from_seconds_f64(minutes * 60.0).ok()
        })
    }

    /// A list of texts. Every wrong entry is named.
    pub(crate) fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        let items = match self.get(key)? {
            Value::Array(items) if items.len() <= MAX_ENTRIES => items,
            other => {
                let got = shown(other);
                self.error(key, format!("expected a list of at most {MAX_ENTRIES} texts, got {got}"));
                return None;
            }
        };
        for (index, item) in items.iter().enumerate().filter(|(_, item)| !item.is_string()) {
            self.error(&format!("{key}/{index}"), format!("expected a text, got {}", shown(item)));
        }
        items.iter().map(|item| item.as_str().map(str::to_owned)).collect()
    }

    pub(crate) fn object(&mut self, key: &str) -> Option<&'a Map<String, Value>> {
        self.read(key, "an object", Value::as_object)
    }

    /// One of a few words; `read` knows them.
    pub(crate) fn word<T>(
        &mut self,
        key: &str,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        self.read(key, expected, |value| value.as_str().and_then(&read))
    }

    /// One of these words, for which `read` also knows other spellings; a wrong one hears of the nearest.
    pub(crate) fn one_of<T>(
        &mut self,
        key: &str,
        words: &[&str],
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let expected = listed(words);
        let Some(value) = self.get(key) else {
            self.error(key, format!("is required: {expected}"));
            return None;
        };
        let found = value.as_str().and_then(&read);
        if found.is_none() {
            let near = value.as_str().and_then(|word| nearest(words, word));
            let hint = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
            self.error(key, format!("expected {expected}, got {}{hint}", shown(value)));
        }
        found
    }

    /// Nothing but these fields: what is mistyped would count for nothing.
    pub(crate) fn only(&mut self, known: &[&str]) {
        for key in self.map.keys().filter(|key| !known.contains(&key.as_str())) {
            let near = nearest(known, key).map(|near| format!("did you mean {near:?}?"));
            let hint = near.unwrap_or_else(|| format!("there are {}", known.join(", ")));
            let pointer = format!("{}/{}", self.pointer, key.replace('~', "~0").replace('/', "~1"));
            self.errors.push(FieldError { pointer, detail: format!("there is no such field; {hint}") });
        }
    }

    pub(crate) fn done<T>(self, value: impl FnOnce() -> Option<T>) -> Result<T, Vec<FieldError>> {
        if self.errors.is_empty() { value().ok_or_else(Vec::new) } else { Err(self.errors) }
    }
}

/// `a, b or c`.
fn listed(words: &[&str]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        few => few.concat(),
    }
}

/// A word with more slips than this is another word.
const SLIPS: usize = 3;

fn nearest<'a>(words: &[&'a str], word: &str) -> Option<&'a str> {
    let word = word.trim().to_lowercase().replace(['_', ' '], "-");
    // Only words of about its length can be near, and comparing a long one is dear.
    let near = words.iter().filter(|known| known.len().abs_diff(word.len()) <= SLIPS);
    let near = near.map(|known| (strsim::osa_distance(known, &word), *known)).min();
    near.filter(|(slips, _)| *slips <= SLIPS).map(|(_, known)| known)
}

/// A value, short enough to quote in an error.
fn shown(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        other => {
            let text = other.to_string();
            if text.chars().count() <= 60 {
                text
            } else {
                format!("{}…", text.chars().take(60).collect::<String>())
            }
        }
    }
}

//! Reading the fields of a JSON object and remembering everything that is wrong with them.

use serde_json::{Map, Value};
use wilco_protocol::policy::{BadKey, Overrides};
use wilco_protocol::time::Span;

use super::content::{Read, Typed};
use crate::message::{Field, FieldKind, listed};
use crate::nearest;
use crate::render::bad_key;

/// What is wrong with one field. `pointer` starts at the request body: `/content/status`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    pub pointer: String,
    pub detail: String,
}

/// An object whose fields are checked against the catalogue first, and then read one by one. A field that is null
/// counts as missing.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    map: &'a Map<String, Value>,
    pointer: &'static str,
    known: &'static [Field],
    pub(crate) errors: Vec<FieldError>,
}

/// Lists in a message have at most this many entries.
const MAX_ENTRIES: usize = 1000;

impl<'a> Fields<'a> {
    /// Says what is wrong with these fields, as far as a table can say it: what is missing, and what is of another kind.
    /// Words out of a list and objects have rules of their own.
    pub(crate) fn checked(
        map: &'a Map<String, Value>,
        pointer: &'static str,
        known: &'static [Field],
    ) -> Fields<'a> {
        let mut fields = Fields { map, pointer, known, errors: Vec::new() };
        known.iter().for_each(|field| fields.check(field));
        fields
    }

    /// Of these nothing is wrong, whatever they are.
    pub(crate) fn unchecked(map: &'a Map<String, Value>) -> Fields<'a> {
        Fields { map, pointer: "", known: &[], errors: Vec::new() }
    }

    fn check(&mut self, field: &Field) {
        let key = field.name;
        let value = match self.get(key) {
            Some(value) if field.checked => value,
            None if field.required => return self.error(key, format!("is required: {}", field.why())),
            Some(_) | None => return,
        };
        let expected = match field.kind {
            FieldKind::Text | FieldKind::LongText | FieldKind::Suggested(_) => match value.as_str() {
                Some(text) if field.required && text.trim().is_empty() => {
                    return self.error(key, format!("must not be empty: {}", field.why()));
                }
                Some(_) => return,
                None => "a text".to_owned(),
            },
            FieldKind::Flag if value.is_boolean() => return,
            FieldKind::Flag => "true or false".to_owned(),
            FieldKind::Number(least, most) if number(value, least, most).is_some() => return,
            FieldKind::Number(least, most) => format!("a whole number from {least} to {most}"),
            FieldKind::Minutes if minutes(value).is_some() => return,
            FieldKind::Minutes => "a number of minutes above zero".to_owned(),
            FieldKind::Keys if value.is_object() => return,
            FieldKind::Keys => "an object".to_owned(),
            FieldKind::Duration => {
                return match serde_json::from_value::<Span>(value.clone()) {
                    Ok(_) => {}
                    Err(error) => self.error(key, error.to_string()),
                };
            }
            FieldKind::Texts => return self.check_texts(key, value),
            FieldKind::OneOf(_)
            | FieldKind::Numbers
            | FieldKind::Names
            | FieldKind::Object(_)
            | FieldKind::Objects(_)
            | FieldKind::Either(_)
            | FieldKind::Content(_) => return,
        };
        self.error(key, format!("expected {expected}, got {}", shown(value)));
    }

    /// Every wrong entry is named.
    fn check_texts(&mut self, key: &str, value: &Value) {
        match value {
            Value::Array(items) if items.len() <= MAX_ENTRIES => {
                for (index, item) in items.iter().enumerate().filter(|(_, item)| !item.is_string()) {
                    self.error(&format!("{key}/{index}"), format!("expected a text, got {}", shown(item)));
                }
            }
            other => {
                let got = shown(other);
                self.error(key, format!("expected a list of at most {MAX_ENTRIES} texts, got {got}"));
            }
        }
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

    pub(crate) fn text(&self, key: &str) -> Option<String> {
        self.get(key)?.as_str().map(str::to_owned)
    }

    /// A text that must be there, by a rule that the table does not know.
    pub(crate) fn needs(&mut self, key: &str, why: &str) {
        match self.get(key) {
            None => self.error(key, format!("is required: {why}")),
            Some(Value::String(text)) if text.trim().is_empty() => {
                self.error(key, format!("must not be empty: {why}"));
            }
            Some(Value::String(_)) => {}
            Some(value) => self.error(key, format!("expected a text, got {}", shown(value))),
        }
    }

    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        self.get(key)?.as_bool()
    }

    pub(crate) fn number(&self, key: &str) -> Option<u32> {
        self.get(key)?.as_u64()?.try_into().ok()
    }

    pub(crate) fn span(&self, key: &str) -> Option<Span> {
        serde_json::from_value(self.get(key)?.clone()).ok()
    }

    pub(crate) fn minutes(&self, key: &str) -> Option<Span> {
        minutes(self.get(key)?)
    }

    pub(crate) fn texts(&self, key: &str) -> Option<Vec<String>> {
        self.get(key)?.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
    }

    pub(crate) fn object(&self, key: &str) -> Option<&'a Map<String, Value>> {
        self.get(key)?.as_object()
    }

    /// The keys of a policy, tried by its protocol. Which presets there are, the configuration says.
    pub(crate) fn policy(
        &mut self,
        set: impl FnOnce(&Overrides) -> Result<(), Vec<BadKey>>,
    ) -> Map<String, Value> {
        let policy = self.object("policy").cloned().unwrap_or_default();
        let overrides: Overrides = policy.clone().into_iter().collect();
        for bad in set(&overrides).err().unwrap_or_default() {
            self.error(&format!("policy/{}", bad.key), bad_key(&bad).detail);
        }
        policy
    }

    /// A text that `read` understands.
    pub(crate) fn word<T>(
        &mut self,
        key: &str,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.get(key)?.as_str()?;
        let found = read(text);
        if found.is_none() {
            self.error(key, format!("expected {expected}, got {}", shown(&text.into())));
        }
        found
    }

    /// One of the words that the table lists, for which `read` also knows other spellings; a wrong one hears of the
    /// nearest.
    pub(crate) fn one_of<T>(&mut self, key: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let value = self.get(key)?;
        let found = value.as_str().and_then(&read);
        if found.is_none() {
            let words = self.words_of(key);
            let near = value.as_str().and_then(|word| nearest(word, words.iter().copied()));
            let hint = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
            self.error(key, format!("expected {}, got {}{hint}", listed(words), shown(value)));
        }
        found
    }

    fn words_of(&self, key: &str) -> &'static [&'static str] {
        match self.known.iter().find(|field| field.name == key).map(|field| field.kind) {
            Some(FieldKind::OneOf(words)) => words,
            _ => &[],
        }
    }

    /// The objects of a list, each with its place and checked; one that is no object is named. None: there is no such
    /// list. What is wrong with an object comes in with `add`.
    pub(crate) fn objects(&mut self, key: &str, most: usize) -> Option<Vec<(usize, Fields<'a>)>> {
        let of = match self.known.iter().find(|field| field.name == key).map(|field| field.kind) {
            Some(FieldKind::Objects(of)) => of,
            _ => &[],
        };
        let names: Vec<_> = of.iter().filter(|field| field.required).map(|field| field.name).collect();
        let form = names.join(" and ");
        let items = match self.get(key)? {
            Value::Array(items) if items.len() <= most => items,
            _ => {
                let bound = if most == usize::MAX { String::new() } else { format!(", at most {most}") };
                self.error(key, format!("expected a list of objects with {form}{bound}"));
                return None;
            }
        };
        let mut objects = Vec::new();
        for (place, item) in items.iter().enumerate() {
            match item.as_object() {
                Some(map) => objects.push((place, Fields::checked(map, "", of))),
                None => self.error(&format!("{key}/{place}"), format!("expected an object with {form}")),
            }
        }
        Some(objects)
    }

    /// What is wrong with an object that stands there.
    pub(crate) fn add(&mut self, place: &str, inner: Fields<'_>) {
        for error in inner.errors {
            self.error(&format!("{place}{}", error.pointer), error.detail);
        }
    }

    /// Nothing but the fields of the table: what is mistyped would count for nothing.
    pub(crate) fn only(&mut self) {
        let known: Vec<_> = self.known.iter().map(|field| field.name).collect();
        for key in self.map.keys().filter(|key| !known.contains(&key.as_str())) {
            let near = nearest(key, known.iter().copied()).map(|near| format!("did you mean {near:?}?"));
            let hint = near.unwrap_or_else(|| format!("there are {}", known.join(", ")));
            let pointer = format!("{}/{}", self.pointer, key.replace('~', "~0").replace('/', "~1"));
            self.errors.push(FieldError { pointer, detail: format!("there is no such field; {hint}") });
        }
    }

    /// What was said, if nothing is wrong with it.
    pub(super) fn done<T: Into<Typed>>(self, said: impl FnOnce(&Fields<'a>) -> Option<T>) -> Read {
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        said(&self).map(Into::into).ok_or_else(Vec::new)
    }
}

fn number(value: &Value, least: u64, most: u64) -> Option<u64> {
    value.as_u64().filter(|number| (least..=most).contains(number))
}

fn minutes(value: &Value) -> Option<Span> {
    let minutes = value.as_f64().filter(|minutes| *minutes > 0.0)?;
    Span::from_seconds_f64(minutes * 60.0).ok()
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

//! Contents written down with every number as it was given: one that was parsed keeps about seventeen digits.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

/// Whether a content holds numbers that may have been given with more digits than were kept.
pub(crate) fn is_needed(content: &Map<String, Value>) -> bool {
    content.values().any(inexact)
}

/// Whole numbers of 64 bits are exact.
fn inexact(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(items) => items.iter().any(inexact),
        Value::Object(map) => map.values().any(inexact),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// The content, with the very text of each field that it took over from what was given.
pub(crate) fn written(
    content: &Map<String, Value>,
    given: &[&RawValue],
) -> Result<Box<RawValue>, serde_json::Error> {
    if !is_needed(content) {
        return to_raw_value(content);
    }
    let given = given.iter().filter_map(|raw| serde_json::from_str(raw.get()).ok()).collect();
    to_raw_value(&Written { content, given })
}

struct Written<'a> {
    content: &'a Map<String, Value>,
    given: Vec<BTreeMap<String, &'a RawValue>>,
}

impl<'a> Written<'a> {
    /// The text that a field was parsed from; none when it is Wilco's own.
    fn text(&self, key: &str, value: &Value) -> Option<&'a RawValue> {
        let same = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).is_ok_and(|it| it == *value);
        self.given.iter().find_map(|fields| fields.get(key).copied().filter(|raw| same(raw)))
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Field<'a> {
    Given(&'a RawValue),
    Made(&'a Value),
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(self.content.iter().map(|(key, value)| {
            let given = Some(value).filter(|value| inexact(value)).and_then(|value| self.text(key, value));
            (key, given.map_or(Field::Made(value), Field::Given))
        }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn msg_1_a_field_that_is_taken_over_keeps_its_text() {
        let text =
            r#"{"n":123456789012345678901234567890,"list":[0.10000000000000000001,{"x":-0}],"gone":1e2}"#;
        let raw: Box<RawValue> = serde_json::from_str(text).unwrap();
        let mut content: Map<String, Value> = serde_json::from_str(text).unwrap();
        content.remove("gone");
        content.insert("score".to_owned(), json!(0.5));
        content.insert("taught".to_owned(), json!(true));
        let written = written(&content, &[&raw]).unwrap();
        let expected = [
            r#""n":123456789012345678901234567890"#,
            r#""list":[0.10000000000000000001,{"x":-0}]"#,
            r#""score":0.5"#,
            r#""taught":true"#,
        ];
        assert!(expected.iter().all(|part| written.get().contains(part)), "{written}");
        assert!(!written.get().contains("gone"));
    }
}

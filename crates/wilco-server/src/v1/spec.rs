//! What is said about an agent when it is registered, read with an error for every wrong field.

use serde_json::Value;
use wilco_language::parse::FieldError;
use wilco_wire::AgentSpec;

use crate::problem::Failure;

const TEXTS: [&str; 8] = ["name", "alias", "session", "host", "program", "role", "github", "status"];
const OTHERS: [&str; 3] = ["capabilities", "nudge", "labels"];

/// An empty body says nothing. Syntax is 400; wrong and unknown fields are 422.
pub(crate) fn read(body: &[u8]) -> Result<AgentSpec, Failure> {
    if body.trim_ascii().is_empty() {
        return Ok(AgentSpec::default());
    }
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| Failure::bad_request(format!("the body is not JSON: {error}")))?;
    let wrong = |pointer: &str, detail: String| FieldError { pointer: pointer.to_owned(), detail };
    let Value::Object(fields) = &value else {
        return Err(Failure::invalid(vec![wrong("", "expected a JSON object".to_owned())]));
    };
    let errors: Vec<_> = fields
        .iter()
        .filter_map(|(key, value)| expected(key, value).map(|detail| wrong(&format!("/{key}"), detail)))
        .collect();
    if !errors.is_empty() {
        return Err(Failure::invalid(errors));
    }
    serde_json::from_value(value).map_err(|error| Failure::invalid(vec![wrong("", error.to_string())]))
}

/// What would be right, when the value is not. A field that is null counts as missing.
pub(crate) fn expected(key: &str, value: &Value) -> Option<String> {
    let fits = match key {
        _ if TEXTS.contains(&key) => (value.is_string(), "a text"),
        "capabilities" => {
            (value.as_array().is_some_and(|items| items.iter().all(Value::is_string)), "a list of texts")
        }
        "labels" => {
            let texts = |map: &serde_json::Map<String, Value>| map.values().all(Value::is_string);
            (value.as_object().is_some_and(texts), "an object of texts")
        }
        "nudge" => (value.is_object(), "an object with kind"),
        unknown => return Some(no_such_field(unknown)),
    };
    (!fits.0 && !value.is_null()).then(|| format!("expected {}, got {value}", fits.1))
}

fn no_such_field(key: &str) -> String {
    let known = TEXTS.iter().chain(&OTHERS);
    // Only words of about its length can be near, and comparing a long one is dear.
    let near = known.clone().filter(|word| word.len().abs_diff(key.len()) <= 2);
    let near = near.map(|word| (strsim::damerau_levenshtein(word, key), word)).min();
    match near.filter(|(slips, _)| *slips <= 2) {
        Some((_, word)) => format!("there is no such field; did you mean {word:?}?"),
        None => {
            let list: Vec<_> = known.copied().collect();
            format!("there is no such field; there are {}", list.join(", "))
        }
    }
}

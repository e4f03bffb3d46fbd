//! Fields of a query or a body that are missing or wrong, by their names.

use serde_json::{Map, Value};
use wilco_language::parse::FieldError;

use crate::problem::Failure;
use crate::query::Query;
use crate::v1::body::unambiguous;

/// 400 with `field`.
pub(super) fn wrong(field: &str, detail: impl Into<String>) -> Failure {
    Failure::invalid(vec![FieldError { pointer: format!("/{field}"), detail: detail.into() }])
}

/// A value that must be in the query.
pub(super) fn required<'a>(query: &'a Query, key: &str, what: &str) -> Result<&'a str, Failure> {
    query.text(key).ok_or_else(|| wrong(key, format!("is required in the query: {what}")))
}

/// A body that is an object; an empty one says nothing.
pub(super) fn object(body: &[u8]) -> Result<Map<String, Value>, Failure> {
    if body.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    unambiguous(body)?;
    match serde_json::from_slice(body) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(Failure::bad_request("the body is no JSON object")),
        Err(error) => Err(Failure::bad_request(format!("the body is not JSON: {error}"))),
    }
}

/// A text in a body; null counts as missing.
pub(super) fn text<'a>(body: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, Failure> {
    match body.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(key, format!("expected a text, got {other}"))),
    }
}

/// A text that must be in the body.
pub(super) fn needed<'a>(body: &'a Map<String, Value>, key: &str, what: &str) -> Result<&'a str, Failure> {
    text(body, key)?.ok_or_else(|| wrong(key, format!("is required: {what}")))
}

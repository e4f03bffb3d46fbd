//! What is said about an agent when it is registered, read with an error for every wrong field.

use serde_json::Value;
use wilco_language::nearest;
use wilco_language::parse::FieldError;
use wilco_protocol::Span;
use wilco_wire::AgentSpec;

use super::body::unambiguous;
use crate::problem::Failure;

const TEXTS: [&str; 10] =
    ["name", "alias", "session", "host", "program", "role", "github", "speaks", "digest", "status"];
const OTHERS: [&str; 3] = ["capabilities", "nudge", "labels"];

/// An empty body says nothing. Syntax is 400; wrong and unknown fields are 422.
pub(crate) fn read(body: &[u8]) -> Result<AgentSpec, Failure> {
    checked(None, body)
}

/// The same for the agent that the address names.
pub(super) fn read_for(name: &str, body: &[u8]) -> Result<AgentSpec, Failure> {
    checked(Some(name), body)
}

fn checked(name: Option<&str>, body: &[u8]) -> Result<AgentSpec, Failure> {
    let mut errors = name.map(named).unwrap_or_default();
    if body.is_empty() {
        return if errors.is_empty() { Ok(AgentSpec::default()) } else { Err(Failure::invalid(errors)) };
    }
    unambiguous(body)?;
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| Failure::bad_request(format!("the body is not JSON: {error}")))?;
    let wrong = |pointer: &str, detail: String| FieldError { pointer: pointer.to_owned(), detail };
    let Value::Object(fields) = &value else {
        return Err(Failure::invalid(vec![wrong("", "expected a JSON object".to_owned())]));
    };
    errors.extend(fields.iter().flat_map(|(key, value)| wrongs(key, value)));
    let given = fields.get("name").and_then(Value::as_str);
    errors.extend(name.zip(given).and_then(|(name, given)| differs(name, given)));
    if !errors.is_empty() {
        return Err(Failure::invalid(errors));
    }
    serde_json::from_value(value).map_err(|error| Failure::invalid(vec![wrong("", error.to_string())]))
}

/// What is wrong with the name in the address.
fn named(name: &str) -> Vec<FieldError> {
    let wrong = |detail| FieldError { pointer: "/name".to_owned(), detail };
    wilco_engine::check_name(name).err().map(wrong).into_iter().collect()
}

/// A name in the body says the same as the one in the address.
fn differs(name: &str, given: &str) -> Option<FieldError> {
    let detail = format!("differs from the name in the address, {name:?}");
    (!given.eq_ignore_ascii_case(name)).then(|| FieldError { pointer: "/name".to_owned(), detail })
}

pub(crate) const ROLES: [&str; 6] =
    ["worker", "orchestrator", "chief-of-staff", "specialist", "controller", "person"];
/// What a person was called before.
const FORMER_ROLE: &str = "user";
pub(super) const STATUSES: [&str; 6] =
    ["active", "idle", "offline", "unresponsive", "hibernated", "inactive"];

pub(super) const SPEAKS: [&str; 5] = ["text", "cli", "http", "api", "mcp"];

/// Nobody gathers for longer than a day.
const LONGEST_DIGEST: Span = Span::minutes(24 * 60);

/// The period of a digest; zero is none.
pub(super) fn period(text: &str) -> Result<Span, String> {
    match text.parse::<Span>() {
        Ok(period) if period <= LONGEST_DIGEST => Ok(period),
        Ok(_) => Err(format!("expected {LONGEST_DIGEST} at the most, or 0s for none; got {text:?}")),
        Err(error) => Err(error.to_string()),
    }
}

/// What is wrong with a field, or with each entry of it.
fn wrongs(key: &str, value: &Value) -> Vec<FieldError> {
    let wrong = |place: String, detail: String| FieldError { pointer: format!("/{place}"), detail };
    let entry =
        |at: String, item: &Value| wrong(format!("{key}/{at}"), format!("expected a text, got {item}"));
    match (key, value) {
        ("capabilities", Value::Array(items)) => {
            let odd = items.iter().enumerate().filter(|(_, item)| !item.is_string());
            odd.map(|(index, item)| entry(index.to_string(), item)).collect()
        }
        ("labels", Value::Object(labels)) => {
            let odd = labels.iter().filter(|(_, item)| !item.is_string());
            odd.map(|(name, item)| entry(name.replace('~', "~0").replace('/', "~1"), item)).collect()
        }
        _ => kind_of(key, value).map(|detail| wrong(key.to_owned(), detail)).into_iter().collect(),
    }
}

/// What would be right, when the value or an entry of it is not.
pub(crate) fn expected(key: &str, value: &Value) -> Option<String> {
    wrongs(key, value).into_iter().next().map(|wrong| wrong.detail)
}

/// The same for the value as a whole. A field that is null counts as missing.
fn kind_of(key: &str, value: &Value) -> Option<String> {
    let fits = match key {
        "role" if value == FORMER_ROLE => return None,
        "role" => return one_of(&ROLES, value),
        "status" => return one_of(&STATUSES, value),
        "speaks" => return one_of(&SPEAKS, value),
        "digest" if value.is_string() => return period(value.as_str().unwrap_or_default()).err(),
        _ if TEXTS.contains(&key) => (value.is_string(), "a text"),
        "capabilities" => (value.is_array(), "a list of texts"),
        "labels" => (value.is_object(), "an object of texts"),
        "nudge" => (value.is_object(), "an object with kind"),
        unknown => return Some(no_such_field(unknown)),
    };
    (!fits.0 && !value.is_null()).then(|| format!("expected {}, got {value}", fits.1))
}

fn one_of(words: &[&str], value: &Value) -> Option<String> {
    let known = value.is_null() || value.as_str().is_some_and(|word| words.contains(&word));
    (!known).then(|| format!("expected one of {}, got {value}", words.join(", ")))
}

fn no_such_field(key: &str) -> String {
    let known: Vec<_> = TEXTS.into_iter().chain(OTHERS).collect();
    match nearest(key, known.iter().copied()) {
        Some(word) => format!("there is no such field; did you mean {word:?}?"),
        None => format!("there is no such field; there are {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::read_for;

    #[test]
    fn api_3_no_body_says_nothing_and_a_blank_one_is_no_json() {
        assert!(read_for("bob", b"").is_ok());
        assert!(read_for("bob", b"{}").is_ok());
        assert!(read_for("bob", b"\t").is_err());
    }
}

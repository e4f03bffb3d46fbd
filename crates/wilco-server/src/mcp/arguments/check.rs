//! Arguments against their description: everything that is wrong, at once, and what would be right.

use serde_json::{Map, Value};
use wilco_wire::FieldProblem;

use wilco_language::nearest;

use super::{Field, FieldKind, MessageType};

/// What is wrong with these arguments.
pub(crate) fn check(fields: &[Field], given: &Map<String, Value>) -> Vec<FieldProblem> {
    let mut wrong = Vec::new();
    object(fields, given, "", &[], &mut wrong);
    wrong
}

type Wrong = Vec<FieldProblem>;

fn object(fields: &[Field], given: &Map<String, Value>, at: &str, also: &[&str], wrong: &mut Wrong) {
    for (name, value) in given.iter().filter(|(_, value)| !value.is_null()) {
        match fields.iter().find(|field| field.name == name) {
            Some(field) => one(&field.kind, value, &format!("{at}/{name}"), wrong),
            None if also.contains(&name.as_str()) => {}
            None => say(wrong, &format!("{at}/{name}"), unknown(name, fields)),
        }
    }
    let missing = |field: &&Field| field.required && given.get(field.name).is_none_or(Value::is_null);
    for field in fields.iter().filter(missing) {
        say(wrong, &format!("{at}/{}", field.name), format!("is required: {}", field.why()));
    }
}

fn one(kind: &FieldKind, value: &Value, at: &str, wrong: &mut Wrong) {
    match (kind, value) {
        (FieldKind::Object(fields), Value::Object(map)) => object(fields, map, at, &[], wrong),
        (FieldKind::Objects(fields), Value::Array(items)) => {
            for (place, item) in items.iter().enumerate() {
                match item.as_object() {
                    Some(map) => object(fields, map, &format!("{at}/{place}"), &[], wrong),
                    None => say(wrong, &format!("{at}/{place}"), format!("expected {}", of(fields))),
                }
            }
        }
        (FieldKind::Content(types), Value::Object(map)) => content(types, map, at, wrong),
        (kind, value) => {
            if !fits(kind, value) {
                say(wrong, at, format!("expected {}, got {}", expected(kind), shown(value)));
            }
        }
    }
}

fn content(types: &[MessageType], map: &Map<String, Value>, at: &str, wrong: &mut Wrong) {
    let Some(name) = map.get("type").and_then(Value::as_str) else {
        return say(wrong, &format!("{at}/type"), format!("is required: one of {}", names(types)));
    };
    match MessageType::named(name).filter(|known| types.contains(known)) {
        Some(known) => object(known.entry().fields, map, at, &["type"], wrong),
        None => {
            let detail = match nearest(name, types.iter().map(|known| known.name())) {
                Some(word) => format!("there is no type {name:?}; did you mean {word:?}?"),
                None => format!("there is no type {name:?}; there are {}", names(types)),
            };
            say(wrong, &format!("{at}/type"), detail);
        }
    }
}

fn fits(kind: &FieldKind, value: &Value) -> bool {
    let all = |test: fn(&Value) -> bool| value.as_array().is_some_and(|items| items.iter().all(test));
    match kind {
        FieldKind::Text | FieldKind::LongText => value.is_string(),
        FieldKind::OneOf(words) | FieldKind::Suggested(words) => {
            value.as_str().is_some_and(|word| words.contains(&word))
        }
        FieldKind::Number(least, most) => {
            value.as_u64().is_some_and(|number| (*least..=*most).contains(&number))
        }
        FieldKind::Flag => value.is_boolean(),
        FieldKind::Minutes => value.as_f64().is_some_and(|minutes| minutes > 0.0),
        FieldKind::Duration => value.is_string() || value.as_f64().is_some_and(|seconds| seconds >= 0.0),
        FieldKind::Texts => all(Value::is_string),
        FieldKind::Numbers => all(|item| item.as_u64().is_some_and(|number| number > 0)),
        FieldKind::Names => value.is_string() || all(Value::is_string),
        FieldKind::Keys => value.is_object(),
        FieldKind::Object(_) | FieldKind::Objects(_) | FieldKind::Content(_) => false,
        FieldKind::Either(kinds) => kinds.iter().any(|kind| {
            let mut wrong = Vec::new();
            one(kind, value, "", &mut wrong);
            wrong.is_empty()
        }),
    }
}

fn expected(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Text | FieldKind::LongText => "a text".to_owned(),
        FieldKind::OneOf(words) | FieldKind::Suggested(words) => format!("one of {}", words.join(", ")),
        FieldKind::Number(least, most) => format!("a whole number from {least} to {most}"),
        FieldKind::Minutes => "a number of minutes above zero".to_owned(),
        FieldKind::Flag => "true or false".to_owned(),
        FieldKind::Duration => "a duration such as 90s or 5m".to_owned(),
        FieldKind::Texts => "a list of texts".to_owned(),
        FieldKind::Numbers => "a list of numbers".to_owned(),
        FieldKind::Names => "a name, or a list of names".to_owned(),
        FieldKind::Keys => "an object".to_owned(),
        FieldKind::Object(fields) => of(fields),
        FieldKind::Objects(fields) => format!("a list, each {}", of(fields)),
        FieldKind::Either(kinds) => kinds.iter().map(expected).collect::<Vec<_>>().join(", or "),
        FieldKind::Content(types) => format!("an object with a type, one of {}", names(types)),
    }
}

fn of(fields: &[Field]) -> String {
    let names: Vec<_> = fields.iter().map(|field| field.name).collect();
    format!("an object with {}", names.join(", "))
}

fn names(types: &[MessageType]) -> String {
    types.iter().map(|known| known.name()).collect::<Vec<_>>().join(", ")
}

/// More of a wrong value is not shown.
const SHOWN: usize = 60;

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn unknown(name: &str, fields: &[Field]) -> String {
    let known: Vec<_> = fields.iter().map(|field| field.name).collect();
    match nearest(name, known.iter().copied()) {
        Some(word) => format!("there is no such argument; did you mean {word:?}?"),
        None if known.is_empty() => "there is no such argument; it takes none".to_owned(),
        None => format!("there is no such argument; there are {}", known.join(", ")),
    }
}

fn say(wrong: &mut Wrong, pointer: &str, detail: String) {
    wrong.push(FieldProblem { pointer: pointer.to_owned(), detail });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{optional, required};
    use super::*;

    const FIELDS: &[Field] = &[
        required("task_id", FieldKind::Text, "which task"),
        optional("status", FieldKind::OneOf(&["received", "queued"]), "how it stands"),
        optional("checkpoint", FieldKind::Number(1, 9), "its number"),
        optional(
            "phases",
            FieldKind::Objects(&[required("name", FieldKind::Text, "what it is called")]),
            "the phases",
        ),
    ];

    fn wrong(given: Value) -> Vec<String> {
        let found = check(FIELDS, given.as_object().unwrap());
        found.into_iter().map(|problem| format!("{} {}", problem.pointer, problem.detail)).collect()
    }

    #[test]
    fn mcp_1_everything_wrong_is_said_at_once_with_what_would_be_right() {
        assert_eq!(wrong(json!({"task_id": "T", "status": null, "phases": [{"name": "unit"}]})), [""; 0]);
        assert_eq!(
            wrong(json!({"taskid": "T", "status": "maybe", "checkpoint": "2", "phases": [{}, 7]})),
            [
                "/taskid there is no such argument; did you mean \"task_id\"?",
                "/status expected one of received, queued, got \"maybe\"",
                "/checkpoint expected a whole number from 1 to 9, got \"2\"",
                "/phases/0/name is required: what it is called",
                "/phases/1 expected an object with name",
                "/task_id is required: which task",
            ]
        );
    }
}

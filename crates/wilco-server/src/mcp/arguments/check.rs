//! Arguments against their description: everything that is wrong, at once, and what would be right.

use serde_json::{Map, Value};
use wilco_wire::FieldProblem;

use super::{Field, Kind, Variant};

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
        say(wrong, &format!("{at}/{}", field.name), format!("is required: {}", field.about));
    }
}

fn one(kind: &Kind, value: &Value, at: &str, wrong: &mut Wrong) {
    match (kind, value) {
        (Kind::Object(fields), Value::Object(map)) => object(fields, map, at, &[], wrong),
        (Kind::Objects(fields), Value::Array(items)) => {
            for (place, item) in items.iter().enumerate() {
                match item.as_object() {
                    Some(map) => object(fields, map, &format!("{at}/{place}"), &[], wrong),
                    None => say(wrong, &format!("{at}/{place}"), format!("expected {}", of(fields))),
                }
            }
        }
        (Kind::Content(variants), Value::Object(map)) => content(variants, map, at, wrong),
        (kind, value) => {
            if !fits(kind, value) {
                say(wrong, at, format!("expected {}, got {}", expected(kind), shown(value)));
            }
        }
    }
}

fn content(variants: &[Variant], map: &Map<String, Value>, at: &str, wrong: &mut Wrong) {
    let Some(name) = map.get("type").and_then(Value::as_str) else {
        return say(wrong, &format!("{at}/type"), format!("is required: one of {}", names(variants)));
    };
    // Both spellings are the same type.
    match variants.iter().find(|variant| variant.name.replace('_', "-") == name.replace('_', "-")) {
        Some(variant) => object(variant.fields, map, at, &["type"], wrong),
        None => {
            let known: Vec<_> = variants.iter().map(|variant| variant.name).collect();
            let detail = match nearest(name, &known) {
                Some(word) => format!("there is no type {name:?}; did you mean {word:?}?"),
                None => format!("there is no type {name:?}; there are {}", known.join(", ")),
            };
            say(wrong, &format!("{at}/type"), detail);
        }
    }
}

fn fits(kind: &Kind, value: &Value) -> bool {
    let all = |test: fn(&Value) -> bool| value.as_array().is_some_and(|items| items.iter().all(test));
    match kind {
        Kind::Text => value.is_string(),
        Kind::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        Kind::Whole(least, most) => value.as_u64().is_some_and(|number| (*least..=*most).contains(&number)),
        Kind::Flag => value.is_boolean(),
        Kind::Span => value.is_string() || value.as_f64().is_some_and(|seconds| seconds >= 0.0),
        Kind::Texts => all(Value::is_string),
        Kind::Numbers => all(|item| item.as_u64().is_some_and(|number| number > 0)),
        Kind::Names => value.is_string() || all(Value::is_string),
        Kind::Keys => value.is_object(),
        Kind::Object(_) | Kind::Objects(_) | Kind::Content(_) => false,
        Kind::Either(kinds) => kinds.iter().any(|kind| {
            let mut wrong = Vec::new();
            one(kind, value, "", &mut wrong);
            wrong.is_empty()
        }),
    }
}

fn expected(kind: &Kind) -> String {
    match kind {
        Kind::Text => "a text".to_owned(),
        Kind::Word(words) => format!("one of {}", words.join(", ")),
        Kind::Whole(least, most) => format!("a whole number from {least} to {most}"),
        Kind::Flag => "true or false".to_owned(),
        Kind::Span => "a duration such as 90s or 5m".to_owned(),
        Kind::Texts => "a list of texts".to_owned(),
        Kind::Numbers => "a list of numbers".to_owned(),
        Kind::Names => "a name, or a list of names".to_owned(),
        Kind::Keys => "an object".to_owned(),
        Kind::Object(fields) => of(fields),
        Kind::Objects(fields) => format!("a list, each {}", of(fields)),
        Kind::Either(kinds) => kinds.iter().map(expected).collect::<Vec<_>>().join(", or "),
        Kind::Content(variants) => format!("an object with a type, one of {}", names(variants)),
    }
}

fn of(fields: &[Field]) -> String {
    let names: Vec<_> = fields.iter().map(|field| field.name).collect();
    format!("an object with {}", names.join(", "))
}

fn names(variants: &[Variant]) -> String {
    variants.iter().map(|variant| variant.name).collect::<Vec<_>>().join(", ")
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
    match nearest(name, &known) {
        Some(word) => format!("there is no such argument; did you mean {word:?}?"),
        None if known.is_empty() => "there is no such argument; it takes none".to_owned(),
        None => format!("there is no such argument; there are {}", known.join(", ")),
    }
}

/// The word that was probably meant.
pub(crate) fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    // Only words of about its length can be near, and comparing a long one is dear.
    let near = known.iter().filter(|word| word.len().abs_diff(given.len()) <= 2);
    let near = near.map(|word| (strsim::damerau_levenshtein(word, given), *word)).min();
    near.filter(|(slips, _)| *slips <= 2).map(|(_, word)| word)
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
        required("task_id", Kind::Text, "which task"),
        optional("status", Kind::Word(&["received", "queued"]), "how it stands"),
        optional("checkpoint", Kind::Whole(1, 9), "its number"),
        optional("phases", Kind::Objects(&[required("name", Kind::Text, "what it is called")]), "the phases"),
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

//! What stands in an address: the parts of a path and the keys of a query, each by its name.

use serde_json::{Value, json};
use wilco_engine::reads::Report;
use wilco_protocol::Protocol;

/// The parameters of a path, in order.
pub(super) fn of_path(path: &str) -> Vec<Value> {
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    names
        .map(|name| {
            let (about, schema) = match name {
                "report" => {
                    ("Which report", json!({"type": "string", "enum": Report::ALL.map(Report::word)}))
                }
                "seq" => ("The number of an event of the exchange", json!({"type": "integer", "minimum": 1})),
                "name" => ("The agent's name, alias, session or id", text()),
                _ => ("An id", text()),
            };
            json!({"name": name, "in": "path", "required": true, "description": about, "schema": schema})
        })
        .collect()
}

fn text() -> Value {
    json!({"type": "string", "minLength": 1})
}

/// A key of the query of an address. A filter without a value counts as not given.
pub(super) fn of_query(path: &str, name: &str) -> Value {
    let string = |about: &'static str| (about, json!({"type": "string"}));
    let number = |least: u32, most: u32, usual: u32| json!({"type": "integer", "minimum": least, "maximum": most, "default": usual});
    let (about, schema) = match (path, name) {
        (_, "limit") => ("How many at the most", number(1, 1000, 50)),
        (_, "width") => ("How wide it may be", number(20, 500, 100)),
        (_, "after") => (
            "The `next` of an earlier page",
            json!({"type": "string", "pattern": "^[0-9]*([.][0-9]+[.][0-9]+)?$"}),
        ),
        (_, "wait") => {
            let about = "How long to wait for something new: 30s, at most 60s";
            (about, json!({"type": "string", "examples": ["50ms"]}))
        }
        (_, "open") => ("Only open ones, or only closed ones", one_of(&["true", "false", "1", "0"])),
        (_, "protocol") => ("Only of this protocol", one_of(&Protocol::ALL.map(Protocol::word))),
        (_, "status") => {
            ("Only these; unread and read by default", one_of(&["unread", "read", "archived", "all"]))
        }
        ("/v1/audit", "format") => ("The form of the lines; jsonl by default", one_of(&["jsonl", "yaml"])),
        (_, "format") => ("The form of the report; json by default", one_of(&["json", "jsonl", "md"])),
        ("/v1/audit", "from") => string("The first event: a time or a position"),
        ("/v1/audit", "to") => string("The last event: a time or a position"),
        (_, "from") => string("Only from this agent"),
        (_, "to") => string("Only to this agent"),
        (_, "agent") => string("Only what this agent takes part in"),
        (_, "q") => string("Words that must all be there; prefixes match"),
        (_, "type") => string("Only content of this type"),
        (_, "task") => string("Only about this task"),
        (_, "state") => string("Only in this state"),
        _ => string(""),
    };
    json!({"name": name, "in": "query", "required": false, "description": about, "schema": schema})
}

fn one_of(words: &[&str]) -> Value {
    let words: Vec<&str> = words.iter().copied().chain([""]).collect();
    json!({"type": "string", "enum": words})
}

/// Streams resume with it.
pub(super) fn last_event() -> Value {
    let about = "Resume a stream behind this event";
    json!({"name": "Last-Event-ID", "in": "header", "required": false, "description": about,
           "schema": {"type": "string", "pattern": "^[0-9]{0,18}$"}})
}

/// A repeated request is the same request.
pub(super) fn idempotency_key() -> Value {
    let about = "Makes a repeated request the same request";
    json!({"name": "Idempotency-Key", "in": "header", "required": false, "description": about,
           "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$"}})
}

//! What may be said in an operation, as typed JSON content.

use serde_json::{Map, Value};
use wilco_protocol::operation::{ALIASES, Command, Execute, KEYS, Kind, OwnStep, PLACEHOLDERS, placeholders};
use wilco_protocol::{ExchangeId, Span};

use super::fields::{FieldError, Fields};

#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    Announce(Box<Announcement>),
    /// Its text is read where it is heard.
    Acknowledgment {
        operation: Named,
        ready: Option<bool>,
    },
    Result {
        operation: Named,
        done: bool,
        results: Vec<(String, bool)>,
    },
    Cancel {
        operation: Named,
    },
    /// The initiator's own reminder, timeout notice or extension.
    Own {
        operation: Named,
        step: OwnStep,
    },
}

/// The operation that a message names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Named {
    pub operation_id: Option<ExchangeId>,
    pub broadcast_id: Option<String>,
}

impl Operation {
    pub fn named(&self) -> Named {
        match self {
            Operation::Announce(_) => Named::default(),
            Operation::Acknowledgment { operation, .. }
            | Operation::Result { operation, .. }
            | Operation::Cancel { operation }
            | Operation::Own { operation, .. } => operation.clone(),
        }
    }
}

impl Named {
    /// What any content names, whatever its type.
    pub fn in_content(content: &Map<String, Value>) -> Named {
        let text = |key: &str| content.get(key).and_then(Value::as_str).map(str::trim);
        Named {
            operation_id: text("operation_id").and_then(|id| id.parse().ok()),
            broadcast_id: text("broadcast_id").map(str::to_owned),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Announcement {
    pub operation: String,
    pub kind: Option<Kind>,
    pub requires_acknowledgment: bool,
    pub pre_notice: Option<Span>,
    /// None: whatever the door is used to.
    pub execute: Option<Execute>,
    pub policy: Map<String, Value>,
    /// Keys of the policy that stand in the content itself.
    pub own: Map<String, Value>,
}

const MAX_OPERATION: usize = 128;
/// Half of what the courier carries out at the same time, so that one operation leaves room for the rest.
const MAX_PARALLEL: u64 = 32;
const MAX_ARGUMENTS: usize = 100;
const TIME_LIMIT: Span = Span::minutes(10);

/// Reads the content of a known type.
pub(super) fn read(
    kind: &str,
    content: &Map<String, Value>,
    mut fields: Fields<'_>,
) -> Result<Operation, Vec<FieldError>> {
    let operation = Named::in_content(content);
    let _ = fields.text("message");
    match kind {
        "pre-operation" => announcement(content, fields).map(|said| Operation::Announce(Box::new(said))),
        "acknowledgment" => {
            let ready = fields.flag("ready");
            fields.done(|| Some(Operation::Acknowledgment { operation, ready }))
        }
        "operation-result" => result(content, fields, operation),
        "operation-cancelled" => fields.done(|| Some(Operation::Cancel { operation })),
        own => {
            let step = match own {
                "reminder" => OwnStep::Reminder,
                "timeout-notice" => OwnStep::Timeout,
                _ => OwnStep::Extension,
            };
            fields.done(|| Some(Operation::Own { operation, step }))
        }
    }
}

fn announcement(
    content: &Map<String, Value>,
    mut fields: Fields<'_>,
) -> Result<Announcement, Vec<FieldError>> {
    let operation = fields.required("operation", "what will be done, in a word such as restart");
    if operation
        .as_ref()
        .is_some_and(|name| name.chars().count() > MAX_OPERATION || name.contains(char::is_control))
    {
        fields.error("operation", format!("expected at most {MAX_OPERATION} characters on one line"));
    }
    if fields.get("message").is_none_or(|text| text.as_str().is_some_and(|text| text.trim().is_empty())) {
        fields.error("message", "is required: say what will happen, for the agents to read");
    }
    let kind = fields.word("kind", "disruptive, state-change or coordinated", kind_word);
    let requires_acknowledgment = fields.flag("requires_acknowledgment").unwrap_or(true);
    let pre_notice = fields.span("pre_notice").filter(|span| !span.is_zero());
    let execute = execute(&mut fields);
    let policy = fields.object("policy").cloned().unwrap_or_default();
    let given =
        |key: &str| Some((key.to_owned(), content.get(key).filter(|value| !value.is_null())?.clone()));
    let own = KEYS.into_iter().chain(ALIASES).filter_map(given).collect();
    fields.done(|| {
        Some(Announcement {
            operation: operation?.trim().to_owned(),
            kind,
            requires_acknowledgment,
            pre_notice,
            execute,
            policy,
            own,
        })
    })
}

fn kind_word(word: &str) -> Option<Kind> {
    let word = word.trim().to_ascii_lowercase().replace('_', "-");
    Kind::ALL.into_iter().find(|kind| kind.word() == word)
}

fn execute(fields: &mut Fields<'_>) -> Option<Execute> {
    const FORMS: &str = "\"manual\", \"none\" or {\"command\": [name, argument, …]}";
    match fields.get("execute")? {
        Value::String(word) if word == "manual" => Some(Execute::Manual),
        Value::String(word) if word == "none" => Some(Execute::None),
        Value::Object(map) => {
            let mut inner = Fields::new(map, "/content/execute");
            let command = command(&mut inner);
            fields.errors.append(&mut inner.errors);
            command.map(Execute::Command)
        }
        _ => {
            fields.error("execute", format!("expected {FORMS}"));
            None
        }
    }
}

fn command(fields: &mut Fields<'_>) -> Option<Command> {
    let argv = match fields.get("command") {
        Some(Value::Array(_)) => fields.texts("command")?,
        _ => Vec::new(),
    };
    if argv.is_empty() || argv.len() > MAX_ARGUMENTS || argv[0].trim().is_empty() {
        fields.error("command", "expected a list: the name of an allowed command, then its arguments");
        return None;
    }
    for (place, argument) in argv.iter().enumerate().skip(1) {
        for word in placeholders(argument).into_iter().filter(|word| !PLACEHOLDERS.contains(word)) {
            let known = PLACEHOLDERS.map(|known| format!("{{{known}}}")).join(", ");
            let detail = format!("there is no placeholder {{{word}}}; there are {known}");
            fields.error(&format!("command/{place}"), detail);
        }
        if argument.contains('\0') {
            fields.error(&format!("command/{place}"), "expected an argument without NUL characters");
        }
    }
    let max_parallel = fields.whole("max_parallel", 1, MAX_PARALLEL).unwrap_or(1) as u32;
    let time_limit = fields.span("time_limit").unwrap_or(TIME_LIMIT);
    if time_limit.is_zero() {
        fields.error("time_limit", "expected a duration longer than zero, such as 10m");
    }
    let keep_going = fields.flag("keep_going").unwrap_or(false);
    fields.only(&["command", "max_parallel", "time_limit", "keep_going"]);
    Some(Command { argv, max_parallel, time_limit, keep_going })
}

fn result(
    content: &Map<String, Value>,
    mut fields: Fields<'_>,
    operation: Named,
) -> Result<Operation, Vec<FieldError>> {
    if fields.get("status").is_none() {
        fields.error("status", "is required: done or failed");
    }
    let done = fields.word("status", "done or failed", status);
    let mut results = Vec::new();
    match content.get("results") {
        None | Some(Value::Null) => {}
        Some(Value::Array(list)) => {
            for (place, one) in list.iter().enumerate() {
                let text = |key: &str| one.get(key).and_then(Value::as_str);
                match (text("agent"), text("status").and_then(status)) {
                    (Some(agent), Some(done)) => results.push((agent.to_owned(), done)),
                    _ => {
                        let detail = "expected an object with agent and status (done or failed)";
                        fields.error(&format!("results/{place}"), detail);
                    }
                }
            }
        }
        Some(_) => fields.error("results", "expected a list of objects with agent, status and note"),
    }
    fields.done(|| Some(Operation::Result { operation, done: done?, results }))
}

fn status(word: &str) -> Option<bool> {
    match word.trim().to_ascii_lowercase().as_str() {
        "done" => Some(true),
        "failed" => Some(false),
        _ => None,
    }
}

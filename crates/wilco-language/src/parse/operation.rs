//! What may be said in an operation, as typed JSON content.

use serde_json::{Map, Value};
use wilco_protocol::operation::{
    ALIASES, Command, Execute, KEYS, Kind, OwnStep, PLACEHOLDERS, Policy, placeholders,
};
use wilco_protocol::{ExchangeId, Span};

use super::content::Read;
use super::fields::Fields;
use crate::message::COMMAND;
use crate::render::bad_key;

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
    /// What fills the places of the command that it names.
    pub values: Map<String, Value>,
    pub policy: Map<String, Value>,
    /// Keys of the policy that stand in the content itself.
    pub own: Map<String, Value>,
}

const MAX_OPERATION: usize = 128;
const MAX_ARGUMENTS: usize = 100;
const TIME_LIMIT: Span = Span::minutes(10);

pub(super) fn acknowledgment(content: &Map<String, Value>, fields: Fields<'_>) -> Read {
    let operation = Named::in_content(content);
    fields.done(|fields| Some(Operation::Acknowledgment { operation, ready: fields.flag("ready") }))
}

pub(super) fn cancelled(content: &Map<String, Value>, fields: Fields<'_>) -> Read {
    fields.done(|_| Some(Operation::Cancel { operation: Named::in_content(content) }))
}

pub(super) fn own(content: &Map<String, Value>, fields: Fields<'_>, step: OwnStep) -> Read {
    fields.done(|_| Some(Operation::Own { operation: Named::in_content(content), step }))
}

pub(super) fn announcement(content: &Map<String, Value>, mut fields: Fields<'_>) -> Read {
    let operation = fields.text("operation");
    if operation
        .as_ref()
        .is_some_and(|name| name.chars().count() > MAX_OPERATION || name.contains(char::is_control))
    {
        fields.error("operation", format!("expected at most {MAX_OPERATION} characters on one line"));
    }
    let kind = fields.one_of("kind", kind_word);
    let execute = execute(&mut fields);
    let values = fields.object("execute").and_then(|execute| execute.get("values")?.as_object());
    let values = values.cloned().unwrap_or_default();
    let policy = fields.policy(|keys| Policy::default().set_all(keys));
    let given =
        |key: &str| Some((key.to_owned(), content.get(key).filter(|value| !value.is_null())?.clone()));
    let own: Map<String, Value> = KEYS.into_iter().chain(ALIASES).filter_map(given).collect();
    for bad in Policy::default().set_all(&own.clone().into_iter().collect()).err().unwrap_or_default() {
        fields.error(&bad.key, bad_key(&bad).detail);
    }
    fields.done(|fields| {
        Some(Operation::Announce(Box::new(Announcement {
            operation: operation?.trim().to_owned(),
            kind,
            requires_acknowledgment: fields.flag("requires_acknowledgment").unwrap_or(true),
            pre_notice: fields.span("pre_notice").filter(|span| !span.is_zero()),
            execute,
            values,
            policy,
            own,
        })))
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
            let mut inner = Fields::checked(map, "/content/execute", COMMAND);
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
    let argv = fields.texts("command")?;
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
    let time_limit = fields.span("time_limit").unwrap_or(TIME_LIMIT);
    if time_limit.is_zero() {
        fields.error("time_limit", "expected a duration longer than zero, such as 10m");
    }
    fields.only();
    let max_parallel = fields.number("max_parallel").unwrap_or(1);
    Some(Command { argv, max_parallel, time_limit, keep_going: fields.flag("keep_going").unwrap_or(false) })
}

pub(super) fn result(content: &Map<String, Value>, mut fields: Fields<'_>) -> Read {
    let done = fields.one_of("status", status);
    let mut results = Vec::new();
    for (place, mut one) in fields.objects("results", usize::MAX).unwrap_or_default() {
        let done = one.one_of("status", status);
        results.extend(one.text("agent").zip(done));
        fields.add(&format!("results/{place}"), one);
    }
    fields.done(|_| Some(Operation::Result { operation: Named::in_content(content), done: done?, results }))
}

fn status(word: &str) -> Option<bool> {
    match word.trim().to_ascii_lowercase().as_str() {
        "done" => Some(true),
        "failed" => Some(false),
        _ => None,
    }
}

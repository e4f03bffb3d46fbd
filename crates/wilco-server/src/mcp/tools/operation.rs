//! Operations: `answer_operation` and `start_operation`.

use serde_json::{Map, Value, json};

use super::{Does, FROM, PRIORITY, Plan, Say, Tool, opening};
use crate::mcp::arguments::{Field, FieldKind, MessageType, optional, required};
use crate::mcp::find::Named;

pub(super) const ANSWER: Tool = Tool {
    name: "answer_operation",
    title: "Answer an operation",
    about: "Answers whether an operation that would interrupt you may begin: ready, wait (a little more time, once) \
            or cancel. The initiator takes its own operation back with cancel.",
    does: Does::Say,
    fields: &[
        required("operation_id", FieldKind::Text, "The operation's id, such as op-42, or its name"),
        required("answer", FieldKind::OneOf(&["ready", "wait", "cancel"]), "May it begin?"),
        MessageType::Acknowledgment.field("notes"),
        FROM,
    ],
    examples: &[r#"{"operation_id": "op-42", "answer": "ready", "notes": "Work is saved"}"#],
    plan: |mut given| {
        let (from, text) = (given.text("from"), given.text("operation_id").unwrap_or_default());
        let (answer, notes) = (given.text("answer").unwrap_or_default(), given.take("notes"));
        let content = move |exchange: &wilco_wire::Exchange, me: Option<&str>| {
            let takes_back = answer == "cancel" && me == Some(exchange.initiator.as_str());
            let mut content = Map::new();
            let mut set = |key: &str, value: Value| content.insert(key.to_owned(), value);
            set("operation_id", json!(exchange.id));
            if takes_back {
                set("type", json!(MessageType::OperationCancelled));
                notes.map(|notes| set("message", notes));
            } else {
                set("type", json!(MessageType::Acknowledgment));
                set("message", json!(if answer == "ready" { "ok" } else { answer.as_str() }));
                notes.map(|notes| set("notes", notes));
            }
            content
        };
        Plan::Say(Say { from, named: Named::Operation(text), content: Box::new(content) })
    },
};

const fn asked(name: &str) -> Field {
    MessageType::PreOperation.field(name)
}

pub(super) const START: Tool = Tool {
    name: "start_operation",
    title: "Ask agents before they are interrupted",
    about: "Announces something that interrupts agents and asks each whether it is ready. Silent agents are \
            reminded; when enough are ready, or the time is over, the operation is authorized.",
    does: Does::Say,
    fields: &[
        asked("operation"),
        required("agents", FieldKind::Texts, "Who is asked"),
        asked("message"),
        asked("kind"),
        asked("quorum"),
        asked("execute"),
        asked("pre_notice"),
        asked("requires_acknowledgment"),
        asked("policy"),
        optional("subject", FieldKind::Text, "The subject of the message"),
        PRIORITY,
        FROM,
    ],
    examples: &[
        r#"{"operation": "restart", "agents": ["bob", "carl"], "message": "I will restart you", "quorum": "all"}"#,
    ],
    plan: |mut given| {
        let to = given.take("agents");
        opening(given, to, MessageType::PreOperation)
    },
};

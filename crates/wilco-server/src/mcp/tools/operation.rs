//! Operations: `answer_operation` and `start_operation`.

use serde_json::{Map, Value, json};

use super::{Does, FROM, POLICY, PRIORITY, Plan, Say, Tool, opening};
use crate::mcp::arguments::{Kind, optional, required};
use crate::mcp::find::Named;

pub(super) const ANSWER: Tool = Tool {
    name: "answer_operation",
    title: "Answer an operation",
    about: "Answers whether an operation that would interrupt you may begin: ready, wait (a little more time, once) \
            or cancel. The initiator takes its own operation back with cancel.",
    does: Does::Say,
    fields: &[
        required("operation_id", Kind::Text, "The operation's id, such as op-42, or its name"),
        required("answer", Kind::Word(&["ready", "wait", "cancel"]), "May it begin?"),
        optional("notes", Kind::Text, "What the initiator should know; it changes nothing"),
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
                set("type", json!("operation-cancelled"));
                notes.map(|notes| set("message", notes));
            } else {
                set("type", json!("acknowledgment"));
                set("message", json!(if answer == "ready" { "ok" } else { answer.as_str() }));
                notes.map(|notes| set("notes", notes));
            }
            content
        };
        Plan::Say(Say { from, named: Named::Operation(text), content: Box::new(content) })
    },
};

pub(super) const START: Tool = Tool {
    name: "start_operation",
    title: "Ask agents before they are interrupted",
    about: "Announces something that interrupts agents and asks each whether it is ready. Silent agents are \
            reminded; when enough are ready, or the time is over, the operation is authorized.",
    does: Does::Say,
    fields: &[
        required("operation", Kind::Text, "What will be done, in a word such as restart"),
        required("agents", Kind::Texts, "Who is asked"),
        required("message", Kind::Text, "What will happen, for the agents to read"),
        optional(
            "kind",
            Kind::Word(&["disruptive", "state-change", "coordinated"]),
            "disruptive, if you do not say",
        ),
        optional(
            "quorum",
            Kind::Either(&[Kind::Word(&["all", "majority"]), Kind::Whole(1, 10_000)]),
            "How many must be ready: all, majority or a number",
        ),
        optional(
            "execute",
            Kind::Either(&[
                Kind::Word(&["manual", "none"]),
                Kind::Object(&[
                    required("command", Kind::Texts, "The name of a configured command, then its arguments"),
                    optional("max_parallel", Kind::Whole(1, 32), "How many run at a time"),
                    optional("time_limit", Kind::Span, "How long one may take"),
                    optional("keep_going", Kind::Flag, "true: go on with the others when one fails"),
                ]),
            ]),
            "Who performs it: manual (you do, and report it), none, or a configured command",
        ),
        optional("pre_notice", Kind::Span, "How long before the handshake the agents hear of it"),
        optional("requires_acknowledgment", Kind::Flag, "false: only tell them, and go on at once"),
        POLICY,
        optional("subject", Kind::Text, "The subject of the message"),
        PRIORITY,
        FROM,
    ],
    examples: &[
        r#"{"operation": "restart", "agents": ["bob", "carl"], "message": "I will restart you", "quorum": "all"}"#,
    ],
    plan: |mut given| {
        let to = given.take("agents");
        opening(given, to, "pre-operation")
    },
};

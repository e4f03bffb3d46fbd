//! Exchanges: `decide`, `show_exchange` and `list_exchanges`.

use wilco_protocol::EscalationId;

use super::{Does, FROM, Plan, Say, Tool};
use crate::mcp::arguments::{Field, FieldKind, Given, MessageType, optional, required};
use crate::mcp::find::Named;
use crate::mcp::request::Request;

const fn decision(name: &str) -> Field {
    MessageType::Decision.field(name)
}

pub(super) const DECIDE: Tool = Tool {
    name: "decide",
    title: "Decide an escalation",
    about: "Decides an escalation that waits for you, by one of the options that it names.",
    does: Does::Say,
    fields: &[
        required(
            "escalation",
            FieldKind::Text,
            "The escalation's id, such as del-42-e1; the exchange's or the task's will do",
        ),
        decision("option"),
        decision("agent"),
        decision("time"),
        decision("status"),
        decision("iterations"),
        decision("phase"),
        decision("note"),
        FROM,
    ],
    examples: &[
        r#"{"escalation": "del-42-e1", "option": "retry"}"#,
        r#"{"escalation": "del-42-e1", "option": "reassign", "agent": "carl"}"#,
    ],
    plan: decide,
};

fn decide(mut given: Given) -> Plan {
    let (from, text) = (given.text("from"), given.text("escalation").unwrap_or_default());
    // Another name means the one escalation that is open there.
    if let Ok(escalation) = text.trim().parse::<EscalationId>() {
        given.set("escalation", escalation.to_string().into());
    }
    let content = given.into_content(MessageType::Decision);
    Plan::Say(Say { from, named: Named::Any(text), content: Box::new(move |_, _| content) })
}

pub(super) const SHOW: Tool = Tool {
    name: "show_exchange",
    title: "Show an exchange",
    about: "Shows how an exchange stands: its state, its deadlines, what it still needs, who takes part.",
    does: Does::Look,
    fields: &[required(
        "exchange",
        FieldKind::Text,
        "The id of the exchange, the task, the operation or the handoff, or the issue of a validation",
    )],
    examples: &[r#"{"exchange": "del-42"}"#],
    plan: |mut given| Plan::Show { exchange: given.text("exchange").unwrap_or_default() },
};

pub(super) const LIST: Tool = Tool {
    name: "list_exchanges",
    title: "List exchanges",
    about: "Lists exchanges that you may see, newest first.",
    does: Does::Look,
    fields: &[
        optional(
            "protocol",
            FieldKind::OneOf(&["delegation", "operation", "handoff", "validation"]),
            "Only of this protocol",
        ),
        optional("state", FieldKind::Text, "Only in this state, such as awaiting-ack"),
        optional("open", FieldKind::Flag, "true: only open ones; false: only ended ones"),
        optional("agent", FieldKind::Text, "Only those in which this agent takes part"),
        optional("task", FieldKind::Text, "Only of this task"),
        optional("q", FieldKind::Text, "Only those that say these words"),
        optional("after", FieldKind::Text, "The `next` of an earlier page"),
        optional("limit", FieldKind::Number(1, 1000), "How many at most; 50, if you do not say"),
    ],
    examples: &[r#"{"open": true}"#, r#"{"protocol": "delegation", "agent": "bob"}"#],
    plan: |mut given| {
        let keys = ["protocol", "state", "open", "agent", "task", "q", "after", "limit"];
        let query = keys.map(|key| (key, given.text(key)));
        Plan::List(Request::get("/v1/exchanges".to_owned(), &query))
    },
};

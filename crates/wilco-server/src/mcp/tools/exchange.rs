//! Exchanges: `decide`, `show_exchange` and `list_exchanges`.

use wilco_protocol::EscalationId;

use super::{Does, FROM, Plan, Say, Tool};
use crate::mcp::arguments::{Given, Kind, optional, required};
use crate::mcp::find::Named;
use crate::mcp::request::Request;

pub(super) const DECIDE: Tool = Tool {
    name: "decide",
    title: "Decide an escalation",
    about: "Decides an escalation that waits for you, by one of the options that it names.",
    does: Does::Say,
    fields: &[
        required(
            "escalation",
            Kind::Text,
            "The escalation's id, such as del-42-e1; the exchange's or the task's will do",
        ),
        required("option", Kind::Text, "One of the options that the escalation names"),
        optional("agent", Kind::Text, "Who gets the task; with reassign"),
        optional("time", Kind::Span, "How much longer; with extend"),
        optional("iterations", Kind::Whole(1, 100), "How many more; with extend of a validation"),
        optional("phase", Kind::Text, "Which phase of a validation, where several wait"),
        optional("note", Kind::Text, "Why"),
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
    let content = given.into_content("decision");
    Plan::Say(Say { from, named: Named::Any(text), content: Box::new(move |_, _| content) })
}

pub(super) const SHOW: Tool = Tool {
    name: "show_exchange",
    title: "Show an exchange",
    about: "Shows how an exchange stands: its state, its deadlines, what it still needs, who takes part.",
    does: Does::Look,
    fields: &[required(
        "exchange",
        Kind::Text,
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
            Kind::Word(&["delegation", "operation", "handoff", "validation"]),
            "Only of this protocol",
        ),
        optional("state", Kind::Text, "Only in this state, such as awaiting-ack"),
        optional("open", Kind::Flag, "true: only open ones; false: only ended ones"),
        optional("agent", Kind::Text, "Only those in which this agent takes part"),
        optional("task", Kind::Text, "Only of this task"),
        optional("q", Kind::Text, "Only those that say these words"),
        optional("after", Kind::Text, "The `next` of an earlier page"),
        optional("limit", Kind::Whole(1, 1000), "How many at most; 50, if you do not say"),
    ],
    examples: &[r#"{"open": true}"#, r#"{"protocol": "delegation", "agent": "bob"}"#],
    plan: |mut given| {
        let keys = ["protocol", "state", "open", "agent", "task", "q", "after", "limit"];
        let query = keys.map(|key| (key, given.text(key)));
        Plan::List(Request::get("/v1/exchanges".to_owned(), &query))
    },
};

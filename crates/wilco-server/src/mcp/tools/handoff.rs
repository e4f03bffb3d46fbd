//! Handoffs: `acknowledge_handoff` and `start_handoff`.

use serde_json::{Value, json};

use super::{Does, FROM, Plan, Say, Tool, opening};
use crate::mcp::arguments::{Field, FieldKind, MessageType, required};
use crate::mcp::find::Named;

const fn ack(name: &str) -> Field {
    MessageType::HandoffAck.field(name)
}

const fn request(name: &str) -> Field {
    MessageType::ReplacementRequest.field(name)
}

pub(super) const ACKNOWLEDGE: Tool = Tool {
    name: "acknowledge_handoff",
    title: "Acknowledge a handoff",
    about: "Answers a handoff of which you are the replacement. Read its document first; say in your own words what \
            you will do and from which checkpoint you go on.",
    does: Does::Say,
    fields: &[
        required("handoff_id", FieldKind::Text, "The handoff's id, or the exchange's, such as ho-42"),
        ack("status"),
        ack("understanding"),
        ack("starting_from"),
        ack("questions"),
        ack("message"),
        FROM,
    ],
    examples: &[
        r#"{"handoff_id": "handoff-7", "understanding": "Finish the login page", "starting_from": "checkpoint-2"}"#,
    ],
    plan: |mut given| {
        let (from, text) = (given.text("from"), given.text("handoff_id").unwrap_or_default());
        for (key, usual) in [("status", json!("ready_to_proceed")), ("questions", json!([]))] {
            if !given.has(key) {
                given.set(key, usual);
            }
        }
        let (named, mut content) = (text.clone(), given.into_content(MessageType::HandoffAck));
        Plan::Say(Say {
            from,
            named: Named::Handoff(text),
            content: Box::new(move |exchange, _| {
                // Whose id was named, so that an ACK of an earlier handoff is known as such.
                let own = exchange.data.get("handoff_id").filter(|_| named == exchange.id).cloned();
                content.insert("handoff_id".to_owned(), own.unwrap_or(Value::String(named)));
                content
            }),
        })
    },
};

pub(super) const START: Tool = Tool {
    name: "start_handoff",
    title: "Hand work over",
    about: "Hands the work of a failed agent to its replacement: a document is made, the replacement must \
            acknowledge it, and only then the tasks are its own.",
    does: Does::Say,
    fields: &[
        request("failed_agent"),
        request("replacement_agent"),
        request("reason"),
        request("urgency"),
        request("tasks"),
        request("issues"),
        request("pulls"),
        request("starting_from"),
        request("candidates"),
        request("document"),
        request("notification_id"),
        request("policy"),
        FROM,
    ],
    examples: &[r#"{"failed_agent": "bob", "replacement_agent": "carl", "reason": "context_loss"}"#],
    plan: |given| opening(given, Some(json!("wilco")), MessageType::ReplacementRequest),
};

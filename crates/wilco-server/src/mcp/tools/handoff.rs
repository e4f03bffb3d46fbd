//! Handoffs: `acknowledge_handoff` and `start_handoff`.

use serde_json::{Value, json};

use super::{Does, FROM, POLICY, Plan, Say, Tool, opening};
use crate::mcp::arguments::{Kind, optional, required};
use crate::mcp::find::Named;

pub(super) const ACKNOWLEDGE: Tool = Tool {
    name: "acknowledge_handoff",
    title: "Acknowledge a handoff",
    about: "Answers a handoff of which you are the replacement. Read its document first; say in your own words what \
            you will do and from which checkpoint you go on.",
    does: Does::Say,
    fields: &[
        required("handoff_id", Kind::Text, "The handoff's id, or the exchange's, such as ho-42"),
        optional(
            "status",
            Kind::Word(&["ready_to_proceed", "needs_clarification", "environment_issue", "rejected"]),
            "ready_to_proceed, if you do not say",
        ),
        optional("understanding", Kind::Text, "What you will do; needed with ready_to_proceed"),
        optional(
            "starting_from",
            Kind::Text,
            "The checkpoint that you continue from; needed with ready_to_proceed",
        ),
        optional("questions", Kind::Texts, "What you must know first"),
        optional("message", Kind::Text, "Something to add"),
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
        let (named, mut content) = (text.clone(), given.into_content("handoff_ack"));
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
        required("failed_agent", Kind::Text, "Who failed"),
        required("replacement_agent", Kind::Text, "Who takes over"),
        required("reason", Kind::Text, "Why, such as context_loss"),
        optional("urgency", Kind::Word(&["immediate", "prepare", "when_available"]), "How soon"),
        optional("tasks", Kind::Texts, "Which tasks, by their ids; without it all that are open"),
        optional("issues", Kind::Numbers, "The numbers of issues"),
        optional("pulls", Kind::Numbers, "The numbers of pull requests"),
        optional("starting_from", Kind::Text, "The checkpoint to continue from; by default the last one"),
        optional("candidates", Kind::Texts, "Who is asked next if this one rejects"),
        optional("document", Kind::Text, "A document of your own, in Markdown"),
        optional("notification_id", Kind::Text, "How the controller calls this"),
        POLICY,
        FROM,
    ],
    examples: &[r#"{"failed_agent": "bob", "replacement_agent": "carl", "reason": "context_loss"}"#],
    plan: |given| opening(given, Some(json!("wilco")), "replacement-request"),
};

//! `inbox`, `read_message` and `send_message`.

use serde_json::{Map, json};
use wilco_wire::FieldProblem;

use super::{Does, FROM, PRIORITY, Plan, Tool};
use crate::mcp::arguments::{FieldKind, Given, MessageType, optional, required};

pub(super) const INBOX: Tool = Tool {
    name: "inbox",
    title: "Your inbox",
    about: "Lists the messages for you, oldest first. Does not mark them as read: read_message does. \
            With wait it returns as soon as a message is there.",
    does: Does::Look,
    fields: &[
        optional("agent", FieldKind::Text, "Your name, where neither a token, Wilco-Agent nor --as says it"),
        optional(
            "status",
            FieldKind::OneOf(&["unread", "read", "archived", "all"]),
            "unread, if you do not say",
        ),
        optional("wait", FieldKind::Duration, "How long to wait when there is nothing yet, at most 60s"),
        optional("after", FieldKind::Text, "The `next` of an earlier page"),
        optional("limit", FieldKind::Number(1, 1000), "How many at most; 50, if you do not say"),
    ],
    examples: &["{}", r#"{"wait": "30s"}"#, r#"{"agent": "bob", "status": "all", "limit": 10}"#],
    plan: |mut given| {
        let status = given.text("status").unwrap_or_else(|| "unread".to_owned());
        let query = vec![
            ("status", Some(status)),
            ("wait", given.text("wait")),
            ("after", given.text("after")),
            ("limit", given.text("limit")),
        ];
        Plan::Inbox { agent: given.text("agent"), query }
    },
};

pub(super) const READ: Tool = Tool {
    name: "read_message",
    title: "Read a message",
    about: "Shows one message whole, and marks it as read in your inbox.",
    does: Does::Say,
    fields: &[
        required("id", FieldKind::Text, "The message's id, such as msg-1767150000007-a1b2c3d"),
        optional("keep_unread", FieldKind::Flag, "true: do not mark it as read"),
    ],
    examples: &[r#"{"id": "msg-1767150000007-a1b2c3d"}"#],
    plan: |mut given| Plan::Read {
        id: given.text("id").unwrap_or_default(),
        keep_unread: given.flag("keep_unread"),
    },
};

/// The types that have no tool of their own: talk first, then by protocol.
const TYPES: &[MessageType] = &[
    MessageType::Conversation,
    MessageType::Response,
    MessageType::Update,
    MessageType::Status,
    MessageType::Report,
    MessageType::Notification,
    MessageType::TaskClarification,
    MessageType::AckRequest,
    MessageType::TaskAmend,
    MessageType::TaskCancel,
    MessageType::StopAck,
    MessageType::TaskPause,
    MessageType::PauseAck,
    MessageType::TaskResume,
    MessageType::ResumeAck,
    MessageType::TaskExtend,
    MessageType::TaskAcknowledgmentError,
    MessageType::OperationResult,
    MessageType::OperationCancelled,
    MessageType::Reminder,
    MessageType::TimeoutNotice,
    MessageType::ExtensionGranted,
    MessageType::HandoffClarification,
    MessageType::HandoffOverride,
    MessageType::HandoffReminder,
    MessageType::ReplacementHandoff,
];

pub(super) const SEND: Tool = Tool {
    name: "send_message",
    title: "Send a message",
    about: "Sends a message to an agent, or says something in an exchange. Plain text goes in `message`. What has \
            no tool of its own goes in `content`, with its type: an answer to questions is a task-clarification, \
            a task is changed by task-amend and stopped by task-cancel.",
    does: Does::Say,
    fields: &[
        optional("to", FieldKind::Names, "The recipient, or several; not needed with `exchange`"),
        optional("message", FieldKind::Text, "What to say, as plain text"),
        optional("content", FieldKind::Content(TYPES), "What to say, as an object with a type"),
        optional("subject", FieldKind::Text, "A line that says what it is about"),
        PRIORITY,
        optional("in_reply_to", FieldKind::Text, "The id of the message that you answer"),
        optional("exchange", FieldKind::Text, "The id of the exchange that it belongs to, such as del-42"),
        FROM,
    ],
    examples: &[
        r#"{"to": "anna", "subject": "Login page", "message": "The form is done, the tests follow."}"#,
        r#"{"exchange": "del-42", "content": {"type": "task-clarification", "answers": ["Firefox and Chromium"]}}"#,
    ],
    plan: send,
};

/// Of the same types those that an agent sends who works for others.
const TYPES_OF_AGENT: &[MessageType] = &[
    MessageType::StopAck,
    MessageType::PauseAck,
    MessageType::ResumeAck,
    MessageType::TaskAcknowledgmentError,
];

/// As it is listed for agents. What it takes is what `SEND` takes.
pub(super) const SEND_OF_AGENT: Tool = Tool {
    about: "Sends words to an agent, or into an exchange, in `message`. What has no tool of its own goes in `content`: \
            that you stopped, paused or go on, or an error that keeps you from a task.",
    fields: &[
        optional("to", FieldKind::Names, "The recipient, or several; not needed with `exchange`"),
        optional("message", FieldKind::Text, "What to say, as plain text"),
        optional("content", FieldKind::Content(TYPES_OF_AGENT), "What to say, as an object with a type"),
        optional("subject", FieldKind::Text, "A line that says what it is about"),
        PRIORITY,
        optional("in_reply_to", FieldKind::Text, "The id of the message that you answer"),
        optional("exchange", FieldKind::Text, "The id of the exchange that it belongs to, such as del-42"),
        FROM,
    ],
    ..SEND
};

fn send(mut given: Given) -> Plan {
    let content = match (given.take("content"), given.take("message")) {
        (Some(content), Some(text)) if content.get("message").is_some_and(|said| *said != text) => {
            let detail = "is said in content too, and otherwise; say it once".to_owned();
            return Plan::Wrong(FieldProblem { pointer: "/message".to_owned(), detail });
        }
        (Some(mut content), text) => {
            // A text beside a content is the content's.
            text.into_iter().for_each(|text| content["message"] = text);
            content
        }
        (None, Some(text)) => json!({"type": "text", "message": text}),
        (None, None) => {
            let detail = "is required: say something, in message or in content".to_owned();
            return Plan::Wrong(FieldProblem { pointer: "/message".to_owned(), detail });
        }
    };
    let keys = ["from", "to", "subject", "priority", "in_reply_to", "exchange"];
    let mut message: Map<_, _> =
        keys.into_iter().filter_map(|key| Some((key.to_owned(), given.take(key)?))).collect();
    message.insert("content".to_owned(), content);
    Plan::Send(message)
}

#[cfg(test)]
mod tests {
    use wilco_language::message::{SenderRole, Senders};

    use super::*;

    #[test]
    fn cli_41_agents_see_the_types_that_they_send_and_have_no_tool_for() {
        let is_agents = |role: &SenderRole| match role {
            SenderRole::Assignee
            | SenderRole::Agent
            | SenderRole::Replacement
            | SenderRole::Specialist
            | SenderRole::MainAgent => true,
            SenderRole::Initiator | SenderRole::Addressee | SenderRole::Operator => false,
        };
        for known in TYPES {
            let sends = match known.entry().senders {
                Senders::Roles(roles) => roles.iter().any(is_agents),
                Senders::OnlyWilco | Senders::Anybody => false,
            };
            assert_eq!(sends, TYPES_OF_AGENT.contains(known), "{known:?}");
        }
    }
}

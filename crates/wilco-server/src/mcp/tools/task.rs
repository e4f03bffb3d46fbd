//! Tasks: `acknowledge_task`, `ask_clarification`, `checkpoint`, `complete_task`, `delegate_task` and `give_verdict`.

use serde_json::{Value, json};

use super::{Does, FROM, PRIORITY, Plan, Say, Tool, opening};
use crate::mcp::arguments::{Field, FieldKind, Given, MessageType, optional, required};
use crate::mcp::find::{Named, Role};

const TASK_ID: Field =
    required("task_id", FieldKind::Text, "The task's id, such as GH-42, or the exchange's, such as del-42");

const fn ack(name: &str) -> Field {
    MessageType::TaskAcknowledgment.field(name)
}

const fn task(name: &str) -> Field {
    MessageType::TaskAssignment.field(name)
}

pub(super) const ACKNOWLEDGE: Tool = Tool {
    name: "acknowledge_task",
    title: "Acknowledge a task",
    about: "Answers a task that you were given. You must do it before you begin: without an ACK the task is not \
            yours, and another agent may get it. Say in your own words what you will do, and name every \
            acceptance criterion: your understanding is scored.",
    does: Does::Say,
    fields: &[
        TASK_ID,
        ack("status"),
        ack("understanding"),
        ack("questions"),
        ack("reason"),
        ack("estimated_checkpoints"),
        ack("revision"),
        FROM,
    ],
    examples: &[
        r#"{"task_id": "GH-42", "status": "received", "understanding": "Add a login page; wrong passwords are refused; tests cover both"}"#,
        r#"{"task_id": "GH-42", "status": "rejected", "reason": "I have no access to the repository"}"#,
    ],
    plan: |given| say(given, MessageType::TaskAcknowledgment, Role::Assignee),
};

pub(super) const ASK: Tool = Tool {
    name: "ask_clarification",
    title: "Ask about a task",
    about: "Asks the initiator of a task what you must know before you can take it. The deadline waits for the answer.",
    does: Does::Say,
    fields: &[TASK_ID, ack("questions").needed().about("What you must know, a question each"), FROM],
    examples: &[r#"{"task_id": "GH-42", "questions": ["Which browsers must work?"]}"#],
    plan: |given| {
        let mut given = given;
        given.set("status", json!("needs-clarification"));
        say(given, MessageType::TaskAcknowledgment, Role::Assignee)
    },
};

pub(super) const CHECKPOINT: Tool = Tool {
    name: "checkpoint",
    title: "Report progress",
    about: "Reports that a checkpoint of your task is reached.",
    does: Does::Say,
    fields: &[
        TASK_ID,
        MessageType::CheckpointAck.field("checkpoint"),
        MessageType::CheckpointAck.field("summary"),
        MessageType::CheckpointAck.field("status"),
        MessageType::CheckpointAck.field("next_checkpoint"),
        FROM,
    ],
    examples: &[r#"{"task_id": "GH-42", "checkpoint": 1, "summary": "The form works, tests follow"}"#],
    plan: |given| say(given, MessageType::CheckpointAck, Role::Assignee),
};

pub(super) const COMPLETE: Tool = Tool {
    name: "complete_task",
    title: "Report that a task is done",
    about: "Reports that your task is done.",
    does: Does::Say,
    fields: &[TASK_ID, MessageType::TaskComplete.field("message"), FROM],
    examples: &[r#"{"task_id": "GH-42", "message": "Merged as #51, all tests pass"}"#],
    plan: |given| say(given, MessageType::TaskComplete, Role::Assignee),
};

pub(super) const DELEGATE: Tool = Tool {
    name: "delegate_task",
    title: "Delegate a task",
    about: "Gives a task to an agent. It is assigned only when the agent has shown that it understood it; an agent \
            that is silent is asked again, and then the task goes on to a candidate or an escalation comes to you.",
    does: Does::Say,
    fields: &[
        required("to", FieldKind::Text, "The agent that gets the task"),
        task("title").needed(),
        task("task_id"),
        task("description"),
        task("acceptance_criteria"),
        task("candidates"),
        task("capabilities"),
        task("requires_ack"),
        task("supersede"),
        task("policy"),
        optional("subject", FieldKind::Text, "The subject of the message"),
        PRIORITY,
        FROM,
    ],
    examples: &[
        r#"{"to": "bob", "task_id": "GH-42", "title": "Add a login page", "acceptance_criteria": ["Wrong passwords are refused", "Tests pass"]}"#,
    ],
    plan: |given| {
        let mut given = given;
        let to = given.take("to");
        opening(given, to, MessageType::TaskAssignment)
    },
};

pub(super) const VERDICT: Tool = Tool {
    name: "give_verdict",
    title: "Judge an understanding",
    about: "Judges what an agent says it understood of your task, or of a handoff, when you are asked to.",
    does: Does::Say,
    fields: &[
        required("task_id", FieldKind::Text, "The id of the task, the handoff or the exchange"),
        MessageType::Verdict.field("verdict"),
        MessageType::Verdict.field("correction"),
        MessageType::Verdict.field("missing"),
        MessageType::Verdict.field("note"),
        FROM,
    ],
    examples: &[
        r#"{"task_id": "GH-42", "verdict": "correct"}"#,
        r#"{"task_id": "GH-42", "verdict": "partial", "missing": ["Tests for wrong passwords"]}"#,
    ],
    plan: |mut given| {
        let (from, text) = (given.text("from"), given.text("task_id").unwrap_or_default());
        let content = given.into_content(MessageType::Verdict);
        Plan::Say(Say {
            from,
            named: Named::Judged(text),
            content: Box::new(move |exchange, _| with_task(content, exchange.data.get("task_id"))),
        })
    },
};

fn say(mut given: Given, of: MessageType, role: Role) -> Plan {
    let (from, text) = (given.text("from"), given.text("task_id").unwrap_or_default());
    let content = given.into_content(of);
    Plan::Say(Say {
        from,
        named: Named::Task(text, role),
        content: Box::new(move |exchange, _| with_task(content, exchange.data.get("task_id"))),
    })
}

/// The content with the task's own id, however the caller named it.
fn with_task(
    mut content: serde_json::Map<String, Value>,
    id: Option<&Value>,
) -> serde_json::Map<String, Value> {
    content.extend(id.map(|id| ("task_id".to_owned(), id.clone())));
    content
}

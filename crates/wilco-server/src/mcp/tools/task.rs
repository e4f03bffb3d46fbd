//! Tasks: `acknowledge_task`, `ask_clarification`, `checkpoint`, `complete_task`, `delegate_task` and `give_verdict`.

use serde_json::{Value, json};

use super::{Does, FROM, POLICY, PRIORITY, Plan, Say, Tool, opening};
use crate::mcp::arguments::{Field, Given, Kind, optional, required};
use crate::mcp::find::{Named, Role};

const TASK_ID: Field =
    required("task_id", Kind::Text, "The task's id, such as GH-42, or the exchange's, such as del-42");

pub(super) const ACKNOWLEDGE: Tool = Tool {
    name: "acknowledge_task",
    title: "Acknowledge a task",
    about: "Answers a task that you were given. You must do it before you begin: without an ACK the task is not \
            yours, and another agent may get it. Say in your own words what you will do, and name every \
            acceptance criterion: your understanding is scored.",
    does: Does::Say,
    fields: &[
        TASK_ID,
        required(
            "status",
            Kind::Word(&["received", "needs-clarification", "confirmed", "rejected", "queued"]),
            "received: I take it. needs-clarification: with questions. confirmed: after a correction. rejected: with \
             a reason. queued: I take it later",
        ),
        optional(
            "understanding",
            Kind::Text,
            "What you will do, in your own words; needed with received and confirmed",
        ),
        optional("questions", Kind::Texts, "What you must know first; with needs-clarification"),
        optional("reason", Kind::Text, "Why; needed with rejected"),
        optional("estimated_checkpoints", Kind::Texts, "The checkpoints that you plan"),
        optional(
            "revision",
            Kind::Whole(1, 1_000_000),
            "Which wording of the task you mean, after it was amended",
        ),
        FROM,
    ],
    examples: &[
        r#"{"task_id": "GH-42", "status": "received", "understanding": "Add a login page; wrong passwords are refused; tests cover both"}"#,
        r#"{"task_id": "GH-42", "status": "rejected", "reason": "I have no access to the repository"}"#,
    ],
    plan: |given| say(given, "task-acknowledgment", Role::Assignee),
};

pub(super) const ASK: Tool = Tool {
    name: "ask_clarification",
    title: "Ask about a task",
    about: "Asks the initiator of a task what you must know before you can take it. The deadline waits for the answer.",
    does: Does::Say,
    fields: &[TASK_ID, required("questions", Kind::Texts, "What you must know, a question each"), FROM],
    examples: &[r#"{"task_id": "GH-42", "questions": ["Which browsers must work?"]}"#],
    plan: |given| {
        let mut given = given;
        given.set("status", json!("needs-clarification"));
        say(given, "task-acknowledgment", Role::Assignee)
    },
};

pub(super) const CHECKPOINT: Tool = Tool {
    name: "checkpoint",
    title: "Report progress",
    about: "Reports that a checkpoint of your task is reached.",
    does: Does::Say,
    fields: &[
        TASK_ID,
        required("checkpoint", Kind::Whole(1, 1_000_000), "The number of the checkpoint, from 1"),
        optional("summary", Kind::Text, "What was done"),
        optional("status", Kind::Text, "How it stands, in a word"),
        optional("next_checkpoint", Kind::Text, "What comes next"),
        FROM,
    ],
    examples: &[r#"{"task_id": "GH-42", "checkpoint": 1, "summary": "The form works, tests follow"}"#],
    plan: |given| say(given, "checkpoint-ack", Role::Assignee),
};

pub(super) const COMPLETE: Tool = Tool {
    name: "complete_task",
    title: "Report that a task is done",
    about: "Reports that your task is done.",
    does: Does::Say,
    fields: &[TASK_ID, optional("message", Kind::Text, "What was done"), FROM],
    examples: &[r#"{"task_id": "GH-42", "message": "Merged as #51, all tests pass"}"#],
    plan: |given| say(given, "task-complete", Role::Assignee),
};

pub(super) const DELEGATE: Tool = Tool {
    name: "delegate_task",
    title: "Delegate a task",
    about: "Gives a task to an agent. It is assigned only when the agent has shown that it understood it; an agent \
            that is silent is asked again, and then the task goes on to a candidate or an escalation comes to you.",
    does: Does::Say,
    fields: &[
        required("to", Kind::Text, "The agent that gets the task"),
        required("title", Kind::Text, "What to do, in a line"),
        optional("task_id", Kind::Text, "The task's id, without spaces; made up when it is missing"),
        optional("description", Kind::Text, "What to do, in full"),
        optional("acceptance_criteria", Kind::Texts, "What must hold in the end"),
        optional("candidates", Kind::Texts, "Who gets the task if this agent cannot take it"),
        optional("capabilities", Kind::Texts, "What another agent must be able to do to get the task"),
        optional("requires_ack", Kind::Flag, "false: do not ask for an acknowledgement"),
        optional("supersede", Kind::Flag, "true: cancel an open delegation of the same task first"),
        POLICY,
        optional("subject", Kind::Text, "The subject of the message"),
        PRIORITY,
        FROM,
    ],
    examples: &[
        r#"{"to": "bob", "task_id": "GH-42", "title": "Add a login page", "acceptance_criteria": ["Wrong passwords are refused", "Tests pass"]}"#,
    ],
    plan: |given| {
        let mut given = given;
        let to = given.take("to");
        opening(given, to, "task-assignment")
    },
};

pub(super) const VERDICT: Tool = Tool {
    name: "give_verdict",
    title: "Judge an understanding",
    about: "Judges what an agent says it understood of your task, or of a handoff, when you are asked to.",
    does: Does::Say,
    fields: &[
        required("task_id", Kind::Text, "The id of the task, the handoff or the exchange"),
        required(
            "verdict",
            Kind::Word(&["correct", "wrong-task", "wrong-summary", "partial"]),
            "wrong-summary needs a correction, partial needs what is missing",
        ),
        optional("correction", Kind::Text, "What the right understanding is; needed with wrong-summary"),
        optional("missing", Kind::Texts, "What the understanding lacks; needed with partial"),
        optional("note", Kind::Text, "Something to add"),
        FROM,
    ],
    examples: &[
        r#"{"task_id": "GH-42", "verdict": "correct"}"#,
        r#"{"task_id": "GH-42", "verdict": "partial", "missing": ["Tests for wrong passwords"]}"#,
    ],
    plan: |mut given| {
        let (from, text) = (given.text("from"), given.text("task_id").unwrap_or_default());
        let content = given.into_content("verdict");
        Plan::Say(Say {
            from,
            named: Named::Judged(text),
            content: Box::new(move |exchange, _| with_task(content, exchange.data.get("task_id"))),
        })
    },
};

fn say(mut given: Given, kind: &'static str, role: Role) -> Plan {
    let (from, text) = (given.text("from"), given.text("task_id").unwrap_or_default());
    let content = given.into_content(kind);
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

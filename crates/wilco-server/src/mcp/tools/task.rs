//! Tasks: `acknowledge_task`, `ask_clarification`, `checkpoint`, `complete_task`, `delegate_task` and `give_verdict`.

use serde_json::{Value, json};

use wilco_wire::FieldProblem;

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
    about: "Judges what an agent says it understood of your task, or of a handoff, when you are asked to; several at \
            once in `verdicts`.",
    does: Does::Say,
    fields: &[
        Field { required: false, ..JUDGED[0] },
        Field { required: false, ..JUDGED[1] },
        JUDGED[2],
        JUDGED[3],
        JUDGED[4],
        optional("verdicts", FieldKind::Objects(&JUDGED), "Several verdicts, instead of the fields above"),
        FROM,
    ],
    examples: &[
        r#"{"task_id": "GH-42", "verdict": "correct"}"#,
        r#"{"task_id": "GH-42", "verdict": "partial", "missing": ["Tests for wrong passwords"]}"#,
        r#"{"verdicts": [{"task_id": "GH-42", "verdict": "correct"}, {"task_id": "GH-43", "verdict": "correct"}]}"#,
    ],
    plan: |mut given| {
        let from = given.text("from");
        if let Some(Value::Array(several)) = given.take("verdicts") {
            if ["task_id", "verdict", "correction", "missing", "note"].iter().any(|key| given.has(key)) {
                return wrong("/verdicts", "expected either verdicts, or the fields of one");
            }
            if several.is_empty() || several.len() > MOST_VERDICTS {
                return wrong("/verdicts", &format!("expected 1 to {MOST_VERDICTS} verdicts"));
            }
            let maps = several.into_iter().filter_map(|one| match one {
                Value::Object(map) => Some(Given::new(map)),
                _ => None,
            });
            return Plan::SayEach(maps.map(|one| verdict(one, from.clone())).collect());
        }
        for key in ["task_id", "verdict"] {
            if !given.has(key) {
                return wrong(&format!("/{key}"), "is required, or verdicts");
            }
        }
        Plan::Say(verdict(given, from).1)
    },
};

/// What a verdict consists of.
const JUDGED: [Field; 5] = [
    required("task_id", FieldKind::Text, "The id of the task, the handoff or the exchange"),
    MessageType::Verdict.field("verdict"),
    MessageType::Verdict.field("correction"),
    MessageType::Verdict.field("missing"),
    MessageType::Verdict.field("note"),
];

/// More verdicts in one call are refused.
const MOST_VERDICTS: usize = 100;

fn wrong(pointer: &str, detail: &str) -> Plan {
    Plan::Wrong(FieldProblem { pointer: pointer.to_owned(), detail: detail.to_owned() })
}

/// A verdict, and on what.
fn verdict(mut given: Given, from: Option<String>) -> (String, Say) {
    let text = given.text("task_id").unwrap_or_default();
    let content = given.into_content(MessageType::Verdict);
    let named = Named::Judged(text.clone());
    let content = Box::new(move |exchange: &wilco_wire::Exchange, _: Option<&str>| {
        with_task(content, exchange.data.get("task_id"))
    });
    (text, Say { from, named, content })
}

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

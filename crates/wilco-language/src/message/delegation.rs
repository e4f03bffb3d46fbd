//! Types of delegations.

use wilco_protocol::Protocol;

use super::shared::{MESSAGE, NOTE, POLICY};
use super::{Field, FieldKind, SenderRole, Senders, TypeEntry, optional, required};

const INITIATOR: Senders = Senders::Roles(&[SenderRole::Initiator]);
const ASSIGNEE: Senders = Senders::Roles(&[SenderRole::Assignee]);

const TASK_ID: Field =
    optional("task_id", FieldKind::Text, "The task's id; not needed where the exchange is named");
const REVISION: Field =
    optional("revision", FieldKind::Number(1, MAX_NUMBER), "Which wording of the task it is");
const MAX_NUMBER: u64 = 1_000_000;

const fn entry(
    name: &'static str,
    senders: Senders,
    about: &'static str,
    fields: &'static [Field],
    leads_to: &'static str,
    examples: &'static [&'static str],
) -> TypeEntry {
    let protocol = Some(Protocol::Delegation);
    TypeEntry { name, protocol, senders, about, fields, subject: None, priority: None, leads_to, examples }
}

const TITLE: Field = optional("title", FieldKind::Text, "What to do, in a line");
const DESCRIPTION: Field = optional("description", FieldKind::LongText, "What to do, in full");
const CRITERIA: Field = optional("acceptance_criteria", FieldKind::Texts, "What must hold in the end");

pub(super) const TASK_ASSIGNMENT: TypeEntry = entry(
    "task-assignment",
    INITIATOR,
    "Gives a task to an agent. It needs a title or a message",
    &[
        TITLE,
        optional("task_id", FieldKind::Text, "The task's id, without spaces; made up when it is missing"),
        optional("task_uuid", FieldKind::Text, "Another id of the task; made up when it is missing"),
        DESCRIPTION,
        CRITERIA,
        optional("candidates", FieldKind::Texts, "Who gets the task if this agent cannot take it"),
        optional("capabilities", FieldKind::Texts, "What another agent must be able to do to get the task"),
        optional("requires_ack", FieldKind::Flag, "false: do not ask for an acknowledgement"),
        optional("ack_timeout_minutes", FieldKind::Minutes, "How long to wait for the acknowledgement"),
        optional("supersede", FieldKind::Flag, "true: cancel an open delegation of the same task first"),
        POLICY,
        MESSAGE.about("The task in words; it may say all of it"),
    ],
    "Opens a delegation: the agent must acknowledge it with its understanding before the task is its own",
    &[
        r#"{"type": "task-assignment", "task_id": "GH-42", "title": "Add a login page", "acceptance_criteria": ["Wrong passwords are refused", "Tests pass"]}"#,
        r#"{"type": "task-assignment", "message": "Please add a login page.", "task_uuid": "0190-7", "description": "With a form and tests", "candidates": ["carl"], "capabilities": ["web"], "requires_ack": true, "ack_timeout_minutes": 5, "supersede": false, "policy": {"preset": "critical"}}"#,
    ],
);

pub(super) const TASK_ACKNOWLEDGMENT: TypeEntry = entry(
    "task-acknowledgment",
    ASSIGNEE,
    "The assignee answers a task: it takes it, asks, or rejects it",
    &[
        TASK_ID,
        required(
            "status",
            FieldKind::OneOf(&["received", "needs-clarification", "confirmed", "rejected", "queued"]),
            "received: I take it. needs-clarification: with questions. confirmed: after a correction. rejected: with \
             a reason. queued: I take it later",
        ),
        optional(
            "understanding",
            FieldKind::LongText,
            "What you will do, in your own words; needed with received and confirmed",
        ),
        optional("understanding_summary", FieldKind::LongText, "Another name of understanding"),
        optional("questions", FieldKind::Texts, "What you must know first; with needs-clarification"),
        optional("reason", FieldKind::Text, "Why; needed with rejected").unchecked(),
        optional("estimated_checkpoints", FieldKind::Texts, "The checkpoints that you plan"),
        REVISION.about("Which wording of the task you mean, after it was amended"),
        NOTE,
    ],
    "The understanding is judged: the task is the assignee's, is corrected, or the questions go to the initiator; a \
     rejected task goes to the next candidate",
    &[
        r#"{"type": "task-acknowledgment", "task_id": "GH-42", "status": "received", "understanding": "Add a login page; wrong passwords are refused; tests cover both", "estimated_checkpoints": ["form", "tests"], "revision": 1}"#,
        r#"{"type": "task-acknowledgment", "task_id": "GH-42", "status": "needs-clarification", "questions": ["Which browsers must work?"], "message": "I begin as soon as I know."}"#,
        r#"{"type": "task-acknowledgment", "status": "rejected", "reason": "I have no access to the repository", "understanding_summary": "Add a login page"}"#,
    ],
);

pub(super) const TASK_ACKNOWLEDGMENT_ERROR: TypeEntry = entry(
    "task-acknowledgment-error",
    ASSIGNEE,
    "The assignee cannot take the task at all",
    &[
        TASK_ID,
        required(
            "error_code",
            FieldKind::Suggested(&[
                "RESOURCE_UNAVAILABLE",
                "CAPABILITY_MISMATCH",
                "NETWORK_ERROR",
                "INVALID_TASK_FORMAT",
                "AGENT_SHUTTING_DOWN",
            ]),
            "RESOURCE_UNAVAILABLE, CAPABILITY_MISMATCH, NETWORK_ERROR, INVALID_TASK_FORMAT or AGENT_SHUTTING_DOWN",
        ),
        optional("error_message", FieldKind::Text, "What is wrong, in words"),
        optional("retry_after_minutes", FieldKind::Minutes, "When to try again"),
        optional("alternative_agents", FieldKind::Texts, "Who could do it instead"),
        NOTE,
    ],
    "The task is tried again later, goes to another agent, or an escalation is opened",
    &[
        r#"{"type": "task-acknowledgment-error", "task_id": "GH-42", "error_code": "RESOURCE_UNAVAILABLE", "error_message": "The disk is full", "retry_after_minutes": 5, "alternative_agents": ["carl"], "message": "Later, please."}"#,
    ],
);

pub(super) const TASK_CLARIFICATION: TypeEntry = TypeEntry {
    subject: Some("Answers: {task_id}"),
    ..entry(
        "task-clarification",
        INITIATOR,
        "The initiator answers the questions of the assignee, in answers or in a message",
        &[
            TASK_ID,
            optional("answers", FieldKind::Texts, "One for each question, in their order"),
            MESSAGE.about("What answers all of them, or something to add"),
        ],
        "The answers go to the assignee, which must acknowledge the task again",
        &[
            r#"{"type": "task-clarification", "task_id": "GH-42", "answers": ["Firefox and Chromium"], "message": "No others."}"#,
        ],
    )
};

pub(super) const ACK_REQUEST: TypeEntry = TypeEntry {
    subject: Some("ACK REQUIRED: {task_id}"),
    ..entry(
        "ack-request",
        INITIATOR,
        "Asks for the ACK of a task; Wilco asks by itself, and the initiator may",
        &[TASK_ID, NOTE],
        "The assignee is reminded; the attempt counts",
        &[r#"{"type": "ack-request", "task_id": "GH-42", "message": "Please acknowledge the task."}"#],
    )
};

pub(super) const TASK_CORRECTION: TypeEntry = TypeEntry {
    subject: Some("Correction: {task_id}"),
    ..entry(
        "task-correction",
        Senders::OnlyWilco,
        "Tells the assignee that it understood another task, or this one wrongly",
        &[TASK_ID, REVISION, MESSAGE],
        "The assignee acknowledges the task again",
        &[
            r#"{"type": "task-correction", "task_id": "GH-42", "revision": 1, "message": "That is another task."}"#,
        ],
    )
};

pub(super) const TASK_SUPPLEMENT: TypeEntry = TypeEntry {
    subject: Some("Still missing: {task_id}"),
    ..entry(
        "task-supplement",
        Senders::OnlyWilco,
        "Tells the assignee what its understanding lacks",
        &[TASK_ID, REVISION, MESSAGE],
        "The assignee acknowledges the task again",
        &[
            r#"{"type": "task-supplement", "task_id": "GH-42", "revision": 1, "message": "Still missing: tests"}"#,
        ],
    )
};

pub(super) const VERDICT: TypeEntry = entry(
    "verdict",
    INITIATOR,
    "The initiator judges an understanding, of a task or of a handoff",
    &[
        TASK_ID,
        required(
            "verdict",
            FieldKind::OneOf(&["correct", "wrong-task", "wrong-summary", "partial"]),
            "wrong-summary needs a correction, partial needs what is missing",
        ),
        optional(
            "correction",
            FieldKind::LongText,
            "What the right understanding is; needed with wrong-summary",
        )
        .unchecked(),
        optional("missing", FieldKind::Texts, "What the understanding lacks; needed with partial"),
        optional("note", FieldKind::Text, "Something to add"),
        NOTE,
    ],
    "correct: the work begins; otherwise the assignee is told what is wrong and acknowledges again",
    &[
        r#"{"type": "verdict", "task_id": "GH-42", "verdict": "partial", "missing": ["Tests for wrong passwords"], "note": "The rest is right", "message": "Nearly."}"#,
        r#"{"type": "verdict", "verdict": "wrong-summary", "correction": "The page must refuse wrong passwords"}"#,
    ],
);

pub(super) const CHECKPOINT_ACK: TypeEntry = entry(
    "checkpoint-ack",
    ASSIGNEE,
    "The assignee has reached a checkpoint",
    &[
        TASK_ID,
        required("checkpoint", FieldKind::Number(1, MAX_NUMBER), "The number of the checkpoint, from 1"),
        optional("summary", FieldKind::LongText, "What was done"),
        optional("status", FieldKind::Text, "How it stands, in a word"),
        optional(
            "next_checkpoint",
            FieldKind::Either(&[FieldKind::Text, FieldKind::Number(0, u64::MAX)]),
            "What comes next",
        ),
        NOTE,
    ],
    "The checkpoint is recorded, and the time for the next one begins",
    &[
        r#"{"type": "checkpoint-ack", "task_id": "GH-42", "checkpoint": 1, "status": "done", "summary": "The form works", "next_checkpoint": "tests", "message": "On time."}"#,
    ],
);

pub(super) const STATUS_CHECK: TypeEntry = TypeEntry {
    subject: Some("Status of {task_id}?"),
    ..entry(
        "status-check",
        Senders::OnlyWilco,
        "Asks the assignee how its task goes",
        &[TASK_ID, REVISION, MESSAGE],
        "Any answer of the assignee counts as a sign of life",
        &[r#"{"type": "status-check", "task_id": "GH-42", "revision": 1, "message": "How does it go?"}"#],
    )
};

pub(super) const BEGIN_NOW: TypeEntry = entry(
    "begin-now",
    Senders::OnlyWilco,
    "Tells the assignee that the work may begin",
    &[TASK_ID, REVISION, MESSAGE],
    "Checkpoints and the completion are awaited",
    &[
        r#"{"type": "begin-now", "task_id": "GH-42", "revision": 1, "message": "You understood it. Begin now."}"#,
    ],
);

pub(super) const TASK_COMPLETE: TypeEntry = entry(
    "task-complete",
    ASSIGNEE,
    "The assignee has done the task",
    &[TASK_ID, NOTE.about("What was done")],
    "The delegation is complete, and its initiator hears of it",
    &[r#"{"type": "task-complete", "task_id": "GH-42", "message": "Merged as #51, all tests pass"}"#],
);

pub(super) const TASK_AMEND: TypeEntry = TypeEntry {
    subject: Some("Amended: {task_id}"),
    ..entry(
        "task-amend",
        INITIATOR,
        "The initiator changes the task. It needs a title, a description, criteria or a message",
        &[
            TASK_ID,
            TITLE.about("The new title"),
            DESCRIPTION.about("The new description"),
            CRITERIA,
            NOTE.about("What changes, in words"),
        ],
        "A new revision: the assignee must acknowledge it again",
        &[
            r#"{"type": "task-amend", "task_id": "GH-42", "title": "Add two pages", "description": "Login and logout", "acceptance_criteria": ["Tests pass"], "message": "Logout as well, please."}"#,
        ],
    )
};

pub(super) const TASK_CANCEL: TypeEntry = TypeEntry {
    subject: Some("Stop: {task_id}"),
    ..entry(
        "task-cancel",
        INITIATOR,
        "The initiator stops the task",
        &[TASK_ID, optional("reason", FieldKind::Text, "Why").unchecked(), NOTE],
        "The delegation is cancelled; whoever works on it confirms with stop-ack",
        &[
            r#"{"type": "task-cancel", "task_id": "GH-42", "reason": "Not needed any more", "message": "Thank you."}"#,
        ],
    )
};

pub(super) const STOP_ACK: TypeEntry = entry(
    "stop-ack",
    ASSIGNEE,
    "The assignee has stopped",
    &[TASK_ID, NOTE],
    "The stop is confirmed",
    &[r#"{"type": "stop-ack", "task_id": "GH-42", "message": "Stopped, nothing is pushed."}"#],
);

pub(super) const TASK_PAUSE: TypeEntry = TypeEntry {
    subject: Some("Pause: {task_id}"),
    ..entry(
        "task-pause",
        INITIATOR,
        "The initiator pauses the task",
        &[
            TASK_ID,
            optional("expected_duration", FieldKind::Duration, "For how long"),
            optional("reason", FieldKind::Text, "Why"),
            NOTE,
        ],
        "Timers stand still; the assignee confirms with pause-ack",
        &[
            r#"{"type": "task-pause", "task_id": "GH-42", "expected_duration": "1h30m", "reason": "Staging is down", "message": "I tell you when."}"#,
        ],
    )
};

pub(super) const PAUSE_ACK: TypeEntry = entry(
    "pause-ack",
    ASSIGNEE,
    "The assignee has paused",
    &[TASK_ID, NOTE],
    "The pause is confirmed",
    &[r#"{"type": "pause-ack", "task_id": "GH-42", "message": "Paused."}"#],
);

pub(super) const TASK_RESUME: TypeEntry = TypeEntry {
    subject: Some("Resume: {task_id}"),
    ..entry(
        "task-resume",
        INITIATOR,
        "The initiator lets the task go on",
        &[TASK_ID, NOTE],
        "Timers go on; the assignee confirms with resume-ack",
        &[r#"{"type": "task-resume", "task_id": "GH-42", "message": "Staging is up again."}"#],
    )
};

pub(super) const RESUME_ACK: TypeEntry = entry(
    "resume-ack",
    ASSIGNEE,
    "The assignee goes on",
    &[TASK_ID, NOTE],
    "The work goes on",
    &[r#"{"type": "resume-ack", "task_id": "GH-42", "message": "I go on."}"#],
);

pub(super) const TASK_EXTEND: TypeEntry = entry(
    "task-extend",
    INITIATOR,
    "The initiator gives more time",
    &[TASK_ID, required("time", FieldKind::Duration, "How much longer, such as 10m"), NOTE],
    "The deadline that runs moves by so much",
    &[r#"{"type": "task-extend", "task_id": "GH-42", "time": "10m", "message": "Take your time."}"#],
);

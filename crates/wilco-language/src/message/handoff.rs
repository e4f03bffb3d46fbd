//! Types of handoffs.

use wilco_protocol::Protocol;

use super::shared::{MESSAGE, NOTE, POLICY};
use super::{Field, FieldKind, SenderRole, Senders, TypeEntry, optional, required};

const INITIATOR: Senders = Senders::Roles(&[SenderRole::Initiator]);

const HANDOFF_ID: Field =
    optional("handoff_id", FieldKind::Text, "The handoff's id; not needed where the exchange is named")
        .unchecked();

/// A name, or what a session is known by.
const AGENT: FieldKind = FieldKind::Either(&[
    FieldKind::Text,
    FieldKind::Object(&[
        required("id", FieldKind::Text, "Its name"),
        optional("session", FieldKind::Text, "The session it works in").unchecked(),
    ]),
]);
const FAILED: Field =
    optional("failed_agent", AGENT, "The name of an agent, or an object with id and session");
const URGENCY: Field =
    optional("urgency", FieldKind::OneOf(&["immediate", "prepare", "when_available"]), "How soon");
const NOTIFICATION_ID: Field = optional("notification_id", FieldKind::Text, "How the controller calls this");
const TASKS: Field =
    optional("tasks", FieldKind::Texts, "Which tasks, by their ids; without it all that are open");
const ISSUES: Field = optional("issues", FieldKind::Numbers, "The numbers of issues");
const PULLS: Field = optional("pulls", FieldKind::Numbers, "The numbers of pull requests");
const STARTING_FROM: Field = optional(
    "starting_from",
    FieldKind::Either(&[FieldKind::Text, FieldKind::Number(0, u64::MAX)]),
    "The checkpoint to continue from; by default the last one",
);
const CANDIDATES: Field = optional("candidates", FieldKind::Texts, "Who is asked next if this one rejects");
const DOCUMENT: Field = optional("document", FieldKind::LongText, "A document of your own, in Markdown");

const fn entry(
    name: &'static str,
    senders: Senders,
    about: &'static str,
    fields: &'static [Field],
    leads_to: &'static str,
    examples: &'static [&'static str],
) -> TypeEntry {
    let protocol = Some(Protocol::Handoff);
    TypeEntry { name, protocol, senders, about, fields, subject: None, priority: None, leads_to, examples }
}

const fn usual(entry: TypeEntry, subject: &'static str, priority: &'static str) -> TypeEntry {
    TypeEntry { subject: Some(subject), priority: Some(priority), ..entry }
}

pub(super) const REPLACEMENT_REQUEST: TypeEntry = entry(
    "replacement-request",
    INITIATOR,
    "Hands the work of a failed agent to its replacement",
    &[
        FAILED.needed(),
        required("replacement_agent", AGENT, "The name of an agent, or an object with id and session"),
        required("reason", FieldKind::Text, "Why the agent is replaced, such as context_loss"),
        URGENCY,
        TASKS,
        ISSUES,
        PULLS,
        STARTING_FROM,
        CANDIDATES,
        DOCUMENT,
        NOTIFICATION_ID,
        POLICY,
        MESSAGE,
    ],
    "Opens a handoff: a document is made, the replacement must acknowledge it, and then the tasks are its own",
    &[
        r#"{"type": "replacement-request", "failed_agent": "bob", "replacement_agent": "carl", "reason": "context_loss", "urgency": "immediate", "tasks": ["GH-42"], "issues": [42], "pulls": [51], "starting_from": "checkpoint-2", "candidates": ["dora"], "document": "Finish the login page", "notification_id": "n-1", "policy": {"ack_timeout": "5m"}, "message": "Bob lost its context."}"#,
    ],
);

pub(super) const REPLACEMENT_HANDOFF: TypeEntry = TypeEntry {
    subject: Some("[HANDOFF] Agent Replacement - You are replacing {failed}"),
    priority: Some("by its urgency"),
    ..entry(
        "replacement_handoff",
        INITIATOR,
        "Hands work over by the message itself, with a document that exists already",
        &[
            required("handoff_id", FieldKind::Text, "An id that the ACK names"),
            required("handoff_url", FieldKind::Text, "Where the document lies"),
            FAILED,
            URGENCY,
            TASKS,
            ISSUES,
            PULLS,
            STARTING_FROM,
            CANDIDATES,
            DOCUMENT,
            NOTIFICATION_ID,
            POLICY,
            MESSAGE,
        ],
        "Opens a handoff that waits for the ACK of whom the message goes to",
        &[
            r#"{"type": "replacement_handoff", "handoff_id": "handoff-7", "handoff_url": "file:///tmp/handoff-7.md", "failed_agent": {"id": "bob", "session": "bob"}, "urgency": "prepare", "tasks": ["GH-42"], "issues": [42], "pulls": [51], "starting_from": 2, "candidates": ["dora"], "document": "Finish it", "notification_id": "n-1", "policy": {"ack_timeout": "5m"}, "message": "Read the document first."}"#,
        ],
    )
};

pub(super) const HANDOFF_ACK: TypeEntry = usual(
    entry(
        "handoff_ack",
        Senders::Roles(&[SenderRole::Replacement]),
        "The replacement acknowledges a handoff, or says why it cannot",
        &[
            HANDOFF_ID,
            optional(
                "status",
                FieldKind::OneOf(&[
                    "ready_to_proceed",
                    "needs_clarification",
                    "environment_issue",
                    "rejected",
                ]),
                "ready_to_proceed, if you do not say",
            )
            .unchecked(),
            optional("understanding", FieldKind::LongText, "What you will do; needed with ready_to_proceed")
                .unchecked(),
            optional(
                "starting_from",
                FieldKind::Text,
                "The checkpoint that you continue from; needed with ready_to_proceed",
            )
            .unchecked(),
            optional("questions", FieldKind::Texts, "What you must know first").unchecked(),
            NOTE,
        ],
        "The tasks move to the replacement, it is corrected, or its questions go to the initiator. A wrong one is \
         answered, never refused",
        &[
            r#"{"type": "handoff_ack", "handoff_id": "handoff-7", "status": "ready_to_proceed", "understanding": "Finish the login page", "starting_from": "checkpoint-2", "questions": [], "message": "I begin."}"#,
        ],
    ),
    "[ACK] Handoff {handoff_id} Received",
    "high",
);

pub(super) const HANDOFF_CLARIFICATION: TypeEntry = usual(
    entry(
        "handoff_clarification",
        INITIATOR,
        "The initiator answers the questions of the replacement",
        &[
            HANDOFF_ID,
            required(
                "clarifications",
                FieldKind::Objects(&[
                    optional("question", FieldKind::Text, "What was asked").unchecked(),
                    required("answer", FieldKind::Text, "The answer"),
                ]),
                "A list of objects with question and answer",
            ),
            DOCUMENT.about("A new document"),
            MESSAGE,
        ],
        "The answers go to the replacement, which acknowledges again",
        &[
            r#"{"type": "handoff_clarification", "handoff_id": "handoff-7", "clarifications": [{"question": "Which branch?", "answer": "login"}], "document": "Finish it on the branch login", "message": "That is all."}"#,
        ],
    ),
    "[CLARIFICATION] Re: Handoff {handoff_id}",
    "high",
);

pub(super) const HANDOFF_REMINDER: TypeEntry = usual(
    entry(
        "handoff_reminder",
        INITIATOR,
        "Reminds the replacement to acknowledge; Wilco does it by itself, and the initiator may",
        &[HANDOFF_ID, MESSAGE],
        "The replacement is reminded; it counts as one of Wilco's reminders",
        &[r#"{"type": "handoff_reminder", "handoff_id": "handoff-7", "message": "Please acknowledge it."}"#],
    ),
    "[REMINDER] ACK Required for Handoff {handoff_id}",
    "urgent",
);

pub(super) const HANDOFF_CORRECTION: TypeEntry = TypeEntry {
    subject: Some("[CORRECTION] Handoff {handoff_id}"),
    ..entry(
        "handoff-correction",
        Senders::OnlyWilco,
        "Tells the replacement what is wrong with its ACK",
        &[HANDOFF_ID, MESSAGE],
        "The replacement acknowledges again",
        &[r#"{"type": "handoff-correction", "handoff_id": "handoff-7", "message": "Say where you start."}"#],
    )
};

pub(super) const HANDOFF_OVERRIDE: TypeEntry = entry(
    "handoff-override",
    INITIATOR,
    "The initiator lets the handoff go on without an ACK",
    &[HANDOFF_ID, required("reason", FieldKind::Text, "Why it goes on without an ACK"), MESSAGE],
    "The tasks move to the replacement, and the handoff is marked as overridden",
    &[
        r#"{"type": "handoff-override", "handoff_id": "handoff-7", "reason": "Carl said so on the phone", "message": "Go on."}"#,
    ],
);

pub(super) const REPLACEMENT_CONFIRMATION: TypeEntry = TypeEntry {
    subject: Some("[EOA] Agent Replacement {Complete|Partially Complete|Failed}"),
    priority: Some("normal, high or urgent"),
    ..entry(
        "replacement_confirmation",
        Senders::OnlyWilco,
        "Tells the initiator how the replacement ended",
        &[optional("status", FieldKind::Text, "How it ended"), MESSAGE],
        "The handoff has ended",
        &[r#"{"type": "replacement_confirmation", "status": "complete", "message": "Carl has taken over."}"#],
    )
};

//! The types of content that a participant may send and that have no tool of their own, with their fields.

use crate::mcp::arguments::{Field, Kind, Variant, optional, required};

const TASK_ID: Field = optional("task_id", Kind::Text, "The task's id; not needed with `exchange`");
const OPERATION_ID: Field =
    optional("operation_id", Kind::Text, "The operation's id; not needed with `exchange`");
const HANDOFF_ID: Field = optional("handoff_id", Kind::Text, "The handoff's id; not needed with `exchange`");
const MESSAGE: Field = optional("message", Kind::Text, "Something to add, for people to read");
const TEXT: Field = required("message", Kind::Text, "What to say");

const fn variant(name: &'static str, about: &'static str, fields: &'static [Field]) -> Variant {
    Variant { name, about, fields }
}

/// Talk first, then by protocol.
pub(super) const TYPES: &[Variant] = &[
    variant("conversation", "Talk that belongs to nothing", &[TEXT]),
    variant("response", "An answer that is no task", &[TEXT]),
    variant("update", "News that are no task", &[TEXT]),
    variant("status", "How something stands", &[TEXT]),
    variant("report", "A report that is no task", &[TEXT]),
    variant("notification", "Something to know", &[TEXT]),
    variant(
        "task-clarification",
        "The initiator answers the questions of the assignee",
        &[TASK_ID, optional("answers", Kind::Texts, "One for each question, in their order"), MESSAGE],
    ),
    variant("ack-request", "The initiator asks for the ACK itself", &[TASK_ID, MESSAGE]),
    variant(
        "task-amend",
        "The initiator changes the task; its assignee must acknowledge it again",
        &[
            TASK_ID,
            optional("title", Kind::Text, "The new title"),
            optional("description", Kind::Text, "The new description"),
            optional("acceptance_criteria", Kind::Texts, "What must hold in the end"),
            MESSAGE,
        ],
    ),
    variant(
        "task-cancel",
        "The initiator stops the task",
        &[TASK_ID, optional("reason", Kind::Text, "Why"), MESSAGE],
    ),
    variant("stop-ack", "The assignee has stopped", &[TASK_ID, MESSAGE]),
    variant(
        "task-pause",
        "The initiator pauses the task",
        &[TASK_ID, optional("expected_duration", Kind::Span, "For how long"), MESSAGE],
    ),
    variant("pause-ack", "The assignee has paused", &[TASK_ID, MESSAGE]),
    variant("task-resume", "The initiator lets the task go on", &[TASK_ID, MESSAGE]),
    variant("resume-ack", "The assignee goes on", &[TASK_ID, MESSAGE]),
    variant(
        "task-extend",
        "The initiator gives more time",
        &[TASK_ID, required("time", Kind::Span, "How much longer, such as 10m"), MESSAGE],
    ),
    variant(
        "task-acknowledgment-error",
        "The assignee cannot take the task at all",
        &[
            TASK_ID,
            required(
                "error_code",
                Kind::Word(&[
                    "RESOURCE_UNAVAILABLE",
                    "CAPABILITY_MISMATCH",
                    "NETWORK_ERROR",
                    "INVALID_TASK_FORMAT",
                    "AGENT_SHUTTING_DOWN",
                ]),
                "What is wrong",
            ),
            optional("error_message", Kind::Text, "What is wrong, in words"),
            optional("retry_after_minutes", Kind::Whole(0, 100_000), "When to try again"),
            optional("alternative_agents", Kind::Texts, "Who could do it instead"),
            MESSAGE,
        ],
    ),
    variant(
        "operation-result",
        "The initiator says how the operation went",
        &[
            OPERATION_ID,
            required("status", Kind::Word(&["done", "failed"]), "How it went"),
            optional(
                "results",
                Kind::Objects(&[
                    required("agent", Kind::Text, "For whom"),
                    required("status", Kind::Word(&["done", "failed"]), "How it went"),
                    optional("note", Kind::Text, "Something to add"),
                ]),
                "How it went for single agents",
            ),
            MESSAGE,
        ],
    ),
    variant("operation-cancelled", "The initiator takes the operation back", &[OPERATION_ID, MESSAGE]),
    variant("reminder", "The initiator reminds an agent itself", &[OPERATION_ID, MESSAGE]),
    variant(
        "timeout-notice",
        "The initiator says that it goes on without an answer",
        &[OPERATION_ID, MESSAGE],
    ),
    variant("extension-granted", "The initiator gives an agent more time", &[OPERATION_ID, MESSAGE]),
    variant(
        "handoff_clarification",
        "The initiator answers the questions of the replacement",
        &[
            HANDOFF_ID,
            required(
                "clarifications",
                Kind::Objects(&[
                    optional("question", Kind::Text, "What was asked"),
                    required("answer", Kind::Text, "The answer"),
                ]),
                "An entry for each question",
            ),
            optional("document", Kind::Text, "A new document"),
            MESSAGE,
        ],
    ),
    variant(
        "handoff-override",
        "The initiator lets the handoff go on without an ACK",
        &[HANDOFF_ID, required("reason", Kind::Text, "Why"), MESSAGE],
    ),
    variant("handoff_reminder", "The initiator reminds the replacement itself", &[HANDOFF_ID, MESSAGE]),
    variant(
        "replacement_handoff",
        "Hands work over by the message itself; for a handoff that Wilco prepares use start_handoff",
        &[
            required("handoff_id", Kind::Text, "An id that the ACK names"),
            required("handoff_url", Kind::Text, "Where the document lies"),
            optional("failed_agent", Kind::Text, "Whose work it was"),
            optional("urgency", Kind::Word(&["immediate", "prepare", "when_available"]), "How soon"),
            optional("starting_from", Kind::Text, "The checkpoint to continue from"),
            optional("tasks", Kind::Texts, "Which tasks"),
            MESSAGE,
        ],
    ),
];

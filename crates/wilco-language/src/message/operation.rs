//! Types of operations.

use wilco_protocol::Protocol;

use super::shared::{MESSAGE, POLICY};
use super::{Field, FieldKind, SenderRole, Senders, TypeEntry, optional, required};

const INITIATOR: Senders = Senders::Roles(&[SenderRole::Initiator]);

const OPERATION_ID: Field =
    optional("operation_id", FieldKind::Text, "The operation's id; not needed where the exchange is named")
        .unchecked();
const BROADCAST_ID: Field =
    optional("broadcast_id", FieldKind::Text, "The id of the question to several agents").unchecked();

const OWN: &[Field] = &[OPERATION_ID, BROADCAST_ID, MESSAGE];
/// What Wilco says names the operation too.
const TOLD: &[Field] =
    &[OPERATION_ID, BROADCAST_ID, optional("operation", FieldKind::Text, "Its name"), MESSAGE];

const fn entry(
    name: &'static str,
    senders: Senders,
    about: &'static str,
    fields: &'static [Field],
    leads_to: &'static str,
    examples: &'static [&'static str],
) -> TypeEntry {
    let protocol = Some(Protocol::Operation);
    TypeEntry { name, protocol, senders, about, fields, subject: None, priority: None, leads_to, examples }
}

const fn usual(entry: TypeEntry, subject: &'static str, priority: &'static str) -> TypeEntry {
    TypeEntry { subject: Some(subject), priority: Some(priority), ..entry }
}

/// Half of what the courier carries out at the same time, so that one operation leaves room for the rest.
const MAX_PARALLEL: u64 = 32;

/// What `execute` may hold.
pub(crate) const COMMAND: &[Field] = &[
    required("command", FieldKind::Texts, "The name of a configured command, then its arguments"),
    optional("values", FieldKind::Keys, "What fills the places of a command whose arguments are fixed"),
    optional("max_parallel", FieldKind::Number(1, MAX_PARALLEL), "How many run at a time"),
    optional("time_limit", FieldKind::Duration, "How long one may take"),
    optional("keep_going", FieldKind::Flag, "true: go on with the others when one fails"),
];

pub(super) const PRE_OPERATION: TypeEntry = usual(
    entry(
        "pre-operation",
        INITIATOR,
        "Announces something that interrupts agents and asks each whether it is ready",
        &[
            required("operation", FieldKind::Text, "What will be done, in a word such as restart"),
            required("message", FieldKind::LongText, "What will happen, for the agents to read"),
            optional(
                "kind",
                FieldKind::OneOf(&["disruptive", "state-change", "coordinated"]),
                "disruptive for one agent, coordinated for several, if you do not say",
            ),
            optional(
                "quorum",
                FieldKind::Either(&[FieldKind::OneOf(&["all", "majority"]), FieldKind::Number(1, 10_000)]),
                "How many must be ready: all, majority or a number. Every key of the policy may stand here",
            ),
            optional(
                "execute",
                FieldKind::Either(&[FieldKind::OneOf(&["manual", "none"]), FieldKind::Object(COMMAND)]),
                "Who performs it: manual (you do, and report it), none, or a configured command",
            ),
            optional(
                "pre_notice",
                FieldKind::Duration,
                "How long before the handshake the agents hear of it",
            ),
            optional("requires_acknowledgment", FieldKind::Flag, "false: only tell them, and go on at once"),
            POLICY,
        ],
        "Opens an operation: every agent is asked and reminded; enough ready ones, or the end of the time, authorize it",
        &[
            r#"{"type": "pre-operation", "operation": "restart", "message": "I will restart you", "kind": "disruptive", "quorum": "all", "execute": "manual", "pre_notice": "5m", "requires_acknowledgment": true, "policy": {"acknowledgment_timeout": "2m"}}"#,
        ],
    ),
    "[{Operation}] Pending - Acknowledgment Required",
    "high",
);

pub(super) const OPERATION_NOTICE: TypeEntry = entry(
    "operation-notice",
    Senders::OnlyWilco,
    "Tells agents of an operation before they are asked",
    TOLD,
    "Nothing is needed from them yet",
    &[
        r#"{"type": "operation-notice", "operation_id": "op-42", "broadcast_id": "b-7", "operation": "restart", "message": "In 5m you are asked."}"#,
    ],
);

pub(super) const REMINDER: TypeEntry = usual(
    entry(
        "reminder",
        INITIATOR,
        "Reminds an agent to answer; Wilco does it by itself, and the initiator may",
        OWN,
        "The agent is reminded; it counts for the reminder of Wilco's that it comes nearest to",
        &[
            r#"{"type": "reminder", "operation_id": "op-42", "broadcast_id": "b-7", "message": "Please answer."}"#,
        ],
    ),
    "Reminder: Acknowledgment Required",
    "high",
);

pub(super) const ACKNOWLEDGMENT: TypeEntry = entry(
    "acknowledgment",
    Senders::Roles(&[SenderRole::Agent, SenderRole::MainAgent]),
    "An agent answers whether an operation may begin: ok, wait or cancel. The main agent of a validation may \
     acknowledge a fix request with it",
    &[
        OPERATION_ID,
        BROADCAST_ID,
        MESSAGE.about("ok, wait or cancel, or words that say it"),
        optional("ready", FieldKind::Flag, "true: the operation may begin"),
        optional("notes", FieldKind::Text, "What the initiator should know; it changes nothing").unchecked(),
    ],
    "The answer counts: ready, more time once, or the operation is cancelled",
    &[
        r#"{"type": "acknowledgment", "operation_id": "op-42", "broadcast_id": "b-7", "message": "ok", "ready": true, "notes": "Work is saved"}"#,
    ],
);

pub(super) const EXTENSION_GRANTED: TypeEntry = usual(
    entry(
        "extension-granted",
        INITIATOR,
        "Gives an agent more time; Wilco does it by itself, and the initiator may",
        OWN,
        "The agent's deadline moves, once",
        &[
            r#"{"type": "extension-granted", "operation_id": "op-42", "broadcast_id": "b-7", "message": "One more minute."}"#,
        ],
    ),
    "Extension Granted",
    "normal",
);

pub(super) const TIMEOUT_NOTICE: TypeEntry = usual(
    entry(
        "timeout-notice",
        INITIATOR,
        "Says that it goes on without an answer; Wilco does it by itself, and the initiator may",
        OWN,
        "The agent counts as silent",
        &[
            r#"{"type": "timeout-notice", "operation_id": "op-42", "broadcast_id": "b-7", "message": "I go on without you."}"#,
        ],
    ),
    "Proceeding Without Acknowledgment",
    "high",
);

pub(super) const OPERATION_AUTHORIZED: TypeEntry = entry(
    "operation-authorized",
    Senders::OnlyWilco,
    "Tells the initiator that the operation may begin",
    TOLD,
    "The initiator performs it and reports with operation-result, or Wilco performs it",
    &[
        r#"{"type": "operation-authorized", "operation_id": "op-42", "broadcast_id": "b-7", "operation": "restart", "message": "All are ready."}"#,
    ],
);

const OUTCOMES: FieldKind = FieldKind::OneOf(&["done", "failed"]);

pub(super) const OPERATION_RESULT: TypeEntry = entry(
    "operation-result",
    INITIATOR,
    "The initiator says how the operation went",
    &[
        OPERATION_ID,
        BROADCAST_ID,
        required("status", OUTCOMES, "How it went"),
        optional(
            "results",
            FieldKind::Objects(&[
                required("agent", FieldKind::Text, "For whom"),
                required("status", OUTCOMES, "How it went"),
                optional("note", FieldKind::Text, "Something to add").unchecked(),
            ]),
            "How it went for single agents",
        ),
        MESSAGE,
    ],
    "The operation ends, and its agents hear how it went",
    &[
        r#"{"type": "operation-result", "operation_id": "op-42", "broadcast_id": "b-7", "status": "done", "results": [{"agent": "bob", "status": "done", "note": "12 s"}], "message": "All are up again."}"#,
    ],
);

pub(super) const POST_OPERATION: TypeEntry = entry(
    "post-operation",
    Senders::OnlyWilco,
    "Tells agents how the operation went",
    TOLD,
    "They go on with their work",
    &[
        r#"{"type": "post-operation", "operation_id": "op-42", "broadcast_id": "b-7", "operation": "restart", "message": "restart is done."}"#,
    ],
);

pub(super) const OPERATION_CANCELLED: TypeEntry = entry(
    "operation-cancelled",
    INITIATOR,
    "The initiator takes the operation back; Wilco tells the agents",
    OWN,
    "The operation ends and nothing is done",
    &[
        r#"{"type": "operation-cancelled", "operation_id": "op-42", "broadcast_id": "b-7", "message": "Not today."}"#,
    ],
);

pub(super) const OPERATION_ABORTED: TypeEntry = entry(
    "operation-aborted",
    Senders::OnlyWilco,
    "Tells everybody that the operation will not be done",
    TOLD,
    "They go on with their work",
    &[
        r#"{"type": "operation-aborted", "operation_id": "op-42", "broadcast_id": "b-7", "operation": "restart", "message": "Too few are ready."}"#,
    ],
);

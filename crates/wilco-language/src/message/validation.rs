//! Types of validations.

use wilco_protocol::Protocol;

use super::shared::{MESSAGE, POLICY};
use super::{Field, FieldKind, SenderRole, Senders, TypeEntry, optional, required};

const SPECIALIST: Senders = Senders::Roles(&[SenderRole::Specialist]);
const MAIN_AGENT: Senders = Senders::Roles(&[SenderRole::MainAgent]);

const MESSAGE_ID: Field = optional(
    "message_id",
    FieldKind::Text,
    "The id that you were asked to answer with, such as VALRES-42-bob-1",
);

const FAILURES: &[Field] = &[
    required("location", FieldKind::Text, "Where it fails, such as src/login.rs:12"),
    required("error", FieldKind::Text, "What fails there"),
    optional("suggestion", FieldKind::Text, "What would help"),
];

/// What Wilco says in a round.
const ROUND: &[Field] = &[
    MESSAGE_ID.about("The id to answer with"),
    optional("phase", FieldKind::Text, "Which phase"),
    optional("iteration", FieldKind::Number(0, u64::MAX), "Which round of it"),
    MESSAGE,
];

const fn entry(
    name: &'static str,
    senders: Senders,
    about: &'static str,
    fields: &'static [Field],
    leads_to: &'static str,
    examples: &'static [&'static str],
) -> TypeEntry {
    let protocol = Some(Protocol::Validation);
    TypeEntry { name, protocol, senders, about, fields, subject: None, priority: None, leads_to, examples }
}

pub(super) const VALIDATION_START: TypeEntry = entry(
    "validation-start",
    Senders::Roles(&[SenderRole::Initiator]),
    "Lets specialists check something, phase by phase",
    &[
        required(
            "issue",
            FieldKind::Either(&[FieldKind::Text, FieldKind::Number(0, u64::MAX)]),
            "The number or the name of what is validated",
        ),
        required(
            "phases",
            FieldKind::Objects(&[
                required("name", FieldKind::Text, "What the phase is called"),
                required("specialist", FieldKind::Text, "The agent, or cmd:NAME, that checks"),
                optional("expected_outcome", FieldKind::Text, "What should come of it"),
                optional("parallel", FieldKind::Flag, "true: together with the phases beside it"),
                optional("values", FieldKind::Keys, "What fills the places of a command"),
            ]),
            "A list of objects with name and specialist",
        ),
        required("main_agent", FieldKind::Text, "The agent that fixes what fails"),
        optional("feature", FieldKind::Text, "What is validated, in a line"),
        optional("parallel", FieldKind::Flag, "true: all phases at the same time"),
        optional("watchers", FieldKind::Texts, "Who else hears of every change"),
        optional("watch", FieldKind::Flag, "false: you hear only of the end"),
        POLICY,
        MESSAGE,
    ],
    "Opens a validation: what fails goes to the main agent, which fixes it, and is checked again",
    &[
        r#"{"type": "validation-start", "issue": "42", "main_agent": "bob", "phases": [{"name": "unit tests", "specialist": "tester", "expected_outcome": "all pass", "parallel": false}], "feature": "Login page", "parallel": false, "watchers": ["dora"], "watch": true, "policy": {"max_iterations": 3}, "message": "Please check the login page."}"#,
    ],
);

pub(super) const VALIDATION_REQUEST: TypeEntry = entry(
    "validation-request",
    Senders::OnlyWilco,
    "Asks a specialist to check",
    ROUND,
    "The specialist answers with validation-result",
    &[
        r#"{"type": "validation-request", "message_id": "VALREQ-42-tester-1", "phase": "unit tests", "iteration": 1, "message": "Please check."}"#,
    ],
);

const RESULT: &[Field] = &[
    MESSAGE_ID,
    optional(
        "status",
        FieldKind::OneOf(&["PASS", "FAIL", "ERROR"]),
        "What came of it; needed unless the message says it",
    ),
    optional("failures", FieldKind::Objects(FAILURES), "What fails; needed with FAIL"),
    optional("error", FieldKind::LongText, "Why it could not be checked; needed with ERROR"),
    optional("stack_trace", FieldKind::LongText, "What it printed, with ERROR"),
    MESSAGE,
];

pub(super) const VALIDATION_RESULT: TypeEntry = entry(
    "validation-result",
    SPECIALIST,
    "A specialist says what its check came to",
    RESULT,
    "PASS: the next phase; FAIL: a fix is asked for; ERROR: it is tried again, or an escalation is opened",
    &[
        r#"{"type": "validation-result", "message_id": "VALRES-42-tester-1", "status": "FAIL", "failures": [{"location": "src/login.rs:31", "error": "expected 401, got 200", "suggestion": "check the password"}], "message": "One test fails."}"#,
        r#"{"type": "validation-result", "status": "ERROR", "error": "no network", "stack_trace": "at fetch"}"#,
    ],
);

pub(super) const FAILURE_REPORT: TypeEntry = entry(
    "failure-report",
    Senders::OnlyWilco,
    "Tells watchers what failed",
    ROUND,
    "A fix is asked for",
    &[
        r#"{"type": "failure-report", "message_id": "VFR-42-tester-1", "phase": "unit tests", "iteration": 1, "message": "One test fails."}"#,
    ],
);

pub(super) const FIX_REQUEST: TypeEntry = entry(
    "fix-request",
    Senders::OnlyWilco,
    "Asks the main agent to fix what failed",
    ROUND,
    "The main agent answers with fix-acknowledgment and fix-completion",
    &[
        r#"{"type": "fix-request", "message_id": "FIXREQ-42-1", "phase": "unit tests", "iteration": 1, "message": "Please fix it."}"#,
    ],
);

pub(super) const FIX_ACKNOWLEDGMENT: TypeEntry = entry(
    "fix-acknowledgment",
    MAIN_AGENT,
    "The main agent has the fix request",
    &[MESSAGE_ID, MESSAGE],
    "The time for the fix begins",
    &[r#"{"type": "fix-acknowledgment", "message_id": "FIXREQ-42-1", "message": "I look at it."}"#],
);

pub(super) const FIX_COMPLETION: TypeEntry = entry(
    "fix-completion",
    MAIN_AGENT,
    "The main agent has fixed it, or cannot",
    &[
        MESSAGE_ID,
        optional("fixes", FieldKind::Texts, "What was fixed; needed unless it cannot be fixed"),
        optional("files", FieldKind::Texts, "The files that you changed"),
        optional(
            "status",
            FieldKind::OneOf(&["fixed", "cannot-fix"]),
            "cannot-fix, or nothing when it is fixed",
        ),
        optional("reason", FieldKind::Text, "Why it cannot be fixed; needed with cannot-fix").unchecked(),
        MESSAGE,
    ],
    "It is checked again, or an escalation is opened",
    &[
        r#"{"type": "fix-completion", "message_id": "FIXDONE-42-1", "fixes": ["The password is checked"], "files": ["src/login.rs"], "message": "Done."}"#,
        r#"{"type": "fix-completion", "status": "cannot-fix", "reason": "The library does not support it"}"#,
    ],
);

pub(super) const REVALIDATION_TRIGGER: TypeEntry = entry(
    "revalidation-trigger",
    Senders::OnlyWilco,
    "Asks a specialist to check again after a fix",
    ROUND,
    "The specialist answers with revalidation-result",
    &[
        r#"{"type": "revalidation-trigger", "message_id": "REVAL-42-tester-2", "phase": "unit tests", "iteration": 2, "message": "Please check again."}"#,
    ],
);

pub(super) const REVALIDATION_RESULT: TypeEntry = entry(
    "revalidation-result",
    SPECIALIST,
    "A specialist says what its check after a fix came to",
    RESULT,
    "As a validation-result",
    &[
        r#"{"type": "revalidation-result", "message_id": "REVALRES-42-tester-2", "status": "PASS", "message": "All pass."}"#,
        r#"{"type": "revalidation-result", "status": "FAIL", "failures": [{"location": "a.rs:1", "error": "no"}]}"#,
        r#"{"type": "revalidation-result", "status": "ERROR", "error": "no network", "stack_trace": "at fetch"}"#,
    ],
);

pub(super) const SUCCESS_NOTIFICATION: TypeEntry = entry(
    "success-notification",
    Senders::OnlyWilco,
    "Tells that a phase, or all of them, passed",
    ROUND,
    "The next phase begins, or the validation has ended well",
    &[
        r#"{"type": "success-notification", "message_id": "SUCCESS-42-tester-2", "phase": "unit tests", "iteration": 2, "message": "Passed."}"#,
    ],
);

pub(super) const TIMEOUT_REMINDER: TypeEntry = entry(
    "timeout-reminder",
    Senders::OnlyWilco,
    "Reminds somebody who does not answer",
    ROUND,
    "Without an answer an escalation is opened",
    &[
        r#"{"type": "timeout-reminder", "message_id": "TIMEOUT-42-validation-20260131T235959Z", "phase": "unit tests", "iteration": 1, "message": "Please answer."}"#,
    ],
);

pub(super) const ERROR_NOTIFICATION: TypeEntry = entry(
    "error-notification",
    Senders::OnlyWilco,
    "Tells that a check could not be done",
    ROUND,
    "It is tried again, or an escalation is opened",
    &[
        r#"{"type": "error-notification", "message_id": "ERR-42-20260131T235959Z", "phase": "unit tests", "iteration": 1, "message": "No network."}"#,
    ],
);

pub(super) const STATUS_CHANGE: TypeEntry = entry(
    "status-change",
    Senders::OnlyWilco,
    "Tells watchers that a phase has another status",
    &[
        optional("phase", FieldKind::Text, "Which phase"),
        optional("previous_status", FieldKind::Text, "What it was"),
        optional("new_status", FieldKind::Text, "What it is"),
        MESSAGE,
    ],
    "Nothing is needed; nobody is nudged for it",
    &[
        r#"{"type": "status-change", "phase": "unit tests", "previous_status": "PENDING", "new_status": "IN_PROGRESS", "message": "unit tests has begun."}"#,
    ],
);

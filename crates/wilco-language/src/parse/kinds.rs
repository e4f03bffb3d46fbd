//! The types of messages there are, and who sends them.

use wilco_protocol::Protocol;

/// What a `content.type` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A known type that a participant may send, and the protocol it belongs to; none: to all of them.
    Spoken(Option<Protocol>, &'static str),
    /// A known type that only Wilco sends: from others it is a conversation.
    OnlyWilco(&'static str),
    /// A known type of talk that is never taken for a task.
    Talk(&'static str),
    Unknown,
}

const DELEGATION: [&str; 16] = [
    "task-assignment",
    "task-acknowledgment",
    "task-acknowledgment-error",
    "task-clarification",
    "ack-request",
    "verdict",
    "checkpoint-ack",
    "task-complete",
    "task-amend",
    "task-cancel",
    "stop-ack",
    "task-pause",
    "pause-ack",
    "task-resume",
    "resume-ack",
    "task-extend",
];

const OPERATION: [&str; 7] = [
    "pre-operation",
    "acknowledgment",
    "operation-result",
    "operation-cancelled",
    "reminder",
    "timeout-notice",
    "extension-granted",
];

const VALIDATION: [&str; 5] =
    ["validation-start", "validation-result", "revalidation-result", "fix-acknowledgment", "fix-completion"];

const HANDOFF: [&str; 6] = [
    "replacement-request",
    "replacement-handoff",
    "handoff-ack",
    "handoff-clarification",
    "handoff-override",
    "handoff-reminder",
];

/// What is said alike in every protocol.
const EVERYWHERE: [&str; 1] = ["decision"];

const ONLY_WILCO: [&str; 20] = [
    "task-correction",
    "task-supplement",
    "status-check",
    "begin-now",
    "protocol-notice",
    "escalation",
    "operation-notice",
    "operation-authorized",
    "operation-aborted",
    "post-operation",
    "validation-request",
    "failure-report",
    "fix-request",
    "revalidation-trigger",
    "success-notification",
    "timeout-reminder",
    "error-notification",
    "status-change",
    "handoff-correction",
    "replacement-confirmation",
];

const TALK: [&str; 6] = ["conversation", "response", "update", "status", "report", "notification"];

/// Looks a type up. `-` and `_` are the same, letter case does not matter.
pub fn kind(word: &str) -> Kind {
    let word = word.trim();
    let of = |list: &[&'static str]| list.iter().copied().find(|known| is_spelt(known, word));
    let spoken: [(&[&'static str], _); 5] = [
        (&DELEGATION, Some(Protocol::Delegation)),
        (&OPERATION, Some(Protocol::Operation)),
        (&VALIDATION, Some(Protocol::Validation)),
        (&HANDOFF, Some(Protocol::Handoff)),
        (&EVERYWHERE, None),
    ];
    if let Some((known, protocol)) = spoken.iter().find_map(|(list, protocol)| Some((of(list)?, *protocol))) {
        return Kind::Spoken(protocol, known);
    }
    match (of(&ONLY_WILCO), of(&TALK)) {
        (Some(known), _) => Kind::OnlyWilco(known),
        (None, Some(known)) => Kind::Talk(known),
        (None, None) => Kind::Unknown,
    }
}

/// Whether a word is this known one.
fn is_spelt(known: &str, word: &str) -> bool {
    let folded = |byte: u8| if byte == b'_' { b'-' } else { byte.to_ascii_lowercase() };
    known.len() == word.len() && known.bytes().eq(word.bytes().map(folded))
}

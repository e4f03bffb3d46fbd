//! The types of messages there are, and who sends them.

/// What a `content.type` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A known type that a participant may send.
    Spoken(&'static str),
    /// A known type that only Wilco sends: from others it is a conversation.
    OnlyWilco(&'static str),
    /// A known type of talk that is never taken for a task.
    Talk(&'static str),
    Unknown,
}

const SPOKEN: [&str; 16] = [
    "task-assignment",
    "task-acknowledgment",
    "task-acknowledgment-error",
    "task-clarification",
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
    "decision",
];

const ONLY_WILCO: [&str; 7] = [
    "task-correction",
    "task-supplement",
    "status-check",
    "begin-now",
    "protocol-notice",
    "escalation",
    "ack-request",
];

const TALK: [&str; 6] = ["conversation", "response", "update", "status", "report", "notification"];

/// Looks a type up. `-` and `_` are the same, letter case does not matter.
pub fn kind(word: &str) -> Kind {
    let word = word.trim().to_ascii_lowercase().replace('_', "-");
    let of = |list: &[&'static str]| list.iter().copied().find(|known| *known == word);
    match of(&SPOKEN) {
        Some(known) => Kind::Spoken(known),
        None => match (of(&ONLY_WILCO), of(&TALK)) {
            (Some(known), _) => Kind::OnlyWilco(known),
            (None, Some(known)) => Kind::Talk(known),
            (None, None) => Kind::Unknown,
        },
    }
}

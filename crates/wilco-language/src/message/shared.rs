//! Types of every protocol, types of talk, and the fields that many types have.

use super::{Field, FieldKind, SenderRole, Senders, TypeEntry, optional, required};

pub(super) const MESSAGE: Field =
    optional("message", FieldKind::LongText, "Something to add, for people to read");
/// The same where nothing hangs on it.
pub(super) const NOTE: Field = MESSAGE.unchecked();
/// Of what moves nothing, the words alone are looked at.
pub(crate) const WORDS: &[Field] = &[MESSAGE];
pub(super) const POLICY: Field = optional(
    "policy",
    FieldKind::Keys,
    "Keys of the policy that differ from the server's, such as {\"preset\": \"critical\"}",
);

const fn entry(
    name: &'static str,
    senders: Senders,
    about: &'static str,
    fields: &'static [Field],
    leads_to: &'static str,
    examples: &'static [&'static str],
) -> TypeEntry {
    TypeEntry {
        name,
        protocol: None,
        senders,
        about,
        fields,
        subject: None,
        priority: None,
        leads_to,
        examples,
    }
}

pub(super) const PROTOCOL_NOTICE: TypeEntry = entry(
    "protocol-notice",
    Senders::OnlyWilco,
    "Tells somebody how a message was taken, or what happened in an exchange",
    &[
        optional("reason", FieldKind::Text, "Why it is told, in a word"),
        optional("about", FieldKind::Text, "The id of the message that it is about"),
        MESSAGE,
    ],
    "Nothing by itself; an answer to it counts where the exchange waits for one",
    &[
        r#"{"type": "protocol-notice", "reason": "ambiguous", "about": "msg-1767150000007-a1b2c3d", "message": "Your message could belong to del-42, del-51."}"#,
    ],
);

pub(super) const ESCALATION: TypeEntry = entry(
    "escalation",
    Senders::OnlyWilco,
    "Asks its addressee for a decision",
    &[
        optional("escalation", FieldKind::Text, "Its id"),
        optional("reason", FieldKind::Text, "What went wrong, in a word"),
        optional("options", FieldKind::Texts, "What can be decided now"),
        MESSAGE,
    ],
    "The exchange waits for a decision",
    &[
        r#"{"type": "escalation", "escalation": "del-42-e1", "reason": "no-ack", "options": ["retry", "abort"], "message": "bob does not answer."}"#,
    ],
);

pub(super) const DECISION: TypeEntry = entry(
    "decision",
    Senders::Roles(&[SenderRole::Addressee, SenderRole::Initiator, SenderRole::Operator]),
    "Decides an escalation, by one of the options that it names",
    &[
        optional(
            "escalation",
            FieldKind::Text,
            "The escalation's id, such as del-42-e1; not needed where the exchange is named",
        ),
        required("option", FieldKind::Text, "One of the options that the escalation names"),
        optional("agent", FieldKind::Text, "Who gets the task; with reassign"),
        optional("time", FieldKind::Duration, "How much longer; with extend"),
        optional(
            "status",
            FieldKind::OneOf(&["received", "needs-clarification", "confirmed", "rejected", "queued"]),
            "As which ACK an answer is taken that could not be read; with accept-as",
        ),
        optional(
            "iterations",
            FieldKind::Number(1, wilco_protocol::validation::MAX_ITERATIONS),
            "How many more; with extend of a validation",
        ),
        optional("phase", FieldKind::Text, "Which phase of a validation, where several wait"),
        optional("note", FieldKind::Text, "Why"),
        NOTE,
    ],
    "The escalation is closed, and the exchange goes on as decided",
    &[
        r#"{"type": "decision", "escalation": "del-42-e1", "option": "reassign", "agent": "carl", "note": "bob is away", "message": "Carl, please."}"#,
        r#"{"type": "decision", "escalation": "del-43-e1", "option": "accept-as", "status": "received"}"#,
        r#"{"type": "decision", "escalation": "val-7-e1", "option": "extend", "time": "10m", "iterations": 2, "phase": "unit tests"}"#,
    ],
);

const TEXT: &[Field] = &[MESSAGE.needed().about("What the message says")];

const fn talk(name: &'static str, about: &'static str, examples: &'static [&'static str]) -> TypeEntry {
    let leads_to = "It is delivered; where an exchange waits for its sender's words, they count";
    entry(name, Senders::Anybody, about, TEXT, leads_to, examples)
}

pub(super) const CONVERSATION: TypeEntry = talk(
    "conversation",
    "Talk that belongs to nothing",
    &[r#"{"type": "conversation", "message": "How are you getting on?"}"#],
);
pub(super) const RESPONSE: TypeEntry =
    talk("response", "An answer that is no task", &[r#"{"type": "response", "message": "Yes, on Monday."}"#]);
pub(super) const UPDATE: TypeEntry =
    talk("update", "News that are no task", &[r#"{"type": "update", "message": "The form is done."}"#]);
pub(super) const STATUS: TypeEntry =
    talk("status", "How something stands", &[r#"{"type": "status", "message": "Half of it is done."}"#]);
pub(super) const REPORT: TypeEntry = talk(
    "report",
    "A report that is no task",
    &[r#"{"type": "report", "message": "12 tests, 0 failures."}"#],
);
pub(super) const NOTIFICATION: TypeEntry = talk(
    "notification",
    "Something to know",
    &[r#"{"type": "notification", "message": "Staging is down tonight."}"#],
);

//! Questions that doors ask. Every one takes the viewer: what somebody may not see does not exist for it.

mod audit;
pub(crate) mod communication;
pub(crate) mod delivery;
mod exchanges;
mod handoffs;
mod incidents;
mod journal;
mod mail;
mod messages;
mod nudges;
mod presence;
mod public;
mod reports;
mod scene;
mod search;
mod sight;
mod standing;
mod todo;
mod waiting;

pub use audit::{Bound, export, range};
pub use communication::communication;
pub use delivery::delivery;
pub use exchanges::{ExchangeQuery, exchange, exchange_at, exchanges};
pub use handoffs::handoff_document;
pub use incidents::{EscalationView, IncidentView, Row, Rows, escalations, incidents, operations};
pub use journal::{EventQuery, EventView, events, events_before, events_of, is_lost};
pub use mail::{MailCount, MailQuery, Mailbox, letter, mail, mail_count, people, unread};
pub use messages::{InboxEntry, InboxQuery, inbox, inbox_end, message};
pub use nudges::{NudgeState, NudgeView, nudge_of, nudges};
pub use presence::{LifeSign, signs};
pub use public::{head, kept_answer};
pub use reports::{Report, ReportCursor, ReportPage, ReportRow, report};
pub use scene::scene;
pub use search::{MAX_WORDS, SearchQuery, search};
pub(crate) use sight::got_escalation;
pub use standing::{Standing, open_total, standing};
pub use todo::{TodoItem, newest_todo, todo};
pub use waiting::{Waiting, open_escalations, owes, waiting};

/// Part of a list, and the number behind which it goes on.
#[derive(Debug, Clone)]
pub struct Part<T> {
    pub items: Vec<T>,
    pub next: Option<u64>,
}

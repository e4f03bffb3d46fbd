//! The protocols as pure values: no clock, no I/O, no randomness, no prose.
//!
//! Each protocol is a folder with the same files: `decide` says what happens, `apply` folds it into
//! the state, `timers` says when to wake it, `view` shows it. `machine` says what they have in
//! common, `exchange` carries any of them.

pub mod decision;
pub mod delegation;
pub mod directory;
pub mod draft;
pub mod escalation;
pub mod exchange;
pub mod handoff;
pub mod journal;
pub mod judgement;
pub mod machine;
pub mod meaning;
pub mod name;
pub mod operation;
pub mod policy;
mod stamp;
mod text;
pub mod time;
pub mod todo;
pub mod unread;
pub mod validation;

pub use exchange::Exchange;
pub use meaning::Meaning;
pub use name::{EscalationId, ExchangeId, MessageId, Name, Protocol};
pub use time::{Span, Time};

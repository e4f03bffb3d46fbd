//! Handoff: work moves from a failed agent to its replacement, and nothing is lost on the way.
//!
//! An orchestrator, the initiator, has a document written from Wilco's records, hands it to the replacement,
//! verifies its ACK field by field, and only then moves the work and confirms it to the controller. `decide` has the
//! chart.

mod apply;
mod checklist;
mod decide;
mod describe;
mod effect;
mod event;
mod input;
mod order;
mod policy;
mod say;
mod state;
mod timers;
mod view;
mod words;

pub use crate::machine::decide;
pub use apply::{apply, born};
pub use decide::{Decision, begin, options, untried};
pub use effect::{Effect, IssueUpdate, Published, Report, TaskUpdate, Updated};
pub use event::{Event, Requested, Why};
pub use input::{Ack, Choice, Input, Named, Replace, Said, Statement};
pub use order::{
    AuditAck, AuditConfirmation, AuditDocument, AuditEntry, AuditFailed, AuditGithub, AuditNotification,
    Body, DocumentOrder, IssuesOrder, Party, Progress, Publish, Repetition, Replacement, StateFileOrder,
};
pub use policy::{KEYS, Policy};
pub use say::{Notice, Owed, Say, ToInitiator};
pub use state::{
    AckSeen, Confirmation, Delegated, Document, Failure, FileStep, Former, IssueStep, Overridden, Phase,
    StartingFrom, State, Step, Task,
};
pub use timers::timers;
pub use view::{awaits, last_known_progress, view};
pub use words::{AckStatus, Code, Outcome, Urgency};

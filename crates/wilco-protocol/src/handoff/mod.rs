//! Handoff: work moves from a failed agent to its replacement, and nothing is lost on the way.

mod effect;
mod order;

pub use effect::{Effect, IssueUpdate, Published, Report, TaskUpdate, Updated};
pub use order::{
    AuditAck, AuditConfirmation, AuditDocument, AuditEntry, AuditFailed, AuditGithub, AuditNotification,
    Body, DocumentOrder, IssuesOrder, Party, Publish, Repetition, Replacement, StateFileOrder,
};

//! Reading what agents write in plain text: acknowledgments, verdicts, task delegations, questions
//! and the one-line understanding of a task.
//!
//! Everything here is a function of the text alone. Who wrote it, to which exchange it belongs and
//! what follows from it is decided elsewhere.

pub mod ack;
pub mod answer;
pub mod asked;
pub mod block;
pub mod classify;
pub(crate) mod entries;
pub mod failures;
pub mod fingerprint;
mod fold;
pub mod form;
pub mod handoff_ack;
mod placeholders;
pub mod questions;
mod said;
mod sections;
pub mod text;
pub mod understanding;
pub mod validation;
pub mod verdict;

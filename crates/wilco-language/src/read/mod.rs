//! Reading what agents write in plain text: acknowledgments, verdicts, task delegations, questions
//! and the one-line understanding of a task.
//!
//! Everything here is a function of the text alone. Who wrote it, to which exchange it belongs and
//! what follows from it is decided elsewhere.

pub mod ack;
mod announced;
pub mod answering;
pub mod asked;
pub mod block;
pub mod claim;
pub mod classify;
pub mod completion;
pub mod courtesy;
pub mod decision;
pub mod embedded;
pub(crate) mod entries;
mod failing;
pub mod failures;
pub mod fingerprint;
pub mod fix;
mod fold;
mod foreign;
pub mod form;
pub mod handoff_ack;
pub mod judgement;
pub mod mention;
mod mood;
mod placeholders;
mod progress;
pub mod questions;
pub mod readiness;
pub mod result;
mod result_object;
mod said;
mod sections;
mod sentence;
mod signs;
pub(crate) mod status_object;
pub mod stopping;
mod tags;
pub mod text;
mod turns;
pub mod understanding;
pub mod validation;
pub mod verdict;
pub mod words;

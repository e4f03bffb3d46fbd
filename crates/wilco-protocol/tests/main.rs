//! The protocols as anybody may use them: transcripts, laws and a model of each.

mod delegation;
mod handoff;
mod harness;
mod operation;
mod policy;
mod stored_names;
mod validation;

//! The protocols as anybody may use them: transcripts, laws, models.

mod asked;
mod ground;
mod handed;
mod handoff;
mod handoff_laws;
mod handoff_model;
mod handoffs;
mod laws;
mod looped;
mod model;
mod operation;
mod operation_laws;
mod operation_model;
mod operations;
mod player;
mod policy;
mod stored_names;
mod transcript;
mod transcripts;
mod validation;
mod validation_laws;
mod validation_model;
mod validations;

//! What validations do: transcripts, laws for any course of one, and a model that walks all of them.
//!
//! The scene of a transcript: `phases: unit=alice, lint=bob+, docs=cmd:docs+` (`+`: may run beside its neighbours), `policy: key = value`,
//! `watchers: boss`, `down: 1m to 5m` (the server), `open: 42` (another loop of the initiator).

mod invariants;
mod laws;
mod model;
mod output;
mod transcripts;
mod world;

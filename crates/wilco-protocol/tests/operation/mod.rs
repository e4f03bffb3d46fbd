//! What operations do: transcripts, laws for any course of one, and a model that walks all of them.
//!
//! The scene of a transcript: `policy: key = value`, `execute: manual | none | command`, `down: 1m to 5m` (the server),
//! `unreached: worker`, `unread: worker` (never saw a message), `kind: state-change`.

mod invariants;
mod laws;
mod model;
mod output;
mod transcripts;
mod world;

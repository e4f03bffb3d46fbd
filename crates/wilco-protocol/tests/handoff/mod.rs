//! What handoffs do: transcripts, laws for any course of one, and a model that walks all of them.
//!
//! The scene of a transcript: `policy: key = value`, `urgency: prepare`, `candidates: carol`, `task: uuid-1 del-1` (known to
//! Wilco) or `task: uuid-2` (not), `starting from: checkpoint-2`, `state file: yes`, `issues: 42`, `away: carol`,
//! `others: del-9` (what else the failed agent has open), `nothing known: yes`, `down: 1m to 5m` (the server).

mod invariants;
mod laws;
mod model;
mod output;
mod transcripts;
mod world;

//! Transcripts of handoffs.
//!
//! The scene: `policy: key = value`, `urgency: prepare`, `candidates: carol`, `task: uuid-1 del-1` (known to
//! Wilco) or `task: uuid-2` (not), `starting from: checkpoint-2`, `state file: yes`, `issues: 42`, `away: carol`,
//! `others: del-9` (what else the failed agent has open), `nothing known: yes`, `down: 1m to 5m` (the server).

mod output;
mod world;

pub(crate) use world::World;

//! Transcripts of operations.
//!
//! The scene: `policy: key = value`, `execute: manual | none | command`, `down: 1m to 5m` (the server),
//! `unreached: worker`, `unread: worker` (never saw a message), `kind: state-change`.

mod output;
mod world;

pub(crate) use world::World;

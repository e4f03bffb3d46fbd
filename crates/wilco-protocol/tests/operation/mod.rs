//! Transcripts of operations.
//!
//! The scene: `policy: key = value`, `execute: manual | none | command`, `down: 1m to 5m` (the server),
//! `unreached: worker`, `unread: worker` (never saw a message), `kind: state-change`.

mod output;
#[path = "../transcript/player.rs"]
pub(crate) mod player;
mod world;

pub(crate) use world::World;

//! Transcripts of validations.
//!
//! The scene: `phases: unit=alice, lint=bob+, docs=cmd:docs+` (`+`: may run beside its neighbours), `policy: key = value`,
//! `watchers: boss`, `down: 1m to 5m` (the server), `open: 42` (another loop of the initiator).

mod output;
mod world;

pub(crate) use world::World;

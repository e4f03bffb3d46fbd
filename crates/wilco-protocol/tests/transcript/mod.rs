//! Transcripts of delegations.

mod output;
pub(crate) mod player;
mod scene;
mod speech;
mod world;

pub(crate) use world::World;

//! Transcripts of delegations.

mod output;
mod scene;
mod speech;
mod world;

pub(crate) use world::World;

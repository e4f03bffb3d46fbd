//! Agents' clients: which files each of them reads, what Wilco writes there, and how it is taken out again.
//!
//! Texts in, texts out; reading and writing files is left to the caller. What stands in a file already is kept
//! byte for byte: an edit only puts something in, and taking it out gives back what was there.

mod block;
mod client;
mod damage;
mod edit;
mod json;
mod setup;
mod teach;
mod toml;

pub use client::{AgentClient, Layout, Moment};
pub use damage::Damage;
pub use edit::{Edit, diff, install, remove};
pub use setup::{DEFAULT_URL, PlannedFile, Setup, next_steps, planned};

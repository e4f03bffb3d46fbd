//! A virtual world around the engine: people and agents on virtual time, a door that loses and doubles what
//! passes through it, a process that dies at any commit, a disk that refuses, and a reference model that looks
//! at everything after every step.
//!
//! One seed is one run, byte for byte. Nothing here reads a clock or starts a thread; whoever wants many runs
//! calls [`simulate`] for many seeds.

mod beginning;
mod bug;
mod cast;
mod clerk;
mod courier;
mod disk;
mod door;
mod fault_rates;
pub mod golden;
mod history;
mod initiator;
mod judge;
mod model;
mod nudge;
mod people;
mod power;
mod realm;
mod replacement;
mod rng;
mod ruling;
mod run;
mod specialist;
mod speech;
mod step;
mod worker;
mod world;

pub use bug::Bug;
pub use run::{Options, Run, RunFailure, simulate};

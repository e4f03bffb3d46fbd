//! The simulation: what it finds, and what it found.

mod bugs;
mod found;
mod golden;
mod seeds;

//! Reading what agents write and rendering what Wilco says. Pure: no clock, no I/O, no randomness.
//!
//! `message` is the catalogue of message types, `parse` turns bytes into typed messages, `read` finds meaning in plain
//! text, `interpret` says what a message means to an exchange, `judge` what
//! the answer of a judge leads to, `render` makes every text that Wilco sends, `scene` draws
//! exchanges, `table` makes tables.

pub mod interpret;
pub mod judge;
pub mod message;
mod nearest;
pub mod parse;
pub mod read;
pub mod render;
pub mod scene;
pub mod table;

pub use nearest::{near_name, nearest};

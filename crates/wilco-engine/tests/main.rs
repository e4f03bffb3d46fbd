//! The engine's rules on a store in memory, without a server: messages go in, and what came of them is looked at. What
//! is about the doors (HTTP, the commands, MCP) is tested on the shipped binary.

#![allow(clippy::unwrap_used, reason = "a test that fails should say so at once")]

mod again;
mod answering;
mod attacks;
mod authority;
mod chatter;
mod correlation;
mod dashboard;
mod delivered;
mod digests;
mod handing_over;
mod judging;
mod names;
mod realm;
mod several;
mod telling;
mod todo;

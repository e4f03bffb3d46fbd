//! What is read and written, by tables and by properties.

mod ack;
mod classify;
mod delegations;
mod found;
mod long;
mod look;
mod outputs;
mod properties;
mod questions;
mod readiness;
mod refusals;
mod rendering;
mod replies;
mod understanding;
mod validation;
mod validation_said;
mod verdict;

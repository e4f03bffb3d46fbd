//! What is read and written, by tables and by properties.

mod ack;
mod answers;
mod classify;
mod delegations;
mod found;
mod long;
mod outputs;
mod properties;
mod questions;
mod refusals;
mod rendering;
mod understanding;
mod validation;
mod validation_said;
mod verdict;

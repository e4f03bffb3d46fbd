//! The arguments of tools, described as the fields of messages are: by the description each is checked.

mod check;
mod given;

pub(crate) use check::check;
pub(crate) use given::Given;
pub(crate) use wilco_language::message::{Field, FieldKind, MessageType, optional, required};

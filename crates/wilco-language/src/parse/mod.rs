//! From bytes to types: the envelope and the typed content of a message, with field-exact errors.
//!
//! A message that gets through here is well formed. Whether it fits anything that is open is the
//! engine's question, what plain text means is `read`'s.

mod called;
mod content;
mod delegation;
mod depth;
mod duplicate;
mod envelope;
mod fields;
mod fingerprint;
mod handoff;
mod operation;
mod split;
mod task;
mod validation;

pub use content::{Choice, Typed, in_text, typed};
pub use delegation::{Acknowledgment, Assignment, Delegation, MAX_TASK_ID, Verdict};
pub use depth::{DEEPEST, MAX_DEPTH};
pub use duplicate::duplicate_key;
pub use envelope::{Incoming, MAX_RECIPIENTS, MAX_SUBJECT, ParseError, message, message_within};
pub use fields::FieldError;
pub use fingerprint::fingerprint;
pub use handoff::{Agent, Handed, Handoff, HandoffAck, Replacement};
pub use operation::{Announcement, Named, Operation};
pub use task::Task;
pub use validation::{PhaseSpec, Start, Validation, unmarked};

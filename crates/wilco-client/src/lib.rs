//! The wire types over HTTP: one blocking call per method.
//!
//! There is no runtime and no TLS here, so that small commands start fast. What answers mean, and how they
//! are shown, is left to whoever calls.

mod answer;
mod calls;
mod error;
mod key;
mod outgoing;
mod transport;

pub use answer::Answer;
pub use calls::{ExchangeParameters, InboxParameters, MessageQuery};
pub use error::Error;
pub use key::IdempotencyKey;
pub use outgoing::Outgoing;
pub use transport::Client;

//! Who comes in: tokens, hosts, origins.

mod caller;
mod cors;
mod credential;
mod failures;
mod guard;
mod new_names;
mod owner;
mod presence;
mod sessions;
mod tokens;

pub(crate) use caller::{Caller, Orchestrates, SPEAKS};
pub(crate) use credential::{Attempt, Credential};
pub(crate) use failures::Failures;
pub(crate) use guard::{ForeignPage, Peer, SpareSeat, bearer, content_type, guard};
pub(crate) use new_names::{NewNames, Newcomers};
pub(crate) use owner::{Owner, OwnerSeat, OwnerSeats};
pub(crate) use presence::Presence;
pub use sessions::Sessions;
pub use tokens::{Created, Role, Token, TokenError, Tokens};

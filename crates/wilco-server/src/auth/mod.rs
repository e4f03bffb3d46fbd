//! Who comes in: tokens, hosts, origins.

mod caller;
mod guard;
mod tokens;

pub(crate) use caller::Caller;
pub(crate) use guard::{content_type, guard, is_json};
pub use tokens::{Role, Token, TokenError, Tokens};

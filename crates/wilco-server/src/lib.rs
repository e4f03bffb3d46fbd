//! The doors: HTTP. A door checks who comes in and how much it brings, turns bytes into commands and
//! answers into bytes. It never touches a store: everything goes through the runtime's handle.

mod accept;
mod agent_now;
mod app;
mod auth;
mod bare_refusal;
mod connection;
mod dashboard;
mod forward;
mod health;
mod maestro;
pub mod mcp;
mod metrics;
mod once;
mod openapi;
mod problem;
mod query;
mod seats;
mod serve;
mod shape;
mod stream;
mod v1;
mod within;

pub use app::{Config, Configured, Limits};
pub use auth::{Created, Role, Sessions, Token, TokenError, Tokens};
pub use openapi::document as openapi_document;
#[doc(hidden)]
pub use query::page;
#[doc(hidden)]
pub use serve::answer_to;
pub use serve::serve;

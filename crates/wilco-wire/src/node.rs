//! Nodes on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A server of this realm, as the database knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Node {
    pub name: String,
    /// Where the other nodes reach it.
    pub address: String,
    pub version: String,
    /// `writer`, `follower` or `gone`.
    pub role: String,
    /// The newest epoch that it has heard of.
    pub epoch: u64,
    pub last_seen: String,
    /// Events of the journal that it had not heard of then.
    pub lag: u64,
    /// Milliseconds by which its clock is ahead of the database's.
    pub clock: i64,
    /// Orders that only it can carry out, and that are due: they wait while it is gone.
    pub waiting: u64,
}

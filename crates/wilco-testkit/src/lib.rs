//! What the tests of several crates share: tables, messages, checks for any input with their first inputs, delegations at
//! random, a GitHub, a model and a judge on this machine. What only one crate needs stays in its own tests.

#[cfg(feature = "checks")]
pub mod checks;
#[cfg(feature = "delegation")]
pub mod delegation;
#[cfg(feature = "github")]
pub mod github_server;
#[cfg(feature = "judge")]
pub mod judge_server;
#[cfg(feature = "model")]
pub mod model_server;
#[cfg(feature = "outer")]
pub mod outer;
#[cfg(feature = "postgres")]
pub mod patroni_cluster;
#[cfg(feature = "postgres")]
pub mod postgres_server;
pub mod replay;
#[cfg(feature = "scene")]
pub mod scene;
pub mod seeds;
pub mod table;
pub mod tcp_proxy;

//! The API of AI Maestro, so that its scripts and agents work here unchanged.
//!
//! It is another way into the same rooms: a message that is posted here does what it does through `/v1`.
//! Only the shapes differ, and how errors are worded.

mod agent;
mod agents;
mod error_format;
mod everybody;
mod fields;
mod forward;
mod host;
mod letter;
mod list;
mod mailbox;
mod messages;
mod owner;
mod sleep;

use axum::Router;
use axum::routing::{get, post};

use crate::app::App;
use crate::v1::wrong_method;

pub(crate) use error_format::{error_format, is_below};

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route(
            "/api/messages",
            get(messages::get).post(messages::post).patch(messages::patch).delete(messages::delete),
        )
        .route("/api/messages/forward", post(forward::post))
        .route("/api/agents", get(agents::list).post(agents::create))
        .route("/api/agents/register", post(agents::register))
        .route("/api/agents/by-name/{name}", get(agents::by_name))
        .route("/api/agents/{id}", get(agents::get).patch(agents::patch).delete(agents::delete))
        .route("/api/agents/{id}/heartbeat", post(agents::heartbeat))
        .route("/api/agents/{id}/hibernate", post(sleep::hibernate))
        .route("/api/agents/{id}/wake", post(sleep::wake))
        .route("/api/agents/{id}/messages", get(mailbox::list).post(mailbox::post))
        .route(
            "/api/agents/{id}/messages/{message}",
            get(mailbox::get).patch(mailbox::patch).delete(mailbox::delete),
        )
        .route("/api/health", get(host::health))
        .route("/api/v1/health", get(host::health))
        .route("/api/hosts/identity", get(host::identity))
        .route("/api/sessions", get(host::sessions))
        .route("/api/organization", get(host::organization))
        .method_not_allowed_fallback(wrong_method)
}

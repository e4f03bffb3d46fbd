//! The native API.

pub(crate) mod agents;
pub(crate) mod body;
mod clock;
mod events;
mod exchanges;
mod follow;
mod inbox;
pub(crate) mod messages;
mod nudges;
pub(crate) mod path;
mod reports;
mod scene;
mod search;
pub(crate) mod spec;

use axum::Router;
use axum::routing::{get, post};
use http::StatusCode;

use crate::door::Door;
use crate::health;
use crate::problem::Failure;

pub(crate) fn router(door: &Door) -> Router<Door> {
    let router = Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/v1/messages", get(search::list).post(messages::post))
        .route("/v1/messages/{id}", get(messages::get))
        .route("/v1/messages/{id}/read", post(messages::read))
        .route("/v1/messages/{id}/injected", post(messages::injected))
        .route("/v1/nudges", get(nudges::list))
        .route("/v1/agents/{name}/nudge", post(nudges::test))
        .route("/v1/agents", get(agents::list))
        .route("/v1/agents/{name}", get(agents::get).put(agents::put).delete(agents::remove))
        .route("/v1/agents/{name}/inbox", get(inbox::inbox))
        .route("/v1/agents/{name}/heartbeat", post(agents::heartbeat))
        .route("/v1/exchanges", get(exchanges::list))
        .route("/v1/exchanges/{id}", get(exchanges::get))
        .route("/v1/exchanges/{id}/events", get(exchanges::events))
        .route("/v1/exchanges/{id}/at/{seq}", get(exchanges::at))
        .route("/v1/exchanges/{id}/log.md", get(scene::log_md))
        .route("/v1/exchanges/{id}/log.json", get(scene::log_json))
        .route("/v1/exchanges/{id}/diagram.mmd", get(scene::diagram_mmd))
        .route("/v1/exchanges/{id}/diagram.svg", get(scene::diagram_svg))
        .route("/v1/exchanges/{id}/diagram.txt", get(scene::diagram_txt))
        .route("/v1/events", get(events::list))
        .route("/v1/escalations", get(reports::escalations))
        .route("/v1/reports/incidents", get(reports::incidents))
        .route("/v1/reports/operations", get(reports::operations))
        .route("/v1/audit/verify", get(reports::verify));
    let router = match door.handle.has_test_clock() {
        true => router.route("/v1/test/clock", post(clock::advance)),
        false => router,
    };
    router.fallback(unknown).method_not_allowed_fallback(wrong_method)
}

async fn unknown(uri: http::Uri) -> Failure {
    Failure::not_found(format!("there is nothing at {}", uri.path()))
}

pub(crate) async fn wrong_method(method: http::Method, uri: http::Uri) -> Failure {
    let detail = format!("{} does not take {method}; the Allow header lists what it takes", uri.path());
    Failure::new(StatusCode::METHOD_NOT_ALLOWED, "method", detail)
}

//! The native API.

pub(crate) mod agents;
pub(crate) mod audit;
pub(crate) mod body;
pub(crate) mod clock;
pub(crate) mod events;
pub(crate) mod exchanges;
mod follow;
pub(crate) mod handoffs;
pub(crate) mod inbox;
pub(crate) mod messages;
pub(crate) mod nodes;
pub(crate) mod nudges;
pub(crate) mod path;
pub(crate) mod reports;
pub(crate) mod scene;
pub(crate) mod search;
pub(crate) mod spec;
pub(crate) mod todo;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::StatusCode;

use crate::app::App;
use crate::auth::content_type;
use crate::forward;
use crate::openapi::{self, CLOCK, OPERATIONS};
use crate::problem::Failure;
use crate::query::Query;

/// Every operation there is, and the reference to them.
pub(crate) fn router(app: &App) -> Router<App> {
    let there = |path: &str| path != CLOCK || app.handle.has_test_clock();
    let operations = OPERATIONS.iter().filter(|operation| there(operation.path));
    let router = operations.fold(Router::new(), |router, one| {
        let route = (one.route)();
        let route = match (one.method, one.path) {
            ("get", _) => route,
            // Time is moved where it stands.
            (_, CLOCK) => route.layer(from_fn(strict)),
            _ => {
                let to_writer = from_fn_with_state(app.clone(), forward::to_writer);
                route.layer(from_fn(strict)).layer(to_writer)
            }
        };
        router.route(one.path, route)
    });
    let router = router.route("/docs", get(openapi::page)).route("/docs/style.css", get(openapi::style));
    router.fallback(unknown).method_not_allowed_fallback(wrong_method)
}

/// What is written has no query, and comes as JSON. A program that does not say what it sends is believed, and
/// so is one that says what `curl -d` says by itself.
async fn strict(request: Request, next: Next) -> Response {
    if let Err(failure) = Query::read(request.uri().query(), &[]) {
        return failure.into_response();
    }
    let kind = content_type(request.headers()).unwrap_or("").to_ascii_lowercase();
    let known = ["", "application/json", "application/x-ndjson", "application/x-www-form-urlencoded"];
    if !known.contains(&kind.as_str()) && !kind.ends_with("+json") {
        let detail = format!("{kind:?} is not taken; send it with Content-Type: application/json");
        return Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "content-type", detail).into_response();
    }
    next.run(request).await
}

async fn unknown(uri: http::Uri) -> Failure {
    Failure::not_found(format!("there is nothing at {}", uri.path()))
}

pub(crate) async fn wrong_method(method: http::Method, uri: http::Uri) -> Failure {
    let detail = format!("{} does not take {method}; the Allow header lists what it takes", uri.path());
    Failure::new(StatusCode::METHOD_NOT_ALLOWED, "method", detail)
}

//! The Model Context Protocol: `/mcp` over streamable HTTP, and what `wilco mcp` speaks on stdin and stdout.
//!
//! Tools, resources and prompts are made once for both ways in. A tool turns its arguments into requests of the
//! native API, so it can do what its caller can do there and nothing else. How the API is reached is the business
//! of a `Native`: here by a call of its own routes, from `wilco mcp` over HTTP. Whoever comes to `/mcp` passed the
//! same guard as at every other door.

mod arguments;
mod doors;
mod fence;
mod find;
mod follow;
mod inside;
mod native;
mod offer;
mod outcome;
mod prompts;
mod request;
mod resources;
mod structured;
#[cfg(test)]
mod table;
mod tools;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Json, Router};
use http::{Method, StatusCode, header};
use serde_json::json;
use serde_json::value::RawValue;

use crate::app::App;
use crate::auth::Caller;
use crate::connection::ConnectionState;
use crate::problem::Failure;
use crate::v1::body::{bytes, unambiguous};
use doors::{Barred, Gate, Http};
use inside::Inside;

pub use doors::stdio;
pub use native::Native;
pub use request::Request as NativeRequest;
#[doc(hidden)]
pub use tools::examined;

pub(crate) const PATH: &str = "/mcp";

const PARSE_ERROR: i32 = -32700;

pub(crate) fn router(app: &App) -> Router<App> {
    let own = app.config.hosts.iter().map(|host| format!("http://{host}"));
    let gate = Gate {
        origins: own.chain(app.config.origins.iter().cloned()).collect(),
        body_bytes: app.config.limits.body_bytes,
        version: app.config.version.clone(),
    };
    let http = Arc::new(doors::http(Inside::new(app), gate));
    tokio::spawn(ended(http.clone(), app.stopping.clone()));
    let answer = move |State(app): State<App>, caller: Caller, request: Request| {
        let http = http.clone();
        async move { answer(&app, &http, &caller, request).await.unwrap_or_else(IntoResponse::into_response) }
    };
    Router::new().route(PATH, any(answer))
}

async fn answer(
    app: &App,
    http: &Http<Inside>,
    caller: &Caller,
    request: Request,
) -> Result<Response, Failure> {
    let (parts, body) = request.into_parts();
    let (owner, line) =
        (inside::owner(&caller.viewer), parts.extensions.get::<Arc<ConnectionState>>().cloned());
    http.admits(&parts, &owner).await.map_err(barred)?;
    let body = bytes(body, &app.config.limits).await?;
    if parts.method == Method::POST {
        if let Err(error) = serde_json::from_slice::<&RawValue>(&body) {
            return Ok(unreadable(&format!("the body is not JSON: {error}; send one JSON-RPC request")));
        }
        if let Err(failure) = unambiguous(&body) {
            return Ok(unreadable(&failure.0.detail));
        }
    }
    let answered = http.service.handle(Request::from_parts(parts, Body::from(body))).await;
    http.began(answered.headers(), &owner).await;
    let kind = answered.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if let (Some(line), true) = (line, kind.is_some_and(|kind| kind.starts_with("text/event-stream"))) {
        line.streams();
    }
    Ok(answered.map(Body::new))
}

/// The error that JSON-RPC has for a body that is no JSON, or says two things at once.
fn unreadable(message: &str) -> Response {
    let body = json!({"jsonrpc": "2.0", "id": null, "error": {"code": PARSE_ERROR, "message": message}});
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}

fn barred(why: Barred) -> Failure {
    match why {
        Barred::NoSuchSession => Failure::not_found("there is no such session; send initialize again"),
        Barred::TooManySessions => {
            let detail = "there are too many sessions already; end some, or try again later";
            Failure::new(StatusCode::SERVICE_UNAVAILABLE, "too-many-sessions", detail)
        }
    }
}

/// A server that stops ends its streams.
async fn ended(http: Arc<Http<Inside>>, mut stopping: tokio::sync::watch::Receiver<bool>) {
    // An error means that the server is gone already.
    let _ = stopping.wait_for(|stopping| *stopping).await;
    http.stop();
}

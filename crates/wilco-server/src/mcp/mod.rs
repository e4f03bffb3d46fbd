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

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Json, Router};
use http::request::Parts;
use http::{Method, StatusCode, header};
use http_body_util::BodyExt;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::app::App;
use crate::auth::{Caller, Owner};
use crate::connection::ConnectionState;
use crate::problem::Failure;
use crate::query::Query;
use crate::stream::too_many_streams;
use crate::v1::body::{bytes, unambiguous};
use crate::within::NativeRoutes;
use doors::{Gate, Http, NoSuchSession};
use inside::Inside;

pub use doors::stdio;
pub use native::Native;
pub use request::Request as NativeRequest;
pub use tools::ToolSet;
#[doc(hidden)]
pub use tools::examined;

pub(crate) const PATH: &str = "/mcp";

const PARSE_ERROR: i32 = -32700;

pub(crate) fn router(app: &App, routes: NativeRoutes) -> Router<App> {
    let own = app.config.hosts.iter().map(|host| format!("http://{host}"));
    let gate = Gate {
        origins: own.chain(app.config.origins.iter().cloned()).collect(),
        body_bytes: app.config.limits.body_bytes,
        version: app.config.version.clone(),
    };
    let http = Arc::new(doors::http(Inside::new(app, routes), gate));
    tokio::spawn(ended(http.clone(), app.stopping.clone()));
    let answer = move |State(app): State<App>, caller: Caller, request: Request| {
        let http = http.clone();
        async move { answer(&app, &http, &caller, request).await.unwrap_or_else(IntoResponse::into_response) }
    };
    Router::new().route(PATH, any(answer))
}

async fn answer(
    app: &App,
    http: &Arc<Http<Inside>>,
    caller: &Caller,
    request: Request,
) -> Result<Response, Failure> {
    let (mut parts, body) = request.into_parts();
    let tools = tool_set(&parts)?;
    parts.extensions.insert(tools);
    let (viewer, owner) = (inside::owner(&caller.viewer), Owner::of(&parts));
    let line = parts.extensions.get::<Arc<ConnectionState>>().cloned();
    http.admits(&parts, &viewer)
        .map_err(|NoSuchSession| Failure::not_found("there is no such session; send initialize again"))?;
    let body = bytes(body, &app.config.limits).await?;
    if parts.method == Method::POST {
        if let Err(error) = serde_json::from_slice::<&RawValue>(&body) {
            return Ok(unreadable(&format!("the body is not JSON: {error}; send one JSON-RPC request")));
        }
        if let Err(failure) = unambiguous(&body) {
            return Ok(unreadable(&failure.0.detail));
        }
        if is_use(&body) {
            http.used(&parts);
        }
    }
    let answered = http.service.handle(Request::from_parts(parts, Body::from(body))).await;
    http.began(answered.headers(), &viewer, &owner).await;
    let kind = answered.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !kind.is_some_and(|kind| kind.starts_with("text/event-stream")) {
        return Ok(answered.map(Body::new));
    }
    let seat = app.stream_seats.take(&owner).ok_or_else(|| too_many_streams(app))?;
    if let Some(line) = line {
        line.streams();
    }
    // The seat is taken as long as there is a body.
    Ok(answered.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _ = &seat;
            frame
        }))
    }))
}

/// Which tools the caller wants listed: the query says it, else a header, else it is all of them.
fn tool_set(parts: &Parts) -> Result<ToolSet, Failure> {
    let query = Query::open(parts.uri.query());
    let header = parts.headers.get("wilco-tools").map(|value| value.to_str().unwrap_or_default().trim());
    let Some(word) = query.text("tools").or(header) else { return Ok(ToolSet::default()) };
    ToolSet::from_word(word).ok_or_else(|| {
        let known = ToolSet::WORDS.join(" or ");
        Failure::bad_request(format!(
            "there are no tools {word:?}: expected {known}, in ?tools= or Wilco-Tools"
        ))
    })
}

/// Whether a request does what sessions are there for; greetings and lists are asked for by everybody.
fn is_use(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct MethodOf<'a> {
        #[serde(borrow)]
        method: Cow<'a, str>,
    }
    let uses = ["tools/call", "resources/read", "resources/subscribe", "prompts/get"];
    serde_json::from_slice::<MethodOf<'_>>(body).is_ok_and(|asked| uses.contains(&&*asked.method))
}

/// The error that JSON-RPC has for a body that is no JSON, or says two things at once.
fn unreadable(message: &str) -> Response {
    let body = json!({"jsonrpc": "2.0", "id": null, "error": {"code": PARSE_ERROR, "message": message}});
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}

/// A server that stops ends its streams.
async fn ended(http: Arc<Http<Inside>>, mut stopping: tokio::sync::watch::Receiver<bool>) {
    // An error means that the server is gone already.
    let _ = stopping.wait_for(|stopping| *stopping).await;
    http.stop();
}

//! Effects that name this node are carried out here. What the writer must know of them goes to it as forwarded calls do,
//! to an address that only nodes can call.

use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, Method, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Bytes;
use wilco_engine::Viewer;
use wilco_runtime::{HostAnswer, HostCall};
use wilco_store::Tried;

use super::{Call, Forwarded, digest, not_the_writer};
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;

/// Where the writer takes such calls.
pub(crate) const PATH: &str = "/node/effects";
/// What a command printed is bounded, and this is more.
const MAX_CALL: usize = 4 << 20;
/// How long such a call may take to arrive.
const ARRIVES_WITHIN: Duration = Duration::from_secs(10);

/// Carries out what names this node, as long as the server runs.
pub(crate) async fn carry_out(app: App) {
    loop {
        let (row, app) = (app.handle.next_host_effect().await, app.clone());
        tokio::spawn(async move { app.handle.carry_out_here(row, |call| ask(&app, call)).await });
    }
}

/// Asks the writer, wherever it is, once.
async fn ask(app: &App, call: HostCall) -> Option<HostAnswer> {
    let node = app.handle.node()?;
    let known = node.known();
    if known.is_here {
        return app.handle.host_call(call).await;
    }
    let (body, headers) = (Bytes::from(serde_json::to_vec(&call).ok()?), HeaderMap::new());
    let caller = Caller::new(Viewer::Operator, false, &headers);
    let uri = http::Uri::from_static(PATH);
    let call = Call { caller: &caller, method: &Method::POST, uri: &uri, headers: &headers };
    match call.send(app, node, &known, body).await {
        Tried::Answered(response) if response.status() == StatusCode::OK => {
            let body = response.into_body().collect().await.ok()?.to_bytes();
            serde_json::from_slice(&body).ok()
        }
        Tried::Answered(_) | Tried::NotTaken | Tried::Unknown => None,
    }
}

/// As the writer: takes such a call. For everybody but nodes there is nothing here.
pub(crate) async fn take(State(app): State<App>, request: Request) -> Response {
    let forwarded = request.extensions().get::<Forwarded>().cloned();
    let (Some(forwarded), Some(node)) = (forwarded, app.handle.node()) else {
        return Failure::not_found(format!("there is nothing at {PATH}")).into_response();
    };
    let Some((call, body)) =
        read(request.into_body()).await.filter(|(_, body)| digest(body) == forwarded.body)
    else {
        return Failure::bad_request("the call of the node cannot be read").into_response();
    };
    drop(body);
    match node.known().is_here {
        true => match app.handle.host_call(call).await {
            Some(answer) => Json(answer).into_response(),
            None => not_the_writer(),
        },
        false => not_the_writer(),
    }
}

async fn read(body: Body) -> Option<(HostCall, Bytes)> {
    let body = http_body_util::Limited::new(body, MAX_CALL).collect();
    let body = tokio::time::timeout(ARRIVES_WITHIN, body).await.ok()?.ok()?.to_bytes();
    Some((serde_json::from_slice(&body).ok()?, body))
}

//! What nodes ask each other, beside the calls of others that they forward: proven as those are, at an address that only
//! nodes can call.

use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, Method, StatusCode, Uri};
use http_body_util::BodyExt;
use hyper::body::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wilco_engine::{NudgeJob, Viewer};
use wilco_protocol::Name;
use wilco_runtime::HostCall;
use wilco_store::{KnownWriter, Tried};

use super::{Call, Forwarded, digest, not_the_writer};
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;

/// Where nodes take such calls.
pub(crate) const PATH: &str = "/node/calls";
/// What a command printed is bounded, and this is more.
const MAX_CALL: usize = 4 << 20;
/// How long such a call may take to arrive.
const ARRIVES_WITHIN: Duration = Duration::from_secs(10);

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NodeCall {
    /// To the writer: an effect that names the node that calls.
    Effect(HostCall),
    /// To the writer: when were these last there?
    Seen(Vec<Name>),
    /// To the node on whose machine the agent is: nudge it once, now.
    Nudge(Box<NudgeJob>),
}

/// Asks the writer, at another node, once. None: it is not known what it heard.
pub(crate) async fn ask_writer<A: DeserializeOwned>(app: &App, call: &NodeCall) -> Option<A> {
    let known = app.handle.node()?.known();
    ask(app, &known, call).await
}

/// The same of any node.
pub(crate) async fn ask_node<A: DeserializeOwned>(app: &App, address: &str, call: &NodeCall) -> Option<A> {
    let node = KnownWriter { address: address.to_owned(), ..app.handle.node()?.known() };
    ask(app, &node, call).await
}

async fn ask<A: DeserializeOwned>(app: &App, to: &KnownWriter, call: &NodeCall) -> Option<A> {
    let node = app.handle.node()?;
    let (body, headers) = (Bytes::from(serde_json::to_vec(call).ok()?), HeaderMap::new());
    let caller = Caller::new(Viewer::Operator, false, &headers);
    let uri = Uri::from_static(PATH);
    let call = Call { caller: &caller, method: &Method::POST, uri: &uri, headers: &headers };
    match call.once(app, node, to, body).await {
        Tried::Answered(response) if response.status() == StatusCode::OK => {
            let body = response.into_body().collect().await.ok()?.to_bytes();
            serde_json::from_slice(&body).ok()
        }
        Tried::Answered(_) | Tried::NotTaken | Tried::Unknown => None,
    }
}

/// Takes such a call. For everybody but nodes there is nothing here.
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
    match call {
        NodeCall::Nudge(job) => Json(app.handle.nudge(&job).await).into_response(),
        NodeCall::Effect(_) | NodeCall::Seen(_) if !node.known().is_here => not_the_writer(),
        NodeCall::Effect(call) => match app.handle.host_call(call).await {
            Some(answer) => Json(answer).into_response(),
            None => not_the_writer(),
        },
        NodeCall::Seen(agents) => match app.handle.seen(agents).await {
            Ok(Some(seen)) => Json(seen).into_response(),
            Ok(None) | Err(_) => not_the_writer(),
        },
    }
}

async fn read(body: Body) -> Option<(NodeCall, Bytes)> {
    let body = http_body_util::Limited::new(body, MAX_CALL).collect();
    let body = tokio::time::timeout(ARRIVES_WITHIN, body).await.ok()?.ok()?.to_bytes();
    Some((serde_json::from_slice(&body).ok()?, body))
}

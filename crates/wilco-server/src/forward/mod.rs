//! A follower takes every call: what changes something goes to the writer, on the caller's behalf, and its answer is
//! passed on as it is. What was surely not taken is sent again; what may have been, only where that does no harm.

pub(crate) mod host;
pub(crate) mod node_call;
mod proof;

use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, Method, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use wilco_runtime::Node;
use wilco_store::{Forwarding, GivenUp, KnownWriter, NextTry, Tried, WayToWriter};

use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::v1::body;

pub(crate) use proof::{Forwarded, SeenProofs, digest};

/// How often it is looked whether there is a writer by now, or another one.
const LOOK: Duration = Duration::from_millis(50);
/// How long the writer may take to take a connection.
const CONNECTS_WITHIN: Duration = Duration::from_secs(1);
/// A writer that takes longer for its answer gives none.
const ANSWERS_WITHIN: Duration = Duration::from_secs(60);
/// The largest answer that is passed on.
const MAX_ANSWER: usize = 64 << 20;

/// On this word of a writer nothing was taken.
const NOT_THE_WRITER: &str = "wilco-not-the-writer";
/// On this one something may have been.
const NOT_KNOWN: &str = "wilco-not-known";

/// Lets a call that changes something through here, or takes it to the writer.
pub(crate) async fn to_writer(State(app): State<App>, request: Request, next: Next) -> Response {
    let Some(node) = app.handle.node() else { return next.run(request).await };
    let forwarded = request.extensions().get::<Forwarded>().cloned();
    let (parts, body) = request.into_parts();
    let body = match body::bytes(body, &app.config.limits).await {
        Ok(body) => Bytes::from(body),
        Err(failure) => return failure.into_response(),
    };
    if let Some(forwarded) = forwarded {
        if digest(&body) != forwarded.body {
            return Failure::bad_request("the body is not the one that was forwarded").into_response();
        }
        if !node.known().is_here {
            return not_the_writer();
        }
        return match done_here(&app, next, Request::from_parts(parts, Body::from(body))).await {
            Tried::Answered(response) => response,
            Tried::NotTaken => not_the_writer(),
            Tried::Unknown => marked(not_known(), NOT_KNOWN),
        };
    }
    let keyed =
        parts.headers.contains_key("idempotency-key") || matches!(parts.method, Method::PUT | Method::DELETE);
    let caller = Caller::of(&parts);
    let began = wilco_runtime::ticks();
    let deadline = tokio::time::sleep(app.config.patience);
    tokio::pin!(deadline);
    let (mut forwarding, mut unreached) = (Forwarding::new(keyed), None);
    while !deadline.is_elapsed() {
        // What this node knows of the writer is old.
        if !node.may_read() {
            break;
        }
        let known = node.known();
        let tried = match known.way(&node.name) {
            WayToWriter::Here => {
                let request = Request::from_parts(parts.clone(), Body::from(body.clone()));
                done_here(&app, next.clone(), request).await
            }
            WayToWriter::To(_) => {
                let call =
                    Call { caller: &caller, method: &parts.method, uri: &parts.uri, headers: &parts.headers };
                let reached = reach(&known).await;
                unreached = reached.as_ref().err().map(|reason| (known.clone(), reason.clone()));
                let tried = match reached {
                    Ok(stream) => call.send(&app, node, (&known, stream), body.clone()).await,
                    Err(_) => Tried::NotTaken,
                };
                if let Tried::Answered(_) = &tried {
                    app.handle.forwarded(began);
                }
                tried
            }
            WayToWriter::Nowhere => Tried::NotTaken,
        };
        match forwarding.tried(tried) {
            NextTry::Answer(response) => return response,
            NextTry::NotKnown => return not_known(),
            NextTry::Again => {}
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = &mut deadline => {}
        }
    }
    match forwarding.given_up(node.may_read()) {
        GivenUp::NotKnown => not_known(),
        GivenUp::CutOff => Failure::from(node.cut_off()).into_response(),
        GivenUp::NoWriter => no_writer(app.config.patience, unreached),
    }
}

/// As the writer. A term that ended meanwhile is no answer: the next writer has it.
async fn done_here(app: &App, next: Next, request: Request) -> Tried<Response> {
    let response = tokio::select! {
        response = next.run(request) => response,
        // It may be stored by now, and nobody here can know.
        () = cut_off(app) => return Tried::Unknown,
    };
    match response.extensions().get::<Failure>().map(Failure::kind) {
        Some("not-the-writer") => Tried::NotTaken,
        Some("overloaded") if !app.handle.has_writer() => Tried::Unknown,
        Some(_) | None => Tried::Answered(response),
    }
}

/// The same for routes that take both: what only reads stays here.
pub(crate) async fn changes_to_writer(app: State<App>, request: Request, next: Next) -> Response {
    match *request.method() {
        Method::GET | Method::HEAD => next.run(request).await,
        _ => to_writer(app, request, next).await,
    }
}

/// A name as it stands in a path.
pub(crate) fn escaped(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    name.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Tells the writer that an agent waits or calls here, as if it had called there. It need not know at once.
pub(crate) async fn told(app: &App, caller: &Caller, path: &str) -> Option<Response> {
    let node = app.handle.node()?;
    let known = node.known();
    let uri: http::Uri = path.parse().ok()?;
    let mut headers = http::HeaderMap::new();
    if let Some(agent) = caller.agent.as_ref().and_then(|agent| HeaderValue::from_str(agent.as_str()).ok()) {
        headers.insert("wilco-agent", agent);
    }
    let call = Call { caller, method: &Method::GET, uri: &uri, headers: &headers };
    match call.once(app, node, &known, Bytes::new()).await {
        Tried::Answered(response) => Some(response),
        Tried::NotTaken | Tried::Unknown => None,
    }
}

struct Call<'a> {
    caller: &'a Caller,
    method: &'a Method,
    uri: &'a http::Uri,
    headers: &'a http::HeaderMap,
}

/// What travels of the headers of a call; who calls is proven otherwise.
const PASSED_ON: [&str; 6] =
    ["accept", "content-type", "idempotency-key", "wilco-agent", "wilco-speaks", "accept-language"];

/// A connection to a node, or why there is none.
async fn reach(known: &KnownWriter) -> Result<TcpStream, String> {
    let connecting = tokio::time::timeout(CONNECTS_WITHIN, TcpStream::connect(authority(known)));
    let stream = connecting.await.map_err(|_| "no answer".to_owned())?;
    let stream = stream.map_err(|error| error.to_string())?;
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

fn authority(known: &KnownWriter) -> &str {
    known.address.strip_prefix("http://").unwrap_or(&known.address)
}

impl Call<'_> {
    /// Reaches the node and sends it.
    async fn once(&self, app: &App, node: &Node, known: &KnownWriter, body: Bytes) -> Tried<Response> {
        match reach(known).await {
            Ok(stream) => self.send(app, node, (known, stream), body).await,
            Err(_) => Tried::NotTaken,
        }
    }

    async fn send(
        &self,
        app: &App,
        node: &Node,
        (known, stream): (&KnownWriter, TcpStream),
        body: Bytes,
    ) -> Tried<Response> {
        let Some(request) = self.request(app, node, authority(known), body) else { return Tried::NotTaken };
        let Ok((mut sender, connection)) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await
        else {
            return Tried::NotTaken;
        };
        let moved = tokio::spawn(connection);
        let answered = async {
            let answer = sender.send_request(request).await.ok()?;
            let (head, body) = answer.into_parts();
            let body = http_body_util::Limited::new(body, MAX_ANSWER).collect().await.ok()?.to_bytes();
            Some((head, body))
        };
        let answer = tokio::select! {
            answer = answered => answer,
            // Its writer is not the writer any more: what it says, if anything, may come too late.
            () = another(node, known.epoch) => None,
            () = node.is_cut_off() => None,
            () = tokio::time::sleep(ANSWERS_WITHIN) => None,
        };
        moved.abort();
        match answer {
            None => Tried::Unknown,
            Some((head, _)) if head.headers.contains_key(NOT_THE_WRITER) => Tried::NotTaken,
            Some((head, _)) if head.headers.contains_key(NOT_KNOWN) => Tried::Unknown,
            Some((head, body)) => {
                let mut response = Response::new(Body::from(body));
                *response.status_mut() = head.status;
                for (name, value) in &head.headers {
                    if ![header::CONTENT_LENGTH, header::TRANSFER_ENCODING, header::CONNECTION].contains(name)
                    {
                        response.headers_mut().append(name, value.clone());
                    }
                }
                Tried::Answered(response)
            }
        }
    }

    fn request(
        &self,
        app: &App,
        node: &Node,
        authority: &str,
        body: Bytes,
    ) -> Option<http::Request<Full<Bytes>>> {
        let path = self.uri.path_and_query().map_or("/", |path| path.as_str());
        let mut request =
            http::Request::builder().method(self.method).uri(path).header(header::HOST, authority);
        for (name, value) in PASSED_ON.iter().filter_map(|name| Some((*name, self.headers.get(*name)?))) {
            request = request.header(name, value);
        }
        let sent_by = self.caller.sent_by.as_ref().map(ToString::to_string);
        let (viewer, orchestrates) = (&self.caller.viewer, self.caller.orchestrates);
        let call = Forwarded::new(viewer, orchestrates, sent_by, &body, app.handle.now()).through(&node.name);
        let mut request = request.body(Full::new(body)).ok()?;
        let (method, uri) = (request.method().clone(), request.uri().clone());
        call.sign(&node.secret(), &method, &uri, request.headers_mut());
        Some(request)
    }
}

async fn cut_off(app: &App) {
    match app.handle.node() {
        Some(node) => node.is_cut_off().await,
        None => std::future::pending().await,
    }
}

async fn another(node: &Node, epoch: u64) {
    while node.known().epoch == epoch {
        tokio::time::sleep(LOOK).await;
    }
}

fn not_the_writer() -> Response {
    let detail = "another node writes by now, and nothing was stored here; send it again";
    marked(
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "not-the-writer", detail).into_response(),
        NOT_THE_WRITER,
    )
}

/// For the node that forwarded it.
fn marked(mut response: Response, word: &'static str) -> Response {
    response.headers_mut().insert(word, HeaderValue::from_static("1"));
    response
}

fn not_known() -> Response {
    let detail = "the writer went away meanwhile, and whether this was stored is not known; send it again with an \
                  Idempotency-Key, then it has its effect once";
    Failure::new(StatusCode::SERVICE_UNAVAILABLE, "store-failed", detail).into_response()
}

/// `unreached`: a node that has the lease and cannot be called, and why.
fn no_writer(patience: Duration, unreached: Option<(KnownWriter, String)>) -> Response {
    let detail = match unreached {
        None => format!("no node writes just now, and none did for {patience:?}; nothing was stored"),
        Some((writer, reason)) => format!(
            "node {} writes, and for {patience:?} was not reached from here at {} ({reason}); nothing was stored. If it \
             runs, its --advertise must name an address that the other nodes reach",
            writer.node, writer.address
        ),
    };
    let mut response = Failure::new(StatusCode::SERVICE_UNAVAILABLE, "no-writer", detail).into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

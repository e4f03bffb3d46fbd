//! What every request passes first: its host, its origin, its token.

use std::net::IpAddr;

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use tower::Service;
use wilco_engine::{Viewer, check_name};
use wilco_protocol::Name;

use super::credential::{heard_of, unreadable};
use super::{Attempt, Caller, Credential, Orchestrates, Role, cors};
use crate::app::App;
use crate::forward::{self, Forwarded};
use crate::problem::Failure;
use crate::query::Query;
use crate::v1::body;
use crate::{dashboard, mcp};

/// These answer anybody: they say nothing about anybody.
const OPEN: [&str; 4] = ["/healthz", "/readyz", "/api/health", "/api/v1/health"];

/// A message says by itself who sends it.
const MESSAGES: [&str; 2] = ["/v1/messages", "/api/messages"];

/// Where a connection comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Goes with a request over a connection beyond the limit, which only health and operators may use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpareSeat;

/// What time it is here, for everybody who shows how long ago or how soon something is.
const TIME: HeaderName = HeaderName::from_static("wilco-time");

/// Whose token it was: clients that were told no name ask for it.
const AGENT: HeaderName = HeaderName::from_static("wilco-agent");

/// Where a browser says that the page is from, as seen from here.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

pub(crate) async fn guard(app: &App, request: Request, mut inside: Router) -> Response {
    let page = cors::page(app, request.headers());
    let mut response = match admitted(app, request, page.is_some()).await {
        Ok(Admitted::Call(request)) => {
            let agent = token_agent(&request);
            let Ok(mut response) = inside.call(request).await;
            if let Some(agent) = agent {
                response.headers_mut().insert(AGENT, agent);
            }
            response
        }
        Ok(Admitted::Preflight(response)) => response,
        Err(failure) => failure.into_response(),
    };
    if let Some(page) = page {
        cors::show(page, &mut response);
    }
    if response.status() == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Ok(now) = HeaderValue::from_str(&app.handle.now().to_string()) {
        response.headers_mut().insert(TIME, now);
    }
    response
}

/// Whose token a request came with.
fn token_agent(request: &Request) -> Option<HeaderValue> {
    match request.extensions().get::<Viewer>()? {
        Viewer::Agent(name) => HeaderValue::from_str(name.as_str()).ok(),
        Viewer::Local | Viewer::Operator | Viewer::ReadOnly => None,
    }
}

/// What may come in.
enum Admitted {
    Call(Request),
    /// Nothing is called yet: a browser asks whether it may, and has its answer.
    Preflight(Response),
}

async fn admitted(app: &App, request: Request, known_page: bool) -> Result<Admitted, Failure> {
    if known_page && cors::is_preflight(&request) {
        host(app, &request)?;
        return Ok(Admitted::Preflight(cors::preflight(&request)));
    }
    let forwarded = forwarded(app, &request);
    let (viewer, orchestrates) = match forwarded.as_ref().and_then(|call| Some((call, call.viewer()?))) {
        Some((call, viewer)) => {
            host(app, &request)?;
            (viewer, call.orchestrates)
        }
        None => {
            if let Some(Credential::Token(secret)) =
                Credential::of(app, request.method(), request.uri(), request.headers())
            {
                heard_of(app, &secret).await;
            }
            let (viewer, role) = check(app, &request)?;
            spare_seat(app, &request, role)?;
            if reads_here(&request) {
                app.handle.catch_up().await?;
            }
            (as_spelt(app, viewer), role == Some(Role::Orchestrator))
        }
    };
    let of_node = forwarded.is_some() && request.uri().path() == forward::node_call::PATH;
    let mut request = if of_node { request } else { body::declared(request, &app.config.limits)? };
    let caller = Caller::new(viewer.clone(), orchestrates, request.headers());
    let says_who = caller.is_proven() || !MESSAGES.contains(&request.uri().path());
    // A page of somebody else that makes a browser read is nobody's sign of life.
    match foreign(app, &request) {
        Some(page) => drop(request.extensions_mut().insert(page)),
        None if says_who => app.presence.called(app, &caller).await,
        None => {}
    }
    let sent_by = forwarded.as_ref().and_then(|call| call.sent_by.as_deref()).map(Name::new);
    match sent_by {
        // Made at another node: it counts for that one's caller there.
        Some(_) => Caller { sent_by, ..caller }.goes_with(request.extensions_mut()),
        None => {
            request.extensions_mut().insert(viewer);
            if orchestrates {
                request.extensions_mut().insert(Orchestrates);
            }
        }
    }
    if let Some(call) = forwarded {
        request.extensions_mut().insert(call);
    }
    Ok(Admitted::Call(request))
}

/// Whether a call is answered by this node, whoever writes. How it is itself it says though it is cut off.
fn reads_here(request: &Request) -> bool {
    let path = request.uri().path();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD) || path.starts_with("/mcp");
    reads && path != "/metrics" && !OPEN.contains(&path)
}

/// On whose behalf another node calls, if one does and proves it.
fn forwarded(app: &App, request: &Request) -> Option<Forwarded> {
    let node = app.handle.node()?;
    let (method, uri, headers) = (request.method(), request.uri(), request.headers());
    app.proofs.read(&node.secret(), method, uri, headers, app.handle.now())
}

/// The token's agent as the directory spells it: letter case does not tell agents apart.
fn as_spelt(app: &App, viewer: Viewer) -> Viewer {
    match viewer {
        Viewer::Agent(name) => Viewer::Agent(app.handle.canonical_name(&name).unwrap_or(name)),
        other @ (Viewer::Local | Viewer::Operator | Viewer::ReadOnly) => other,
    }
}

/// Beyond the limit only those are served who look after the server.
fn spare_seat(app: &App, request: &Request, role: Option<Role>) -> Result<(), Failure> {
    let health = ["/healthz", "/readyz"].contains(&request.uri().path());
    match request.extensions().get::<SpareSeat>() {
        Some(SpareSeat) if !health && role != Some(Role::Operator) => {
            Err(Failure::too_many_connections(app.config.limits.connections))
        }
        Some(SpareSeat) | None => Ok(()),
    }
}

/// On whose behalf a request comes, and the role of its token, if it has one.
fn check(app: &App, request: &Request) -> Result<(Viewer, Option<Role>), Failure> {
    host(app, request)?;
    origin(app, request)?;
    viewer(app, request)
}

/// A page on another site can make a browser send requests here, but not with our own name as host.
fn host(app: &App, request: &Request) -> Result<(), Failure> {
    if request.headers().get_all(header::HOST).iter().count() > 1 {
        return Err(Failure::bad_request("there is more than one Host header; send one"));
    }
    let header = text(request.headers(), header::HOST);
    let given = header.or_else(|| request.uri().authority().map(|authority| authority.as_str()));
    let known =
        given.is_some_and(|given| app.config.hosts.iter().any(|host| host.eq_ignore_ascii_case(given)));
    if known {
        return Ok(());
    }
    let detail = format!(
        "this server is not {:?}; it answers to {} (add others in server.hosts)",
        given.unwrap_or(""),
        app.config.hosts.join(", ")
    );
    Err(Failure::new(StatusCode::MISDIRECTED_REQUEST, "wrong-host", detail))
}

/// Writes from a browser come only from our own pages, and only as JSON.
fn origin(app: &App, request: &Request) -> Result<(), Failure> {
    // Whoever waits at an inbox is registered by that, and seen.
    let waits = Query::open(request.uri().query()).text("wait").is_some();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let changes = !reads || waits || request.uri().path() == mcp::PATH;
    if let Some(page) = foreign(app, request).filter(|_| changes) {
        return Err(page.refused());
    }
    if !request.headers().contains_key(header::ORIGIN) {
        if !reads && dashboard::is_page(request.uri()) {
            let detail = "a form of the dashboard is sent from one of its own pages";
            return Err(Failure::new(StatusCode::FORBIDDEN, "foreign-origin", detail));
        }
        return Ok(());
    }
    let json = content_type(request.headers()).is_some_and(is_json);
    if !reads && dashboard::is_page(request.uri()) {
        return Ok(());
    }
    if !reads && request.method() != Method::DELETE && !json {
        let detail = "send it with Content-Type: application/json";
        return Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "content-type", detail));
    }
    Ok(())
}

/// The page that a request comes from, when that is none of ours. Whoever opens a stream looks for it: that it does is
/// known only when its form is chosen.
#[derive(Debug, Clone)]
pub(crate) struct ForeignPage(String);

impl ForeignPage {
    pub(crate) fn refused(&self) -> Failure {
        let detail = format!("calls from pages of {:?} are not allowed", self.0);
        Failure::new(StatusCode::FORBIDDEN, "foreign-origin", detail)
    }
}

fn foreign(app: &App, request: &Request) -> Option<ForeignPage> {
    let headers = request.headers();
    let origin = headers.get(header::ORIGIN).map(|origin| origin.to_str().unwrap_or(""));
    if origin.is_some_and(|origin| app.config.origins.iter().any(|known| known == origin)) {
        return None;
    }
    let own = |origin: &str| {
        app.config.hosts.iter().any(|host| origin.eq_ignore_ascii_case(&format!("http://{host}")))
    };
    if let Some(origin) = origin.filter(|origin| !own(origin)) {
        return Some(ForeignPage(origin.to_owned()));
    }
    // A browser says so also where it sends no origin.
    let sites = headers.get_all(FETCH_SITE).iter().filter_map(|site| site.to_str().ok());
    let mut others =
        sites.filter(|site| ["cross-site", "same-site"].iter().any(|other| site.eq_ignore_ascii_case(other)));
    others.next().map(|_| ForeignPage("another site".to_owned()))
}

fn viewer(app: &App, request: &Request) -> Result<(Viewer, Option<Role>), Failure> {
    let open = OPEN.contains(&request.uri().path()) || dashboard::is_open(request.uri());
    let Some(credential) = Credential::of(app, request.method(), request.uri(), request.headers()) else {
        if open || !app.config.auth_required {
            return Ok((Viewer::Local, None));
        }
        let detail =
            "a token is needed; make one with: wilco token create NAME, and send Authorization: Bearer TOKEN";
        return Err(Failure::new(StatusCode::UNAUTHORIZED, "unauthorized", detail));
    };
    match (credential.holder(app), &credential) {
        // A name of before goes on working.
        (Ok(Some((Viewer::Agent(name), role))), _) if !open => match check_name(name.as_str()) {
            Ok(name) => Ok((Viewer::Agent(name), Some(role))),
            Err(_) if app.handle.canonical_name(&name).is_some() => Ok((Viewer::Agent(name), Some(role))),
            Err(why) => {
                let detail = format!("this token belongs to no agent: {why}; revoke it and create another");
                Err(Failure::new(StatusCode::FORBIDDEN, "forbidden", detail))
            }
        },
        (Ok(Some((viewer, role))), _) => Ok((viewer, Some(role))),
        (Ok(None), _) if open => Ok((Viewer::Local, None)),
        (Ok(None), Credential::Token(_)) => Err(Attempt::new(request.extensions()).failed(app)),
        (Ok(None), Credential::Session(_)) => {
            Err(Failure::new(StatusCode::UNAUTHORIZED, "unauthorized", "you are no longer signed in"))
        }
        (Err(error), _) => Err(unreadable(&error)),
    }
}

/// The secret that a request shows.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, secret) = text(headers, header::AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(secret.trim())
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

pub(crate) fn content_type(headers: &HeaderMap) -> Option<&str> {
    text(headers, header::CONTENT_TYPE).map(|value| value.split(';').next().unwrap_or("").trim())
}

fn is_json(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    kind == "application/json" || kind == "application/x-ndjson" || kind.ends_with("+json")
}

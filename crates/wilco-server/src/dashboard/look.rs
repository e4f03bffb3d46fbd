//! Who looks at a page, and what the page asks on its behalf.
//!
//! Every page is made from answers of the native API, asked from within: what a viewer may not see there does not
//! exist here either.

use axum::body::Body;
use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{Method, Request, header};
use serde::de::DeserializeOwned;
use serde_json::Value;
use wilco_engine::{Viewer, reads};
use wilco_protocol::{Name, Time};
use wilco_wire::{Escalation, Problem, segment};

use super::cookie;
use super::sign_in::theme;
use crate::app::App;
use crate::auth::{Caller, bearer};
use crate::problem::Failure;
use crate::query::decoded;
use crate::shape;
use crate::within::NativeRoutes;

/// Somebody who looks.
#[derive(Debug, Clone)]
pub(super) struct Look {
    pub(super) app: App,
    routes: NativeRoutes,
    /// On whose behalf: an operator who looks as an agent sees what that agent's token would.
    pub(super) caller: Caller,
    /// Who it is: an agent, or the operator.
    pub(super) name: Name,
    pub(super) role: LookRole,
    /// Whether it is an operator that looks as somebody else.
    pub(super) looks_as: bool,
    /// Which operator it is, if it is one; also when it looks as somebody else.
    pub(super) operator: Option<Name>,
    pub(super) theme: Theme,
    /// Whether a cookie says who it is, so that it can sign out.
    pub(super) signed_in: bool,
    /// What a form that it sends must carry.
    pub(super) form_token: String,
    /// Open escalations that it sees; the icon shows their number.
    pub(super) escalations: usize,
    /// The path and query that is looked at.
    pub(super) address: String,
    pub(super) now: Time,
}

/// What the viewer may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum LookRole {
    Operator,
    Agent,
    ReadOnly,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

pub(super) const THEME: &str = "wilco_theme";
pub(super) const LOOK_AS: &str = "wilco_look_as";
pub(crate) const SESSION: &str = "wilco_session";

impl FromRequestParts<App> for Look {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Look, Failure> {
        let mut caller = Caller::from_request_parts(parts, app).await?;
        let theme = theme(&parts.headers);
        let as_agent = match caller.viewer {
            Viewer::Local | Viewer::Operator => {
                cookie(&parts.headers, LOOK_AS).filter(|name| !name.is_empty())
            }
            Viewer::Agent(_) | Viewer::ReadOnly => None,
        };
        let looks_as = as_agent.is_some();
        let operator = match caller.viewer {
            Viewer::Local => Some(app.config.default_sender.clone()),
            Viewer::Operator => Some(token_name(app, parts)),
            Viewer::Agent(_) | Viewer::ReadOnly => None,
        };
        if let Some(name) = as_agent {
            let name = app.agent(&decoded(name));
            caller = Caller { viewer: Viewer::Agent(name.clone()), agent: Some(name), ..caller };
        }
        let (role, name) = match &caller.viewer {
            Viewer::Local | Viewer::Operator => {
                (LookRole::Operator, operator.clone().unwrap_or_else(|| app.config.default_sender.clone()))
            }
            Viewer::Agent(name) => (LookRole::Agent, name.clone()),
            Viewer::ReadOnly => (LookRole::ReadOnly, Name::new("read-only")),
        };
        let address = parts.uri.path_and_query().map_or("/", |address| address.as_str()).to_owned();
        let routes = native_routes(parts)?;
        let now = app.handle.now();
        let session = cookie(&parts.headers, SESSION);
        // Who looks as somebody else sends nothing that was written before, in another name.
        let viewer = format!("{}\n{name}", session.unwrap_or("local"));
        let form_token = app.config.sessions.form_token(&viewer).map_err(|error| {
            tracing::error!(%error, "the key of forms cannot be kept");
            let detail = "the data directory cannot be written, so forms cannot be made; look at the disk";
            Failure::new(http::StatusCode::SERVICE_UNAVAILABLE, "sessions", detail)
        })?;
        let signed_in = session.is_some() && app.config.auth_required;
        let app = app.clone();
        let mut look = Look {
            app,
            routes,
            caller,
            name,
            role,
            looks_as,
            operator,
            theme,
            signed_in,
            form_token,
            escalations: 0,
            address,
            now,
        };
        look.escalations = look.open_escalations(0).await?.1;
        Ok(look)
    }
}

impl Look {
    pub(super) fn is_operator(&self) -> bool {
        self.role == LookRole::Operator
    }

    /// Whether it may do anything at all.
    pub(super) fn may_act(&self) -> bool {
        self.role != LookRole::ReadOnly
    }

    /// So many of the open escalations that it sees, newest first, and how many there are.
    pub(super) async fn open_escalations(&self, most: usize) -> Result<(Vec<Escalation>, usize), Failure> {
        let viewer = self.caller.viewer.clone();
        let read = self.app.handle.read(move |reader| reads::open_escalations(reader, &viewer, most));
        let (open, total) = read.await?;
        Ok((open.into_iter().map(shape::escalation).collect(), total))
    }

    /// What the native API answers to a read.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<T, Failure> {
        let answer = self.ask(Method::GET, &target(path, query), &[], Body::empty()).await?;
        serde_json::from_slice(&answer).map_err(|error| unreadable(path, &error))
    }

    /// A read that answers with a text.
    pub(super) async fn text(&self, path: &str) -> Result<String, Failure> {
        let answer = self.ask(Method::GET, path, &[], Body::empty()).await?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// The same, where what it sends is recorded as sent by the operator in somebody else's name.
    pub(super) fn for_another(&self) -> Look {
        let caller = Caller { sent_by: self.operator.clone(), ..self.caller.clone() };
        Look { caller, ..self.clone() }
    }

    /// What the native API answers to a write. A key makes it safe to send it twice.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: &Value,
    ) -> Result<Value, Failure> {
        let headers: Vec<_> = key.map(|key| ("idempotency-key", key)).into_iter().collect();
        let answer = self.ask(method, path, &headers, Body::from(body.to_string())).await?;
        Ok(serde_json::from_slice(&answer).unwrap_or(Value::Null))
    }

    async fn ask(
        &self,
        method: Method,
        target: &str,
        headers: &[(&str, &str)],
        body: Body,
    ) -> Result<Vec<u8>, Failure> {
        let mut request = Request::builder().method(method).uri(target);
        request = request.header(header::CONTENT_TYPE, "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request =
            request.body(body).map_err(|_| Failure::not_found("there is nothing at this address"))?;
        self.caller.goes_with(request.extensions_mut());
        let (status, body) = self.routes.ask(request).await?;
        match status.is_success() {
            true => Ok(body),
            false => match serde_json::from_slice::<Problem>(&body) {
                Ok(problem) => Err(Failure(Box::new(problem))),
                Err(_) => Err(Failure::new(status, "refused", String::from_utf8_lossy(&body).into_owned())),
            },
        }
    }
}

fn native_routes(parts: &Parts) -> Result<NativeRoutes, Failure> {
    let routes = parts.extensions.get::<NativeRoutes>().cloned();
    let missing = "this page has no way to the native API";
    routes.ok_or_else(|| Failure::new(http::StatusCode::INTERNAL_SERVER_ERROR, "internal", missing))
}

/// The name that an operator's token was made for.
fn token_name(app: &App, parts: &Parts) -> Name {
    let id = match (bearer(&parts.headers), cookie(&parts.headers, SESSION)) {
        (Some(secret), _) => app.config.tokens.id(secret).ok().flatten(),
        (None, Some(session)) => app.config.sessions.token(session),
        (None, None) => None,
    };
    let tokens = app.config.tokens.list().unwrap_or_default();
    let token = tokens.into_iter().find(|token| Some(&token.id) == id.as_ref());
    token.map_or_else(|| app.config.default_sender.clone(), |token| token.name)
}

/// A path with its query; what is empty does not filter and is left out.
pub(super) fn target(path: &str, query: &[(&str, &str)]) -> String {
    let given = query.iter().filter(|(_, value)| !value.is_empty());
    let pairs: Vec<_> = given.map(|(key, value)| format!("{key}={}", segment(value))).collect();
    if pairs.is_empty() { path.to_owned() } else { format!("{path}?{}", pairs.join("&")) }
}

fn unreadable(path: &str, error: &serde_json::Error) -> Failure {
    tracing::error!(%error, path, "an answer of the native API cannot be read");
    Failure::new(
        http::StatusCode::INTERNAL_SERVER_ERROR,
        "internal",
        "the page could not be made; the log says why",
    )
}

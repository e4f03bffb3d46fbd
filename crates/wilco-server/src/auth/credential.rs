//! What a request shows to say on whose behalf it comes: a token, or the cookie of somebody who signed in.

use std::net::{IpAddr, Ipv4Addr};

use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode, Uri};
use wilco_engine::Viewer;

use super::guard::{Peer, bearer};
use super::tokens::{Role, TokenError};
use crate::app::App;
use crate::dashboard::{SESSION, cookie, is_page};
use crate::problem::Failure;

#[derive(Debug, Clone)]
pub(crate) enum Credential {
    Token(String),
    /// Good for the dashboard, and for reading the native API from its pages.
    Session(String),
}

impl Credential {
    pub(crate) fn of(app: &App, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Credential> {
        if let Some(secret) = bearer(headers) {
            return Some(Credential::Token(secret.to_owned()));
        }
        let reads = matches!(*method, Method::GET | Method::HEAD);
        let counts = app.config.auth_required && (is_page(uri) || (reads && uri.path().starts_with("/v1/")));
        cookie(headers, SESSION).filter(|_| counts).map(|secret| Credential::Session(secret.to_owned()))
    }

    /// On whose behalf it comes, and what its token lets it do; none when nobody has it.
    pub(crate) fn holder(&self, app: &App) -> Result<Option<(Viewer, Role)>, TokenError> {
        match self {
            Credential::Token(secret) => app.config.tokens.holder(secret),
            Credential::Session(secret) => match app.config.sessions.token(secret) {
                Some(id) => app.config.tokens.holder_of(&id),
                None => Ok(None),
            },
        }
    }

    /// Whether it still means this viewer: its token may have been revoked, its session ended.
    pub(crate) fn still_means(&self, app: &App, viewer: &Viewer) -> bool {
        match (self.holder(app), viewer) {
            (Ok(Some((Viewer::Agent(token), _))), Viewer::Agent(agent)) => {
                token.as_str().eq_ignore_ascii_case(agent.as_str())
            }
            (Ok(now), viewer) => now.is_some_and(|(now, _)| now == *viewer),
            (Err(_), _) => false,
        }
    }
}

/// Among several nodes: a token that is not known here may have been made a moment ago.
pub(crate) async fn heard_of(app: &App, secret: &str) {
    if let Some(node) = app.handle.node()
        && let Ok(None) = app.config.tokens.holder(secret)
    {
        node.read_tokens_again().await;
    }
}

/// Somebody who tries a token, and from where.
pub(crate) struct Attempt(IpAddr);

impl Attempt {
    pub(crate) fn new(extensions: &http::Extensions) -> Attempt {
        let peer = extensions.get::<Peer>().map(|peer| peer.0);
        Attempt(peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)))
    }

    /// What is said of a token that nobody has; too many of them from one address are not looked at any more.
    pub(crate) fn failed(&self, app: &App) -> Failure {
        if app.failures.too_many(self.0, app.handle.now()) {
            let detail = "too many wrong tokens came from your address; wait a minute";
            return Failure::new(StatusCode::TOO_MANY_REQUESTS, "too-many-failures", detail);
        }
        let detail = "this token is not known; it may have been revoked";
        Failure::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
    }

    /// The id of the token with this secret.
    pub(crate) async fn token(&self, app: &App, secret: &str) -> Result<String, Failure> {
        heard_of(app, secret).await;
        match app.config.tokens.id(secret) {
            Ok(Some(id)) => Ok(id),
            Ok(None) => Err(self.failed(app)),
            Err(error) => Err(unreadable(&error)),
        }
    }
}

/// The tokens cannot be looked up.
pub(crate) fn unreadable(error: &TokenError) -> Failure {
    tracing::error!(%error, "tokens cannot be read");
    Failure::new(StatusCode::SERVICE_UNAVAILABLE, "tokens", "tokens cannot be read at the moment")
}

impl FromRequestParts<App> for Attempt {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Attempt, Failure> {
        Ok(Attempt::new(&parts.extensions))
    }
}

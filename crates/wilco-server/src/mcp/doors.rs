//! The two ways in: over stdin and stdout of a program, and over HTTP.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::HeaderMap;
use http::request::Parts;
use rmcp::ServiceExt;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use crate::mcp::native::Native;
use crate::mcp::offer::Offer;

/// Sessions at the same time, of clients that speak an older revision.
const MAX_SESSIONS: usize = 1024;
/// A session that says nothing for so long has ended; its client begins another.
const SESSION_REST: Duration = Duration::from_secs(3600);
const SESSION: &str = "mcp-session-id";

/// Serves one client on stdin and stdout, until it leaves.
pub async fn stdio<S: Native>(server: S, version: &str) -> Result<(), String> {
    let handler = Offer::new(server, version);
    let running = handler.serve(rmcp::transport::stdio()).await.map_err(|error| error.to_string())?;
    running.waiting().await.map(drop).map_err(|error| error.to_string())
}

/// What the door to HTTP lets in.
#[derive(Debug, Clone)]
pub(super) struct Gate {
    pub(super) origins: Vec<String>,
    pub(super) body_bytes: usize,
    pub(super) version: String,
}

/// The door to HTTP.
pub(super) struct Http<S: Native> {
    pub(super) service: StreamableHttpService<Offer<S>, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    /// To whom each session belongs. Held only to look, never over an await.
    owners: Mutex<BTreeMap<String, String>>,
    stop: Box<dyn Fn() + Send + Sync>,
}

impl<S: Native> fmt::Debug for Http<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("owners", &self.owners).finish_non_exhaustive()
    }
}

pub(super) fn http<S: Native>(server: S, gate: Gate) -> Http<S> {
    let config = StreamableHttpServerConfig::default()
        // Hosts were checked before, by their exact names.
        .disable_allowed_hosts()
        .with_allowed_origins(gate.origins)
        .enforce_origin_validation()
        .with_json_response(true)
        .with_max_request_body_bytes(gate.body_bytes);
    let cancel = config.cancellation_token.clone();
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION_REST);
    let sessions = Arc::new(sessions);
    let handler = move || Ok(Offer::new(server.clone(), &gate.version));
    Http {
        service: StreamableHttpService::new(handler, sessions.clone(), config),
        sessions,
        owners: Mutex::default(),
        stop: Box::new(move || cancel.cancel()),
    }
}

/// Why a request is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Barred {
    /// It names a session of somebody else, or none at all.
    NoSuchSession,
    TooManySessions,
}

impl<S: Native> Http<S> {
    /// A session belongs to whoever began it; to others it does not exist.
    pub(super) async fn admits(&self, parts: &Parts, owner: &str) -> Result<(), Barred> {
        let Some(session) = session(&parts.headers) else {
            // Only a request without a session can begin one.
            let many = self.sessions.sessions.read().await.len();
            return if many < MAX_SESSIONS { Ok(()) } else { Err(Barred::TooManySessions) };
        };
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        match owners.get(session) {
            Some(known) if known == owner => Ok(()),
            Some(_) | None => Err(Barred::NoSuchSession),
        }
    }

    /// Notes whose session an answer began.
    pub(super) async fn began(&self, answer: &HeaderMap, owner: &str) {
        let Some(session) = session(answer) else { return };
        let open = self.sessions.sessions.read().await;
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain(|known, _| open.contains_key(known.as_str()));
        owners.insert(session.to_owned(), owner.to_owned());
    }

    /// Ends all sessions and streams.
    pub(super) fn stop(&self) {
        (self.stop)();
    }
}

fn session(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION).and_then(|value| value.to_str().ok())
}

//! The two ways in: over stdin and stdout of a program, and over HTTP.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::HeaderMap;
use http::request::Parts;
use rmcp::ServiceExt;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::task::AbortHandle;

use crate::auth::Owner;
use crate::mcp::native::Native;
use crate::mcp::offer::Offer;
use crate::mcp::tools::ToolSet;

/// Sessions at the same time, of clients that speak an older revision.
const MAX_SESSIONS: usize = 1024;
/// A session that says nothing for so long has ended; its client begins another.
const SESSION_REST: Duration = Duration::from_secs(3600);
/// Sessions of one owner.
const OWNER_SESSIONS: usize = 16;
/// A session that is used for nothing ends after this.
const UNUSED_REST: Duration = Duration::from_secs(60);
const SESSION: &str = "mcp-session-id";

/// Serves one client on stdin and stdout, until it leaves.
pub async fn stdio<S: Native>(server: S, version: &str, tools: ToolSet) -> Result<(), String> {
    let handler = Offer::new(server, version, tools);
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
    /// Held only to look, never over an await.
    open: Mutex<OpenSessions>,
    stop: Box<dyn Fn() + Send + Sync>,
}

impl<S: Native> fmt::Debug for Http<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("open", &self.open).finish_non_exhaustive()
    }
}

pub(super) fn http<S: Native>(server: S, gate: Gate) -> Http<S> {
    let config = StreamableHttpServerConfig::default()
        // Hosts were checked before, by their exact names.
        .disable_allowed_hosts()
        .with_allowed_origins(gate.origins)
        .enforce_origin_validation()
        .with_json_response(true)
        // An event without data, which tells clients when to come again, is broken JSON to those of 2025-06-18.
        .with_sse_retry(None)
        .with_max_request_body_bytes(gate.body_bytes);
    let cancel = config.cancellation_token.clone();
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION_REST);
    sessions.session_config.sse_retry = None;
    let sessions = Arc::new(sessions);
    let handler = move || Ok(Offer::new(server.clone(), &gate.version, ToolSet::default()));
    Http {
        service: StreamableHttpService::new(handler, sessions.clone(), config),
        sessions,
        open: Mutex::default(),
        stop: Box::new(move || cancel.cancel()),
    }
}

/// It names a session of somebody else, or none at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoSuchSession;

/// The sessions by their ids.
#[derive(Debug, Default)]
struct OpenSessions {
    begun: u64,
    by_id: BTreeMap<String, Session>,
}

#[derive(Debug)]
struct Session {
    /// Only this viewer may use it.
    viewer: String,
    /// Whose seat it takes.
    owner: Owner,
    /// Counted in the order they began.
    number: u64,
    /// Ends it, unless it is used.
    unused: AbortHandle,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.unused.abort();
    }
}

impl<S: Native> Http<S> {
    /// A session belongs to whoever began it; to others it does not exist. Whoever needs none needs no seat.
    pub(super) fn admits(&self, parts: &Parts, viewer: &str) -> Result<(), NoSuchSession> {
        let Some(session) = session(&parts.headers) else { return Ok(()) };
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match open.by_id.get(session) {
            Some(known) if known.viewer == viewer => Ok(()),
            Some(_) | None => Err(NoSuchSession),
        }
    }

    /// Notes that a session is used for what it is there for.
    pub(super) fn used(&self, parts: &Parts) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = session(&parts.headers).and_then(|id| open.by_id.get(id)) {
            session.unused.abort();
        }
    }

    /// Notes whose session an answer began. With one too many the oldest goes: of its owner, or of all.
    pub(super) async fn began(self: &Arc<Self>, answer: &HeaderMap, viewer: &str, owner: &Owner) {
        let Some(id) = session(answer).map(str::to_owned) else { return };
        let still_open: BTreeSet<String> =
            self.sessions.sessions.read().await.keys().map(|id| id.to_string()).collect();
        let (http, unused) = (Arc::downgrade(self), id.clone());
        let unused = tokio::spawn(async move {
            tokio::time::sleep(UNUSED_REST).await;
            if let Some(http) = http.upgrade() {
                http.end(&unused).await;
            }
        });
        let gone = {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.by_id.retain(|known, _| still_open.contains(known));
            open.begun += 1;
            let number = open.begun;
            let (viewer, owner) = (viewer.to_owned(), owner.clone());
            let session = Session { viewer, owner: owner.clone(), number, unused: unused.abort_handle() };
            open.by_id.insert(id, session);
            let own = open.by_id.values().filter(|session| session.owner == owner).count();
            let of = |session: &Session| own <= OWNER_SESSIONS || session.owner == owner;
            let full = own > OWNER_SESSIONS || open.by_id.len() > MAX_SESSIONS;
            let oldest = open
                .by_id
                .iter()
                .filter(|(_, session)| of(session))
                .min_by_key(|(_, session)| session.number);
            oldest.filter(|_| full).map(|(id, _)| id.clone())
        };
        if let Some(gone) = gone {
            self.end(&gone).await;
        }
    }

    async fn end(&self, id: &str) {
        // One that has ended already is no matter.
        let _ = self.sessions.close_session(&Arc::from(id)).await;
        // Last: it may end the task that does this.
        self.open.lock().unwrap_or_else(PoisonError::into_inner).by_id.remove(id);
    }

    /// Ends all sessions and streams.
    pub(super) fn stop(&self) {
        (self.stop)();
    }
}

fn session(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION).and_then(|value| value.to_str().ok())
}

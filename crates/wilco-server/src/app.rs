//! What every door stands on: the runtime, the limits, who may come in.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use wilco_language::parse::MAX_DEPTH;
use wilco_protocol::Name;
use wilco_runtime::Handle;

use crate::auth::{Failures, NewNames, OwnerSeats, Presence, Sessions, Tokens};
use crate::forward::SeenProofs;
use crate::stream::StreamBuffers;

/// How the server is set up.
#[derive(Debug, Clone)]
pub struct Config {
    /// Host headers that are let in, with their ports.
    pub hosts: Vec<String>,
    /// Origins that may write, besides none at all.
    pub origins: Vec<String>,
    /// Whether every call needs a token.
    pub auth_required: bool,
    pub tokens: Tokens,
    /// Who is signed in to the dashboard.
    pub sessions: Sessions,
    pub limits: Limits,
    /// How long a call waits for a node that writes.
    pub patience: Duration,
    pub version: String,
    /// The address that agents use.
    pub url: String,
    /// Who calls without saying who.
    pub default_sender: Name,
    /// What is configured, for the dashboard to show; secrets are not in it.
    pub configured: Vec<Configured>,
}

/// A key of the configuration, what holds, and where that came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Configured {
    pub key: String,
    pub value: serde_json::Value,
    /// `default`, `file`, `environment` or `flag`.
    pub from: &'static str,
    /// The file, variable or flag.
    pub place: Option<String>,
}

/// Past these: a clear error, never a crash.
#[derive(Debug, Clone)]
pub struct Limits {
    pub body_bytes: usize,
    /// How deep a message may be nested.
    pub depth: usize,
    pub header_timeout: Duration,
    pub body_timeout: Duration,
    pub idle_timeout: Duration,
    pub connections: usize,
    pub waiting_readers: usize,
    pub wait: Duration,
    /// How far a stream may fall behind: then it is cut off.
    pub stream_bytes: usize,
    pub stream_events: usize,
    /// What all streams together may hold back.
    pub streams_bytes: usize,
    /// Streams of one owner: a token, else a name, else an address.
    pub owner_streams: usize,
    /// Recipients of a message times the bytes of its body.
    pub broadcast_bytes: usize,
    /// Names that are registered by the way for one owner in a day.
    pub owner_names: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body_bytes: 1 << 20,
            depth: MAX_DEPTH,
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(75),
            connections: 1024,
            waiting_readers: 4096,
            wait: Duration::from_secs(60),
            stream_bytes: 1 << 20,
            stream_events: 1000,
            streams_bytes: 64 << 20,
            owner_streams: 64,
            broadcast_bytes: 16 << 20,
            owner_names: 1000,
        }
    }
}

/// Shared by all requests, each of which has it several times.
#[derive(Debug, Clone)]
pub(crate) struct App(pub(crate) Arc<AppState>);

impl Deref for App {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.0
    }
}

impl App {
    /// The agent that somebody asks about; letter case does not make another.
    pub(crate) fn agent(&self, name: &str) -> Name {
        let name = Name::new(name);
        self.handle.canonical_name(&name).unwrap_or(name)
    }
}

/// What lies behind the door.
#[derive(Debug)]
pub(crate) struct AppState {
    pub(crate) handle: Handle,
    pub(crate) config: Config,
    pub(crate) waiting: Arc<Semaphore>,
    pub(crate) streams: Arc<StreamBuffers>,
    /// Streams of each owner.
    pub(crate) stream_seats: Arc<OwnerSeats>,
    /// One seat, for requests with a key that do something outside.
    pub(crate) keyed: Arc<Semaphore>,
    pub(crate) new_names: NewNames,
    pub(crate) presence: Arc<Presence>,
    pub(crate) failures: Arc<Failures>,
    /// Proofs of other nodes that were seen.
    pub(crate) proofs: Arc<SeenProofs>,
    pub(crate) stopping: tokio::sync::watch::Receiver<bool>,
}

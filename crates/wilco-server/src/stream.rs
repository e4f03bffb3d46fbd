//! Server-sent events: a buffer between what happens and who reads it, so large and no larger.
//!
//! Whoever leaves it full is cut off and may resume; nothing is ever left out of a stream.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use futures_util::stream::poll_fn;
use http::request::Parts;
use http::{StatusCode, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use wilco_engine::Viewer;

use crate::accept::EVENTS;
use crate::app::App;
use crate::auth::{ForeignPage, bearer};
use crate::connection::ConnectionState;
use crate::problem::Failure;

/// A reader that takes nothing out of a full buffer for this long is cut off.
const STALL: Duration = Duration::from_secs(1);
/// How often a stream shows that it is there, when it has nothing to say.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// What a stream, or a reader that waits, needs of its request.
pub(crate) struct Reader {
    line: Arc<ConnectionState>,
    secret: Option<String>,
    viewer: Viewer,
    /// The page of another site that a browser reads for.
    page: Option<ForeignPage>,
    /// Where an earlier stream broke off.
    pub(crate) last_event: Option<u64>,
}

impl FromRequestParts<App> for Reader {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Reader, Failure> {
        let given = parts.headers.get("last-event-id").map(|value| value.to_str().unwrap_or("?").trim());
        let wrong = |text: &str| {
            Failure::bad_request(format!("Last-Event-ID: {text:?} is no position; use the id of an event"))
        };
        let digits = |text: &str| text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit());
        let last_event = match given.filter(|text| !text.is_empty()) {
            None => None,
            Some(text) if digits(text) => Some(text.parse().map_err(|_| wrong(text))?),
            Some(text) => return Err(wrong(text)),
        };
        Ok(Reader {
            line: parts.extensions.get::<Arc<ConnectionState>>().cloned().unwrap_or_default(),
            secret: bearer(&parts.headers).map(str::to_owned),
            viewer: parts.extensions.get::<Viewer>().cloned().unwrap_or(Viewer::ReadOnly),
            page: parts.extensions.get::<ForeignPage>().cloned(),
            last_event,
        })
    }
}

impl Reader {
    /// Whether it may still see what it asked for: its token may have been revoked.
    fn is_allowed(&self, app: &App) -> bool {
        self.secret.as_ref().is_none_or(|secret| app.config.tokens.still_means(secret, &self.viewer))
    }

    /// Asked again before what was waited for is given out.
    pub(crate) fn check(&self, app: &App) -> Result<(), Failure> {
        if self.is_allowed(app) {
            return Ok(());
        }
        let detail = "this token was revoked while you waited; ask an operator for another";
        Err(Failure::new(StatusCode::UNAUTHORIZED, "unauthorized", detail))
    }
}

/// Where what happens is written to.
pub(crate) struct Outlet {
    frames: mpsc::Sender<Frame>,
    room: Arc<Semaphore>,
    bytes: u32,
    app: App,
    reader: Reader,
    _seat: OwnedSemaphorePermit,
}

/// The reader is gone, was cut off, or may no longer read.
#[derive(Debug)]
pub(crate) struct Gone;

/// The room it takes is free again when it is on its way.
struct Frame {
    text: Bytes,
    _room: OwnedSemaphorePermit,
}

/// Opens a stream: what is written to the outlet stands in the answer.
pub(crate) fn open(app: &App, reader: Reader) -> Result<(Outlet, Response), Failure> {
    if let Some(page) = &reader.page {
        return Err(page.refused());
    }
    let seat = app.waiting.clone().try_acquire_owned().map_err(|_| {
        let detail = "too many readers are waiting; try again later, or read pages without wait";
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "too-many-waiting", detail)
    })?;
    let limits = &app.config.limits;
    let (frames, mut waiting) = mpsc::channel::<Frame>(limits.stream_events);
    let bytes = u32::try_from(limits.stream_bytes).unwrap_or(u32::MAX);
    let room = Arc::new(Semaphore::new(bytes as usize));
    reader.line.streams();
    let body = poll_fn(move |context| {
        waiting.poll_recv(context).map(|frame| frame.map(|frame| Ok::<_, Infallible>(frame.text)))
    });
    let headers = [
        (header::CONTENT_TYPE, EVENTS),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    let outlet = Outlet { frames, room, bytes, app: app.clone(), reader, _seat: seat };
    outlet.keep_alive();
    Ok((outlet, (headers, Body::from_stream(body)).into_response()))
}

impl Outlet {
    /// Something that happened. Waits while the buffer is full, but not for ever. A token that was revoked
    /// gets nothing more.
    pub(crate) async fn send(&self, position: u64, json: &str) -> Result<(), Gone> {
        if !self.is_allowed() {
            return Err(Gone);
        }
        let text = format!("id: {position}\ndata: {json}\n\n");
        let size = u32::try_from(text.len()).unwrap_or(u32::MAX).min(self.bytes);
        let sent = tokio::time::timeout(STALL, async {
            let room = self.room.clone().acquire_many_owned(size).await.map_err(|_| Gone)?;
            let frame = Frame { text: text.into(), _room: room };
            self.frames.send(frame).await.map_err(|_| Gone)
        });
        match sent.await {
            Ok(sent) => sent,
            Err(_) => {
                tracing::info!(position, "a stream is cut: its reader is too far behind");
                self.reader.line.cut();
                Err(Gone)
            }
        }
    }

    /// A comment. In a full buffer there is no need for one.
    pub(crate) fn keep_alive(&self) {
        if let Ok(room) = self.room.clone().try_acquire_many_owned(1) {
            let _ = self.frames.try_send(Frame { text: Bytes::from_static(b": wilco\n\n"), _room: room });
        }
    }

    pub(crate) async fn closed(&self) {
        self.frames.closed().await;
    }

    /// Whether the reader may still see what it asked for: its token may have been revoked.
    pub(crate) fn is_allowed(&self) -> bool {
        self.reader.is_allowed(&self.app)
    }
}

//! Server-sent events: a buffer between what happens and who reads it, so large and no larger.
//!
//! Whoever leaves it full is cut off and may resume; nothing is ever left out of a stream.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Poll, ready};
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
use crate::auth::{Credential, ForeignPage, Owner, OwnerSeat};
use crate::connection::ConnectionState;
use crate::problem::Failure;

/// A reader that takes nothing out of a full buffer for this long is cut off.
const STALL: Duration = Duration::from_secs(1);
/// How often a stream shows that it is there, when it has nothing to say.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// What a stream, or a reader that waits, needs of its request.
pub(crate) struct Reader {
    line: Arc<ConnectionState>,
    credential: Option<Credential>,
    viewer: Viewer,
    /// The page of another site that a browser reads for.
    page: Option<ForeignPage>,
    owner: Owner,
    /// Where an earlier stream broke off.
    pub(crate) last_event: Option<u64>,
}

impl FromRequestParts<App> for Reader {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Reader, Failure> {
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
            credential: Credential::of(app, &parts.method, &parts.uri, &parts.headers),
            viewer: parts.extensions.get::<Viewer>().cloned().unwrap_or(Viewer::ReadOnly),
            page: parts.extensions.get::<ForeignPage>().cloned(),
            owner: Owner::of(parts),
            last_event,
        })
    }
}

impl Reader {
    /// Whether it may still see what it asked for: its token may have been revoked.
    fn is_allowed(&self, app: &App) -> bool {
        self.credential.as_ref().is_none_or(|shown| shown.still_means(app, &self.viewer))
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
    held: Arc<Held>,
    app: App,
    reader: Reader,
    _seat: OwnedSemaphorePermit,
    _own_seat: OwnerSeat,
}

/// Streams for which messages are read at the same time.
const READING: usize = 8;

/// What all streams together hold back, so much and no more.
#[derive(Debug)]
pub(crate) struct StreamBuffers {
    room: Arc<Semaphore>,
    bytes: u32,
    /// Turns at reading for streams: what was read counts as held only when its size is known.
    turns: Arc<Semaphore>,
    /// Held only to look, never over an await.
    open: Mutex<Vec<Weak<Held>>>,
}

/// What one stream holds of it.
#[derive(Debug)]
struct Held {
    bytes: AtomicUsize,
    line: Arc<ConnectionState>,
}

/// Bytes that one stream holds back, until it is dropped.
#[derive(Debug)]
pub(crate) struct HeldBytes {
    held: Arc<Held>,
    size: usize,
    _room: OwnedSemaphorePermit,
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.held.bytes.fetch_sub(self.size, Ordering::AcqRel);
    }
}

impl StreamBuffers {
    pub(crate) fn new(bytes: usize) -> StreamBuffers {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let (room, turns) = (Arc::new(Semaphore::new(bytes as usize)), Arc::new(Semaphore::new(READING)));
        StreamBuffers { room, bytes, turns, open: Mutex::default() }
    }

    fn open(&self, line: Arc<ConnectionState>) -> Arc<Held> {
        let held = Arc::new(Held { bytes: AtomicUsize::new(0), line });
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|other| other.strong_count() > 0);
        open.push(Arc::downgrade(&held));
        held
    }

    /// Room for so many bytes. When there is none, the stream that holds most is cut: it resumes.
    async fn hold(&self, held: &Arc<Held>, size: usize) -> Result<HeldBytes, Gone> {
        let wanted = u32::try_from(size).unwrap_or(u32::MAX).min(self.bytes);
        let room = match self.room.clone().try_acquire_many_owned(wanted) {
            Ok(room) => room,
            Err(_) => {
                self.cut_largest();
                self.room.clone().acquire_many_owned(wanted).await.map_err(|_| Gone)?
            }
        };
        held.bytes.fetch_add(size, Ordering::AcqRel);
        Ok(HeldBytes { held: held.clone(), size, _room: room })
    }

    fn cut_largest(&self) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let streams = open.iter().filter_map(Weak::upgrade);
        if let Some(largest) = streams.max_by_key(|held| held.bytes.load(Ordering::Acquire)) {
            tracing::info!("a stream is cut: all streams together hold too much");
            largest.line.cut();
        }
    }
}

/// The reader is gone, was cut off, or may no longer read.
#[derive(Debug)]
pub(crate) struct Gone;

/// The room it takes is free again when it is on its way.
struct Frame {
    text: Bytes,
    _room: OwnedSemaphorePermit,
    _held: Option<HeldBytes>,
}

/// What is handed to the connection at once, which holds it on its own account.
const PIECE: usize = 16 << 10;

/// What somebody is told who has all its streams open already.
pub(crate) fn too_many_streams(app: &App) -> Failure {
    let most = app.config.limits.owner_streams;
    let detail = format!("you have {most} streams open already; close some, or read pages");
    Failure::new(StatusCode::TOO_MANY_REQUESTS, "too-many", detail)
}

/// Opens a stream: what is written to the outlet stands in the answer.
pub(crate) fn open(app: &App, reader: Reader) -> Result<(Outlet, Response), Failure> {
    if let Some(page) = &reader.page {
        return Err(page.refused());
    }
    let own_seat = app.stream_seats.take(&reader.owner).ok_or_else(|| too_many_streams(app))?;
    let seat = app.waiting.clone().try_acquire_owned().map_err(|_| {
        let detail = "too many readers are waiting; try again later, or read pages without wait";
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "too-many-waiting", detail)
    })?;
    let limits = &app.config.limits;
    let (frames, mut waiting) = mpsc::channel::<Frame>(limits.stream_events);
    let bytes = u32::try_from(limits.stream_bytes).unwrap_or(u32::MAX);
    let room = Arc::new(Semaphore::new(bytes as usize));
    reader.line.streams();
    let mut rest: Option<Frame> = None;
    let body = poll_fn(move |context| {
        let frame = match rest.take() {
            Some(frame) => Some(frame),
            None => ready!(waiting.poll_recv(context)),
        };
        let Some(mut frame) = frame else { return Poll::Ready(None) };
        if frame.text.len() <= PIECE {
            return Poll::Ready(Some(Ok::<_, Infallible>(frame.text)));
        }
        // A copy: a part of the text would keep the whole of it.
        let piece = Bytes::copy_from_slice(&frame.text.split_to(PIECE));
        rest = Some(frame);
        Poll::Ready(Some(Ok(piece)))
    });
    let headers = [
        (header::CONTENT_TYPE, EVENTS),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    let held = app.streams.open(reader.line.clone());
    let outlet =
        Outlet { frames, room, bytes, held, app: app.clone(), reader, _seat: seat, _own_seat: own_seat };
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
            let held = self.app.streams.hold(&self.held, text.len()).await?;
            let frame = Frame { text: text.into(), _room: room, _held: Some(held) };
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

    /// A turn at reading, kept until what was read has room.
    pub(crate) async fn turn(&self) -> Result<OwnedSemaphorePermit, Gone> {
        self.app.streams.turns.clone().acquire_owned().await.map_err(|_| Gone)
    }

    /// Room for what was read for this stream and is not yet written to it.
    pub(crate) async fn hold(&self, size: usize) -> Result<HeldBytes, Gone> {
        let held = tokio::time::timeout(STALL, self.app.streams.hold(&self.held, size));
        held.await.unwrap_or(Err(Gone))
    }

    /// A comment. In a full buffer there is no need for one.
    pub(crate) fn keep_alive(&self) {
        if let Ok(room) = self.room.clone().try_acquire_many_owned(1) {
            let _ = self.frames.try_send(Frame {
                text: Bytes::from_static(b": wilco\n\n"),
                _room: room,
                _held: None,
            });
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

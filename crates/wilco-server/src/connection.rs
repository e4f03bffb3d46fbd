//! A connection that must not dawdle: once the first byte of a request is there, its head must follow
//! soon. Waiting between requests is another matter, and longer.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http::StatusCode;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::{Sleep, sleep};

use crate::bare_refusal;
use crate::problem::Failure;

/// What the service tells the connection below it: how many heads were complete, how many answered, and
/// what its streams need.
#[derive(Debug, Default)]
pub(crate) struct ConnectionState {
    complete: AtomicU64,
    answered: AtomicU64,
    streams: AtomicBool,
    /// Somebody listens on it for as long as it is open.
    listens: AtomicBool,
    /// When bytes went over it last, counted over all connections.
    used: AtomicU64,
    cut: Notify,
    received: Notify,
}

/// How often bytes went over any connection: by this it is known which rests longest.
static USES: AtomicU64 = AtomicU64::new(0);

/// What the system may hold back for a stream. More would hide that nobody reads it.
const STREAM_BUFFER: usize = 32 << 10;

impl ConnectionState {
    /// A stream begins on it.
    pub(crate) fn streams(&self) {
        self.streams.store(true, Ordering::Release);
    }

    /// Its answer has no end of its own.
    pub(crate) fn listens(&self) {
        self.listens.store(true, Ordering::Release);
    }

    /// Bytes went over it.
    pub(crate) fn used(&self) {
        self.used.store(1 + USES.fetch_add(1, Ordering::Relaxed), Ordering::Release);
    }

    pub(crate) fn last_used(&self) -> u64 {
        self.used.load(Ordering::Acquire)
    }

    /// Whether nobody waits for anything on it.
    pub(crate) fn rests(&self) -> bool {
        !self.is_answering() && !self.listens.load(Ordering::Acquire)
    }

    /// Ends the connection, whatever is on its way.
    pub(crate) fn cut(&self) {
        self.cut.notify_one();
    }

    pub(crate) async fn is_cut(&self) {
        self.cut.notified().await;
    }

    /// Bytes came.
    pub(crate) async fn received(&self) {
        self.received.notified().await;
    }

    pub(crate) fn complete(&self) {
        self.complete.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn answered(&self) {
        self.answered.fetch_add(1, Ordering::AcqRel);
    }

    fn is_answering(&self) -> bool {
        self.complete.load(Ordering::Acquire) != self.answered.load(Ordering::Acquire)
    }
}

pub(crate) struct Connection {
    stream: TcpStream,
    line: Arc<ConnectionState>,
    header_timeout: Duration,
    /// Part of a head has arrived, after so many complete ones.
    in_head: Option<u64>,
    /// When the rest of it is late. Most heads arrive whole, and need none.
    deadline: Option<Pin<Box<Sleep>>>,
    /// The system was told that a stream is on it.
    narrow: bool,
    /// What is written in the place of a refusal without a body, and how much of it was.
    refusal: Option<(Vec<u8>, usize)>,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream, line: Arc<ConnectionState>, header_timeout: Duration) -> Connection {
        Connection {
            stream,
            line,
            header_timeout,
            in_head: None,
            deadline: None,
            narrow: false,
            refusal: None,
        }
    }

    /// Nothing else is on its way: no head, no answer. Whoever does not read it just sees the end.
    fn say_it_is_late(&self) {
        let detail = format!("the head did not arrive within {} seconds", self.header_timeout.as_secs_f32());
        let answer = Failure::new(StatusCode::REQUEST_TIMEOUT, "head-timeout", detail).written_out();
        let _ = self.stream.try_write(answer.as_bytes());
    }

    /// Writes what stands in the place of a refusal of the parser; none when these bytes are none.
    fn poll_refusal(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Option<Poll<io::Result<usize>>> {
        if self.refusal.is_none() {
            self.refusal = bare_refusal::with_body(buf).map(|bytes| (bytes, 0));
        }
        let (bytes, done) = self.refusal.as_mut()?;
        while *done < bytes.len() {
            match Pin::new(&mut self.stream).poll_write(cx, &bytes[*done..]) {
                Poll::Ready(Ok(0)) => return Some(Poll::Ready(Err(io::ErrorKind::WriteZero.into()))),
                Poll::Ready(Ok(more)) => *done += more,
                Poll::Ready(Err(error)) => return Some(Poll::Ready(Err(error))),
                Poll::Pending => return Some(Poll::Pending),
            }
        }
        self.refusal = None;
        Some(Poll::Ready(Ok(buf.len())))
    }

    fn narrow(&mut self) {
        if !self.narrow && self.line.streams.load(Ordering::Acquire) {
            self.narrow = true;
            // A system that will not have it holds back more; the stream is cut later.
            let _ = rustix::net::sockopt::set_socket_send_buffer_size(&self.stream, STREAM_BUFFER);
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let complete = self.line.complete.load(Ordering::Acquire);
        // A head that is complete by now is no longer waited for.
        self.in_head = self.in_head.filter(|begun_after| *begun_after == complete);
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        let answering = self.line.is_answering();
        if buf.filled().len() > before {
            self.line.received.notify_one();
            self.line.used();
        }
        match &read {
            Poll::Ready(Ok(())) if buf.filled().len() > before && !answering && self.in_head.is_none() => {
                self.in_head = Some(complete);
                self.deadline = None;
            }
            Poll::Pending if self.in_head.is_some() && !answering => {
                let timeout = self.header_timeout;
                let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(timeout)));
                if deadline.as_mut().poll(cx).is_ready() {
                    self.say_it_is_late();
                    return Poll::Ready(Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        "the head took too long",
                    )));
                }
            }
            Poll::Ready(_) | Poll::Pending => {}
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.narrow();
        self.line.used();
        if let Some(written) = self.poll_refusal(cx, buf) {
            return written;
        }
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.narrow();
        self.line.used();
        if let [only] = bufs
            && let Some(written) = self.poll_refusal(cx, only)
        {
            return written;
        }
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

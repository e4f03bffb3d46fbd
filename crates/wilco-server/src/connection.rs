//! A connection that must not dawdle: once the first byte of a request is there, its head must follow
//! soon. Waiting between requests is another matter, and longer.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// What the service tells the connection below it: how many heads were complete, how many answered.
#[derive(Debug, Default)]
pub(crate) struct Heads {
    complete: AtomicU64,
    answered: AtomicU64,
}

impl Heads {
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
    heads: Arc<Heads>,
    header_timeout: Duration,
    deadline: Pin<Box<Sleep>>,
    /// Part of a head has arrived, after so many complete ones.
    in_head: Option<u64>,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream, heads: Arc<Heads>, header_timeout: Duration) -> Connection {
        Connection { stream, heads, header_timeout, deadline: Box::pin(sleep(header_timeout)), in_head: None }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let complete = self.heads.complete.load(Ordering::Acquire);
        // A head that is complete by now is no longer waited for.
        self.in_head = self.in_head.filter(|begun_after| *begun_after == complete);
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        let answering = self.heads.is_answering();
        match &read {
            Poll::Ready(Ok(())) if buf.filled().len() > before && !answering && self.in_head.is_none() => {
                self.in_head = Some(complete);
                self.deadline = Box::pin(sleep(self.header_timeout));
            }
            Poll::Pending if self.in_head.is_some() && !answering => {
                if self.deadline.as_mut().poll(cx).is_ready() {
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
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
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

//! A connection that must not dawdle: once the first byte of a request is there, its head must follow
//! soon. Waiting between requests is another matter, and longer.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// Whether a request is being answered: set when its head is complete, cleared when it is done.
pub(crate) type Busy = Arc<AtomicBool>;

pub(crate) struct Connection {
    stream: TcpStream,
    busy: Busy,
    header_timeout: Duration,
    deadline: Pin<Box<Sleep>>,
    /// Whether part of a head has arrived.
    in_head: bool,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream, busy: Busy, header_timeout: Duration) -> Connection {
        Connection { stream, busy, header_timeout, deadline: Box::pin(sleep(header_timeout)), in_head: false }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        if self.busy.load(Ordering::Acquire) {
            self.in_head = false;
        }
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        let busy = self.busy.load(Ordering::Acquire);
        match &read {
            Poll::Ready(Ok(())) if buf.filled().len() > before && !busy && !self.in_head => {
                self.in_head = true;
                self.deadline = Box::pin(sleep(self.header_timeout));
            }
            Poll::Pending if self.in_head && !busy => {
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

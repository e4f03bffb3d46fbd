//! As little HTTP/1.1 as a client needs that shares its processors with the server: request bytes are made
//! before, answers are measured by their content-length and hardly looked at. Other servers have another way
//! to say where an answer ends, and nothing else that matters here.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, bail};

/// The bytes of a POST with this body.
pub(crate) fn post(server: SocketAddr, kind: &str, body: &str) -> Vec<u8> {
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nhost: {server}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    (head + body).into_bytes()
}

pub(crate) fn get(server: SocketAddr, path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: {server}\r\n\r\n").into_bytes()
}

/// One kept-alive connection with at most one request under way.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
    read: ReadAnswer,
    buffer: Vec<u8>,
    filled: usize,
}

/// Finds the answer in what has come, if it is whole; fails when it is none.
pub(crate) type ReadAnswer = fn(&[u8]) -> anyhow::Result<Option<Answer<'_>>>;

/// Longer than any honest answer takes; a server that hangs must not hang the benchmark.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer<'a> {
    pub(crate) status: u16,
    pub(crate) body: &'a [u8],
}

impl Connection {
    pub(crate) fn open(server: SocketAddr) -> anyhow::Result<Connection> {
        Connection::speaking(server, answer)
    }

    /// To a server whose answers are read so.
    pub(crate) fn speaking(server: SocketAddr, read: ReadAnswer) -> anyhow::Result<Connection> {
        let stream = TcpStream::connect(server).with_context(|| format!("cannot connect to {server}"))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Connection { stream, read, buffer: vec![0; 16 * 1024], filled: 0 })
    }

    pub(crate) fn send(&mut self, request: &[u8]) -> anyhow::Result<()> {
        self.filled = 0;
        self.stream.write_all(request).context("a request could not be sent")
    }

    /// Reads once; the answer, if it is whole now.
    pub(crate) fn receive(&mut self) -> anyhow::Result<Option<Answer<'_>>> {
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let more = self.stream.read(&mut self.buffer[self.filled..]).context("no answer came")?;
        if more == 0 {
            bail!("the server closed the connection");
        }
        self.filled += more;
        (self.read)(&self.buffer[..self.filled])
    }

    /// Sends a request and waits for the answer.
    pub(crate) fn call(&mut self, request: &[u8]) -> anyhow::Result<(u16, Vec<u8>)> {
        self.send(request)?;
        loop {
            if let Some(answer) = self.receive()? {
                return Ok((answer.status, answer.body.to_vec()));
            }
        }
    }
}

/// An answer of HTTP.
pub(crate) fn answer(bytes: &[u8]) -> anyhow::Result<Option<Answer<'_>>> {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
    let head = std::str::from_utf8(&bytes[..end]).context("the head of an answer is no text")?;
    let status = head.get(9..12).and_then(|status| status.parse().ok());
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    let (Some(status), Some(length)) = (status, length) else {
        bail!("expected a status and a content-length, got {head:?}");
    };
    Ok(bytes.get(end + 4..end + 4 + length).map(|body| Answer { status, body }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_taken_when_its_body_is_whole() {
        let bytes = b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\ndate: now\r\n\r\n{}";
        assert!(answer(&bytes[..30]).unwrap().is_none(), "half a head");
        assert!(answer(&bytes[..bytes.len() - 1]).unwrap().is_none(), "half a body");
        let whole = answer(bytes).unwrap().unwrap();
        assert_eq!((whole.status, whole.body), (201, &b"{}"[..]));
        assert!(answer(b"HTTP/1.1 200 OK\r\n\r\n").is_err(), "no length");
    }
}

//! PERF-2: others that keep messages durably, started beside the server and given the same messages.
//!
//! Each runs on a free port and in a directory of its own, and ends with the benchmark.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use crate::http::Answer;
use crate::options::Peer;
use crate::requests::{Script, message};
use crate::rounds::CONNECTIONS;
use crate::server::Server;

pub(crate) const REDIS: &str = "redis";

/// A peer that runs, and what the connections say to it.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) name: &'static str,
    pub(crate) server: Server,
    pub(crate) scripts: Vec<Script>,
}

/// Starts those that were asked for.
pub(crate) fn start(peers: &[Peer], directory: &Path) -> anyhow::Result<Vec<Running>> {
    let start = |peer: &Peer| match peer {
        Peer::Redis => redis(directory),
        Peer::Nats => bail!(NATS),
        Peer::Postgres => bail!(POSTGRES),
    };
    peers.iter().map(start).collect()
}

const NATS: &str = "nats cannot be measured: the nats-server of Debian 12 (2.9) cannot sync before it \
    answers, so nothing about it would be durable; leave it out of --against";
const POSTGRES: &str = "postgres cannot be measured: no row of the table has it as its reference; leave it \
    out of --against";

/// Redis with an append-only file that is synced before every answer, and nothing else.
fn redis(directory: &Path) -> anyhow::Result<Running> {
    let (data, address) = (directory.join(REDIS), free()?);
    std::fs::create_dir(&data)?;
    let mut command = Command::new("redis-server");
    command.args(["--bind", "127.0.0.1", "--port", &address.port().to_string(), "--daemonize", "no"]);
    command.args(["--appendonly", "yes", "--appendfsync", "always", "--save", ""]).arg("--dir").arg(data);
    let server = Server::told(&mut command, address)
        .context("redis-server does not run; `cargo xtask bench` installs it on Debian")?;
    let script = |pair| {
        let stream = format!("stream-{pair}");
        Script::foreign(reply, request(&["XADD", &stream, "*", "message", &message(pair)]))
    };
    Ok(Running { name: REDIS, server, scripts: (0..CONNECTIONS).map(script).collect() })
}

/// A port that nobody has at this moment.
fn free() -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("there is no free port")?;
    Ok(listener.local_addr()?)
}

/// A command in the protocol of Redis: an array of strings, each with its length.
fn request(words: &[&str]) -> Vec<u8> {
    let word = |word: &&str| format!("${}\r\n{word}\r\n", word.len());
    format!("*{}\r\n{}", words.len(), words.iter().map(word).collect::<String>()).into_bytes()
}

/// The answer to XADD: the id of the entry, or an error.
fn reply(bytes: &[u8]) -> anyhow::Result<Option<Answer<'_>>> {
    let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") else { return Ok(None) };
    let line = &bytes[1..end.max(1)];
    match bytes.first() {
        Some(b'$') => {
            let length = std::str::from_utf8(line).ok().and_then(|line| line.parse::<usize>().ok());
            let length = length.context("Redis does not say how long its answer is")?;
            let (from, to) = (end + 2, end + 2 + length);
            Ok(bytes.get(from..to + 2).map(|_| Answer { status: 201, body: &bytes[from..to] }))
        }
        Some(b'-') => Ok(Some(Answer { status: 500, body: line })),
        _ => bail!("expected the id of an entry, got {:?}", String::from_utf8_lossy(&bytes[..end])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perf_2_a_reply_is_taken_when_it_is_whole() {
        assert_eq!(request(&["XADD", "s"]), b"*2\r\n$4\r\nXADD\r\n$1\r\ns\r\n");
        let whole = b"$3\r\n1-0\r\n";
        for part in 0..whole.len() {
            assert!(reply(&whole[..part]).unwrap().is_none(), "{part} bytes");
        }
        assert_eq!(
            reply(whole).unwrap().map(|answer| (answer.status, answer.body)),
            Some((201, &b"1-0"[..]))
        );
        let refused = reply(b"-ERR no\r\n").unwrap().unwrap();
        assert_eq!((refused.status, refused.body), (500, &b"ERR no"[..]));
        assert!(reply(b":7\r\n").is_err());
    }
}

//! Redis with an append-only file that is synced before every answer, and nothing else.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use super::free;
use crate::http::Answer;
use crate::requests::{Script, message};
use crate::rounds::CONNECTIONS;
use crate::server::Server;

pub(super) fn start(directory: &Path) -> anyhow::Result<(Server, Vec<Script>)> {
    let (data, address) = (directory.join("redis"), free()?);
    std::fs::create_dir(&data)?;
    let mut command = Command::new("redis-server");
    command.args(["--bind", "127.0.0.1", "--port", &address.port().to_string(), "--daemonize", "no"]);
    command.args(["--appendonly", "yes", "--appendfsync", "always", "--save", ""]).arg("--dir").arg(data);
    let server = Server::told(&mut command, address)?;
    let script = |pair| {
        let stream = format!("stream-{pair}");
        Script::foreign(reply, b"", request(&["XADD", &stream, "*", "message", &message(pair)]))
    };
    Ok((server, (0..CONNECTIONS).map(script).collect()))
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

//! PostgreSQL as it comes: every INSERT is a transaction that is on the disk before it is answered.

use std::ffi::OsStr;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::free;
use crate::http::{Answer, Connection};
use crate::requests::{Script, message};
use crate::rounds::CONNECTIONS;
use crate::server::Server;

/// Who it runs as when the benchmark runs as root, which it refuses to be.
const USER: &str = "postgres";
/// What a connection says first: version 3 of the protocol, user and database.
const GREETING: &[u8] = b"\0\0\0\x29\0\x03\0\0user\0postgres\0database\0postgres\0\0";
/// How long it may take to start.
const START: Duration = Duration::from_secs(10);
const TABLE: &str = "CREATE TABLE messages (id bigserial PRIMARY KEY, body text NOT NULL)";

pub(super) fn start(directory: &Path) -> anyhow::Result<(Server, Vec<Script>)> {
    let (data, address, programs) = (directory.join("postgres"), free()?, programs()?);
    fs::create_dir(&data)?;
    if rustix::process::getuid().is_root() {
        succeed(Command::new("chown").arg(USER).arg(&data))?;
    }
    succeed(as_its_user(&programs.join("initdb")).args(["-A", "trust", "-U", USER, "-D"]).arg(&data))?;
    let mut command = as_its_user(&programs.join("postgres"));
    command.args(["-h", "127.0.0.1", "-p", &address.port().to_string(), "-k", "", "-D"]).arg(&data);
    let server = Server::told(&mut command, address)?;
    let (status, body) = first(server.address)?.call(&query(TABLE))?;
    if status != 201 {
        bail!("it refuses to make a table: {}", String::from_utf8_lossy(&body));
    }
    let script = |pair| {
        let insert = format!("INSERT INTO messages (body) VALUES ('{}')", message(pair).replace('\'', "''"));
        Script::foreign(reply, GREETING, query(&insert))
    };
    Ok((server, (0..CONNECTIONS).map(script).collect()))
}

/// The first connection. While it starts it takes connections and closes them again.
fn first(address: SocketAddr) -> anyhow::Result<Connection> {
    let until = Instant::now() + START;
    loop {
        let mut connection = Connection::speaking(address, reply)?;
        match connection.call(GREETING) {
            Ok((201, _)) => return Ok(connection),
            Err(error) if Instant::now() > until => return Err(error),
            _ => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// Where Debian keeps the programs of the newest version.
fn programs() -> anyhow::Result<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").context("PostgreSQL is not installed")?;
    let number = |name: &OsStr| name.to_str().and_then(|name| name.parse::<u32>().ok());
    let newest = versions.flatten().filter(|entry| number(&entry.file_name()).is_some());
    let newest = newest.max_by_key(|entry| number(&entry.file_name()));
    Ok(newest.context("PostgreSQL is not installed")?.path().join("bin"))
}

fn as_its_user(program: &Path) -> Command {
    if !rustix::process::getuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", USER, "--regid", USER, "--clear-groups"]).arg(program);
    command
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// A statement by itself.
fn query(statement: &str) -> Vec<u8> {
    let length = u32::try_from(statement.len() + 5).unwrap_or(u32::MAX);
    [b"Q", &length.to_be_bytes()[..], statement.as_bytes(), b"\0"].concat()
}

/// An answer is a row of parts, each with a letter and its length; the last says that it is ready again.
fn reply(bytes: &[u8]) -> anyhow::Result<Option<Answer<'_>>> {
    let (mut rest, mut refused) = (bytes, None);
    while let [letter, a, b, c, d, ..] = *rest {
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        let Some(part) = rest.get(5..=length) else { return Ok(None) };
        match letter {
            b'E' => refused = Some(part),
            b'Z' => {
                let status = if refused.is_some() { 500 } else { 201 };
                return Ok(Some(Answer { status, body: refused.unwrap_or_default() }));
            }
            _ => {}
        }
        rest = &rest[length + 1..];
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perf_2_a_reply_is_taken_when_the_server_is_ready_again() {
        assert_eq!(GREETING.len(), usize::from(GREETING[3]), "the greeting says its length");
        assert_eq!(query("SELECT 1"), b"Q\0\0\0\x0dSELECT 1\0");
        let whole = b"C\0\0\0\x0fINSERT 0 1\0Z\0\0\0\x05I";
        for part in 0..whole.len() {
            assert!(reply(&whole[..part]).unwrap().is_none(), "{part} bytes");
        }
        assert_eq!(reply(whole).unwrap().map(|answer| answer.status), Some(201));
        let refused = reply(b"E\0\0\0\x06no\x5a\0\0\0\x05I").unwrap().unwrap();
        assert_eq!((refused.status, refused.body), (500, &b"no"[..]));
    }
}

//! NATS with a stream on disk. What Debian 12 has (2.9) answers before it syncs, so it promises less than the
//! others: its figure says what durability costs, and nothing is measured against it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use super::free;
use crate::http::{Answer, Connection};
use crate::requests::{Script, message};
use crate::rounds::CONNECTIONS;
use crate::server::Server;

const STREAM: &str = r#"{"name":"messages","subjects":["messages.*"],"storage":"file","retention":"limits","max_consumers":-1,"max_msgs":-1,"max_bytes":-1,"max_age":0,"num_replicas":1}"#;

pub(super) fn start(directory: &Path) -> anyhow::Result<(Server, Vec<Script>)> {
    let (data, address) = (directory.join("nats"), free()?);
    let mut command = Command::new("nats-server");
    command.args(["-a", "127.0.0.1", "-p", &address.port().to_string(), "-js", "-sd"]).arg(data);
    let server = Server::told(&mut command, address)?;
    let mut connection = Connection::speaking(server.address, reply)?;
    connection.call(&greeting(CONNECTIONS))?;
    let (status, body) = connection.call(&publish("$JS.API.STREAM.CREATE.messages", CONNECTIONS, STREAM))?;
    if status != 201 {
        bail!("NATS refuses to begin: {}", String::from_utf8_lossy(&body));
    }
    let script = |pair| {
        let request = publish(&format!("messages.{pair}"), pair, &message(pair));
        Script::foreign(reply, &greeting(pair), request)
    };
    Ok((server, (0..CONNECTIONS).map(script).collect()))
}

/// Who speaks, where it hears its answers, and a question whose answer says that this was understood.
fn greeting(pair: usize) -> Vec<u8> {
    format!("CONNECT {{\"verbose\":false}}\r\nSUB answers.{pair} 1\r\nPING\r\n").into_bytes()
}

fn publish(subject: &str, pair: usize, body: &str) -> Vec<u8> {
    format!("PUB {subject} answers.{pair} {}\r\n{body}\r\n", body.len()).into_bytes()
}

/// Lines; a message has its length in its line and its text behind it. What the server says of itself is passed over.
fn reply(bytes: &[u8]) -> anyhow::Result<Option<Answer<'_>>> {
    let mut rest = bytes;
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let line = std::str::from_utf8(&rest[..end]).context("NATS says what is no text")?;
        match line.split(' ').next() {
            Some("MSG") => {
                let length = line.rsplit(' ').next().and_then(|length| length.parse::<usize>().ok());
                let length = length.context("NATS does not say how long its answer is")?;
                let body = rest.get(end + 2..end + 2 + length);
                let whole = rest.get(end + 2 + length..end + 4 + length).is_some();
                let refused = |body: &[u8]| body.windows(8).any(|eight| eight == b"\"error\":");
                let answer = |body| Answer { status: if refused(body) { 500 } else { 201 }, body };
                return Ok(body.filter(|_| whole).map(answer));
            }
            Some("PONG") => return Ok(Some(Answer { status: 201, body: b"" })),
            Some("INFO" | "PING" | "+OK") => rest = &rest[end + 2..],
            _ => bail!("expected an answer, got {line:?}"),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perf_2_a_reply_is_taken_when_it_is_whole_and_what_is_no_reply_is_passed_over() {
        let whole = b"INFO {}\r\nPING\r\nMSG answers.1 1 9\r\n{\"seq\":1}\r\n";
        for part in 0..whole.len() {
            assert!(reply(&whole[..part]).unwrap().is_none(), "{part} bytes");
        }
        assert_eq!(
            reply(whole).unwrap().map(|answer| (answer.status, answer.body)),
            Some((201, &b"{\"seq\":1}"[..]))
        );
        assert_eq!(reply(b"INFO {}\r\nPONG\r\n").unwrap().map(|answer| answer.status), Some(201));
        let refused = reply(b"MSG answers.1 1 12\r\n{\"error\":{}}\r\n").unwrap().unwrap();
        assert_eq!(refused.status, 500);
        assert!(reply(b"-ERR 'no'\r\n").is_err());
    }
}

//! What the connections say, made before the load begins.

use std::net::SocketAddr;

use anyhow::bail;
use serde_json::{Value, json};

use crate::http::{self, Answer, Connection, ReadAnswer, post};

/// The requests of one connection, said again and again in order.
#[derive(Debug)]
pub(crate) struct Script {
    read: ReadAnswer,
    /// What is said once, before the rest; nothing for most.
    greeting: Vec<u8>,
    steps: Vec<Step>,
    at: usize,
    /// How often it began; written over the zeros of `NUMBER`, so that every delegation has an id of its own.
    round: u64,
}

#[derive(Debug)]
struct Step {
    request: Vec<u8>,
    /// Where the number of the round stands in the request.
    places: Vec<usize>,
    /// What the answer says, looked for in the first round; the status is looked at always.
    says: &'static str,
}

/// A message is a JSON of this size.
pub(crate) const MESSAGE_BYTES: usize = 500;
/// Messages in a request to the batch door.
pub(crate) const BATCH: usize = 100;
/// Pairs of agents that talk in any of the loads; every line of a batch has one of its own.
pub(crate) const PAIRS: usize = 8 * BATCH;

const NUMBER: &str = "0000000000";
const JSON: &str = "application/json";
const NDJSON: &str = "application/x-ndjson";
const TEXT: &str = "The nightly build is green again: the flaky test waited for a port that another job \
    had taken. It now asks for a free one. Nothing is left to do on your side. ";

/// One message after the other, each connection between two agents of its own.
pub(crate) fn messages(server: SocketAddr, connections: usize) -> Vec<Script> {
    let say = |pair: usize| vec![Step::new(post(server, JSON, &message(pair)), r#""message":"#)];
    (0..connections).map(|pair| Script::new(say(pair))).collect()
}

/// The same messages by the batch door, between so many pairs of agents that no inbox is full after a while.
pub(crate) fn batches(server: SocketAddr, connections: usize) -> Vec<Script> {
    let say = |connection: usize| {
        let lines: Vec<_> = (0..BATCH).map(|line| message((connection * BATCH + line) % PAIRS)).collect();
        vec![Step::new(post(server, NDJSON, &lines.join("\n")), r#"{"status":201"#)]
    };
    (0..connections).map(|connection| Script::new(say(connection))).collect()
}

/// Whole delegations: assigned, acknowledged with a right understanding, completed.
pub(crate) fn delegations(server: SocketAddr, connections: usize) -> Vec<Script> {
    (0..connections).map(|pair| Script::new(delegation(server, pair))).collect()
}

pub(crate) fn message(pair: usize) -> String {
    let whole = |text: &str| {
        json!({
            "from": sender(pair), "to": recipient(pair), "subject": "Nightly build", "priority": "normal",
            "content": {"type": "message", "message": text},
        })
        .to_string()
    };
    let room = MESSAGE_BYTES - whole("").len();
    whole(&TEXT.chars().cycle().take(room).collect::<String>())
}

fn delegation(server: SocketAddr, pair: usize) -> Vec<Step> {
    let (boss, worker, task) = (sender(pair), recipient(pair), format!("P{pair}-{NUMBER}"));
    let assigned = json!({
        "type": "task-assignment", "task_id": task, "title": "Add a login page",
        "description": "The page asks for name and password and shows an error when they are wrong.",
        "acceptance_criteria": ["The login page shows an error for a wrong password"],
    });
    let acknowledged = json!({
        "type": "task-acknowledgment", "task_id": task, "status": "received",
        "understanding": "Add a login page; the login page shows an error for a wrong password.",
    });
    let completed = json!({"type": "task-complete", "task_id": task, "message": "Merged, all tests pass"});
    let say = |from: &str, to: &str, content: Value, says| {
        let body = json!({"from": from, "to": to, "subject": "Login page", "content": content});
        Step::new(post(server, JSON, &body.to_string()), says)
    };
    vec![
        say(&boss, &worker, assigned, r#""state":"awaiting-ack""#),
        say(&worker, &boss, acknowledged, r#""state":"working""#),
        say(&worker, &boss, completed, r#""state":"completed""#),
    ]
}

pub(crate) fn sender(pair: usize) -> String {
    format!("sender-{pair}")
}

pub(crate) fn recipient(pair: usize) -> String {
    format!("recipient-{pair}")
}

/// Makes both agents of every pair known: a task goes only to somebody who is, and who is new costs more.
pub(crate) fn introduce(server: SocketAddr, pairs: usize) -> anyhow::Result<()> {
    let lines: Vec<_> = (0..pairs).map(message).collect();
    let mut connection = Connection::open(server)?;
    for chunk in lines.chunks(BATCH) {
        let (status, body) = connection.call(&post(server, NDJSON, &chunk.join("\n")))?;
        accepted(&Answer { status, body: &body })?;
    }
    Ok(())
}

/// Fills one inbox with so many messages.
pub(crate) fn fill(server: SocketAddr, agent: &str, messages: usize) -> anyhow::Result<()> {
    let mut connection = Connection::open(server)?;
    let line =
        json!({"from": "filler", "to": agent, "content": {"type": "message", "message": TEXT}}).to_string();
    for begun in (0..messages).step_by(1000) {
        let lines = vec![line.as_str(); (messages - begun).min(1000)].join("\n");
        let (status, body) = connection.call(&post(server, NDJSON, &lines))?;
        accepted(&Answer { status, body: &body })?;
    }
    Ok(())
}

/// Every line of a batch, or the one message, was taken.
fn accepted(answer: &Answer<'_>) -> anyhow::Result<()> {
    let refused = match answer.status {
        201 => return Ok(()),
        200 => answer
            .body
            .split(|byte| *byte == b'\n')
            .find(|line| !line.is_empty() && !line.starts_with(br#"{"status":201"#)),
        _ => Some(answer.body),
    };
    match refused {
        None => Ok(()),
        Some(said) => {
            bail!("a request was refused with {}: {}", answer.status, String::from_utf8_lossy(said))
        }
    }
}

impl Step {
    fn new(request: Vec<u8>, says: &'static str) -> Step {
        let number = NUMBER.as_bytes();
        let places = request.windows(number.len()).enumerate().filter(|(_, at)| *at == number);
        Step { places: places.map(|(place, _)| place).collect(), request, says }
    }
}

impl Script {
    fn new(steps: Vec<Step>) -> Script {
        Script { read: http::answer, greeting: Vec::new(), steps, at: 0, round: 0 }
    }

    /// One request, said again and again to a server that does not speak HTTP.
    pub(crate) fn foreign(read: ReadAnswer, greeting: &[u8], request: Vec<u8>) -> Script {
        Script { read, greeting: greeting.to_vec(), ..Script::new(vec![Step::new(request, "")]) }
    }

    /// A connection on which it can be said.
    pub(crate) fn connect(&self, server: SocketAddr) -> anyhow::Result<Connection> {
        let mut connection = Connection::speaking(server, self.read)?;
        if !self.greeting.is_empty() {
            let (status, body) = connection.call(&self.greeting)?;
            accepted(&Answer { status, body: &body })?;
        }
        Ok(connection)
    }

    /// The next request.
    pub(crate) fn next(&mut self) -> &[u8] {
        if self.at == 0 {
            self.round += 1;
        }
        let count = self.steps.len();
        let step = &mut self.steps[self.at];
        if !step.places.is_empty() {
            let number = format!("{:010}", self.round);
            for place in &step.places {
                step.request[*place..place + number.len()].copy_from_slice(number.as_bytes());
            }
        }
        self.at = (self.at + 1) % count;
        &step.request
    }

    /// Whether it has begun something that a later step ends.
    pub(crate) fn is_midway(&self) -> bool {
        self.at != 0
    }

    /// Refuses an answer to the latest request that is not what was wanted.
    pub(crate) fn check(&self, answer: &Answer<'_>) -> anyhow::Result<()> {
        accepted(answer)?;
        let step = &self.steps[(self.at + self.steps.len() - 1) % self.steps.len()];
        let body = String::from_utf8_lossy(if self.round == 1 { answer.body } else { b"" });
        if self.round == 1 && !body.contains(step.says) {
            bail!("expected an answer with {}, got {body}", step.says);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 9);

    #[test]
    fn perf_1_a_message_has_500_bytes() {
        for pair in [0, 63] {
            assert_eq!(message(pair).len(), MESSAGE_BYTES);
        }
    }

    #[test]
    fn perf_5_every_delegation_has_a_task_of_its_own() {
        let mut script = delegations(SERVER, 1).remove(0);
        let said: Vec<_> = (0..4).map(|_| String::from_utf8(script.next().to_vec()).unwrap()).collect();
        assert!(said[..3].iter().all(|step| step.contains("P0-0000000001")));
        assert!(said[3].contains("P0-0000000002") && script.is_midway());
    }

    #[test]
    fn a_refused_line_of_a_batch_is_noticed() {
        let body = b"{\"status\":201}\n{\"status\":429}\n";
        assert!(accepted(&Answer { status: 200, body }).is_err());
        assert!(accepted(&Answer { status: 200, body: &body[..15] }).is_ok());
        assert!(accepted(&Answer { status: 503, body: b"" }).is_err());
    }
}

//! A wall clock that is set while the server runs: deadlines stay where they are.
//!
//! libfaketime (Debian's package `faketime`) stands between the server and its calendar; the clock that runs
//! since the machine was booted is left alone, as it is when somebody sets the time.

use crate::server;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::server::{Server, Setup, task_with};
use serde_json::{Value, json};
use tempfile::NamedTempFile;
use wilco_protocol::Time;

/// How long an agent may be silent, twice.
const SILENCE: Duration = Duration::from_secs(2);
/// Time that was set is followed by a twentieth of what passes, so a deadline comes no earlier than this.
const EARLIEST: Duration = Duration::from_millis(1900);
/// And no later, on a machine that does much else. Hours would be wrong.
const LATEST: Duration = Duration::from_secs(60);

/// A wall clock that a test can set, from its own file.
pub(crate) struct Wall(NamedTempFile);

impl Wall {
    pub(crate) fn new(offset: &str) -> Wall {
        let wall = Wall(NamedTempFile::new().unwrap());
        wall.set(offset);
        wall
    }

    /// By so much it differs from the machine's, as in `+5h`.
    fn set(&self, offset: &str) {
        std::fs::write(self.0.path(), offset).unwrap();
    }

    fn start(&self) -> Server {
        self.on(Setup::new().real_clock()).start()
    }

    /// A server that goes by it.
    pub(crate) fn on(&self, setup: Setup) -> Setup {
        setup
            .environment("LD_PRELOAD", library().to_str().unwrap())
            .environment("FAKETIME_TIMESTAMP_FILE", self.0.path().to_str().unwrap())
            .environment("FAKETIME_NO_CACHE", "1")
            .environment("FAKETIME_DONT_FAKE_MONOTONIC", "1")
    }
}

fn library() -> PathBuf {
    let places = std::fs::read_dir("/usr/lib").unwrap().flatten();
    let mut libraries = places.map(|place| place.path().join("faketime/libfaketimeMT.so.1"));
    let found = libraries.find(|library| Path::new(library).is_file());
    found.expect("install Debian's package faketime; `cargo xtask test` does so")
}

fn requests(server: &Server) -> Vec<Value> {
    let asks = |message: &Value| message["content"]["type"] == "ack-request";
    server.inbox("worker").into_iter().filter(asks).collect()
}

/// Begins a delegation; its id, and when that was.
pub(crate) fn begin(server: &Server) -> (String, Instant) {
    server.register(&["boss", "worker"]);
    let policy = json!({"ack_timeout": "2s", "retry_timeouts": ["2s"]});
    let id = server.begin(&task_with("T-1", policy));
    (id, Instant::now())
}

/// Waits for the next message behind the first so many of an inbox.
pub(crate) fn wait(server: &Server, agent: &str, known: usize) -> Value {
    let after = match known {
        0 => json!("0"),
        known => server.get(&format!("/v1/agents/{agent}/inbox?limit={known}")).1["next"].clone(),
    };
    let after = after.as_str().unwrap();
    let (status, page) = server.get(&format!("/v1/agents/{agent}/inbox?wait=60s&after={after}"));
    assert_eq!(status, 200, "{page}");
    page["items"][0].clone()
}

/// The wall clock is set after the task was assigned, and once more before the agent is unresponsive.
fn jumps(first: &str, second: &str) {
    let wall = Wall::new("+0s");
    let server = wall.start();
    let (id, begun) = begin(&server);
    wall.set(first);
    assert_eq!((server.state(&id).as_str(), requests(&server).len()), ("awaiting-ack", 0));
    let request = wait(&server, "worker", 1);
    let asked = begun.elapsed();
    assert_eq!(request["content"]["type"], "ack-request");
    assert!((EARLIEST..LATEST).contains(&asked), "asked after {asked:?}, not {SILENCE:?}");

    let begun = Instant::now();
    wall.set(second);
    assert_eq!(server.state(&id), "awaiting-ack");
    let escalation = wait(&server, "boss", 0);
    let escalated = begun.elapsed();
    assert_eq!(escalation["content"]["type"], "escalation");
    assert!(
        (EARLIEST - asked.saturating_sub(SILENCE).min(EARLIEST)..LATEST).contains(&escalated),
        "{escalated:?}"
    );
    assert_eq!(requests(&server).len(), 1, "asked once");

    let at: Vec<_> = server.events().iter().map(|event| event["at"].as_str().unwrap().to_owned()).collect();
    assert!(at.is_sorted(), "time never goes back: {at:?}");
    server.verify();
}

#[test]
fn g7_a_wall_clock_set_forward_and_back_by_hours_moves_no_deadline() {
    jumps("+5h", "-7h");
}

#[test]
fn g7_a_wall_clock_set_back_and_forward_by_hours_moves_no_deadline() {
    jumps("-5h", "+7h");
}

/// The control: the server does see the clock that the tests set.
#[test]
fn g7_a_server_starts_with_the_wall_clock_it_is_given() {
    let stamp = |offset: &str| -> Time {
        let server = Wall::new(offset).start();
        let sent = server.send(&server::text("ann", "bob", "what time is it?"));
        sent["message"]["timestamp"].as_str().unwrap().parse().unwrap()
    };
    let (now, ahead) = (stamp("+0s"), stamp("+5h"));
    let hours = ahead.since(now).as_millis() / 3_600_000;
    assert_eq!(hours, 5, "{now} and {ahead}");
}

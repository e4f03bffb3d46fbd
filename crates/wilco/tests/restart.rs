//! What a restart keeps, and what happens after downtime.

use std::os::unix::fs::FileExt;

use crate::server::{Server, Setup, ack, said, task, text};
use serde_json::json;

const START: &str = "2026-03-01T12:00:00.000Z";

fn at_noon() -> Server {
    let server = Setup::new().clock_at(START).start();
    server.register(&["boss", "worker"]);
    server
}

fn requests(server: &Server) -> usize {
    server.kinds("worker").iter().filter(|kind| *kind == "ack-request").count()
}

#[test]
fn g1_what_was_accepted_is_there_after_kill_9() {
    let server = at_noon();
    let id = server.begin(&task("T-1"));
    server.send(&ack("T-1"));
    server.send(&said("worker", "boss", "checkpoint-ack", json!({"task_id": "T-1", "checkpoint": 1})));
    let (shown, inbox, events) = (server.exchange(&id), server.inbox("boss"), server.events());
    let server = server.restart();
    assert_eq!((server.exchange(&id), server.inbox("boss")), (shown, inbox));
    assert_eq!(server.events()[..events.len()], events);
    server.send(&said("worker", "boss", "task-complete", json!({"task_id": "T-1"})));
    assert_eq!(server.state(&id), "completed");
    server.verify();
}

#[test]
fn g7_a_restart_neither_loses_nor_doubles_nor_shifts_a_deadline() {
    let server = at_noon();
    let id = server.begin(&task("T-1"));
    server.advance("4m");
    let server = server.restart();
    server.advance("59s");
    assert_eq!(requests(&server), 0);
    server.advance("1s");
    assert_eq!(requests(&server), 1);
    let server = server.restart().restart();
    assert_eq!(requests(&server), 1);
    server.advance("119s");
    assert_eq!(server.state(&id), "awaiting-ack");
    server.advance("1s");
    assert_eq!(server.state(&id), "escalated");
    server.verify();
}

#[test]
fn del_34_an_overdue_reminder_happens_once_and_at_once() {
    let server = at_noon();
    let id = server.begin(&task("T-1"));
    let server = server.restart_at("2026-03-01T12:20:00.000Z");
    assert_eq!(requests(&server), 1, "at once, before anybody asks");
    server.advance("119s");
    assert_eq!((requests(&server), server.state(&id)), (1, "awaiting-ack".to_owned()));
    server.advance("1s");
    assert_eq!(server.state(&id), "escalated", "the next period counts from then");
}

#[test]
fn del_34_silence_across_downtime_gets_one_more_request_and_a_grace() {
    let server = at_noon();
    let id = server.begin(&task("T-1"));
    server.advance("6m");
    assert_eq!(requests(&server), 1);
    let server = server.restart_at("2026-03-01T13:00:00.000Z");
    assert_eq!((requests(&server), server.state(&id)), (2, "awaiting-ack".to_owned()));
    assert_ne!(server.get("/v1/agents/worker").1["status"], "unresponsive");
    server.advance("29s");
    assert_eq!(server.state(&id), "awaiting-ack");
    server.advance("1s");
    assert_eq!(server.state(&id), "escalated");
    assert_eq!(server.get("/v1/agents/worker").1["status"], "unresponsive");
}

/// The reminder and the iteration both became due meanwhile: one reminder says it all.
#[test]
fn val_11_an_overdue_reminder_happens_once_also_when_the_iteration_is_over() {
    let server = at_noon();
    let phase = json!({"name": "unit", "specialist": "worker"});
    let rounds = json!({"issue": 42, "feature": "Login", "main_agent": "boss", "phases": [phase]});
    let id = server.begin(&said("boss", "validation-orchestrator", "validation-start", rounds));
    let server = server.restart_at("2026-03-01T14:00:00.000Z");
    let reminders = || server.kinds("worker").iter().filter(|kind| *kind == "timeout-reminder").count();
    assert_eq!((reminders(), server.state(&id)), (1, "in-progress".to_owned()));
    server.advance("30s");
    assert_eq!((reminders(), server.state(&id)), (1, "escalated".to_owned()));
    server.verify();
}

#[test]
fn del_34_the_gap_is_recorded_as_downtime() {
    let server = at_noon();
    server.advance("10m");
    let server = server.restart_at("2026-03-01T13:00:00.000Z");
    let events = server.events();
    let started = events.iter().rev().find(|event| event["type"] == "server-started").unwrap();
    assert_eq!(started["data"]["down_from"], "2026-03-01T12:10:00.000Z", "{started}");
    assert_eq!(started["at"], "2026-03-01T13:00:00.000Z");
}

#[test]
fn msg_23_presence_is_kept_over_a_clean_stop() {
    let mut server = at_noon();
    server.send(&text("ann", "bob", "hi"));
    server.terminate();
    let server = server.up_again();
    assert_eq!(server.get("/v1/agents/ann").1["status"], "active");
    assert_eq!(server.get("/v1/agents/ann").1["last_seen"], START);
}

#[test]
fn api_7_damage_is_found_at_start_and_named() {
    let mut server = at_noon();
    for n in 0..20 {
        server.send(&text("ann", "bob", &format!("needle-{n}")));
    }
    assert!(server.terminate().success());
    let database = server.data.path().join("wilco.db");
    assert!(!server.data.path().join("wilco.db-wal").exists(), "a clean stop leaves one whole file");
    let mut bytes = std::fs::read(&database).unwrap();
    // Only events name the type of a message in this way, so this hits the journal.
    let needle = b"message-accepted";
    let found: Vec<_> =
        (0..bytes.len() - needle.len()).filter(|at| bytes[*at..].starts_with(needle)).collect();
    bytes[found[found.len() / 2] + 3] ^= 1;
    std::fs::write(&database, bytes).unwrap();
    let (code, said) = Setup::new().run_to_end_on(server.data.path());
    assert_ne!(code, Some(0));
    assert!(said.contains("position") || said.contains("event"), "{said}");
}

/// Whoever asks is told, and then nobody is served what is not true.
#[test]
fn api_7_damage_that_is_found_while_it_serves_ends_the_server() {
    let mut server = at_noon();
    let sent = server.send(&text("ann", "bob", "needle-in-the-log"));
    let log = server.data.path().join("wilco.db-wal");
    let (bytes, needle) = (std::fs::read(&log).unwrap(), b"needle-in-the-log");
    let file = std::fs::OpenOptions::new().write(true).open(&log).unwrap();
    for at in (0..bytes.len() - needle.len()).filter(|at| bytes[*at..].starts_with(needle)) {
        file.write_all_at(b"N", at as u64).unwrap();
    }
    let (_, found) = server.get("/v1/audit/verify");
    assert_eq!(found["ok"], false, "{found} of {sent}");
    assert!(!server.ended().success());
}

#[test]
fn api_7_a_flipped_byte_in_what_a_killed_server_left_is_named_and_not_served() {
    let mut server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("T-1"));
    server.send(&ack("T-1"));
    let events = server.get("/readyz").1["position"].as_u64().unwrap();
    server.kill();
    let log = server.data.path().join("wilco.db-wal");
    let mut bytes = std::fs::read(&log).unwrap();
    let (middle, whole) = (bytes.len() / 2, bytes.clone());
    bytes[middle] ^= 1;
    std::fs::write(&log, &bytes).unwrap();
    let (code, said) = Setup::new().run_to_end_on(server.data.path());
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("damaged at journal position"), "{said}");
    assert!(said.contains(&format!("position {events} had been committed")), "{said}");
    assert!(said.contains("wilco doctor --rescue"), "{said}");
    // Nothing was thrown away: mended, it is what it was.
    std::fs::write(&log, &whole).unwrap();
    let server = server.up_again();
    assert_eq!(server.exchange(&id)["state"], "working");
}

//! A disk that is full or fails under a running server.

use crate::disk::{Disk, Order};
use crate::server::{Caller, Setup, text};
use serde_json::json;

/// G15 too: it says that it is not ready.
#[test]
fn g9_a_full_disk_refuses_writes_and_reads_go_on_until_there_is_room_again() {
    let disk = Disk::new();
    let server = disk.start(Setup::new());
    let first = server.send(&text("ann", "bob", "before"));
    disk.order(Order::Full);
    for _ in 0..3 {
        let (status, problem) = server.post("/v1/messages", &text("ann", "bob", "meanwhile"));
        assert_eq!(status, 507, "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains("room"), "{problem}");
    }
    let (status, inbox) = server.get("/v1/agents/bob/inbox");
    assert_eq!((status, inbox["items"].as_array().unwrap().len()), (200, 1), "{inbox}");
    let (status, problem) = server.get("/readyz");
    assert_eq!((status, &problem["type"]), (503, &json!("tag:wilco,2026:disk-full")), "G15: {problem}");
    disk.obey_again(Order::Full);
    assert_eq!(server.get("/readyz").0, 200, "G15: there is room again");
    let second = server.send(&text("ann", "bob", "after"));
    server.verify();
    let server = server.restart();
    let (_, inbox) = server.get("/v1/agents/bob/inbox");
    let ids: Vec<_> = inbox["items"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect();
    assert_eq!(ids, [first["message"]["id"].clone(), second["message"]["id"].clone()]);
}

#[test]
fn g9_a_full_disk_is_survived_also_when_the_log_cannot_be_written() {
    let disk = Disk::new();
    let server = disk.start(Setup::new().unheard());
    server.send(&text("ann", "bob", "before"));
    disk.order(Order::Full);
    for _ in 0..2 {
        let (status, problem) = server.post("/v1/messages", &text("ann", "bob", "meanwhile"));
        assert_eq!(status, 507, "{problem}");
    }
    disk.obey_again(Order::Full);
    server.send(&text("ann", "bob", "after"));
    assert_eq!(server.inbox("bob").len(), 2);
}

#[test]
fn g9_after_a_failed_sync_the_server_does_not_carry_on_as_if_it_had_worked() {
    let disk = Disk::new();
    let server = disk.start(Setup::new());
    let first = server.send(&text("ann", "bob", "before"));
    disk.order(Order::Eio);
    let (status, problem) = server.post("/v1/messages", &text("ann", "bob", "meanwhile"));
    assert_eq!(status, 503, "{problem}");
    disk.obey_again(Order::Eio);
    let (status, problem) = server.post("/v1/messages", &text("ann", "bob", "again"));
    assert_eq!(status, 503, "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("restart"), "{problem}");
    let (status, inbox) = server.get("/v1/agents/bob/inbox");
    assert_eq!((status, &inbox["items"][0]["id"]), (200, &first["message"]["id"]), "{inbox}");
    let (status, problem) = server.get("/readyz");
    assert_eq!(status, 503, "whoever watches it is told to restart it: {problem}");
    let server = server.restart();
    assert_eq!(server.get("/readyz").0, 200);
    server.send(&text("ann", "bob", "after"));
    server.verify();
}

/// The log has room in its index for 4,062 pages. Two large messages need more; the second is in the log and
/// synced when the index fails, so it is found there after a restart.
#[test]
fn g9_a_commit_of_unknown_outcome_is_known_after_a_restart_and_not_before() {
    let disk = Disk::new();
    let server = disk.start(Setup::new().config("[limits]\nbody_bytes = 33554432"));
    let first = server.send(&text("ann", "bob", &"a".repeat(8 << 20)));
    disk.order(Order::Index);
    let large = text("ann", "bob", &"b".repeat(12 << 20));
    let keyed = |server: &Caller| server.header_key("unknown").post("/v1/messages", &large);
    let (status, problem) = keyed(&server);
    assert_eq!(status, 503, "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("not known"), "{problem}");
    disk.obey_again(Order::Index);
    let (status, problem) = server.post("/v1/messages", &text("ann", "bob", "another"));
    assert_eq!(status, 503, "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("restart"), "{problem}");
    let seen: Vec<_> = server.inbox("bob").into_iter().map(|item| item["id"].clone()).collect();
    assert_eq!(seen, [first["message"]["id"].clone()], "nobody sees what may not be there");

    let server = server.restart();
    let found = server.inbox("bob");
    assert_eq!(found.len(), 2, "it was in the log");
    let (status, answer) = keyed(&server);
    assert_eq!((status, &answer["message"]["id"]), (201, &found[1]["id"]), "and is not stored again");
    server.send(&text("ann", "bob", "after"));
    assert_eq!(server.inbox("bob").len(), 3);
    server.verify();
}

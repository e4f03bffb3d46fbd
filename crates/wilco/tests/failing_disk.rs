//! A disk that is full or fails under a running server.

mod disk;
mod server;

use disk::{Disk, Order};
use server::{Setup, text};

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
    disk.obey_again(Order::Full);
    let second = server.send(&text("ann", "bob", "after"));
    server.verify();
    let server = server.restart();
    let (_, inbox) = server.get("/v1/agents/bob/inbox");
    let ids: Vec<_> = inbox["items"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect();
    assert_eq!(ids, [first["message"]["id"].clone(), second["message"]["id"].clone()]);
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
    let server = server.restart();
    server.send(&text("ann", "bob", "after"));
    server.verify();
}

//! `wilco backup` and `wilco restore` with the shipped binary, while everybody writes.

use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::server::{Server, Setup, ack, task, text};
use serde_json::Value;

fn wilco(line: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_wilco")).args(line).output().unwrap()
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn cli_9_a_backup_under_load_holds_all_that_was_answered_before_it() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let open = server.begin(&task("T-1"));
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("copy.db");
    let file = file.to_str().unwrap();
    let ended = AtomicBool::new(false);
    let (before, copied) = std::thread::scope(|scope| {
        for sender in 0..4 {
            let (caller, ended) = (server.caller(), &ended);
            scope.spawn(move || {
                for number in 0.. {
                    let key = format!("{sender}-{number}");
                    let (status, _) = caller.post("/v1/messages", &text("boss", "worker", &key));
                    assert_eq!(status, 201);
                    if ended.load(Ordering::SeqCst) {
                        return;
                    }
                }
            });
        }
        // Some of it is there before the copy begins, and more comes while it is made.
        let (_, page) = server.get("/v1/events?after=50&wait=30s");
        assert!(!page["items"].as_array().unwrap().is_empty());
        let before = server.get("/readyz").1["position"].as_u64().unwrap();
        let copied = wilco(&["backup", file, "--json", "--data", server.data.path().to_str().unwrap()]);
        ended.store(true, Ordering::SeqCst);
        (before, json(&copied))
    });
    let events = copied["events"].as_u64().unwrap();
    assert!(events >= before, "{events} of {before} events");
    let data = tempfile::tempdir().unwrap();
    let restored = json(&wilco(&["restore", file, "--json", "--data", data.path().to_str().unwrap()]));
    assert_eq!((&restored["events"], &restored["head"]), (&copied["events"], &copied["head"]));

    // The copy is a server like any other: the same past, and it goes on.
    let shown = server.exchange(&open);
    drop(server);
    let again = Setup::new().start_on(data);
    assert_eq!(again.exchange(&open), shown);
    again.verify();
    assert_eq!(again.send(&ack("T-1"))["exchange"]["state"], "working");
}

/// What was given out after the copy is gone for good: nobody gets it again, and whoever holds it is told.
#[test]
fn sec_17_cursors_of_before_a_restore_are_gone_and_ids_are_not_given_out_again() {
    const LEAP: u64 = 1_000_000_000;
    let mut server = Server::start();
    server.register(&["boss", "worker"]);
    let kept = server.begin(&task("T-1"));
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("copy.db");
    let (file, data) = (file.to_str().unwrap(), server.data.path().to_str().unwrap().to_owned());
    let copied = json(&wilco(&["backup", file, "--json", "--data", &data]));
    let good = copied["events"].as_u64().unwrap();
    let lost = server.begin(&task("T-2"));
    let head = server.get("/readyz").1["position"].as_u64().unwrap();
    server.kill();
    let restored = json(&wilco(&["restore", file, "--force", "--json", "--data", &data]));
    assert_eq!(restored["first"], head + LEAP);
    std::fs::remove_dir_all(restored["aside"].as_str().unwrap()).unwrap();
    let again = server.up_again();
    assert_eq!(again.get(&format!("/v1/exchanges/{lost}")).0, 404);
    assert_eq!(again.get(&format!("/v1/exchanges/{kept}")).0, 200);
    let new: u64 = again.begin(&task("T-2")).strip_prefix("del-").unwrap().parse().unwrap();
    assert!(new > head + LEAP, "{new}");
    for path in ["/v1/events?after=", "/v1/agents/worker/inbox?after="] {
        assert_eq!(again.get(&format!("{path}{good}")).0, 200, "{path}");
        let (status, problem) = again.get(&format!("{path}{head}"));
        assert_eq!(status, 410, "{path}: {problem}");
        let listener = again.caller().header("Accept", "text/event-stream");
        assert_eq!(listener.get(&format!("{path}{head}")).0, 410, "{path}");
    }
    again.verify();
}

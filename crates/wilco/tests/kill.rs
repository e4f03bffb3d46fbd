//! `kill -9` under load: nothing that was acknowledged is lost, nothing unknown is doubled, and what was
//! open goes on. `WILCO_KILL_ROUNDS` and `WILCO_KILL_WRITES` make it as long as one likes; `cargo xtask kill`
//! does so.

use crate::ledger::{acknowledged, chance, check, ledgers, load_and_kill, settle};
use crate::server::{Server, ack, said, task, text};
use serde_json::{Value, json};

const SHORT: usize = 3;
/// In the short form, so many acknowledged messages at most before the kill.
const MOST: usize = 300;

fn number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok().and_then(|number| number.parse().ok())
}

#[test]
fn g1_g2_g3_kill_9_under_load_loses_and_doubles_nothing() {
    let rounds = number("WILCO_KILL_ROUNDS").unwrap_or(SHORT);
    let writes = number("WILCO_KILL_WRITES").unwrap_or(0);
    let mut server = Server::start();
    server.register(&["boss", "worker"]);
    let (mut all, mut total, mut verified) = (Vec::new(), 0, 0);
    for round in 0..rounds {
        let open = begin(&server, round);
        let shown: Vec<_> = open.iter().map(|id| server.exchange(id)).collect();
        let mut ledgers = ledgers(round);
        // What is missing of the writes, spread over the rounds that are left, and a little chance.
        let least = writes.saturating_sub(total) / (rounds - round);
        load_and_kill(&mut server, &mut ledgers, least + 20 + chance() % MOST);
        server = server.restart();
        settle(&server, &mut ledgers);
        check(&server, &ledgers);
        verified = go_on_verifying(&server, verified);
        let now: Vec<_> = open.iter().map(|id| server.exchange(id)).collect();
        assert_eq!(now, shown, "what is open is where it was");
        go_on(&server, round, &open);
        total += acknowledged(&ledgers);
        all.push(ledgers);
    }
    // What was there once is there still.
    all.iter().for_each(|ledgers| check(&server, ledgers));
    go_on_verifying(&server, 0);
    assert!(total >= writes, "{total} of {writes} writes");
    println!("{total} acknowledged messages survived {rounds} kills");
}

/// A delegation and an operation that are open when the server is killed.
fn begin(server: &Server, round: usize) -> [String; 2] {
    let notice = json!({"operation": "restart", "message": "I will restart you."});
    [
        server.begin(&task(&format!("T-{round}"))),
        server.begin(&said("boss", "worker", "pre-operation", notice)),
    ]
}

/// Both are answered, and end.
fn go_on(server: &Server, round: usize, [delegation, operation]: &[String; 2]) {
    assert_eq!(server.send(&ack(&format!("T-{round}")))["exchange"]["state"], "working");
    let mut ok = text("worker", "boss", "ok");
    ok["exchange"] = json!(operation);
    server.send(&ok);
    assert_ne!(server.state(operation), "waiting");
    let complete = json!({"task_id": format!("T-{round}")});
    server.send(&said("worker", "boss", "task-complete", complete));
    assert_eq!(server.state(delegation), "completed");
}

/// The journal is whole, and what came since then has no gap; returns its end.
fn go_on_verifying(server: &Server, mut after: u64) -> u64 {
    let (status, verdict) = server.get("/v1/audit/verify");
    assert_eq!((status, &verdict["ok"]), (200, &json!(true)), "{verdict}");
    loop {
        let (_, page) = server.get(&format!("/v1/events?limit=1000&after={after}"));
        let events: Vec<Value> = page["items"].as_array().unwrap().clone();
        if events.is_empty() {
            assert_eq!(verdict["events"], after);
            return after;
        }
        for event in events {
            assert_eq!(event["position"], after + 1, "a gap");
            after += 1;
        }
    }
}

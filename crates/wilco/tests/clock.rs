//! The test clock: time stands still until it is moved, and then everything happens at its own time.

use crate::server;

use crate::server::{Server, Setup, ack, task, task_with};
use serde_json::{Value, json};

const START: &str = "2026-03-01T12:00:00.000Z";

/// Three delegations whose timers interleave.
fn scene() -> Server {
    let server = Setup::new().clock_at(START).start();
    server.register(&["boss", "worker", "second"]);
    let mut handed_on = task("T-1");
    handed_on["content"]["candidates"] = json!(["second"]);
    server.begin(&handed_on);
    server.begin(&task_with("T-2", json!({"preset": "critical"})));
    server.begin(&task_with("T-3", json!({"ack_timeout": "7m", "retry_timeouts": ["13s", "21s"]})));
    server
}

#[test]
fn api_11_one_long_advance_equals_many_short_ones() {
    let (long, short) = (scene(), scene());
    assert_eq!(long.advance("1h"), "2026-03-01T13:00:00.000Z");
    for _ in 0..60 {
        short.advance("37s");
        short.advance("23s");
    }
    let (long, short) = (long.events(), short.events());
    assert!(long.len() > 30, "something happened: {}", long.len());
    assert_eq!(long.len(), short.len());
    // Texts name the server's address, and hashes follow from texts.
    let told =
        |event: &Value| ["position", "exchange", "seq", "type", "at", "by"].map(|key| event[key].clone());
    for (one, other) in long.iter().zip(&short) {
        assert_eq!((told(one), &one["data"]["kind"]), (told(other), &other["data"]["kind"]));
    }
    let at: Vec<_> = long.iter().map(|event| event["at"].as_str().unwrap()).collect();
    assert!(at.is_sorted(), "in order, each at its own time");
}

#[test]
fn api_11_time_stands_still_and_moves_exactly() {
    let server = Setup::new().clock_at(START).start();
    let stamp = || server.send(&server::text("ann", "bob", "hi"))["message"]["timestamp"].clone();
    assert_eq!((stamp(), stamp()), (json!(START), json!(START)));
    assert_eq!(server.advance("250ms"), "2026-03-01T12:00:00.250Z");
    assert_eq!(server.advance("1h30m"), "2026-03-01T13:30:00.250Z");
    assert_eq!(server.post("/v1/test/clock", &json!({"advance": 90})).1["now"], "2026-03-01T13:31:30.250Z");
    assert_eq!(stamp(), json!("2026-03-01T13:31:30.250Z"));
}

#[test]
fn api_11_wrong_steps_are_refused() {
    let server = Server::start();
    for body in
        [json!({"advance": "-1s"}), json!({"advance": "soon"}), json!({}), json!({"advnce": "1s"}), json!(7)]
    {
        let (status, problem) = server.post("/v1/test/clock", &body);
        assert_eq!((status, &problem["status"]), (422, &json!(422)), "{body}");
    }
    assert_eq!(server.post_text("/v1/test/clock", "application/json", "{").0, 400);
}

#[test]
fn api_11_the_position_is_kept_over_a_restart() {
    let server = Setup::new().clock_at(START).start();
    let stood = server.advance("90s");
    let server = server.restart();
    assert_eq!(server.advance("0s"), stood);
    let (code, said) = {
        let mut server = server;
        server.kill();
        Setup::new().clock_at(START).run_to_end_on(server.data.path())
    };
    assert_ne!(code, Some(0), "time does not go back");
    assert!(said.contains(START), "{said}");
}

#[test]
fn api_11_steps_asked_for_at_the_same_time_are_all_made() {
    let server = Setup::new().clock_at(START).start();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let caller = server.caller();
            scope.spawn(move || caller.advance("1m"));
        }
    });
    assert_eq!(server.advance("0s"), "2026-03-01T12:08:00.000Z");
}

#[test]
fn api_11_effects_are_done_when_the_step_is_answered() {
    let judge = r#"printf '{"verdict":"wrong-summary","correction":"per user"}'"#;
    let config = format!("[delegation]\njudge = [\"/bin/sh\", \"-c\", {judge:?}]");
    let server = Setup::new().config(&config).start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task_with("T-1", json!({"understanding": "command"})));
    assert_eq!(server.send(&ack("T-1"))["exchange"]["state"], "in-review");
    server.advance("1s");
    assert_eq!(server.state(&id), "awaiting-ack");
    assert_eq!(server.newest("worker")["content"]["type"], "task-correction");
    let failing = Setup::new().config("[delegation]\njudge = [\"/bin/false\"]").start();
    failing.register(&["boss", "worker"]);
    let id = failing.begin(&task_with("T-1", json!({"understanding": "command"})));
    failing.send(&ack("T-1"));
    failing.advance("10m");
    assert!(["in-review", "escalated"].contains(&failing.state(&id).as_str()), "left to the initiator");
}

#[test]
fn api_11_only_on_loopback_and_only_when_asked_for() {
    let (code, said) = Setup::new().option("--listen=0.0.0.0:0").run_to_end();
    assert_ne!(code, Some(0));
    assert!(said.contains("loopback"), "{said}");
    let real = Setup::new().real_clock().start();
    let (status, problem): (u16, Value) = real.post("/v1/test/clock", &json!({"advance": "1s"}));
    assert_eq!((status, &problem["status"]), (404, &json!(404)));
}

#[test]
fn del_30_on_the_real_clock_silence_is_noticed_by_itself() {
    let server = Setup::new().real_clock().start();
    server.register(&["boss", "worker"]);
    let quick = json!({"ack_timeout": "100ms", "retry_timeouts": ["100ms"]});
    let id = server.begin(&task_with("T-1", quick));
    let seen = server.newest("boss")["id"].clone();
    assert_eq!(seen, Value::Null);
    let (status, page) = server.get("/v1/agents/boss/inbox?wait=30s");
    assert_eq!((status, &page["items"][0]["exchange"]), (200, &json!(id)));
    assert_eq!(page["items"][0]["content"]["type"], "escalation");
}

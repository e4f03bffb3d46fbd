//! What happens around nodes: a database without room on its disk, clocks that are minutes apart, a database that went
//! back to what it was before.

use std::time::Duration;

use wilco_store::tampering;
use wilco_testkit::postgres_server::PostgresServer;

use crate::nodes_faults::{node, send, texts};
use crate::server::{Server, in_time, text};
use crate::wall_clock::{Wall, begin, wait};

/// PG-5: without room on PostgreSQL's disk calls are 507 or 503; nothing is acknowledged that is not there, and it resumes
/// by itself.
#[test]
fn pg_5_a_full_disk_of_postgres_is_told_and_passes() {
    let postgres = PostgresServer::start_on_small_disk();
    let (one, two) = (node(postgres.port(), "one").start(), node(postgres.port(), "two").start());
    assert_eq!((send(&one, "a"), send(&two, "b")), (201, 201));
    one.register(&["room"]);
    // Words that take room wherever they are put.
    let large = |server: &Server, number: usize| {
        let words: String = (0..5_000).map(|word| format!("w{number}x{word} ")).collect();
        let keyed = server.caller().header("Idempotency-Key", &format!("large-{number}"));
        keyed.post("/v1/messages", &text("alice", "room", &words))
    };
    postgres.fill_disk(true);
    let (mut taken, mut refused) = (0, Vec::new());
    for number in 0..20 {
        let (status, answer) = large([&one, &two][number % 2], number);
        match status {
            201 => taken += 1,
            507 | 503 => refused.push(status),
            _ => panic!("{status} {answer}"),
        }
    }
    assert!(refused.contains(&507), "{taken} taken, {refused:?}");
    postgres.fill_disk(false);
    in_time("it is taken", || send(&two, "c") == 201);
    let stored = one.get("/v1/agents/room/inbox?limit=500").1["items"].as_array().unwrap().len();
    assert_eq!(stored, taken, "what was acknowledged, and nothing else");
    for number in 0..20 {
        in_time("the same call is taken", || large(&one, number).0 == 201);
    }
    assert_eq!(texts(&one), ["a", "b", "c"]);
}

fn clock_of(server: &Server, name: &str) -> i64 {
    let (_, page) = server.get("/v1/nodes");
    let found = page["items"].as_array().unwrap().iter().find(|one| one["name"] == name).cloned();
    found.unwrap()["clock"].as_i64().unwrap()
}

/// PG-16: clocks of two nodes are ten minutes apart, and the one that is ahead or behind takes over: no deadline comes
/// early, and none is lost. The difference is shown.
#[test]
fn pg_16_clocks_of_nodes_that_differ_by_minutes_move_no_deadline() {
    for (first, second, shown) in [("-5m", "+5m", 300_000), ("+5m", "-5m", -300_000)] {
        let postgres = PostgresServer::start();
        let (slow, fast) = (Wall::new(first), Wall::new(second));
        let mut one = slow.on(node(postgres.port(), "one")).start();
        let two = fast.on(node(postgres.port(), "two")).start();
        in_time("the difference is shown", || {
            (clock_of(&one, "two") - shown).abs() < 5_000 && (clock_of(&two, "one") + shown).abs() < 5_000
        });
        let (id, begun) = begin(&two);
        one.kill();
        in_time("the other took over", || two.get("/readyz").1["role"] == "writer");
        let request = wait(&two, "worker", 1);
        let asked = begun.elapsed();
        assert_eq!(request["content"]["type"], "ack-request", "{request}");
        // Two seconds of silence, and at most the time that nobody wrote.
        assert!((Duration::from_millis(1900)..Duration::from_secs(12)).contains(&asked), "{asked:?}");
        assert_eq!(two.state(&id), "awaiting-ack");
        let at: Vec<_> = two.events().iter().map(|event| event["at"].as_str().unwrap().to_owned()).collect();
        assert!(at.is_sorted(), "time never goes back: {at:?}");
        let (_, said) = two.get_text("/metrics");
        let offset = said.lines().find_map(|line| line.strip_prefix("wilco_clock_offset_seconds ")).unwrap();
        let offset: f64 = offset.parse().unwrap();
        assert!((offset * 1000.0 - shown as f64).abs() < 5_000.0, "{offset}");
    }
}

/// PG-11: a database that has less than it had (a standby that was behind took its place) is served by no node that knows
/// better: each says both.
#[test]
fn pg_11_a_database_that_went_back_is_served_by_nobody() {
    let postgres = PostgresServer::start();
    let (one, two) = (node(postgres.port(), "one").start(), node(postgres.port(), "two").start());
    assert_eq!((send(&one, "a"), send(&two, "b")), (201, 201));
    let position = |server: &Server| server.get("/readyz").1["position"].as_u64().unwrap();
    in_time("both have heard of it", || position(&one) == position(&two));
    let known = position(&one);
    postgres.psql(&tampering::of_before("wilco"));
    for server in [&one, &two] {
        in_time("it says so", || server.get("/readyz").0 == 503);
        let (_, said) = server.get("/readyz");
        let said = said["detail"].as_str().unwrap_or_default().to_owned();
        assert!(said.contains(&known.to_string()) && said.contains(&(known - 1).to_string()), "{said}");
        assert_eq!((server.get("/v1/agents/bob/inbox").0, send(server, "c")), (503, 503));
    }
}

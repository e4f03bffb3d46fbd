//! `kill -9` of the writer under load, round after round: what was acknowledged is there once, what is unknown once under
//! its key, timers go off at the next writer and none twice. `WILCO_NODE_ROUNDS` makes it as long as one likes, and
//! `WILCO_NODE_PATRONI` lets PostgreSQL fail over too; `cargo xtask nodes` does so.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::ledger::chance;
use crate::nodes_patroni::fail_over;
use crate::server::{Server, Setup, in_time, realm, task, text};

const SHORT: usize = 2;
const SENDERS: usize = 4;
/// Lease and two seconds: by then the next call is taken.
const FELT: Duration = Duration::from_secs(4);

/// A node on the schema of this directory, with a directory of its own.
fn node(schema: &std::path::Path, number: usize) -> Server {
    let mut setup = Setup::new().real_clock().option("--node").option(&format!("n{number}"));
    for (name, value) in realm::environment(schema) {
        setup = setup.environment(&name, &value);
    }
    setup.start()
}

/// What became of a key, when it was sent once or again.
fn try_send(server: &Server, sink: &str, key: &str) -> Option<u16> {
    let body = text("alice", sink, key).to_string();
    let keyed = server.caller().header("Idempotency-Key", key);
    keyed.try_post("/v1/messages", "application/json", &body).ok().map(|(status, _)| status)
}

fn is_writer(server: &Server) -> bool {
    server.get("/readyz").1["role"] == "writer"
}

/// How often each text lies in an inbox.
fn counted(server: &Server, agent: &str) -> BTreeMap<String, usize> {
    let (mut found, mut after) = (BTreeMap::new(), "0".to_owned());
    loop {
        let (_, page) = server.get(&format!("/v1/agents/{agent}/inbox?limit=500&after={after}"));
        let items = page["items"].as_array().unwrap();
        if items.is_empty() {
            return found;
        }
        for item in items {
            *found.entry(item["content"]["message"].as_str().unwrap_or_default().to_owned()).or_default() +=
                1;
        }
        after = page["next"].as_str().unwrap().to_owned();
    }
}

fn requests(server: &Server, exchange: &str) -> usize {
    let (_, inbox) = server.get("/v1/agents/worker/inbox?limit=500");
    let is_request =
        |item: &&serde_json::Value| item["exchange"] == exchange && item["content"]["type"] == "ack-request";
    inbox["items"].as_array().unwrap().iter().filter(is_request).count()
}

#[test]
fn pg_11_kill_9_of_the_writer_round_after_round() {
    let rounds = std::env::var("WILCO_NODE_ROUNDS").ok().and_then(|many| many.parse().ok()).unwrap_or(SHORT);
    let schema = tempfile::tempdir().unwrap();
    let mut nodes = vec![node(schema.path(), 0), node(schema.path(), 1)];
    nodes[0].register(&["boss", "worker"]);
    let (mut acknowledged, mut unknown_keys, mut lost, mut doubled) = (0, 0, 0, 0);
    let (mut longest, mut opened) = (Duration::ZERO, Vec::new());
    for round in 0..rounds {
        let sink = format!("sink{round}");
        let mut begun = task(&format!("T-{round}"));
        // The second deadline is far away: one that comes while nobody writes is announced once more (DEL-34).
        begun["content"]["policy"] = json!({"ack_timeout": "1s", "retry_timeouts": ["24h"]});
        opened.push(nodes[0].begin(&begun));
        let writer = nodes.iter().position(is_writer).expect("a writer");
        let (count, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
        let unknown = Mutex::new(Vec::new());
        let mut dying = nodes.remove(writer);
        let survivor = &nodes[0];
        let caller = [dying.caller(), survivor.caller()];
        let known: Vec<String> = std::thread::scope(|scope| {
            let senders: Vec<_> = (0..SENDERS)
                .map(|sender| {
                    let (count, ended, unknown, sink) = (&count, &ended, &unknown, &sink);
                    let to = caller[sender % 2].clone();
                    scope.spawn(move || {
                        let mut known = Vec::new();
                        for number in 0.. {
                            let key = format!("{round}/{sender}/{number}");
                            let body = text("alice", sink, &key).to_string();
                            let keyed = to.clone().header("Idempotency-Key", &key);
                            match keyed.try_post("/v1/messages", "application/json", &body) {
                                Ok((201, _)) => {
                                    count.fetch_add(1, Ordering::SeqCst);
                                    known.push(key);
                                }
                                Ok(_) | Err(_) => unknown.lock().unwrap().push(key),
                            }
                            if ended.load(Ordering::SeqCst) {
                                break;
                            }
                        }
                        known
                    })
                })
                .collect();
            let least = 20 + chance() % 200;
            in_time("some are acknowledged", || count.load(Ordering::SeqCst) >= least);
            dying.kill();
            ended.store(true, Ordering::SeqCst);
            let killed = Instant::now();
            in_time("the next is taken", || {
                try_send(survivor, &sink, &format!("{round}/after")) == Some(201)
            });
            longest = longest.max(killed.elapsed());
            senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect()
        });
        let unknown = unknown.into_inner().unwrap();
        for key in &unknown {
            in_time("an unknown one is taken", || try_send(survivor, &sink, key) == Some(201));
        }
        let found = counted(survivor, &sink);
        acknowledged += known.len() + 1;
        unknown_keys += unknown.len();
        lost += known.iter().chain(&unknown).filter(|key| !found.contains_key(*key)).count();
        doubled += found.values().filter(|many| **many > 1).count();
        let exchange = opened.last().unwrap();
        in_time("its timer goes off at the next writer", || requests(survivor, exchange) >= 1);
        nodes.push(node(schema.path(), round + 2));
    }
    for exchange in &opened {
        assert_eq!(requests(&nodes[0], exchange), 1, "no timer goes off twice");
    }
    nodes[0].verify();
    println!(
        "{acknowledged} acknowledged and {unknown_keys} unknown in {rounds} rounds: {lost} lost, {doubled} doubled; \
         the next was taken after {longest:?} at the most"
    );
    assert_eq!((lost, doubled), (0, 0));
    assert!(longest < FELT, "{longest:?}");
    if std::env::var_os("WILCO_NODE_PATRONI").is_some() {
        fail_over();
    }
}

/// Begins so many tasks, each with a deadline tomorrow, in batches that are one commit each.
fn open_exchanges(server: &Server, many: usize) {
    let workers: Vec<String> =
        (0..many.div_ceil(PER_WORKER)).map(|number| format!("worker-{number}")).collect();
    server.register(&["boss"]);
    server.register(&workers.iter().map(String::as_str).collect::<Vec<_>>());
    let numbers: Vec<usize> = (0..many).collect();
    for numbers in numbers.chunks(BATCH) {
        let line = |number: &usize| {
            let mut begun = task(&format!("M-{number}"));
            begun["to"] = json!(workers[number / PER_WORKER]);
            begun["content"]["policy"] = json!({"ack_timeout": "24h"});
            format!("{begun}\n")
        };
        let body: String = numbers.iter().map(line).collect();
        let (status, answer) =
            server.caller().try_post("/v1/messages", "application/x-ndjson", &body).expect("an answer");
        assert!((200..300).contains(&status), "{status} {answer}");
    }
}

const BATCH: usize = 500;
const PER_WORKER: usize = 10_000;

/// PG-11: a takeover is done within lease + 2 s however many exchanges are open. `WILCO_NODE_OPEN` says how many.
#[test]
fn pg_11_a_takeover_with_many_open_exchanges_is_in_time() {
    let many = std::env::var("WILCO_NODE_OPEN").ok().and_then(|many| many.parse().ok()).unwrap_or(1000);
    let schema = tempfile::tempdir().unwrap();
    let (mut first, second) = (node(schema.path(), 0), node(schema.path(), 1));
    assert!(is_writer(&first));
    open_exchanges(&first, many);
    first.kill();
    let killed = Instant::now();
    in_time("the next is taken", || try_send(&second, "sink", "after") == Some(201));
    let took = killed.elapsed();
    println!("with {many} open exchanges the next was taken after {took:?}");
    assert!(took < FELT, "{took:?}");
    let (_, metrics) = second.get_text("/metrics");
    let timers = metrics.lines().find_map(|line| line.strip_prefix("wilco_timers ")).unwrap_or_default();
    assert_eq!(timers, many.to_string(), "every one of them has its deadline");
}

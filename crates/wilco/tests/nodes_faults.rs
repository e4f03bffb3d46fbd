//! Faults under load, with real processes: ways that are cut or held up, a database that restarts, commits whose answer
//! is lost, and no connection left. What was answered with 2xx is there once, whatever happens.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wilco_store::tampering;
use wilco_testkit::postgres_server::PostgresServer;
use wilco_testkit::tcp_proxy::TcpProxy;

use crate::server::{Server, Setup, in_time, text};

/// Short, so that a takeover does not take long.
const LEASE: Duration = Duration::from_secs(2);
/// How long a fault may be felt.
const FELT: Duration = Duration::from_secs(4);

pub(crate) fn node(port: u16, name: &str) -> Setup {
    let url = format!("postgres://wilco@127.0.0.1:{port}/postgres");
    Setup::new()
        .real_clock()
        .option("--node")
        .option(name)
        .environment("WILCO_STORE_URL", &url)
        .environment("WILCO_STORE_LEASE", &format!("{}s", LEASE.as_secs()))
        .environment("WILCO_STORE_PATIENCE", "6s")
}

/// One try with a key: the status.
pub(crate) fn send(server: &Server, key: &str) -> u16 {
    server.caller().header("Idempotency-Key", key).post("/v1/messages", &text("alice", "bob", key)).0
}

pub(crate) fn texts(server: &Server) -> Vec<String> {
    let (status, inbox) = server.get("/v1/agents/bob/inbox?limit=500");
    assert_eq!(status, 200, "{inbox}");
    let items = inbox["items"].as_array().unwrap();
    items.iter().map(|item| item["content"]["message"].as_str().unwrap().to_owned()).collect()
}

fn role(server: &Server) -> Value {
    server.get("/readyz").1["role"].clone()
}

fn epoch(server: &Server) -> u64 {
    server.get("/readyz").1["epoch"].as_u64().unwrap()
}

/// PG-11, PG-13: the writer is cut off from PostgreSQL, its connections stand and nothing moves: within lease + 2 s it
/// answers 503, also to `/readyz`; the other takes over and goes on. When the way is open again, it follows.
#[test]
fn pg_11_a_node_cut_off_from_postgres_serves_nothing_and_the_others_go_on() {
    let postgres = PostgresServer::start();
    let proxy = TcpProxy::to(postgres.port());
    let one = node(proxy.port(), "one").start();
    let two = node(postgres.port(), "two").start();
    assert_eq!((send(&one, "a"), send(&two, "b")), (201, 201));
    proxy.hold_up();
    let held_up = Instant::now();
    std::thread::scope(|scope| {
        let at_one = scope.spawn(|| (send(&one, "c"), held_up.elapsed()));
        in_time("the others go on", || send(&two, "d") == 201);
        assert!(held_up.elapsed() < FELT, "{:?}", held_up.elapsed());
        let (status, took) = at_one.join().unwrap();
        assert!(status == 503 && took < FELT, "{status} after {took:?}");
    });
    let (status, said) = one.get("/readyz");
    assert_eq!((status, &said["type"]), (503, &json!("tag:wilco,2026:cut-off")), "{said}");
    assert_eq!(one.get("/v1/agents/bob/inbox").0, 503);
    assert_eq!(role(&two), "writer");
    proxy.open();
    in_time("it follows", || one.get("/readyz").0 == 200 && role(&one) == "follower");
    in_time("it is taken", || send(&one, "c") == 201);
    assert_eq!(texts(&one), ["a", "b", "d", "c"], "each once");
    assert_eq!(texts(&two), ["a", "b", "d", "c"]);
}

/// PG-12: a follower that cannot reach the writer, but the database: reads go on, writes are 503 and not stored, the lease
/// does not move.
#[test]
fn pg_12_a_follower_cut_off_from_the_writer_only_reads() {
    let postgres = PostgresServer::start();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let proxy = TcpProxy::to(port);
    drop(listener);
    let advertised = format!("http://127.0.0.1:{}", proxy.port());
    let setup = node(postgres.port(), "one").option("--advertise").option(&advertised);
    let one = setup.option(&format!("--listen=127.0.0.1:{port}")).start();
    let two = node(postgres.port(), "two").environment("WILCO_STORE_PATIENCE", "1s").start();
    assert_eq!(send(&two, "a"), 201);
    proxy.cut();
    assert_eq!(send(&two, "b"), 503);
    assert_eq!(texts(&two), ["a"]);
    assert_eq!(send(&one, "c"), 201);
    in_time("two hears of it", || texts(&two) == ["a", "c"]);
    assert_eq!((role(&one), epoch(&two)), (json!("writer"), 1), "the lease does not move");
    proxy.open();
    in_time("it is taken", || send(&two, "b") == 201);
    assert_eq!(texts(&one), ["a", "c", "b"]);
}

/// PG-12: a writer that advertises an address where nobody reaches it is named, with the address and what to do.
#[test]
fn pg_12_a_writer_that_is_not_reached_is_named() {
    let postgres = PostgresServer::start();
    let unreached = "http://127.0.0.1:1";
    let one = node(postgres.port(), "one").option("--advertise").option(unreached).start();
    let two = node(postgres.port(), "two").environment("WILCO_STORE_PATIENCE", "1s").start();
    let (status, said) = two.post("/v1/messages", &text("alice", "bob", "a"));
    assert_eq!((status, &said["type"]), (503, &json!("tag:wilco,2026:no-writer")), "{said}");
    let detail = said["detail"].as_str().unwrap();
    for word in ["node one writes", unreached, "nothing was stored", "--advertise"] {
        assert!(detail.contains(word), "{word}: {detail}");
    }
    assert_eq!(send(&one, "a"), 201);
    assert_eq!(texts(&two), ["a"]);
}

/// Everybody sends, each key until it is taken, while something happens; then each is there once.
fn under_load(nodes: [&Server; 2], happens: impl FnOnce(&AtomicUsize)) {
    let (taken, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    let sent: Vec<String> = std::thread::scope(|scope| {
        let senders: Vec<_> = (0..4)
            .map(|sender| {
                let (taken, ended) = (&taken, &ended);
                scope.spawn(move || {
                    let mut sent = Vec::new();
                    while !ended.load(Ordering::SeqCst) {
                        let key = format!("{sender}-{}", sent.len());
                        in_time("it is taken", || send(nodes[sender % 2], &key) == 201);
                        taken.fetch_add(1, Ordering::SeqCst);
                        sent.push(key);
                        if sent.len() >= 100 {
                            break;
                        }
                    }
                    sent
                })
            })
            .collect();
        in_time("some are taken", || taken.load(Ordering::SeqCst) >= 8);
        happens(&taken);
        let before = taken.load(Ordering::SeqCst);
        in_time("more are taken", || taken.load(Ordering::SeqCst) >= (before + 8).min(400));
        ended.store(true, Ordering::SeqCst);
        senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect()
    });
    for server in nodes {
        let (mut found, mut expected) = (texts(server), sent.clone());
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "each once");
    }
}

/// PG-5, PG-11: PostgreSQL crashes and comes back under load: everything acknowledged is there once.
#[test]
fn pg_5_a_restart_of_postgres_under_load_loses_nothing() {
    let mut postgres = PostgresServer::start();
    let port = postgres.port();
    let (one, two) = (node(port, "one").start(), node(port, "two").start());
    under_load([&one, &two], |_| {
        postgres.crash();
        postgres.run();
    });
}

/// PG-5, PG-11: a COMMIT whose answer is lost is unknown: the writer steps down, the next one reads what is true, and the
/// same key has its effect once.
#[test]
fn pg_5_connections_cut_in_mid_commit_double_nothing() {
    let postgres = PostgresServer::start();
    let proxy = TcpProxy::to(postgres.port());
    let (one, two) = (node(proxy.port(), "one").start(), node(postgres.port(), "two").start());
    let before = epoch(&two);
    under_load([&one, &two], |_| {
        proxy.cut_at_commit();
        in_time("a commit was cut off", || proxy.has_cut_at_commit());
        in_time("the writer stepped down", || two.get("/readyz").1["epoch"].as_u64() > Some(before));
    });
}

/// PG-5: a COMMIT that waits for a standby that does not come is answered by nobody; when it goes on, what was sent is
/// there once.
#[test]
fn pg_5_a_commit_that_waits_for_its_standby_is_not_acknowledged() {
    let postgres = PostgresServer::start();
    let one = node(postgres.port(), "one").start();
    assert_eq!(send(&one, "a"), 201);
    postgres.set("synchronous_standby_names", "nobody");
    let began = Instant::now();
    assert_eq!(send(&one, "b"), 503);
    assert!(began.elapsed() < Duration::from_secs(9), "{:?}", began.elapsed());
    in_time("it says so", || one.get("/readyz").0 == 503);
    postgres.set("synchronous_standby_names", "''");
    in_time("it is taken", || send(&one, "b") == 201);
    assert_eq!(texts(&one), ["a", "b"]);
}

/// Without a free connection calls are 503; nothing is acknowledged that is not there, and it resumes by itself.
#[test]
fn pg_11_without_a_free_connection_it_waits_and_resumes() {
    let postgres = PostgresServer::start();
    postgres.psql("CREATE ROLE app LOGIN; GRANT CREATE ON DATABASE postgres TO app");
    let url = format!("postgres://app@127.0.0.1:{}/postgres", postgres.port());
    let one = node(postgres.port(), "one").environment("WILCO_STORE_URL", &url).start();
    assert_eq!(send(&one, "a"), 201);
    postgres.psql("ALTER ROLE app CONNECTION LIMIT 0");
    postgres.psql(&tampering::without_sessions_of("app"));
    in_time("it says so", || one.get("/readyz").0 == 503);
    assert_eq!(send(&one, "b"), 503);
    postgres.psql("ALTER ROLE app CONNECTION LIMIT -1");
    in_time("it is taken", || send(&one, "b") == 201);
    assert_eq!(texts(&one), ["a", "b"]);
}

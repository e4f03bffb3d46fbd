//! PostgreSQL fails over under load, by Patroni: `cargo xtask nodes --patroni` runs it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use wilco_testkit::patroni_cluster::{PatroniCluster, TTL};

use crate::server::{Server, Setup, in_time, text};

const SENDERS: usize = 4;
/// How long nothing may be taken when an operator switches over.
const SWITCHOVER: Duration = Duration::from_secs(3);

fn node(url: &str, name: &str) -> Server {
    let setup = Setup::new().real_clock().option("--node").option(name);
    setup.environment("WILCO_STORE_URL", url).environment("WILCO_STORE_LEASE", "3s").start()
}

/// When each was taken.
type Taken = Mutex<Vec<(String, Instant)>>;

/// Sends one key after the other, each until it is taken.
fn load(nodes: &[Server; 2], sender: usize, taken: &Taken, ended: &AtomicBool) {
    for number in 0.. {
        let key = format!("{sender}-{number}");
        let keyed = nodes[sender % 2].caller().header("Idempotency-Key", &key);
        let body = text("alice", "bob", &key).to_string();
        in_time("it is taken", || {
            keyed.try_post("/v1/messages", "application/json", &body).is_ok_and(|(status, _)| status == 201)
        });
        taken.lock().unwrap().push((key, Instant::now()));
        if ended.load(Ordering::SeqCst) {
            return;
        }
    }
}

/// The longest time in which nothing was taken, from before something happened until it goes on.
fn felt(taken: &Taken, happens: impl FnOnce()) -> Duration {
    let many = |taken: &Taken| taken.lock().unwrap().len();
    let before = many(taken);
    in_time("it runs", || many(taken) > before + 50);
    let began = Instant::now();
    happens();
    let so_far = many(taken);
    in_time("it goes on", || many(taken) > so_far + 50);
    let taken = taken.lock().unwrap();
    let mut times: Vec<Instant> = taken.iter().map(|(_, at)| *at).filter(|at| *at >= began).collect();
    times.insert(0, began);
    times.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or_default()
}

/// How often each text lies in the inbox.
fn found(server: &Server) -> std::collections::BTreeMap<String, usize> {
    let (mut found, mut after) = (std::collections::BTreeMap::new(), "0".to_owned());
    loop {
        let (_, page) = server.get(&format!("/v1/agents/bob/inbox?limit=500&after={after}"));
        let items = page["items"].as_array().unwrap();
        if items.is_empty() {
            return found;
        }
        for item in items {
            *found.entry(item["content"]["message"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        after = page["next"].as_str().unwrap().to_owned();
    }
}

pub(crate) fn fail_over() {
    let mut cluster = PatroniCluster::start();
    let nodes = [node(&cluster.url(), "one"), node(&cluster.url(), "two")];
    let (taken, ended) = (Taken::default(), AtomicBool::new(false));
    let (switched, killed) = std::thread::scope(|scope| {
        for sender in 0..SENDERS {
            let (nodes, taken, ended) = (&nodes, &taken, &ended);
            scope.spawn(move || load(nodes, sender, taken, ended));
        }
        let switched = felt(&taken, || cluster.switch_over());
        cluster.wait_for_standby();
        let killed = felt(&taken, || cluster.kill_primary());
        ended.store(true, Ordering::SeqCst);
        (switched, killed)
    });
    let (taken, found) = (taken.into_inner().unwrap(), found(&nodes[0]));
    let lost = taken.iter().filter(|(key, _)| !found.contains_key(key)).count();
    let doubled = found.values().filter(|many| **many > 1).count();
    println!(
        "{} acknowledged: {lost} lost, {doubled} doubled; nothing was taken for {switched:?} when the standby was \
         promoted by hand, and for {killed:?} when the primary was killed (ttl {TTL} s)",
        taken.len()
    );
    assert_eq!((lost, doubled), (0, 0));
    assert!(switched < SWITCHOVER && killed < Duration::from_secs(TTL + 5), "{switched:?} {killed:?}");
}

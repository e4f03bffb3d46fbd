//! PERF-7: a server with very many open exchanges, most of them far from due.
//!
//! They are made by the engine itself on a store of its own, in large commits; over HTTP it would take an
//! hour. Then the shipped server is started on it, twice: to see what it takes when nothing is due, and with
//! exchanges that become due at a fixed rate.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, bail};
use serde::Serialize;
use serde_json::json;
use wilco_engine::{Api, Command, Done, Engine, Post, Settings, Viewer};
use wilco_language::parse;
use wilco_protocol::Time;
use wilco_protocol::directory::Interface;
use wilco_protocol::journal::Entry;
use wilco_store::{Reader, SearchIndex, Sqlite, SqliteReader};

use crate::http::{Connection, get};
use crate::machine::{self, Company, Watch};
use crate::server::Server;
use crate::statistics::Distribution;

/// How many exchanges become due in a second.
pub(crate) const WAKES_PER_SECOND: usize = 10_000;
/// For how long they do.
const WAKING: usize = 5;
/// Pairs of agents that share the exchanges.
const PAIRS: usize = 1000;
/// Assignments in one commit.
const AT_ONCE: usize = 1000;
/// Events read at a time.
const PAGE: usize = 10_000;
/// A server rests when it takes no more than this of a processor for a second.
const REST: f64 = 0.05;
/// It never takes longer to come to rest.
const RESTLESS: Duration = Duration::from_secs(900);
/// More than this taken by others, and it is not measured.
const BUSY_PERCENT: f64 = 10.0;
/// How long it is looked for others.
const LOOK: Duration = Duration::from_secs(3);
/// Between the last preparation and the first exchange that becomes due, at least.
const MARGIN: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Many {
    pub(crate) exchanges: usize,
    /// Seconds that making them took.
    pub(crate) made_in: f64,
    /// Bytes for each exchange, beyond a server that has none: when it is ready, and at the end.
    pub(crate) bytes_ready: f64,
    pub(crate) bytes_after: f64,
    /// Seconds from process start to ready.
    pub(crate) ready: f64,
    /// Seconds from then until it has verified everything and rests.
    pub(crate) rest: f64,
    /// Exchanges that became due, and milliseconds from due to decided.
    pub(crate) woken: usize,
    pub(crate) late_p50: f64,
    pub(crate) late_p99: f64,
    pub(crate) late_most: f64,
    /// What else went on meanwhile.
    pub(crate) company: Company,
}

/// Refuses a machine that is busy with something else: no figure here is a ratio, so nothing would cancel out.
pub(crate) fn refuse_company() -> anyhow::Result<()> {
    let watch = Watch::begin();
    std::thread::sleep(LOOK);
    let others = watch.end().others_percent;
    if others > BUSY_PERCENT {
        bail!(
            "others take {others:.0} % of the processors, at most {BUSY_PERCENT} % is fair to a server with many \
             exchanges; wait until they are done, or measure all the same with --noisy"
        );
    }
    Ok(())
}

/// `idle`: MiB of a server that has nothing.
pub(crate) fn many(binary: &Path, data: &Path, exchanges: usize, idle: f64) -> anyhow::Result<Many> {
    let watch = Watch::begin();
    let woken = (WAKES_PER_SECOND * WAKING).min(exchanges / 2);
    eprintln!("making {exchanges} open exchanges");
    let begun = Instant::now();
    make(data, 0, &vec![FAR; exchanges - woken])?;
    let far_took = begun.elapsed();

    eprintln!("starting a server on them");
    let (server, ready) = started(binary, data)?;
    let rest = come_to_rest(&server)?;
    let bytes = |resident: f64| (resident - idle) * 1024.0 * 1024.0 / exchanges as f64;
    let bytes_ready = bytes(machine::resident(server.id())?);
    drop(server);

    let near_takes = far_took.mul_f64(woken as f64 / (exchanges - woken) as f64);
    let lead = (near_takes + ready + rest).mul_f64(2.0) + MARGIN;
    eprintln!("{woken} become due in {:.0} seconds", lead.as_secs_f64());
    let (begun, first) = (Instant::now(), now() + lead.as_millis() as i64);
    let dues: Vec<_> = (0..woken).map(|one| first + (one * 1000 / WAKES_PER_SECOND) as i64).collect();
    let due = make(data, exchanges - woken, &dues)?;
    let made_in = far_took + begun.elapsed();
    let (server, _) = started(binary, data)?;
    come_to_rest(&server)?;
    if now() > first {
        bail!("the server was not ready before the first exchange became due; the machine is too busy");
    }
    std::thread::sleep(
        Duration::from_millis((first - now()).unsigned_abs()) + Duration::from_secs(WAKING as u64),
    );
    come_to_rest(&server)?;
    let bytes_after = bytes(machine::resident(server.id())?);
    drop(server);
    let late = lateness(data, &due)?;
    Ok(Many {
        exchanges,
        made_in: made_in.as_secs_f64(),
        bytes_ready,
        bytes_after,
        ready: ready.as_secs_f64(),
        rest: rest.as_secs_f64(),
        woken,
        late_p50: late.percentile(50.0),
        late_p99: late.percentile(99.0),
        late_most: late.percentile(100.0),
        company: watch.end(),
    })
}

/// Due when everything here is long over.
const FAR: i64 = i64::MAX;
const FAR_TIMEOUT: &str = "30d";

/// Makes open delegations, one for each due time, in milliseconds; when each exchange is due.
fn make(data: &Path, from: usize, dues: &[i64]) -> anyhow::Result<BTreeMap<u64, i64>> {
    let mut store = Sqlite::open(data)?;
    let mut engine = Engine::load(Settings::default(), &store)?;
    let mut post = |bodies: Vec<String>, at: i64| -> anyhow::Result<Vec<u64>> {
        let commands = bodies.iter().map(|body| command(body)).collect::<anyhow::Result<Vec<_>>>()?;
        let stepped = engine.step(commands, Time::from_millis(at), &mut store)?;
        let number = |answer| match answer {
            Ok(Done::Accepted(accepted)) => Ok(accepted.exchange.map_or(0, |exchange| exchange.id.number)),
            other => bail!("an assignment was not accepted: {other:?}"),
        };
        stepped.answers.into_iter().map(number).collect()
    };
    post((0..PAIRS).map(introduction).collect(), now())?;
    let mut due = BTreeMap::new();
    for (chunk, list) in dues.chunks(AT_ONCE).enumerate() {
        let at = now();
        let number = |place: usize| from + chunk * AT_ONCE + place;
        let bodies = list.iter().enumerate().map(|(place, due)| assignment(number(place), *due, at));
        due.extend(post(bodies.collect(), at)?.into_iter().zip(list.iter().copied()));
    }
    // A server would have kept the index for full text up to date meanwhile.
    let reader = SqliteReader::open(data)?;
    let mut index = SearchIndex::open(data, &reader)?;
    while index.follow(&reader)? {}
    Ok(due)
}

fn command(body: &str) -> anyhow::Result<Command> {
    let incoming = parse::message(body.as_bytes())?;
    let post = Post {
        incoming,
        idempotency_key: None,
        viewer: Viewer::Local,
        orchestrates: false,
        claimed: None,
        sent_by: None,
        api: Api::V1,
        interface: Interface::default(),
    };
    Ok(Command::Post(Box::new(post)))
}

/// Makes both agents of a pair known.
fn introduction(pair: usize) -> String {
    json!({"from": format!("boss-{pair}"), "to": format!("worker-{pair}"), "content": {"type": "text", "message": "Hello"}})
        .to_string()
}

fn assignment(number: usize, due: i64, at: i64) -> String {
    let timeout = if due == FAR { FAR_TIMEOUT.to_owned() } else { format!("{}ms", (due - at).max(1)) };
    let pair = number % PAIRS;
    json!({
        "from": format!("boss-{pair}"), "to": format!("worker-{pair}"), "subject": "Login page",
        "content": {
            "type": "task-assignment", "task_id": format!("P-{number}"), "title": "Add a login page",
            "description": "The page asks for name and password and shows an error when they are wrong.",
            "policy": {"ack_timeout": timeout, "retry_timeouts": [FAR_TIMEOUT]},
        },
    })
    .to_string()
}

/// A server that says that it is ready, and how long that took.
fn started(binary: &Path, data: &Path) -> anyhow::Result<(Server, Duration)> {
    let begun = Instant::now();
    let server = Server::wilco(binary, data)?;
    let (status, body) = Connection::open(server.address)?.call(&get(server.address, "/readyz"))?;
    if status != 200 {
        bail!("expected a server that is ready, got {status}: {}", String::from_utf8_lossy(&body));
    }
    Ok((server, begun.elapsed()))
}

/// Waits until the server does nothing any more: at first it walks through its whole journal.
fn come_to_rest(server: &Server) -> anyhow::Result<Duration> {
    let (begun, second) = (Instant::now(), Duration::from_secs(1));
    while begun.elapsed() < RESTLESS {
        let before = machine::processor_time(server.id())?;
        std::thread::sleep(second);
        if machine::processor_time(server.id())?.saturating_sub(before).as_secs_f64() < REST {
            return Ok(begun.elapsed().saturating_sub(second));
        }
    }
    bail!("the server is still busy after {} seconds", RESTLESS.as_secs())
}

/// From due to decided, in milliseconds, by the times in the journal. All must have happened.
fn lateness(data: &Path, due: &BTreeMap<u64, i64>) -> anyhow::Result<Distribution> {
    let reader = SqliteReader::open(data)?;
    let (mut woken, mut after) = (BTreeMap::new(), due.first_key_value().map_or(0, |(first, _)| *first));
    loop {
        let rows = reader.journal(after, PAGE)?;
        let Some(last) = rows.last() else { break };
        after = last.position;
        for row in rows {
            let entry = Entry::from_bytes(&row.bytes)?;
            let Some(number) = entry.exchange.map(|id| id.number) else { continue };
            // What happened before was the assignment.
            if let Some(due) = due.get(&number).filter(|due| entry.at.millis() >= **due) {
                woken.entry(number).or_insert((entry.at.millis() - due) as f64);
            }
        }
    }
    if woken.len() < due.len() {
        bail!("{} of {} exchanges that are due were not woken", due.len() - woken.len(), due.len());
    }
    Distribution::of(woken.into_values().collect()).context("nothing was due")
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perf_7_exchanges_are_made_open_and_due_when_they_were_asked_to_be() {
        let data = tempfile::tempdir().unwrap();
        let soon = now() + 60_000;
        make(data.path(), 0, &[FAR, FAR]).unwrap();
        let due = make(data.path(), 2, &[soon, soon + 7]).unwrap();
        let wakes = SqliteReader::open(data.path()).unwrap().wakes().unwrap();
        let mut near: Vec<_> = wakes.into_iter().map(|(due, number)| (number, due.millis())).collect();
        near.sort_unstable();
        assert_eq!(near.split_off(2), due.clone().into_iter().collect::<Vec<_>>());
        assert!(near.iter().all(|(_, due)| *due > soon + 86_400_000), "{near:?}");
        let missing = lateness(data.path(), &due).unwrap_err();
        assert!(missing.to_string().starts_with("2 of 2"), "{missing}");
    }
}

//! The rows of the table: what was measured, against what, and how good it must be.

use serde::Serialize;

use crate::idle::Idle;
use crate::many::{Many, WAKES_PER_SECOND};
use crate::options::Peer;
use crate::pages::{LONG, Pages, SHORT};
use crate::requests::BATCH;
use crate::rounds::{CONNECTIONS, Round};
use crate::starts::Starts;
use crate::statistics::{Spread, spread};

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    pub(crate) number: &'static str,
    pub(crate) what: String,
    /// In words, with its reference.
    pub(crate) measured: String,
    /// Against the reference, or with a unit of its own.
    pub(crate) ratio: Spread,
    pub(crate) unit: &'static str,
    pub(crate) must: f64,
    pub(crate) goal: f64,
    pub(crate) verdict: Verdict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Goal,
    Ok,
    Miss,
}

/// Which way a figure is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Better {
    More,
    Less,
}

impl Verdict {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Verdict::Goal => "ok, goal",
            Verdict::Ok => "ok",
            Verdict::Miss => "miss",
        }
    }
}

struct Bar {
    better: Better,
    unit: &'static str,
    must: f64,
    goal: f64,
}

const fn at_least(must: f64, goal: f64) -> Bar {
    Bar { better: Better::More, unit: "", must, goal }
}

const fn at_most(must: f64, goal: f64, unit: &'static str) -> Bar {
    Bar { better: Better::Less, unit, must, goal }
}

fn row(number: &'static str, what: String, measured: String, ratio: Spread, bar: &Bar) -> Row {
    let reaches = |bound: f64| match bar.better {
        Better::More => ratio.median >= bound,
        Better::Less => ratio.median <= bound,
    };
    let verdict = match (reaches(bar.goal), reaches(bar.must)) {
        (true, _) => Verdict::Goal,
        (false, true) => Verdict::Ok,
        (false, false) => Verdict::Miss,
    };
    Row { number, what, measured, ratio, unit: bar.unit, must: bar.must, goal: bar.goal, verdict }
}

/// The rows that the rounds measure. A ratio is taken within its round.
pub(crate) fn of_rounds(rounds: &[Round]) -> Vec<Row> {
    let over = |value: fn(&Round) -> f64| spread(rounds.iter().map(value));
    let median = |value: fn(&Round) -> f64| over(value).median;
    let (messages, append) = (median(|round| round.messages), median(|round| round.append));
    let mut rows = vec![
        row(
            "PERF-1",
            format!("durable messages per second, {CONNECTIONS} connections"),
            format!("{messages:.0}/s, echo {:.0}/s", median(|round| round.echo)),
            over(|round| round.messages / round.echo),
            &at_least(0.30, 0.50),
        ),
        row(
            "PERF-3",
            "p50 of one durable message, 1 connection".to_owned(),
            format!(
                "{:.0} µs, F {append:.0} µs (in place {:.0} µs)",
                median(|round| round.alone_p50),
                median(|round| round.overwrite)
            ),
            over(|round| round.alone_p50 / round.append),
            &at_most(2.5, 2.0, ""),
        ),
        row(
            "PERF-4",
            format!("p99 of one durable message, {CONNECTIONS} connections"),
            format!("{:.0} µs, F {append:.0} µs", median(|round| round.messages_p99)),
            over(|round| round.messages_p99 / round.append),
            &at_most(45.0, 20.0, ""),
        ),
        row(
            "PERF-5",
            "whole delegations per second".to_owned(),
            format!("{:.0}/s, PERF-1 ÷ 3 {:.0}/s", median(|round| round.delegations), messages / 3.0),
            over(|round| round.delegations * 3.0 / round.messages),
            &at_least(0.33, 0.6),
        ),
        row(
            "PERF-6",
            format!("batch door, {BATCH} a request, {CONNECTIONS} connections"),
            format!("{:.0}/s, PERF-1 {messages:.0}/s", median(|round| round.batched)),
            over(|round| round.batched / round.messages),
            &at_least(2.5, 8.0),
        ),
    ];
    rows.extend(of_redis(rounds));
    rows.extend(of_postgres(rounds));
    rows
}

/// With the data in PostgreSQL, beside rows that are inserted there by hand and beside the embedded store.
fn of_postgres(rounds: &[Round]) -> Vec<Row> {
    let one = |round: &Round| {
        let (messages, delegations) = round.on_postgres?;
        Some((messages, *round.peers.get(&Peer::Postgres)?, delegations, round.delegations))
    };
    let all: Vec<_> = rounds.iter().filter_map(one).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let of = |value: fn(&(f64, f64, f64, f64)) -> f64| spread(all.iter().map(value));
    vec![
        row(
            "PERF-12",
            format!("on PostgreSQL: durable messages per second, {CONNECTIONS} connections"),
            format!("{:.0}/s, one-row inserts {:.0}/s", of(|one| one.0).median, of(|one| one.1).median),
            of(|one| one.0 / one.1),
            &at_least(0.7, 1.5),
        ),
        row(
            "PERF-12",
            "on PostgreSQL: whole delegations per second".to_owned(),
            format!("{:.0}/s, embedded {:.0}/s", of(|one| one.2).median, of(|one| one.3).median),
            of(|one| one.2 / one.3),
            &at_least(0.3, 0.6),
        ),
    ]
}

/// Against Redis, if it was measured too.
fn of_redis(rounds: &[Round]) -> Option<Row> {
    let (messages, redis, ratio) = beside(rounds, Peer::Redis)?;
    Some(row(
        "PERF-2",
        format!("the same against Redis XADD, appendfsync always, {CONNECTIONS} connections"),
        format!("{:.0}/s, Redis {:.0}/s", messages.median, redis.median),
        ratio,
        &at_least(0.6, 1.0),
    ))
}

/// Messages, what a peer did in the same rounds, and the ratio of the two.
fn beside(rounds: &[Round], peer: Peer) -> Option<(Spread, Spread, Spread)> {
    let rate = |round: &Round| Some((round.messages, *round.peers.get(&peer)?));
    let both: Vec<_> = rounds.iter().filter_map(rate).collect();
    let of = |value: fn(&(f64, f64)) -> f64| spread(both.iter().map(value));
    (!both.is_empty()).then(|| (of(|(own, _)| *own), of(|(_, other)| *other), of(|(own, other)| own / other)))
}

/// The peers that no row is about, for comparison.
pub(crate) fn beside_others(rounds: &[Round]) -> String {
    let line = |(peer, promise): (Peer, &str)| {
        let (messages, other, ratio) = beside(rounds, peer)?;
        Some(format!(
            "Beside {}, {promise}: {:.0}/s against {:.0}/s, {:.2} ({:.2} to {:.2})\n",
            peer.name(),
            messages.median,
            other.median,
            ratio.median,
            ratio.least,
            ratio.most
        ))
    };
    OTHERS.into_iter().filter_map(line).collect()
}

const OTHERS: [(Peer, &str); 2] = [
    (Peer::Postgres, "a row each, synced before it is answered"),
    (Peer::Nats, "a stream on disk, answered before it is synced"),
];

pub(crate) fn of_many(many: &Many) -> Vec<Row> {
    let open = many.exchanges;
    vec![
        row(
            "PERF-7",
            format!("{open} open exchanges, resident memory for each"),
            format!("{:.0} B ready, {:.0} B after the wakes", many.bytes_ready, many.bytes_after),
            spread([many.bytes_ready.max(many.bytes_after)]),
            &at_most(300.0, 100.0, " B"),
        ),
        row(
            "PERF-7",
            format!("{open} open exchanges, start to ready"),
            format!("{:.2} s, at rest {:.1} s later", many.ready, many.rest),
            spread([many.ready]),
            &at_most(1.0, 0.5, " s"),
        ),
        row(
            "PERF-7",
            format!("{open} open exchanges, {} due at {WAKES_PER_SECOND}/s, p99 of lateness", many.woken),
            format!("p50 {:.0} ms, most {:.0} ms", many.late_p50, many.late_most),
            spread([many.late_p99]),
            &at_most(50.0, 10.0, " ms"),
        ),
    ]
}

pub(crate) fn of_pages(pages: &[Pages]) -> Row {
    let (long, short) = (spread(pages.iter().map(|one| one.long)), spread(pages.iter().map(|one| one.short)));
    row(
        "PERF-8",
        format!("first inbox page, {LONG} messages against {SHORT}"),
        format!("{:.0} µs, {:.0} µs", long.median, short.median),
        spread(pages.iter().map(|one| one.long / one.short)),
        &at_most(1.2, 1.0, ""),
    )
}

pub(crate) fn of_starts(starts: &[Starts]) -> Vec<Row> {
    let nothing = spread(starts.iter().map(|one| one.nothing));
    let of = |what: &str, took: fn(&Starts) -> f64| {
        row(
            "PERF-9",
            format!("`wilco {what}`, start to exit, beyond /bin/true"),
            format!("{:.1} ms, /bin/true {:.1} ms", spread(starts.iter().map(took)).median, nothing.median),
            spread(starts.iter().map(|one| took(one) - one.nothing)),
            &at_most(5.0, 3.0, " ms"),
        )
    };
    vec![of("inbox", |one| one.inbox), of("hook", |one| one.hook)]
}

/// `loaded`: the memory of the server that had all the load, which is no idle one.
pub(crate) fn of_idle(idle: Idle, loaded: Option<f64>) -> Vec<Row> {
    let loaded = loaded.map(|loaded| format!(" ({loaded:.0} after the load)")).unwrap_or_default();
    let memory = row(
        "PERF-10",
        "idle server, resident memory".to_owned(),
        format!("{:.1} MiB{loaded}", idle.resident),
        spread([idle.resident]),
        &at_most(40.0, 25.0, " MiB"),
    );
    let busy = idle.busy.map(|busy| {
        row(
            "PERF-10",
            "idle server, processor time over 60 s".to_owned(),
            format!("{busy:.3} s"),
            spread([busy]),
            &at_most(0.1, 0.02, " s"),
        )
    });
    std::iter::once(memory).chain(busy).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_how_far_it_came() {
        let verdict =
            |ratio, bar: &Bar| row("PERF-0", String::new(), String::new(), spread([ratio]), bar).verdict;
        let (more, less) = (at_least(0.35, 0.6), at_most(3.0, 2.0, ""));
        assert_eq!(
            [0.3, 0.35, 0.7].map(|ratio| verdict(ratio, &more)),
            [Verdict::Miss, Verdict::Ok, Verdict::Goal]
        );
        assert_eq!(
            [3.1, 3.0, 1.0].map(|ratio| verdict(ratio, &less)),
            [Verdict::Miss, Verdict::Ok, Verdict::Goal]
        );
    }
}

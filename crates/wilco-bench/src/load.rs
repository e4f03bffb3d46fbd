//! Many connections, one thread: each sends its next request as soon as its answer is there.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};

use crate::options::{Kind, LoadOptions};
use crate::requests::{self, PAIRS, Script};
use crate::statistics::Distribution;

/// What came of a load.
#[derive(Debug)]
pub(crate) struct Load {
    /// Answers per second.
    pub(crate) rate: f64,
    /// From request to answer, in microseconds.
    pub(crate) latency: Distribution,
    /// All answers, also those that were not counted.
    pub(crate) answers: u64,
}

/// At the beginning nothing is counted: connections and caches warm up.
const WARM_UP: Duration = Duration::from_millis(200);
/// No answer from anybody for so long is a failure.
const SILENCE: Timespec = Timespec { tv_sec: 20, tv_nsec: 0 };

/// Puts load on a server, one script for each connection. Any answer but the expected is a failure: a
/// benchmark of refusals measures nothing.
pub(crate) fn load(server: SocketAddr, scripts: &mut [Script], duration: Duration) -> anyhow::Result<Load> {
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let mut connections = Vec::with_capacity(scripts.len());
    for (number, script) in scripts.iter().enumerate() {
        let connection = script.connect(server)?;
        let data = epoll::EventData::new_u64(number as u64);
        epoll::add(&epoll, &connection.stream, data, epoll::EventFlags::IN)?;
        connections.push(connection);
    }
    let begun = Instant::now();
    let (counted_from, until) = (begun + WARM_UP, begun + WARM_UP + duration);
    let mut sent = Vec::with_capacity(connections.len());
    for (connection, script) in connections.iter_mut().zip(scripts.iter_mut()) {
        sent.push(Instant::now());
        connection.send(script.next())?;
    }
    let (mut under_way, mut answers, mut latencies) = (connections.len(), 0, Vec::with_capacity(1 << 16));
    let mut events = Vec::with_capacity(connections.len());
    while under_way > 0 {
        epoll::wait(&epoll, spare_capacity(&mut events), Some(&SILENCE))
            .context("cannot wait for answers")?;
        if events.is_empty() {
            bail!("{under_way} requests are not answered within {} seconds", SILENCE.tv_sec);
        }
        for event in events.drain(..) {
            let number = event.data.u64() as usize;
            let (connection, script) = (&mut connections[number], &mut scripts[number]);
            let Some(answer) = connection.receive()? else { continue };
            let now = Instant::now();
            script.check(&answer)?;
            answers += 1;
            if now >= counted_from && now < until {
                latencies.push(now.duration_since(sent[number]).as_secs_f64() * 1e6);
            }
            // What a script has begun it ends, so that the next load finds nothing half done.
            if now < until || script.is_midway() {
                sent[number] = now;
                connection.send(script.next())?;
            } else {
                under_way -= 1;
            }
        }
    }
    let rate = latencies.len() as f64 / duration.as_secs_f64();
    let latency = Distribution::of(latencies).context("nothing was answered in time")?;
    Ok(Load { rate, latency, answers })
}

/// `wilco-bench load`: one load by itself.
pub(crate) fn run(options: &LoadOptions) -> anyhow::Result<()> {
    let connections = usize::from(options.connections);
    let pairs = match options.kind {
        Kind::Messages | Kind::Delegations => connections,
        Kind::Batches => PAIRS,
    };
    requests::introduce(options.server, pairs)?;
    let mut scripts = match options.kind {
        Kind::Messages => requests::messages(options.server, connections),
        Kind::Batches => requests::batches(options.server, connections),
        Kind::Delegations => requests::delegations(options.server, connections),
    };
    let load = load(options.server, &mut scripts, options.seconds)?;
    let latency = &load.latency;
    println!(
        "{:.0} answers a second, {} in all, p50 {:.0} µs, p99 {:.0} µs",
        load.rate,
        load.answers,
        latency.percentile(50.0),
        latency.percentile(99.0)
    );
    Ok(())
}

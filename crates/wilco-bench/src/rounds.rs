//! The interleaved rounds: references and loads one after the other, so that whatever else the machine does
//! reaches all of them alike.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde::Serialize;

use crate::disk;
use crate::load::{Load, load};
use crate::machine::processor_time;
use crate::options::Peer;
use crate::peers::{OnPostgres, Running};
use crate::requests::{self, BATCH, Script};
use crate::server::Server;

pub(crate) const CONNECTIONS: usize = 64;

/// What one round brought. Rates are per second, times in microseconds.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Round {
    /// F: one append of 4 KiB with fdatasync.
    pub(crate) append: f64,
    /// The same without growing the file.
    pub(crate) overwrite: f64,
    pub(crate) echo: f64,
    pub(crate) messages: f64,
    pub(crate) messages_p50: f64,
    pub(crate) messages_p99: f64,
    pub(crate) alone_p50: f64,
    pub(crate) delegations: f64,
    pub(crate) batched: f64,
    /// The same messages, kept by others.
    pub(crate) peers: BTreeMap<Peer, f64>,
    /// Messages and delegations with the data in PostgreSQL.
    pub(crate) on_postgres: Option<(f64, f64)>,
    /// Processor time of the server for one answer: the figure that other load disturbs least.
    pub(crate) echo_cost: f64,
    pub(crate) message_cost: f64,
    pub(crate) delegation_cost: f64,
    pub(crate) batched_cost: f64,
}

/// The scripts of all loads, kept over the rounds so that no task id comes twice.
#[derive(Debug)]
pub(crate) struct Scripts {
    echo: Vec<Script>,
    messages: Vec<Script>,
    alone: Vec<Script>,
    batches: Vec<Script>,
    delegations: Vec<Script>,
}

impl Scripts {
    pub(crate) fn new(wilco: &Server, echo: &Server) -> Scripts {
        Scripts {
            echo: requests::messages(echo.address, CONNECTIONS),
            messages: requests::messages(wilco.address, CONNECTIONS),
            alone: requests::messages(wilco.address, 1),
            batches: requests::batches(wilco.address, CONNECTIONS),
            delegations: requests::delegations(wilco.address, CONNECTIONS),
        }
    }

    /// Measures everything once.
    pub(crate) fn round(
        &mut self,
        wilco: &Server,
        echo: &Server,
        peers: &mut [Running],
        on_postgres: Option<&mut OnPostgres>,
        directory: &Path,
        duration: Duration,
    ) -> anyhow::Result<Round> {
        let half = duration / 2;
        at_rest(wilco)?;
        let (echoed, echo_cost) = costed(echo, &mut self.echo, duration)?;
        let (messages, message_cost) = costed(wilco, &mut self.messages, duration)?;
        at_rest(wilco)?;
        let mut kept = BTreeMap::new();
        for peer in peers {
            let load = load(peer.server.address, &mut peer.scripts, duration);
            kept.insert(peer.peer, load.with_context(|| peer.peer.name())?.rate);
        }
        let on_postgres = on_postgres.map(|own| own.measure(duration)).transpose()?;
        let append = disk::appends(directory, half)?;
        let overwrite = disk::overwrites(directory, half)?;
        let alone = load(wilco.address, &mut self.alone, half)?;
        at_rest(wilco)?;
        let (delegations, delegation_cost) = costed(wilco, &mut self.delegations, duration)?;
        at_rest(wilco)?;
        let (batched, batched_cost) = costed(wilco, &mut self.batches, duration)?;
        Ok(Round {
            append: append.median(),
            overwrite: overwrite.median(),
            echo: echoed.rate,
            messages: messages.rate,
            messages_p50: messages.latency.median(),
            messages_p99: messages.latency.percentile(99.0),
            alone_p50: alone.latency.median(),
            // Three calls make one delegation.
            delegations: delegations.rate / 3.0,
            batched: batched.rate * BATCH as f64,
            peers: kept,
            on_postgres,
            echo_cost,
            message_cost,
            delegation_cost: delegation_cost * 3.0,
            batched_cost: batched_cost / BATCH as f64,
        })
    }
}

impl OnPostgres {
    /// Messages and whole delegations per second.
    fn measure(&mut self, duration: Duration) -> anyhow::Result<(f64, f64)> {
        let messages = load(self.server.address, &mut self.messages, duration)?.rate;
        let delegations = load(self.server.address, &mut self.delegations, duration)?.rate;
        Ok((messages, delegations / 3.0))
    }
}

/// How long a server may take to come to rest.
const REST: Duration = Duration::from_secs(30);
/// A server rests when it uses less than a hundredth of a processor for this long.
const CALM: Duration = Duration::from_millis(700);

/// Waits until the server has done what it puts off under load, so that it is not counted for whoever is
/// measured next.
fn at_rest(server: &Server) -> anyhow::Result<()> {
    let end = Instant::now() + REST;
    while Instant::now() < end {
        let before = processor_time(server.id())?;
        std::thread::sleep(CALM);
        if processor_time(server.id())?.saturating_sub(before) < CALM / 100 {
            return Ok(());
        }
    }
    bail!("the server did not come to rest within {} s", REST.as_secs())
}

/// A load, and what an answer of it cost the server.
fn costed(server: &Server, scripts: &mut [Script], duration: Duration) -> anyhow::Result<(Load, f64)> {
    let before = processor_time(server.id())?;
    let load = load(server.address, scripts, duration)?;
    let took = processor_time(server.id())?.saturating_sub(before);
    let cost = took.as_secs_f64() * 1e6 / load.answers.max(1) as f64;
    Ok((load, cost))
}

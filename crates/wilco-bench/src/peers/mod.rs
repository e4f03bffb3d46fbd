//! PERF-2: others that keep messages, started beside the server and given the same messages.
//!
//! Each runs on a free port and in a directory of its own, and ends with the benchmark.

mod nats;
mod postgres;
mod redis;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;

use anyhow::Context;

use crate::options::Peer;
use crate::requests::{self, PAIRS, Script, introduce};
use crate::rounds::CONNECTIONS;
use crate::server::Server;

/// A peer that runs, and what the connections say to it.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) peer: Peer,
    pub(crate) server: Server,
    pub(crate) scripts: Vec<Script>,
}

/// The server under test on the same PostgreSQL, with what the connections say to it.
#[derive(Debug)]
pub(crate) struct OnPostgres {
    pub(crate) server: Server,
    pub(crate) messages: Vec<Script>,
    pub(crate) delegations: Vec<Script>,
}

/// PERF-12: if PostgreSQL is among the peers, a server has its data there.
pub(crate) fn on_postgres(
    binary: &Path,
    directory: &Path,
    peers: &[Running],
) -> anyhow::Result<Option<OnPostgres>> {
    let Some(postgres) = peers.iter().find(|running| running.peer == Peer::Postgres) else {
        return Ok(None);
    };
    let url = format!("postgres://postgres@{}/postgres", postgres.server.address);
    let server = Server::wilco_on(binary, &directory.join("on-postgres"), Some(&url))?;
    introduce(server.address, PAIRS)?;
    let messages = requests::messages(server.address, CONNECTIONS);
    let delegations = requests::delegations(server.address, CONNECTIONS);
    Ok(Some(OnPostgres { server, messages, delegations }))
}

/// Starts those that were asked for.
pub(crate) fn start(peers: &[Peer], directory: &Path) -> anyhow::Result<Vec<Running>> {
    let start = |peer: &Peer| {
        let (server, scripts) = match peer {
            Peer::Redis => redis::start(directory),
            Peer::Postgres => postgres::start(directory),
            Peer::Nats => nats::start(directory),
        }
        .with_context(|| {
            format!("{} does not run; `cargo xtask bench` installs it on Debian", peer.name())
        })?;
        Ok(Running { peer: *peer, server, scripts })
    };
    peers.iter().map(start).collect()
}

/// A port that nobody has at this moment.
fn free() -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("there is no free port")?;
    Ok(listener.local_addr()?)
}

//! PERF-10: what a server takes that has nothing to do.

use std::path::Path;
use std::time::Duration;

use crate::http::{Connection, get};
use crate::machine;
use crate::server::Server;

/// How long an idle server is watched.
const WATCHED: Duration = Duration::from_secs(60);
/// After its start it has a moment to come to rest.
const REST: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy)]
pub(crate) struct Idle {
    /// MiB.
    pub(crate) resident: f64,
    /// Seconds of processor time, if it was watched.
    pub(crate) busy: Option<f64>,
}

/// A server of its own, freshly started and asked one thing.
pub(crate) fn idle(binary: &Path, data: &Path, watch: bool) -> anyhow::Result<Idle> {
    let server = Server::wilco(binary, data)?;
    Connection::open(server.address)?.call(&get(server.address, "/readyz"))?;
    std::thread::sleep(REST);
    let before = machine::processor_time(server.id())?;
    if !watch {
        return Ok(Idle { resident: machine::resident(server.id())?, busy: None });
    }
    std::thread::sleep(WATCHED);
    let busy = machine::processor_time(server.id())?.saturating_sub(before);
    Ok(Idle { resident: machine::resident(server.id())?, busy: Some(busy.as_secs_f64()) })
}

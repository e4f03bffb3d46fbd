//! PERF-8: the first page of a long inbox against that of a short one.

use std::time::Instant;

use anyhow::{Context, bail};

use crate::http::{Connection, get};
use crate::requests::fill;
use crate::server::Server;
use crate::statistics::Distribution;

pub(crate) const LONG: usize = 100_000;
pub(crate) const SHORT: usize = 100;
/// Whose inboxes they are.
pub(crate) const LONG_AGENT: &str = "reader-of-many";
pub(crate) const SHORT_AGENT: &str = "reader-of-few";

const CALLS: usize = 300;
const PAGE: usize = 50;

/// Medians in microseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pages {
    pub(crate) long: f64,
    pub(crate) short: f64,
}

pub(crate) fn fill_inboxes(wilco: &Server) -> anyhow::Result<()> {
    fill(wilco.address, SHORT_AGENT, SHORT)?;
    fill(wilco.address, LONG_AGENT, LONG)
}

/// Takes both by turns.
pub(crate) fn pages(wilco: &Server) -> anyhow::Result<Pages> {
    let request = |agent| get(wilco.address, &format!("/v1/agents/{agent}/inbox?limit={PAGE}"));
    let (long, short) = (request(LONG_AGENT), request(SHORT_AGENT));
    let mut connection = Connection::open(wilco.address)?;
    let (mut of_long, mut of_short) = (Vec::new(), Vec::new());
    for _ in 0..CALLS {
        of_long.push(time(&mut connection, &long)?);
        of_short.push(time(&mut connection, &short)?);
    }
    let median = |times| Distribution::of(times).context("no page was read").map(|times| times.median());
    Ok(Pages { long: median(of_long)?, short: median(of_short)? })
}

fn time(connection: &mut Connection, request: &[u8]) -> anyhow::Result<f64> {
    let begun = Instant::now();
    let (status, body) = connection.call(request)?;
    let took = begun.elapsed().as_secs_f64() * 1e6;
    if status != 200 {
        bail!("expected a page, got {status}: {}", String::from_utf8_lossy(&body));
    }
    Ok(took)
}

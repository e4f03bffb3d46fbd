//! The Model Context Protocol, as clients speak it: over HTTP with and without sessions, and over stdin and
//! stdout of `wilco mcp`.

pub(crate) mod client;
mod decided;
mod doors;
mod fenced;
mod mistakes;
mod protocols;
mod resources;
mod tasks;
mod taught;

use crate::server::Server;
use client::{Client, Way};

/// The same scene over every way in, each on a server of its own.
fn every_way(agents: &[&str], scene: impl Fn(&Server, &dyn Fn(&str) -> Client)) {
    for way in Way::ALL {
        let server = Server::start();
        server.register(agents);
        scene(&server, &|name| Client::new(&server, way, name));
    }
}

//! Lists that by contract show every agent: read and sent piece by piece, so that neither the answer nor the directory is
//! held whole.

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use futures_util::stream::{iter, unfold};
use http::header;
use serde::Serialize;
use serde_json::{Value, json};
use wilco_protocol::{Name, Time};
use wilco_runtime::Overloaded;

use super::agent::is_online;
use crate::agent_now::AgentNow;
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;

/// Agents that are read at once.
const PIECE: usize = 500;

/// What is counted of the agents that are shown.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Count {
    total: usize,
    online: usize,
}

impl Count {
    pub(super) fn add(&mut self, agent: &AgentNow, at: Time) {
        self.total += 1;
        self.online += usize::from(is_online(agent, at));
    }

    /// `{total, online, offline}`.
    pub(super) fn stats(self) -> Value {
        json!({"total": self.total, "online": self.online, "offline": self.total - self.online})
    }
}

/// An agent as one item of a list.
pub(super) type Item = fn(&App, &AgentNow, Time) -> Vec<u8>;

/// The bytes of something on the wire.
pub(super) fn item(shape: impl Serialize) -> Vec<u8> {
    serde_json::to_vec(&shape).unwrap_or_default()
}

/// What stands behind the list, as further fields of the object.
pub(super) type Rest = fn(&App, Count) -> Vec<(&'static str, Value)>;

struct Listing {
    app: App,
    caller: Caller,
    item: Item,
    rest: Rest,
    at: Time,
    after: Option<Name>,
    count: Count,
    is_over: bool,
}

/// `{"KEY": [items], REST}`.
pub(super) async fn list(
    app: App,
    caller: Caller,
    key: &'static str,
    item: Item,
    rest: Rest,
) -> Result<Response, Failure> {
    let at = app.handle.now();
    let mut listing =
        Listing { app, caller, item, rest, at, after: None, count: Count::default(), is_over: false };
    let mut first = format!("{{{}:[", json!(key)).into_bytes();
    listing.write_piece(&mut first).await?;
    let more = unfold(listing, async |mut listing| {
        if listing.is_over {
            return None;
        }
        let mut piece = Vec::new();
        // What fails is cut off, so that a part is not taken for everybody.
        let written = listing.write_piece(&mut piece).await;
        listing.is_over |= written.is_err();
        Some((written.map(|()| Bytes::from(piece)), listing))
    });
    let body = Body::from_stream(iter([Ok(Bytes::from(first))]).chain(more));
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

impl Listing {
    /// Some more agents, and behind the last one the rest.
    async fn write_piece(&mut self, into: &mut Vec<u8>) -> Result<(), Overloaded> {
        let mut agents =
            self.app.agents_now(self.app.handle.agents_after(self.after.as_ref(), PIECE)).await?;
        for now in &mut agents {
            self.caller.hide(&mut now.agent);
            if self.count.total > 0 {
                into.push(b',');
            }
            self.count.add(now, self.at);
            into.extend((self.item)(&self.app, now, self.at));
        }
        if agents.len() < PIECE {
            self.is_over = true;
            into.push(b']');
            for (key, value) in (self.rest)(&self.app, self.count) {
                into.extend(format!(",{}:{value}", json!(key)).into_bytes());
            }
            into.push(b'}');
        }
        self.after = agents.pop().map(|last| last.agent.name);
        Ok(())
    }
}

//! `GET /v1/events`: the journal in pages.

use std::time::Duration;

use axum::Json;
use axum::extract::{RawQuery, State};
use http::StatusCode;
use serde_json::{Value, json};
use wilco_engine::reads::{self, EventQuery};
use wilco_protocol::Name;

use super::exchanges::protocol;
use crate::auth::Caller;
use crate::door::Door;
use crate::problem::Failure;
use crate::query::Query;
use crate::shape;

pub(crate) async fn list(
    State(door): State<Door>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, Failure> {
    let query = Query::read(query.as_deref(), &["after", "protocol", "agent", "limit", "wait"])?;
    let wanted = EventQuery {
        after: query.cursor("after")?.unwrap_or(0),
        limit: query.limit()?,
        protocol: query.text("protocol").map(protocol).transpose()?,
        agent: query.text("agent").map(Name::new),
    };
    if let Some(wait) = query.wait(door.config.limits.wait)? {
        wait_for(&door, wanted.after, wait).await?;
    }
    let part = door.handle.read(move |reader| reads::events(reader, &caller.viewer, &wanted)).await?;
    let items: Vec<_> = part.items.iter().map(shape::event).collect();
    Ok(Json(json!({"items": items, "next": part.next.map(|next| next.to_string())})))
}

/// Until something follows this position.
async fn wait_for(door: &Door, after: u64, wait: Duration) -> Result<(), Failure> {
    let _seat = door.waiting.try_acquire().map_err(|_| {
        let detail = "too many readers are waiting; read without wait, or try again later";
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "too-many-waiting", detail)
    })?;
    let (mut head, mut stopping) = (door.handle.waiters().head(), door.stopping.clone());
    tokio::select! {
        _ = head.wait_for(|head| *head > after) => {}
        () = tokio::time::sleep(wait) => {}
        _ = stopping.wait_for(|stopping| *stopping) => {}
    }
    Ok(())
}

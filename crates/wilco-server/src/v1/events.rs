//! `GET /v1/events`: the journal in pages, or as a stream.

use std::pin::Pin;
use std::time::Duration;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use serde_json::{Value, json};
use tokio::sync::{SemaphorePermit, watch};
use tokio::time::Sleep;
use wilco_engine::reads::{self, EventQuery, EventView, Part};

use super::exchanges::protocol;
use super::follow;
use super::inbox::seat;
use crate::accept::{EVENTS, JSON, accepted};
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::query::Query;
use crate::shape;
use crate::stream::{self, Reader};

pub(crate) const KEYS: [&str; 5] = ["after", "protocol", "agent", "limit", "wait"];
/// What a stream takes of them.
const FILTERS: [&str; 3] = ["after", "protocol", "agent"];

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    reader: Reader,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    match accepted(&headers, &[JSON, EVENTS])? {
        EVENTS => follow(app, caller, reader, query).await,
        _ => Ok(pages(app, caller, &reader, query).await?.into_response()),
    }
}

/// From the given place, or from now on.
async fn follow(
    app: App,
    caller: Caller,
    reader: Reader,
    query: Option<String>,
) -> Result<Response, Failure> {
    let query = Query::read(query.as_deref(), &FILTERS)?;
    let now = *app.handle.waiters().head().borrow();
    let wanted = EventQuery {
        after: reader.last_event.or(query.cursor("after")?).unwrap_or(now),
        limit: follow::PAGE,
        protocol: query.text("protocol").map(protocol).transpose()?,
        agent: query.text("agent").map(|name| app.agent(name)),
    };
    follow::check_cursor(&app, Some(wanted.after)).await?;
    follow::check_resumed(&app, reader.last_event).await?;
    let (outlet, response) = stream::open(&app, reader)?;
    tokio::spawn(follow::journal(app, caller, wanted, outlet));
    Ok(response)
}

async fn pages(
    app: App,
    caller: Caller,
    reader: &Reader,
    query: Option<String>,
) -> Result<Json<Value>, Failure> {
    let query = Query::read(query.as_deref(), &KEYS)?;
    let mut wanted = EventQuery {
        after: query.cursor("after")?.unwrap_or(0),
        limit: query.limit()?,
        protocol: query.text("protocol").map(protocol).transpose()?,
        agent: query.text("agent").map(|name| app.agent(name)),
    };
    follow::check_cursor(&app, Some(wanted.after)).await?;
    let part = match query.wait(app.config.limits.wait)? {
        None => page(&app, &caller, &wanted).await?,
        Some(wait) => {
            let mut patience = Patience::new(&app, wait)?;
            loop {
                let part = page(&app, &caller, &wanted).await?;
                if !part.items.is_empty() || !patience.lasts().await {
                    reader.check(&app)?;
                    break part;
                }
                // Events that are not wanted are left behind.
                wanted.after = part.next.unwrap_or(wanted.after);
            }
        }
    };
    let items: Vec<_> = part.items.iter().map(shape::event).collect();
    Ok(Json(json!({"items": items, "next": part.next.map(|next| next.to_string())})))
}

pub(super) async fn page(
    app: &App,
    caller: &Caller,
    wanted: &EventQuery,
) -> Result<Part<EventView>, Failure> {
    let (viewer, wanted) = (caller.viewer.clone(), wanted.clone());
    Ok(app.handle.read(move |reader| reads::events(reader, &viewer, &wanted)).await?)
}

/// A reader that waits for what is committed next, for a while.
pub(super) struct Patience<'a> {
    _seat: SemaphorePermit<'a>,
    rest: Pin<Box<Sleep>>,
    head: watch::Receiver<u64>,
    stopping: watch::Receiver<bool>,
}

impl Patience<'_> {
    /// To be had before looking, so that nothing slips through in between.
    pub(super) fn new(app: &App, wait: Duration) -> Result<Patience<'_>, Failure> {
        let (head, stopping) = (app.handle.waiters().head(), app.stopping.clone());
        Ok(Patience { _seat: seat(app)?, rest: Box::pin(tokio::time::sleep(wait)), head, stopping })
    }

    /// Whether something was committed before the time was over or the server stopped: then it is worth looking again.
    pub(super) async fn lasts(&mut self) -> bool {
        tokio::select! {
            biased;
            _ = self.stopping.wait_for(|stopping| *stopping) => false,
            () = &mut self.rest => false,
            changed = self.head.changed() => changed.is_ok(),
        }
    }
}

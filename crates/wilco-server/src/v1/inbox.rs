//! `GET /v1/agents/{name}/inbox`: a page, a wait for the next message, or a stream.

use std::time::Duration;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use tokio::sync::SemaphorePermit;
use wilco_engine::reads::{self, InboxEntry, InboxQuery, Part};
use wilco_engine::{Command, Viewer};
use wilco_protocol::Name;
use wilco_store::{InboxStatus, PAGE_BYTES};
use wilco_wire::Page;

use super::agents::unknown;
use super::follow;
use super::path::Path;
use crate::accept::{EVENTS, JSON, accepted};
use crate::app::App;
use crate::auth::{Caller, Newcomers};
use crate::forward;
use crate::problem::Failure;
use crate::query::Query;
use crate::shape;
use crate::stream::{self, Reader};

pub(crate) const KEYS: [&str; 4] = ["status", "wait", "after", "limit"];

pub(crate) async fn inbox(
    State(app): State<App>,
    caller: Caller,
    reader: Reader,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
    Path(name): Path<String>,
) -> Result<Response, Failure> {
    match accepted(&headers, &[JSON, EVENTS])? {
        EVENTS => follow(app, caller, reader, query, &name).await,
        _ => pages(app, caller, &reader, query, &name).await,
    }
}

/// Resumes behind the given place, or begins with what is unread. Listening is a sign of life, as waiting is.
async fn follow(
    app: App,
    caller: Caller,
    reader: Reader,
    query: Option<String>,
    name: &str,
) -> Result<Response, Failure> {
    let query = Query::read(query.as_deref(), &["status", "after"])?;
    let statuses = statuses(query.text("status"))?;
    let after = reader.last_event.or(query.cursor("after")?);
    follow::check_cursor(&app, after).await?;
    follow::check_resumed(&app, reader.last_event).await?;
    let (outlet, response) = stream::open(&app, reader)?;
    let agent = resolve(&app, &caller, name, true).await?;
    let query = InboxQuery { agent, statuses, after, limit: follow::PAGE, bytes: follow::PAGE_BYTES };
    tokio::spawn(follow::messages(app, caller, query, outlet));
    Ok(response)
}

async fn pages(
    app: App,
    caller: Caller,
    reader: &Reader,
    query: Option<String>,
    name: &str,
) -> Result<Response, Failure> {
    let query = Query::read(query.as_deref(), &KEYS)?;
    let wait = query.wait(app.config.limits.wait)?;
    let statuses = statuses(query.text("status"))?;
    let (after, limit) = (query.cursor("after")?, query.limit()?);
    follow::check_cursor(&app, after).await?;
    // Taken before anything is changed: whoever finds no seat has not been here.
    let seat = wait.map(|_| seat(&app)).transpose()?;
    let resolved = resolve(&app, &caller, name, wait.is_some()).await;
    let agent = match (&resolved, wait) {
        // Who may look into any inbox may wait for an agent that is yet to come; that registers nobody.
        (Err(failure), Some(wait)) if failure.is_not_found() && !wait.is_zero() && !caller.is_proven() => {
            Name::new(name)
        }
        _ => resolved.clone()?,
    };
    let query = InboxQuery { agent, statuses, after, limit, bytes: PAGE_BYTES };
    let part = match wait {
        None => page(&app, &caller, query).await?,
        Some(wait) => wait_for(&app, &caller, reader, query, wait).await?,
    };
    drop(seat);
    let part = part.ok_or_else(|| unknown(name))?;
    if part.items.is_empty() && resolved.is_err() {
        resolve(&app, &caller, name, false).await?;
    }
    let items: Vec<_> = part.items.iter().map(shape::delivered).collect();
    Ok(Json(Page { items, next: part.next.map(|next| next.to_string()) }).into_response())
}

fn statuses(given: Option<&str>) -> Result<Vec<InboxStatus>, Failure> {
    match given {
        None => Ok(vec![InboxStatus::Unread, InboxStatus::Read]),
        Some("all") => Ok(vec![InboxStatus::Unread, InboxStatus::Read, InboxStatus::Archived]),
        Some("unread") => Ok(vec![InboxStatus::Unread]),
        Some("read") => Ok(vec![InboxStatus::Read]),
        Some("archived") => Ok(vec![InboxStatus::Archived]),
        Some(other) => Err(Failure::bad_request(format!(
            "status: expected unread, read, archived or all, got {other:?}"
        ))),
    }
}

/// The agent whose inbox it is. Its own waiting registers it; a plain read does not, and a call that is made as
/// somebody else, or as nobody in particular, is no sign of life of this agent.
async fn resolve(app: &App, caller: &Caller, name: &str, waits: bool) -> Result<Name, Failure> {
    let is_itself =
        |agent: &str| caller.agent.as_ref().is_some_and(|caller| caller.as_str().eq_ignore_ascii_case(agent));
    let hidden = |agent: &Name| matches!(&caller.viewer, Viewer::Agent(own) if own != agent);
    match app.handle.find_agent(name).map(|agent| agent.name) {
        Some(agent) if hidden(&agent) => Err(unknown(name)),
        Some(agent) => {
            if waits && is_itself(agent.as_str()) {
                waits_there(app, caller, agent.as_str()).await?;
            }
            Ok(agent)
        }
        None if waits && is_itself(name) => {
            let mut newcomers = Newcomers::of(app, caller.owner.clone());
            newcomers.admit_names([name].into_iter())?;
            waits_there(app, caller, name).await?;
            Ok(Name::new(name))
        }
        None => Err(unknown(name)),
    }
}

/// Tells the writer, here or at another node, that this agent waits.
pub(super) async fn waits_there(app: &App, caller: &Caller, agent: &str) -> Result<(), Failure> {
    if app.handle.node().is_none_or(|node| node.known().is_here) {
        app.handle.send(Command::Waits { agent: agent.to_owned() }).await??;
        return Ok(());
    }
    let path = format!("/v1/agents/{}/inbox?wait=0s&limit=1", forward::escaped(agent));
    // Without a writer just now it is told at the next poll.
    let _ = forward::told(app, caller, &path).await;
    Ok(())
}

/// One of the seats for readers that wait.
pub(super) fn seat(app: &App) -> Result<SemaphorePermit<'_>, Failure> {
    app.waiting.try_acquire().map_err(|_| {
        let detail = "too many readers are waiting; read without wait, or try again later";
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "too-many-waiting", detail)
    })
}

pub(super) async fn page(
    app: &App,
    caller: &Caller,
    query: InboxQuery,
) -> Result<Option<Part<InboxEntry>>, Failure> {
    let viewer = caller.viewer.clone();
    Ok(app.handle.read(move |reader| reads::inbox(reader, &viewer, &query)).await?)
}

/// Returns as soon as something follows `after`. Waiting is asked for before looking, so that nothing
/// slips through in between.
async fn wait_for(
    app: &App,
    caller: &Caller,
    reader: &Reader,
    query: InboxQuery,
    wait: Duration,
) -> Result<Option<Part<InboxEntry>>, Failure> {
    let patience = tokio::time::sleep(wait);
    tokio::pin!(patience);
    let notify = app.handle.waiters().inbox(&query.agent);
    let mut stopping = app.stopping.clone();
    loop {
        let notified = notify.notified();
        tokio::pin!(notified);
        notified.as_mut().enable();
        let part = page(app, caller, query.clone()).await?;
        let found = part.as_ref().is_none_or(|part| !part.items.is_empty());
        if found || patience.is_elapsed() || *stopping.borrow() {
            reader.check(app)?;
            return Ok(part);
        }
        tokio::select! {
            () = notified => {}
            () = &mut patience => {}
            _ = stopping.changed() => {}
        }
    }
}

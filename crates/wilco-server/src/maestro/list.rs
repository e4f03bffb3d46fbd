//! What `GET /api/messages` is asked: one message, a list, a count, or who somebody is.

use axum::Json;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use http::{StatusCode, header};
use serde_json::{Value, json};
use wilco_engine::Viewer;
use wilco_engine::reads::{self, MailQuery, Mailbox};
use wilco_protocol::Name;
use wilco_protocol::directory::Agent;
use wilco_store::{InboxStatus, Priority};

use super::letter::Mail;
use super::{agent, fields, messages, owner};
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::query::Query;

/// Messages in a list when nobody says how many.
const LIMIT: usize = 25;

pub(super) async fn answer(app: &App, caller: &Caller, query: &Query) -> Result<Response, Failure> {
    match query.text("action").unwrap_or("list") {
        "resolve" => resolve(app, caller, query),
        "search" => Ok(search(app, caller, query)),
        "agents" | "sessions" => Ok(everybody(app, caller)),
        _ if query.text("id").is_some() => message(app, caller, query).await,
        "unread-count" => {
            let (agent, viewer) = (owner::mailbox(app, caller, query), caller.viewer.clone());
            let count =
                app.handle.read(move |reader| reads::unread(reader, &viewer, &agent, usize::MAX)).await?;
            Ok(Json(json!({"count": count})).into_response())
        }
        "sent-count" => {
            let agent = Some(owner::mailbox(app, caller, query));
            let mut wanted = MailQuery { mailbox: Mailbox::Sent, agent, ..all() };
            let viewer = caller.viewer.clone();
            let count = app.handle.read(move |reader| {
                let mut count = 0;
                loop {
                    let part = reads::mail(reader, &viewer, &wanted)?;
                    count += part.items.len();
                    match part.next {
                        Some(next) => wanted.before = next,
                        None => return Ok(count),
                    }
                }
            });
            Ok(Json(json!({"count": count.await?})).into_response())
        }
        "stats" => stats(app, caller, query).await,
        _ => {
            let agent = match owner::named(query) {
                Some("*") => everybodys(caller)?,
                _ => Some(owner::mailbox(app, caller, query)),
            };
            list(app, caller, query, agent).await
        }
    }
}

async fn message(app: &App, caller: &Caller, query: &Query) -> Result<Response, Failure> {
    let id = query.text("id").unwrap_or("");
    let agent = owner::mailbox(app, caller, query);
    let mail = messages::one(app, caller, agent, mailbox(query)?, id).await?;
    Ok(Json(mail.delivered().pop()).into_response())
}

/// Everybody's mail is for operators.
fn everybodys(caller: &Caller) -> Result<Option<Name>, Failure> {
    match caller.viewer {
        Viewer::Local | Viewer::Operator | Viewer::ReadOnly => Ok(None),
        Viewer::Agent(_) => {
            let detail = "all messages are for operators; ask for your own inbox";
            Err(Failure::new(StatusCode::FORBIDDEN, "forbidden", detail))
        }
    }
}

pub(super) async fn list(
    app: &App,
    caller: &Caller,
    query: &Query,
    agent: Option<Name>,
) -> Result<Response, Failure> {
    let limit = limit(query)?;
    let named = |key| query.text(key).map(|text| owner::known(app, text).unwrap_or_else(|| Name::new(text)));
    let wanted = MailQuery {
        agent,
        mailbox: mailbox(query)?,
        statuses: statuses(query.text("status"))?,
        priority: query.text("priority").map(priority).transpose()?,
        from: named("from"),
        to: named("to"),
        before: u64::MAX,
        limit: if limit == 0 { usize::MAX } else { limit },
    };
    let mut listing =
        Listing { app: app.clone(), viewer: caller.viewer.clone(), wanted, limit, is_begun: false };
    let (first, all) = listing.part().await?;
    let rest = futures_util::stream::unfold((!all).then_some(listing), async |listing| {
        let mut listing = listing?;
        match listing.part().await {
            Ok((text, all)) => Some((Ok(text), (!all).then_some(listing))),
            // Whoever reads it sees that it breaks off.
            Err(failure) => Some((Err(std::io::Error::other(failure.0.detail)), None)),
        }
    });
    let body = Body::from_stream(futures_util::stream::iter([Ok(first)]).chain(rest));
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

/// A list of messages on its way out: it may be long, so it is read and written a page at a time.
struct Listing {
    app: App,
    viewer: Viewer,
    wanted: MailQuery,
    /// As it was asked for.
    limit: usize,
    is_begun: bool,
}

impl Listing {
    /// The next part of the answer's text, and whether it is the last.
    async fn part(&mut self) -> Result<(String, bool), Failure> {
        let (viewer, wanted) = (self.viewer.clone(), self.wanted.clone());
        let read = self.app.handle.read(move |reader| {
            let part = reads::mail(reader, &viewer, &wanted)?;
            Ok((Mail::of(reader, part.items)?, part.next))
        });
        let (mail, next) = read.await?;
        let letters = mail.delivered();
        self.wanted.limit = self.wanted.limit.saturating_sub(letters.len());
        let next = next.filter(|_| self.wanted.limit > 0);
        let mut text = String::new();
        for letter in &letters {
            text += if std::mem::replace(&mut self.is_begun, true) { "," } else { "{\"messages\":[" };
            text += &serde_json::to_string(letter).unwrap_or_default();
        }
        match next {
            Some(next) => self.wanted.before = next,
            None if self.is_begun => text += &format!("],\"limit\":{}}}", self.limit),
            None => text += &format!("{{\"messages\":[],\"limit\":{}}}", self.limit),
        }
        Ok((text, next.is_none()))
    }
}

fn all() -> MailQuery {
    MailQuery {
        agent: None,
        mailbox: Mailbox::Inbox,
        statuses: vec![InboxStatus::Unread, InboxStatus::Read, InboxStatus::Archived],
        priority: None,
        from: None,
        to: None,
        before: u64::MAX,
        limit: usize::MAX,
    }
}

pub(super) fn mailbox(query: &Query) -> Result<Mailbox, Failure> {
    match query.text("box") {
        None | Some("inbox") => Ok(Mailbox::Inbox),
        Some("sent") => Ok(Mailbox::Sent),
        Some(other) => Err(fields::wrong("box", format!("expected inbox or sent, got {other:?}"))),
    }
}

/// 0 is all of them.
fn limit(query: &Query) -> Result<usize, Failure> {
    let Some(text) = query.text("limit") else { return Ok(LIMIT) };
    text.parse().map_err(|_| fields::wrong("limit", format!("expected a number, 0 for all, got {text:?}")))
}

fn statuses(given: Option<&str>) -> Result<Vec<InboxStatus>, Failure> {
    match given {
        None => Ok(vec![InboxStatus::Unread, InboxStatus::Read]),
        Some("all") => Ok(all().statuses),
        Some("unread") => Ok(vec![InboxStatus::Unread]),
        Some("read") => Ok(vec![InboxStatus::Read]),
        Some("archived") => Ok(vec![InboxStatus::Archived]),
        Some(other) => {
            Err(fields::wrong("status", format!("expected unread, read, archived or all, got {other:?}")))
        }
    }
}

fn priority(word: &str) -> Result<Priority, Failure> {
    let known = serde_json::from_value(json!(word.to_lowercase()));
    known
        .map_err(|_| fields::wrong("priority", format!("expected low, normal, high or urgent, got {word:?}")))
}

async fn stats(app: &App, caller: &Caller, query: &Query) -> Result<Response, Failure> {
    let (agent, viewer) = (owner::mailbox(app, caller, query), caller.viewer.clone());
    let count = app.handle.read(move |reader| reads::mail_count(reader, &viewer, &agent)).await?;
    let by_priority =
        json!({"low": count.low, "normal": count.normal, "high": count.high, "urgent": count.urgent});
    let stats = json!({"unread": count.unread, "total": count.total, "byPriority": by_priority});
    Ok(Json(stats).into_response())
}

fn resolve(app: &App, caller: &Caller, query: &Query) -> Result<Response, Failure> {
    let text = owner::named(query).map_or_else(|| owner::own(app, caller).to_string(), str::to_owned);
    let found = owner::addressed(app, &text)?;
    Ok(Json(json!({"resolved": agent::address(app, &caller.shown(&found))})).into_response())
}

/// Agents whose name, alias or session has the text in it, or is nearly it.
fn search(app: &App, caller: &Caller, query: &Query) -> Response {
    let text = owner::named(query).or_else(|| query.text("q")).unwrap_or("").to_owned();
    let found = app.handle.ask_directory(|all| agent::like(all, caller, &text));
    let results: Vec<Value> = found.iter().map(|one| agent::address(app, one)).collect();
    Json(json!({"query": text, "count": results.len(), "results": results})).into_response()
}

fn everybody(app: &App, caller: &Caller) -> Response {
    let answer = app.handle.ask_directory(|all| {
        let session = |agent: &Agent| match caller.hides(&agent.name) {
            true => agent.name.to_string(),
            false => agent.session().to_owned(),
        };
        let names: Vec<_> = all.iter().map(|agent| agent.name.to_string()).collect();
        let sessions: Vec<_> = all.iter().map(session).collect();
        json!({"agents": names, "sessions": sessions})
    });
    Json(answer).into_response()
}

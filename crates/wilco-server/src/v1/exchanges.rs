//! `/v1/exchanges`.

use axum::Json;
use axum::extract::{RawQuery, State};
use serde_json::{Value, json};
use wilco_engine::reads::{self, ExchangeQuery};
use wilco_protocol::{ExchangeId, Protocol};

use super::events::Patience;
use super::path::Path;
use super::search;
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::query::Query;
use crate::shape;
use crate::stream::Reader;

pub(crate) const KEYS: [&str; 8] = ["protocol", "state", "open", "agent", "task", "q", "after", "limit"];

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, Failure> {
    let query = Query::read(query.as_deref(), &KEYS)?;
    let wanted = ExchangeQuery {
        protocol: query.text("protocol").map(protocol).transpose()?,
        state: query.text("state").map(str::to_owned),
        open: query.flag("open")?,
        agent: query.text("agent").map(|name| app.agent(name)),
        task: query.text("task").map(str::to_owned),
        text: search::words(&query)?,
        before: query.cursor("after")?,
        limit: query.limit()?,
    };
    let part = app.handle.read(move |reader| reads::exchanges(reader, &caller.viewer, &wanted)).await?;
    let items: Vec<_> = part.items.into_iter().map(shape::exchange).collect();
    Ok(Json(json!({"items": items, "next": part.next.map(|next| next.to_string())})))
}

pub(crate) fn protocol(word: &str) -> Result<Protocol, Failure> {
    let known = Protocol::ALL.into_iter().find(|protocol| protocol.word() == word);
    known.ok_or_else(|| {
        let words = Protocol::ALL.map(Protocol::word).join(", ");
        Failure::bad_request(format!("protocol: expected one of {words}, got {word:?}"))
    })
}

pub(crate) fn id(text: &str) -> Result<ExchangeId, Failure> {
    text.parse().map_err(|_| missing(text))
}

pub(crate) fn missing(text: &str) -> Failure {
    Failure::not_found(format!("there is no exchange {text:?}; list them with: wilco exchanges"))
}

pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
    Path(text): Path<String>,
) -> Result<Json<Value>, Failure> {
    Query::read(query.as_deref(), &[])?;
    let id = id(&text)?;
    let found = app.handle.read(move |reader| reads::exchange(reader, &caller.viewer, id)).await?;
    found.map(|view| Json(json!(shape::exchange(view)))).ok_or_else(|| missing(&text))
}

pub(crate) async fn at(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
    Path((text, seq)): Path<(String, String)>,
) -> Result<Json<Value>, Failure> {
    Query::read(query.as_deref(), &[])?;
    let id = id(&text)?;
    let seq: u64 =
        seq.parse().map_err(|_| Failure::bad_request(format!("seq: expected a number, got {seq:?}")))?;
    let found = app.handle.read(move |reader| reads::exchange_at(reader, &caller.viewer, id, seq)).await?;
    let none = || Failure::not_found(format!("{text} has no event {seq}"));
    found.map(|view| Json(json!(shape::exchange(view)))).ok_or_else(none)
}

pub(crate) async fn events(
    State(app): State<App>,
    caller: Caller,
    reader: Reader,
    RawQuery(query): RawQuery,
    Path(text): Path<String>,
) -> Result<Json<Value>, Failure> {
    let query = Query::read(query.as_deref(), &["after", "limit", "wait"])?;
    let (id, after, limit) = (id(&text)?, query.cursor("after")?.unwrap_or(0), query.limit()?);
    let mut patience =
        query.wait(app.config.limits.wait)?.map(|wait| Patience::new(&app, wait)).transpose()?;
    let part = loop {
        let viewer = caller.viewer.clone();
        let read =
            move |reader: &dyn wilco_store::Reader| reads::events_of(reader, &viewer, id, after, limit);
        let part = app.handle.read(read).await?.ok_or_else(|| missing(&text))?;
        let Some(patience) = patience.as_mut().filter(|_| part.items.is_empty()) else { break part };
        if !patience.lasts().await {
            break part;
        }
    };
    reader.check(&app)?;
    let items: Vec<_> = part.items.iter().map(shape::event).collect();
    Ok(Json(json!({"items": items, "next": part.next.map(|next| next.to_string())})))
}

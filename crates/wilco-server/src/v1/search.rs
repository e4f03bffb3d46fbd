//! `GET /v1/messages`: messages by what they say, newest first.

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use wilco_engine::reads::{self, MAX_WORDS, SearchQuery};
use wilco_protocol::Name;
use wilco_wire::Page;

use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::query::Query;
use crate::shape;

pub(crate) const KEYS: [&str; 7] = ["q", "agent", "from", "to", "type", "after", "limit"];

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let query = Query::read(query.as_deref(), &KEYS)?;
    // A name that nobody has any more is looked for as it stands.
    let named = |key: &str| {
        let text = query.text(key)?;
        Some(app.handle.find_agent(text).map_or_else(|| Name::new(text), |agent| agent.name))
    };
    let wanted = SearchQuery {
        text: words(&query)?,
        agent: named("agent"),
        from: named("from"),
        to: named("to"),
        kind: query.text("type").map(str::to_owned),
        before: query.cursor("after")?,
        limit: query.limit()?,
    };
    let part = app.handle.read(move |reader| reads::search(reader, &caller.viewer, &wanted)).await?;
    let items: Vec<_> = part.items.iter().map(shape::whole).collect();
    Ok(Json(Page { items, next: part.next.map(|next| next.to_string()) }).into_response())
}

/// Any text is fine; what it looks for are its words.
pub(super) fn words(query: &Query) -> Result<Option<String>, Failure> {
    let Some(text) = query.text("q") else { return Ok(None) };
    match wilco_store::words(text).len() {
        many if many > MAX_WORDS => {
            Err(Failure::bad_request(format!("q: at most {MAX_WORDS} words, got {many}")))
        }
        _ => Ok(Some(text.to_owned())),
    }
}

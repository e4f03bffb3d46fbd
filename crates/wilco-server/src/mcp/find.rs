//! From a name to the exchange that it means. Nothing is guessed: of several, the caller must name one.

use serde_json::Value;
use wilco_protocol::{EscalationId, ExchangeId};
use wilco_wire::{Exchange, Page, Problem, segment};

use crate::mcp::native::{Native, refusal};
use crate::mcp::request::Request;

/// How an exchange is named, and by what it is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Named {
    Task(String, Role),
    /// What a verdict is about: a task, or a handoff.
    Judged(String),
    Operation(String),
    Handoff(String),
    Validation(String),
    Any(String),
}

/// What the caller is in the exchange; it decides when a task's name fits several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Assignee,
    Initiator,
}

/// More exchanges than this are not looked at.
const LOOKED_AT: &str = "1000";

type Found = Result<Option<Exchange>, Box<Problem>>;

/// The exchange, as far as the caller may see it.
pub(crate) async fn find<S: Native>(
    server: &S,
    me: Option<&str>,
    named: &Named,
) -> Result<Exchange, Box<Problem>> {
    let text = named.text();
    if let Some(exchange) = by_id(server, text).await? {
        return Ok(exchange);
    }
    let found = match named {
        Named::Task(text, role) => of_task(server, me, text, *role).await?,
        Named::Judged(text) => match of_task(server, me, text, Role::Initiator).await? {
            Some(found) => Some(found),
            None => of_handoff(server, text).await?,
        },
        Named::Operation(text) => of_operation(server, me, text).await?,
        Named::Handoff(text) => of_handoff(server, text).await?,
        Named::Validation(text) => of_validation(server, me, text).await?,
        Named::Any(text) => of_any(server, me, text).await?,
    };
    found.ok_or_else(|| {
        let whose = me.map_or(String::new(), |me| format!(" in which {me} takes part"));
        let detail = format!("there is no exchange of {text:?}{whose}; list_exchanges shows what there is");
        refusal(404, "not-found", detail)
    })
}

impl Named {
    fn text(&self) -> &str {
        match self {
            Named::Task(text, _)
            | Named::Judged(text)
            | Named::Operation(text)
            | Named::Handoff(text)
            | Named::Validation(text)
            | Named::Any(text) => text.trim(),
        }
    }
}

/// The exchange of an exchange's id, or of an escalation's.
async fn by_id<S: Native>(server: &S, text: &str) -> Found {
    let id = text.parse::<ExchangeId>().or_else(|_| text.parse().map(|id: EscalationId| id.exchange));
    let Ok(id) = id else { return Ok(None) };
    match server.ask(Request::get(format!("/v1/exchanges/{}", segment(&id.to_string())), &[])).await {
        Ok(exchange) => Ok(serde_json::from_value(exchange).ok()),
        Err(problem) if problem.status == 404 => Ok(None),
        Err(problem) => Err(problem),
    }
}

async fn of_any<S: Native>(server: &S, me: Option<&str>, text: &str) -> Found {
    if let Some(found) = of_task(server, me, text, Role::Initiator).await? {
        return Ok(Some(found));
    }
    if let Some(found) = of_operation(server, me, text).await? {
        return Ok(Some(found));
    }
    match of_handoff(server, text).await? {
        Some(found) => Ok(Some(found)),
        None => of_validation(server, me, text).await,
    }
}

/// The open delegation of a task; of several the one in which the caller has this role. An ended one is found
/// too, so that the server can say what an answer to it is worth.
async fn of_task<S: Native>(server: &S, me: Option<&str>, task: &str, role: Role) -> Found {
    let query = |open: Option<&str>, limit: &str| {
        [
            ("task", Some(task.to_owned())),
            ("agent", me.map(str::to_owned)),
            ("open", open.map(str::to_owned)),
            ("limit", Some(limit.to_owned())),
        ]
    };
    let mut open = listed(server, &query(Some("true"), LOOKED_AT)).await?;
    if open.len() > 1 {
        let is_mine = |exchange: &Exchange| match role {
            Role::Initiator => Some(exchange.initiator.as_str()) == me,
            Role::Assignee => exchange.data["assignee"].as_str() == me,
        };
        if open.iter().any(is_mine) {
            open.retain(is_mine);
        }
    }
    match only(task, open)? {
        Some(found) => Ok(Some(found)),
        None => Ok(listed(server, &query(None, "1")).await?.into_iter().next()),
    }
}

async fn of_operation<S: Native>(server: &S, me: Option<&str>, name: &str) -> Found {
    let mut open = open_of(server, me, "operation").await?;
    open.retain(|exchange| exchange.data["operation"] == name);
    only(name, open)
}

async fn of_validation<S: Native>(server: &S, me: Option<&str>, issue: &str) -> Found {
    let issue = issue.trim_start_matches('#');
    let mut open = open_of(server, me, "validation").await?;
    open.retain(|exchange| same(&exchange.data["issue"], issue));
    only(issue, open)
}

/// The handoff of this id, an earlier one included.
async fn of_handoff<S: Native>(server: &S, id: &str) -> Found {
    let query = [("protocol", Some("handoff".to_owned())), ("limit", Some(LOOKED_AT.to_owned()))];
    let named = |exchange: &Exchange| {
        let former = exchange.data["former_replacements"].as_array().cloned().unwrap_or_default();
        same(&exchange.data["handoff_id"], id) || former.iter().any(|one| same(&one["handoff_id"], id))
    };
    Ok(listed(server, &query).await?.into_iter().find(named))
}

async fn open_of<S: Native>(
    server: &S,
    me: Option<&str>,
    protocol: &str,
) -> Result<Vec<Exchange>, Box<Problem>> {
    let query = [
        ("protocol", Some(protocol.to_owned())),
        ("agent", me.map(str::to_owned)),
        ("open", Some("true".to_owned())),
        ("limit", Some(LOOKED_AT.to_owned())),
    ];
    listed(server, &query).await
}

async fn listed<S: Native>(
    server: &S,
    query: &[(&str, Option<String>)],
) -> Result<Vec<Exchange>, Box<Problem>> {
    let page = server.ask(Request::get("/v1/exchanges".to_owned(), query)).await?;
    let page: Page<Exchange> = serde_json::from_value(page).map_err(|error| {
        refusal(
            502,
            "foreign",
            format!("the server's answer cannot be read: {error}; it may be another version"),
        )
    })?;
    Ok(page.items)
}

fn same(value: &Value, text: &str) -> bool {
    value.as_str().is_some_and(|known| known.eq_ignore_ascii_case(text))
}

fn only(text: &str, mut found: Vec<Exchange>) -> Found {
    if found.len() > 1 {
        let ids: Vec<_> = found.iter().map(|exchange| exchange.id.as_str()).collect();
        let detail = format!("{text:?} is open more than once; name one of {} instead", ids.join(", "));
        return Err(refusal(409, "ambiguous", detail));
    }
    Ok(found.pop())
}

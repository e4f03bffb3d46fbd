//! From a task's name to its exchange, and an answer to it.

use wilco_client::{Answer, Client, Error, ExchangeParameters, IdempotencyKey, Outgoing};
use wilco_protocol::{EscalationId, ExchangeId};
use wilco_wire::{Exchange, Posted};

use crate::caller::Caller;
use crate::output::escape::one_line;
use crate::values::Content;

/// What the caller is in the exchange; it decides when the task's name fits several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Assignee,
    Initiator,
}

/// More open exchanges of one task are not listed.
const LISTED: u32 = 20;

/// Says something in the exchange of a task.
pub(crate) fn say(
    caller: &Caller,
    task: &str,
    role: Role,
    content: Content,
) -> anyhow::Result<Answer<Posted>> {
    let (client, from) = (caller.client(), caller.sender()?);
    let exchange = find(caller, &client, from.as_deref(), task, role)?;
    say_in(caller, &client, from, &exchange, content)
}

/// Says something in an exchange that was found.
pub(crate) fn say_in(
    caller: &Caller,
    client: &Client,
    from: Option<String>,
    exchange: &Exchange,
    mut content: Content,
) -> anyhow::Result<Answer<Posted>> {
    if let (Some(task_id), false) = (exchange.data.get("task_id"), content.has("task_id")) {
        content.set("task_id", task_id.clone());
    }
    let exchange = Some(exchange.id.clone());
    let message = Outgoing { from, exchange, content: content.into_value(), ..Outgoing::default() };
    caller.checked(client.send(&message, &IdempotencyKey::fresh()))
}

/// The exchange that a task id or an exchange id names. An ended one is found too, so that the server can
/// say what an answer to it is worth.
pub(crate) fn find(
    caller: &Caller,
    client: &Client,
    me: Option<&str>,
    task: &str,
    role: Role,
) -> anyhow::Result<Exchange> {
    let query = |open, limit| ExchangeParameters {
        task: Some(task.to_owned()),
        agent: me.map(str::to_owned),
        open,
        limit: Some(limit),
        ..ExchangeParameters::default()
    };
    let open = caller.checked(client.exchanges(&query(Some(true), LISTED)))?.value.items;
    match choose(open, me, role) {
        Choice::One(exchange) => return Ok(*exchange),
        Choice::Several(list) => anyhow::bail!(several(task, &list)),
        Choice::None => {}
    }
    let ended = caller.checked(client.exchanges(&query(None, 1)))?.value.items;
    if let Some(newest) = ended.into_iter().next() {
        return Ok(newest);
    }
    match by_id(client, task) {
        Some(Ok(exchange)) => Ok(exchange),
        Some(Err(error)) if error.status() != Some(404) => caller.checked(Err(error)),
        Some(Err(_)) | None => anyhow::bail!(unknown(task, me)),
    }
}

/// The exchange of an exchange id, or of an escalation's id.
pub(crate) fn by_id(client: &Client, id: &str) -> Option<Result<Exchange, Error>> {
    let exchange =
        id.parse::<ExchangeId>().or_else(|_| id.parse().map(|id: EscalationId| id.exchange)).ok()?;
    Some(client.exchange(&exchange.to_string()).map(|answer| answer.value))
}

enum Choice {
    None,
    One(Box<Exchange>),
    Several(Vec<Exchange>),
}

fn choose(mut open: Vec<Exchange>, me: Option<&str>, role: Role) -> Choice {
    if open.len() > 1 {
        let is_mine = |exchange: &Exchange| match role {
            Role::Initiator => Some(exchange.initiator.as_str()) == me,
            Role::Assignee => exchange.data["assignee"].as_str() == me,
        };
        if open.iter().any(is_mine) {
            open.retain(is_mine);
        }
    }
    match open.len() {
        0 => Choice::None,
        1 => Choice::One(Box::new(open.remove(0))),
        _ => Choice::Several(open),
    }
}

fn several(task: &str, list: &[Exchange]) -> String {
    let line = |exchange: &Exchange| {
        format!(
            "\n  {}  {}, from {}: {}",
            exchange.id,
            exchange.state,
            exchange.initiator,
            one_line(&exchange.subject)
        )
    };
    let lines: String = list.iter().map(line).collect();
    format!("{task} is open more than once; name the exchange instead:{lines}")
}

fn unknown(task: &str, me: Option<&str>) -> String {
    match me {
        Some(me) => format!(
            "there is no exchange of {task} in which {me} takes part; see: wilco exchanges --task {task}, or act as another with --as NAME"
        ),
        None => {
            format!("there is no exchange {task}, nor one of a task {task}; list them with: wilco exchanges")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(id: &str, initiator: &str, assignee: &str) -> Exchange {
        serde_json::from_value(serde_json::json!({
            "id": id, "protocol": "delegation", "state": "working", "outcome": null, "initiator": initiator,
            "participants": [], "subject": "S", "policy": {}, "timers": [], "checklist": [],
            "created": "", "updated": "", "data": {"task_id": "GH-1", "assignee": assignee},
        }))
        .unwrap()
    }

    #[test]
    fn cli_8_a_role_decides_between_exchanges_of_one_task() {
        let both = || vec![exchange("del-9", "bob", "carl"), exchange("del-5", "anna", "bob")];
        let chosen = |role| match choose(both(), Some("bob"), role) {
            Choice::One(exchange) => exchange.id,
            Choice::None | Choice::Several(_) => "none".to_owned(),
        };
        assert_eq!(chosen(Role::Initiator), "del-9");
        assert_eq!(chosen(Role::Assignee), "del-5");
        assert!(matches!(choose(both(), Some("eve"), Role::Assignee), Choice::Several(_)));
        assert!(several("GH-1", &both()).contains("del-5  working, from anna: S"));
    }
}

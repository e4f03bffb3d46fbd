//! The open tasks that plain sentences name: "GH-2 is done", "Please stop GH-1". With several open between the same
//! two, an id says which is meant.

use std::sync::Arc;

use wilco_language::parse::{Delegation, Typed};
use wilco_language::read::mention::{mentioned, only_asks};
use wilco_protocol::{Exchange, ExchangeId, Protocol};

use super::arrival::Arrival;
use super::by_task::of_task;
use super::correlate::{Correlated, Rule, Target, addressed};
use crate::command::Refused;
use crate::workspace::Workspace;

/// Whether the content names a task that is none of the sender's, as nothing was found by it. Only an ACK may be meant
/// for the one that is open all the same: it is told that its id is wrong.
pub(super) fn names_no_own_task(arrival: &Arrival<'_>) -> bool {
    let incoming = arrival.incoming();
    let names = |task_id: Option<&str>| task_id.is_some_and(|id| !id.trim().is_empty());
    match &incoming.typed {
        Typed::Delegation(Delegation::Ack(_)) => false,
        Typed::Delegation(said) => names(said.task_id()),
        Typed::Decision(_) | Typed::Conversation | Typed::Talk => {
            names(incoming.content.get("task_id").and_then(|id| id.as_str()))
        }
        Typed::Operation(_) | Typed::Validation(_) | Typed::Handoff(_) => false,
    }
}

/// The exchanges that the words name. `between`: what awaits the sender; where one of another protocol is owed an
/// answer, the words may be that too, and what they are read as decides.
pub(super) fn named_by_words(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    between: &[Arc<Exchange>],
) -> Result<Option<Correlated>, Refused> {
    if !matches!(arrival.incoming().typed, Typed::Conversation | Typed::Talk) {
        return Ok(None);
    }
    // Most messages name nothing, and reading sentences is dear.
    let ids = mentioned(arrival.text);
    if ids.is_empty() {
        return Ok(None);
    }
    // What an initiator asks or reports about its task is said to the agent (DEL-2).
    let to_the_agent = matches!(arrival.incoming().typed, Typed::Talk) || only_asks(arrival.text);
    let is_meant = |one: &Exchange| {
        let inquiry = to_the_agent && *one.initiator() == arrival.from && !one.is_owed_by(&arrival.from);
        one.is_open() && one.is_party(&arrival.from) && addressed(arrival, one) && !inquiry
    };
    let mut named: Vec<Arc<Exchange>> = Vec::new();
    for id in ids {
        let mut found = called(workspace, arrival, &id)?;
        found.retain(|one| is_meant(one));
        if found.len() > 1 {
            return Ok(Some(Correlated::Ambiguous(found.iter().map(|one| one.id()).collect())));
        }
        found.retain(|one| !named.iter().any(|known| known.id() == one.id()));
        named.append(&mut found);
    }
    if named.is_empty() {
        return Ok(None);
    }
    let of_others = |one: &&Arc<Exchange>| {
        one.id().protocol != Protocol::Delegation
            && one.is_owed_by(&arrival.from)
            && !named.iter().any(|known| known.id() == one.id())
    };
    let mut owed: Vec<_> = between.iter().filter(of_others).cloned().collect();
    owed.truncate(if owed.len() == 1 { 1 } else { 0 });
    let named = named.into_iter().map(|exchange| Target { exchange, rule: Rule::TextId });
    let owed = owed.into_iter().map(|exchange| Target { exchange, rule: Rule::OnlyOpen });
    Ok(Some(Correlated::To(named.chain(owed).collect())))
}

/// What a task's id, a number with or without its `#`, or the id of an exchange finds.
fn called(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    id: &str,
) -> Result<Vec<Arc<Exchange>>, Refused> {
    if let Ok(exchange) = id.parse::<ExchangeId>()
        && let Some(live) = workspace.live(exchange.number)?.filter(|live| live.exchange.id() == exchange)
    {
        return Ok(vec![live.exchange]);
    }
    let found = of_task(workspace, arrival, id)?;
    match id.strip_prefix('#') {
        Some(number) if found.is_empty() => of_task(workspace, arrival, number),
        Some(_) | None => Ok(found),
    }
}

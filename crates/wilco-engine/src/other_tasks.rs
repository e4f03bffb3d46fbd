//! Which other open tasks an acknowledgement may name. Whether it does so instead of its own is the language's to say.

use wilco_language::judge::possible_ids;
use wilco_language::parse::Incoming;
use wilco_protocol::Name;
use wilco_protocol::exchange::{Exchange, key};
use wilco_store::StoreError;

use crate::workspace::Workspace;

/// Ids of other open tasks of the same agent or initiator in what an agent says it understood.
pub(crate) fn other_tasks(
    workspace: &mut Workspace<'_>,
    exchange: &Exchange,
    agent: &Name,
    understanding: &str,
) -> Result<Vec<String>, StoreError> {
    let acknowledges = match exchange {
        Exchange::Delegation(state) => state.assignee == *agent && !state.phase.at_work(),
        Exchange::Handoff(state) => state.agent == *agent,
        Exchange::Operation(_) | Exchange::Validation(_) => false,
    };
    let mut named = Vec::new();
    for id in possible_ids(understanding).into_iter().filter(|_| acknowledges) {
        for number in workspace.find(&key("task", &id))? {
            let Some(live) = workspace.live(number)? else { continue };
            let Exchange::Delegation(other) = &*live.exchange else { continue };
            let near = other.assignee == *agent || other.initiator == *exchange.initiator();
            if near && other.id != exchange.id() && live.exchange.is_open() && !is_handed(exchange, &id) {
                named.push(id.clone());
                break;
            }
        }
    }
    Ok(named)
}

/// Whether a handoff hands this task over.
fn is_handed(exchange: &Exchange, id: &str) -> bool {
    match exchange {
        Exchange::Handoff(state) => {
            let mut handed = state.tasks.iter().filter_map(|task| task.delegation.as_ref());
            handed.any(|task| task.task_id.to_lowercase() == id)
        }
        Exchange::Delegation(_) | Exchange::Operation(_) | Exchange::Validation(_) => false,
    }
}

/// What a message says of an understanding: its field, else its text.
pub(crate) fn understood(incoming: &Incoming) -> &str {
    let field = ["understanding", "understanding_summary"]
        .iter()
        .find_map(|key| incoming.content.get(*key)?.as_str());
    field.unwrap_or_else(|| incoming.text())
}

//! Who may see what.

use wilco_protocol::journal::{Entry, Fact, MessageEvent};
use wilco_protocol::{Exchange, Name};
use wilco_store::{Message, Reader, StoreError};

use crate::command::Viewer;
use crate::work::damaged;

/// The agent whose sight is limited to what it takes part in; none sees everything.
pub(super) fn limited_to(viewer: &Viewer) -> Option<&Name> {
    match viewer {
        Viewer::Agent(agent) => Some(agent),
        Viewer::Local | Viewer::Operator | Viewer::ReadOnly => None,
    }
}

pub(super) fn sees_exchange(viewer: &Viewer, exchange: &Exchange) -> bool {
    limited_to(viewer).is_none_or(|agent| exchange.participants().contains(agent))
}

pub(super) fn load(reader: &dyn Reader, number: u64) -> Result<Option<(Exchange, u64)>, StoreError> {
    let Some(row) = reader.exchange(number)? else { return Ok(None) };
    let exchange = serde_json::from_slice(&row.body).map_err(|error| damaged(number, error))?;
    Ok(Some((exchange, row.seq)))
}

pub(super) fn sees_message(
    reader: &dyn Reader,
    viewer: &Viewer,
    message: &Message,
    position: u64,
) -> Result<bool, StoreError> {
    let Some(agent) = limited_to(viewer) else { return Ok(true) };
    if message.from == *agent || message.to == *agent || reader.inbox_status(agent, position)?.is_some() {
        return Ok(true);
    }
    match message.exchange {
        Some(id) => {
            Ok(load(reader, id.number)?.is_some_and(|(exchange, _)| sees_exchange(viewer, &exchange)))
        }
        None => Ok(false),
    }
}

/// An agent sees the events of its exchanges, of its messages and of itself.
pub(super) fn sees_event(reader: &dyn Reader, viewer: &Viewer, entry: &Entry) -> Result<bool, StoreError> {
    let Some(agent) = limited_to(viewer) else { return Ok(true) };
    if let Some(id) = entry.exchange {
        return Ok(load(reader, id.number)?.is_some_and(|(exchange, _)| sees_exchange(viewer, &exchange)));
    }
    Ok(entry.by == *agent
        || match &entry.fact {
            Fact::Message(MessageEvent::MessageAccepted { to, inboxes, .. }) => {
                to.contains(agent) || inboxes.contains(agent)
            }
            Fact::Message(
                MessageEvent::MessageRead { agent: of, .. }
                | MessageEvent::MessageArchived { agent: of, .. }
                | MessageEvent::MessageDeleted { agent: of, .. }
                | MessageEvent::MessageNudged { agent: of, .. }
                | MessageEvent::MessageNudgeFailed { agent: of, .. }
                | MessageEvent::MessageInjected { agent: of, .. },
            ) => of == agent,
            Fact::Agent(event) => event.agent() == agent,
            Fact::Server(_) | Fact::Exchange(_) => false,
        })
}

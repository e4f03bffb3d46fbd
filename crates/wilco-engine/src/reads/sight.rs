//! Who may see what.

use wilco_language::message::MessageType;
use wilco_protocol::journal::{Entry, Fact, MessageEvent};
use wilco_protocol::{Exchange, Name};
use wilco_store::{Message, Reader, StoreError};

use crate::command::Viewer;
use crate::lookup::damaged;

/// Messages of an exchange that are looked at for an escalation.
const MAX_LOOKED_AT: usize = 1000;

/// The agent whose sight is limited to what it takes part in; none sees everything.
pub(super) fn limited_to(viewer: &Viewer) -> Option<&Name> {
    match viewer {
        Viewer::Agent(agent) => Some(agent),
        Viewer::Local | Viewer::Operator | Viewer::ReadOnly => None,
    }
}

/// Whether it takes part in an exchange, or sees everything.
fn takes_part(viewer: &Viewer, exchange: &Exchange) -> bool {
    limited_to(viewer).is_none_or(|agent| exchange.participants().contains(agent))
}

/// Who takes part sees an exchange, and so does whoever got an escalation of it to decide.
pub(super) fn sees_exchange(
    reader: &dyn Reader,
    viewer: &Viewer,
    exchange: &Exchange,
) -> Result<bool, StoreError> {
    let Some(agent) = limited_to(viewer) else { return Ok(true) };
    Ok(takes_part(viewer, exchange) || got_escalation(reader, agent, exchange)?)
}

/// Whether an agent got an escalation of an exchange to decide.
pub(crate) fn got_escalation(
    reader: &dyn Reader,
    agent: &Name,
    exchange: &Exchange,
) -> Result<bool, StoreError> {
    if exchange.escalations().is_empty() {
        return Ok(false);
    }
    for row in reader.messages_of(exchange.id().number, 0, MAX_LOOKED_AT)? {
        let message: Message =
            serde_json::from_slice(&row.body).map_err(|error| damaged(row.position, error))?;
        let to_it = message.to == *agent && message.from.is_wilco();
        if to_it && message.kind().as_deref().and_then(MessageType::named) == Some(MessageType::Escalation) {
            return Ok(true);
        }
    }
    Ok(false)
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
        Some(id) => Ok(load(reader, id.number)?.is_some_and(|(exchange, _)| takes_part(viewer, &exchange))),
        None => Ok(false),
    }
}

/// An agent sees the events of its exchanges, of its messages and of itself.
pub(super) fn sees_event(reader: &dyn Reader, viewer: &Viewer, entry: &Entry) -> Result<bool, StoreError> {
    let Some(agent) = limited_to(viewer) else { return Ok(true) };
    if let Some(id) = entry.exchange {
        return Ok(load(reader, id.number)?.is_some_and(|(exchange, _)| takes_part(viewer, &exchange)));
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

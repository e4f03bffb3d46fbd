//! How far a message got towards an agent: stored, nudged, injected, read, acknowledged, acted on.

use wilco_protocol::decision::Stage;
use wilco_protocol::{ExchangeId, Meaning, Name};
use wilco_store::{InboxStatus, Message, MessageRow, Reach, Reached, Reader, Reading, StoreError};

use super::messages::parsed;

/// Later messages of an exchange that are looked at for an answer.
const MAX_LOOKED: usize = 200;

/// The stage of a message with the agent that it is addressed to.
pub fn delivery(reader: &dyn Reader, message: &Message, position: u64) -> Result<Stage, StoreError> {
    let agent = &message.to;
    let status = reader.inbox_status(agent, position)?;
    let stage = lies(status, reader.reached(agent, position)?);
    let Some(id) = message.exchange else { return Ok(stage) };
    Ok(answered(reader, id, agent, position)?.max(stage))
}

/// What follows from where it lies.
pub(crate) fn lies(status: Option<InboxStatus>, reached: Reached) -> Stage {
    if reached.has(Reach::Answered) {
        return Stage::Acknowledged;
    }
    let read = match status {
        Some(InboxStatus::Read) => true,
        Some(InboxStatus::Archived | InboxStatus::Deleted) => !reached.has(Reach::PutAwayUnread),
        Some(InboxStatus::Unread) | None => false,
    };
    match read {
        true => Stage::Read,
        false if reached.has(Reach::Injected) => Stage::Injected,
        false if reached.has(Reach::Nudged) => Stage::Nudged,
        false => Stage::Stored,
    }
}

/// What the agent said in the exchange after it.
fn answered(reader: &dyn Reader, id: ExchangeId, agent: &Name, position: u64) -> Result<Stage, StoreError> {
    let mut stage = Stage::Stored;
    for row in reader.messages_of(id.number, position, MAX_LOOKED)? {
        stage = stage.max(shown_by(&row, agent)?);
        if stage == Stage::Acted {
            break;
        }
    }
    Ok(stage)
}

/// Meanings of answers that show work, in every protocol.
const WORK: [Meaning; 7] = [
    Meaning::Checkpoint,
    Meaning::Complete,
    Meaning::Result,
    Meaning::Decision,
    Meaning::FixCompletion,
    Meaning::Pass,
    Meaning::Fail,
];

fn shows_work(reading: &Reading) -> bool {
    reading.meaning.known().is_some_and(|meaning| WORK.contains(&meaning))
}

fn shown_by(row: &MessageRow, agent: &Name) -> Result<Stage, StoreError> {
    let message = parsed(row)?;
    Ok(match &message.reading {
        Some(reading) if message.from == *agent && shows_work(reading) => Stage::Acted,
        Some(_) if message.from == *agent => Stage::Acknowledged,
        Some(_) | None => Stage::Stored,
    })
}

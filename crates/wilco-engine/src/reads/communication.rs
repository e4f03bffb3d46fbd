//! The communication log of a validation, from its messages and events.

use std::collections::BTreeMap;

use serde_json::Value;
use wilco_language::message::MessageType;
use wilco_language::scene::{Communication, LogEntry, Statistics, summary, worded};
use wilco_protocol::exchange::{Event, Exchange};
use wilco_protocol::journal::{Entry, Fact, MessageEvent};
use wilco_protocol::validation::{self, Label, Named, State, Status};
use wilco_protocol::{ExchangeId, Name};
use wilco_store::{Message, Reader, StoreError};

use super::sight::{load, sees_exchange};
use crate::command::Viewer;
use crate::lookup::damaged;

/// Events read at once.
const PAGE: usize = 1000;

/// The log; none when there is no such validation for this viewer.
pub fn communication(
    reader: &dyn Reader,
    viewer: &Viewer,
    id: ExchangeId,
) -> Result<Option<Communication>, StoreError> {
    let Some((exchange, _)) = load(reader, id.number)? else { return Ok(None) };
    if exchange.id() != id || !sees_exchange(reader, viewer, &exchange)? {
        return Ok(None);
    }
    let Exchange::Validation(last) = &exchange else { return Ok(None) };
    let (mut log, mut after) = (Log::default(), 0);
    loop {
        let rows = reader.journal_of(id.number, after, PAGE)?;
        let Some(end) = rows.last().and_then(|row| row.seq) else { break };
        for row in rows {
            let entry = Entry::from_bytes(&row.bytes).map_err(|error| damaged(row.position, error))?;
            match &entry.fact {
                Fact::Message(MessageEvent::MessageAccepted { .. }) => {
                    if let Some(message) = message_at(reader, row.position)? {
                        log.said(last, &message);
                    }
                }
                Fact::Exchange(Event::Validation(event)) => log.happened(event, entry.at),
                Fact::Exchange(_) | Fact::Message(_) | Fact::Agent(_) | Fact::Server(_) => {}
            }
        }
        after = end;
    }
    let iterations = last.phases.iter().map(|phase| phase.iteration).sum();
    let escalations = last.escalations.iter().map(|one| one.number).max().unwrap_or(0);
    let phases = last.phases.iter().filter(|phase| phase.iteration > 0).count();
    let skipped = last.phases.iter().filter(|phase| phase.status == Status::Skipped).count();
    Ok(Some(Communication {
        issue: last.issue.clone(),
        feature: last.feature.clone(),
        started: last.created,
        completed: last.outcome.map(|_| last.updated.min(log.ended.unwrap_or(last.updated))),
        statistics: Statistics::of(&log.entries, iterations, phases, skipped, escalations, last.status()),
        entries: log.entries,
    }))
}

fn message_at(reader: &dyn Reader, position: u64) -> Result<Option<Message>, StoreError> {
    let Some(row) = reader.message_at(position)? else { return Ok(None) };
    serde_json::from_slice(&row.body).map(Some).map_err(|error| damaged(position, error))
}

/// What was written down so far.
#[derive(Default)]
struct Log {
    state: Option<State>,
    entries: Vec<LogEntry>,
    /// The status of each phase as the log has told it.
    told: BTreeMap<usize, Status>,
    /// The phase that the newest incoming message is about, while nothing has come of it.
    incoming: Option<usize>,
    ended: Option<wilco_protocol::Time>,
}

impl Log {
    /// An event: the first change after a message from outside is what came of it.
    fn happened(&mut self, event: &validation::Event, at: wilco_protocol::Time) {
        match &mut self.state {
            None => self.state = validation::born(event, at),
            Some(state) => validation::apply(state, event, at),
        }
        let Some(state) = &self.state else { return };
        if let validation::Event::Ended { outcome } = event {
            self.ended = Some(at);
            if self.incoming.take().is_some()
                && let Some(entry) = self.entries.last_mut()
            {
                entry.status_after = outcome.status().code();
            }
            return;
        }
        let Some(place) = self.incoming else { return };
        let status = state.phases.get(place).map(|phase| phase.status);
        let before = self.told.get(&place).copied().unwrap_or(Status::Pending);
        if let Some(status) = status.filter(|status| *status != before) {
            self.told.insert(place, status);
            self.incoming = None;
            if let Some(entry) = self.entries.last_mut() {
                entry.status_after = status.code();
            }
        }
    }

    fn said(&mut self, last: &State, message: &Message) {
        let content = message.values();
        let text = |key: &str| content.get(key).and_then(Value::as_str);
        let opening = self.state.is_none();
        let state = self.state.as_ref().unwrap_or(last);
        let outgoing = message.from.is_wilco();
        let id = text("message_id")
            .map(str::to_owned)
            .or_else(|| wilco_language::read::validation::message_id(text("message").unwrap_or_default()));
        let place = phase_of(state, &message.from, outgoing, text("phase"), id.as_deref());
        let phase = place.and_then(|place| state.phases.get(place));
        // An answer in words counts as what it is.
        let again = phase.is_some_and(|phase| phase.status == Status::ReChecking);
        let takes_part = message.from == state.main_agent
            || state.phases.iter().any(|phase| phase.specialist == message.from);
        let given = text("type").unwrap_or("message").replace('_', "-");
        let plain = MessageType::named(&given).is_none_or(MessageType::is_talk);
        let said = text("message").filter(|_| plain && takes_part).and_then(|said| worded(said, again));
        let kind = said.map_or(given, |of| of.to_string());
        let typed = MessageType::named(&kind);
        let id =
            phase.filter(|_| !outgoing).and_then(|phase| own_id(state, phase, typed, id.as_deref())).or(id);
        let of = typed.filter(|_| outgoing);
        let told = |place: usize| self.told.get(&place).copied().unwrap_or(Status::Pending);
        let before = match place {
            _ if opening => Status::Pending,
            Some(place) => told(place),
            None => state.status(),
        };
        let after = match of {
            Some(MessageType::ValidationRequest) => Status::InProgress,
            Some(MessageType::FixRequest) => Status::AwaitingFix,
            Some(MessageType::RevalidationTrigger) => Status::ReChecking,
            Some(MessageType::Escalation) => Status::Escalated,
            _ => before,
        };
        let code = |key: &str, other: Status| {
            let given = text(key).filter(|_| of == Some(MessageType::StatusChange));
            let known = given.and_then(|code| STATUSES.into_iter().find(|status| status.code() == code));
            known.unwrap_or(other).code()
        };
        let (status_before, status_after) = (code("previous_status", before), code("new_status", after));
        // What is about no phase belongs to the iteration that the log has come to.
        let newest = self.entries.last().map(|entry| (entry.iteration, entry.max_iterations));
        let (iteration, max_iterations) = match phase {
            Some(phase) if !opening => (phase.iteration, phase.max_iterations),
            Some(_) | None => newest.unwrap_or((0, state.policy.max_iterations)),
        };
        self.entries.push(LogEntry {
            entry_id: validation::log_id(&last.issue, iteration, self.entries.len() + 1),
            time: message.timestamp,
            sender: message.from.clone(),
            recipient: message.to.clone(),
            message_id: id.unwrap_or_else(|| message.id.to_string()),
            summary: summary(content, &kind),
            kind,
            status_before,
            status_after,
            iteration,
            max_iterations,
        });
        if let Some(place) = place.filter(|_| outgoing && after != before) {
            self.told.insert(place, after);
        }
        self.incoming = place.filter(|_| !outgoing && !opening);
    }
}

const STATUSES: [Status; 11] = [
    Status::Pending,
    Status::InProgress,
    Status::AwaitingFix,
    Status::Fixing,
    Status::ReChecking,
    Status::Escalated,
    Status::Fail,
    Status::Pass,
    Status::Skipped,
    Status::Completed,
    Status::Aborted,
];

/// The id that an awaited answer has in its loop; none for what is no such answer, or has one of its own kind already.
fn own_id(
    state: &State,
    phase: &validation::Phase,
    typed: Option<MessageType>,
    given: Option<&str>,
) -> Option<String> {
    let label = match (typed?, phase.status) {
        (MessageType::ValidationResult | MessageType::RevalidationResult, Status::InProgress) => {
            Label::Result
        }
        (MessageType::ValidationResult | MessageType::RevalidationResult, Status::ReChecking) => {
            Label::TriggerResult
        }
        (MessageType::FixCompletion, Status::AwaitingFix | Status::Fixing) => Label::FixDone,
        _ => return None,
    };
    // Who answers under the id of the request means this round; any other id is what its sender wrote.
    let round = |id: &str| match validation::named(state, id) {
        Named::Round { iteration, .. } => iteration == phase.iteration && !label.is_of(id),
        Named::Nothing | Named::Elsewhere => false,
    };
    given.is_none_or(round).then(|| validation::id(state, phase, label))
}

/// The phase that a message is about: the one it names, its specialist's, or the one that waits.
fn phase_of(
    state: &State,
    from: &Name,
    outgoing: bool,
    name: Option<&str>,
    id: Option<&str>,
) -> Option<usize> {
    let place = |such: &dyn Fn(&validation::Phase) -> bool| state.phases.iter().position(such);
    let by_name = name.and_then(|name| place(&|phase| phase.name == name));
    if outgoing {
        return by_name;
    }
    let by_id = match id.map(|id| validation::named(state, id)) {
        Some(Named::Round { phase, .. }) => phase,
        Some(Named::Nothing | Named::Elsewhere) | None => None,
    };
    let waits = |status: Status| match status {
        Status::AwaitingFix | Status::Fixing => *from == state.main_agent,
        Status::Escalated => *from != state.main_agent,
        _ => false,
    };
    by_name
        .or(by_id)
        .or_else(|| place(&|phase| phase.specialist == *from))
        .or_else(|| place(&|phase| waits(phase.status)))
        .or_else(|| state.current().map(|(place, _)| place).next())
}

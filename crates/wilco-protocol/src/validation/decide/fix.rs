//! What the main agent says about a fix.

use super::draft::Draft;
use super::silence::alive;
use super::turn;
use crate::escalation::Reason;
use crate::name::{MessageId, Name};
use crate::validation::event::{Asked, Event};
use crate::validation::input::Named;
use crate::validation::say::Notice;
use crate::validation::words::{Duty, Status};

/// What it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Acknowledged,
    Done,
    Cannot,
}

pub(super) fn heard(draft: &mut Draft<'_>, by: Name, message: MessageId, named: Named, word: Word) {
    let place = match meant(draft, named) {
        Ok(place) => place,
        Err(notice) => {
            alive(draft, &by);
            return draft.notice(by, notice);
        }
    };
    let phase = draft.phase(place);
    match (word, phase.status) {
        (_, Status::Escalated) => {
            draft.event(Event::EvidenceAdded { phase: place, message });
            draft.notice(by, Notice::Paused { phase: place });
        }
        (Word::Acknowledged, Status::AwaitingFix) => {
            draft.event(Event::FixAcknowledged { phase: place });
            alive(draft, &by);
        }
        (Word::Done, Status::AwaitingFix | Status::Fixing) => {
            if phase.status == Status::AwaitingFix {
                draft.event(Event::FixAcknowledged { phase: place });
            }
            draft.recovered(place);
            draft.event(Event::FixCompleted { phase: place, message });
            turn::ask(draft, place, Duty::Revalidation, Asked::Turn, None);
        }
        (Word::Cannot, Status::AwaitingFix | Status::Fixing) => {
            draft.recovered(place);
            draft.event(Event::FixCompleted { phase: place, message: message.clone() });
            draft.escalate(place, Reason::CannotFix, Some(message));
        }
        (Word::Acknowledged | Word::Done | Word::Cannot, _) => {
            alive(draft, &by);
            draft.notice(by, Notice::OutOfTurn { phase: Some(place) });
        }
    }
}

/// The phase that is meant: the one that is named, or the only one that waits for a fix.
fn meant(draft: &Draft<'_>, named: Named) -> Result<usize, Notice> {
    let iteration = match named {
        Named::Elsewhere => return Err(Notice::OtherLoop),
        Named::Round { phase: Some(place), iteration } => return current(draft, place, Some(iteration)),
        Named::Round { phase: None, iteration } => Some(iteration),
        Named::Nothing => None,
    };
    let phases = || draft.state.phases.iter().enumerate();
    let waiting: Vec<_> =
        phases().filter(|(_, phase)| phase.awaits(Duty::Fix)).map(|(place, _)| place).collect();
    let stopped: Vec<_> =
        phases().filter(|(_, phase)| phase.stopped_at == Some(Duty::Fix)).map(|(place, _)| place).collect();
    match (waiting.as_slice(), stopped.as_slice()) {
        ([place], _) | ([], [place]) => current(draft, *place, iteration),
        ([], _) => Err(Notice::OutOfTurn { phase: None }),
        (_, _) => Err(Notice::WhichPhase { phases: waiting }),
    }
}

fn current(draft: &Draft<'_>, place: usize, named: Option<u32>) -> Result<usize, Notice> {
    let phase = draft.phase(place);
    let paused = phase.status == Status::Escalated;
    match named.filter(|named| *named != phase.iteration && !paused) {
        Some(named) => Err(Notice::OtherIteration { phase: place, named, current: phase.iteration }),
        None => Ok(place),
    }
}

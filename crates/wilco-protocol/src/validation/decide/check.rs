//! What a specialist found.

use super::draft::Draft;
use super::turn;
use crate::escalation::Reason;
use crate::name::{MessageId, Name};
use crate::validation::event::{Asked, Event};
use crate::validation::input::{Fingerprint, Named};
use crate::validation::say::Notice;
use crate::validation::words::{Duty, Finding, Status, Trouble};

/// A result, if the check of this iteration is awaited.
pub(super) fn found(
    draft: &mut Draft<'_>,
    by: Name,
    message: MessageId,
    named: Named,
    finding: Finding,
    failures: Fingerprint,
) {
    let Some(place) = draft.state.phases.iter().position(|phase| phase.specialist == by) else { return };
    if draft.phase(place).status == Status::Escalated {
        draft.event(Event::EvidenceAdded { phase: place, message });
        return draft.notice(by, Notice::Paused { phase: place });
    }
    let phase = draft.phase(place);
    let notice = match named {
        Named::Elsewhere => Some(Notice::OtherLoop),
        Named::Round { phase: Some(other), .. } if other != place => {
            Some(Notice::OutOfTurn { phase: Some(place) })
        }
        Named::Round { iteration, .. } if iteration != phase.iteration => {
            Some(Notice::OtherIteration { phase: place, named: iteration, current: phase.iteration })
        }
        Named::Round { .. } | Named::Nothing if phase.awaits(Duty::Validation) => None,
        Named::Round { .. } | Named::Nothing if phase.awaits(Duty::Revalidation) => None,
        Named::Round { .. } | Named::Nothing => Some(Notice::OutOfTurn { phase: Some(place) }),
    };
    if let Some(notice) = notice {
        super::silence::alive(draft, &by);
        return draft.notice(by, notice);
    }
    match finding {
        Finding::Pass => {
            draft.recovered(place);
            draft.event(Event::Passed { phase: place, message });
            turn::passed(draft, place);
        }
        Finding::Fail => {
            draft.recovered(place);
            failed(draft, place, message, failures);
        }
        Finding::Error => erred(draft, place, message),
    }
}

fn failed(draft: &mut Draft<'_>, place: usize, message: MessageId, failures: Fingerprint) {
    let phase = draft.phase(place);
    let before = phase.last_failed().filter(|round| round.failures == failures);
    let same = if before.is_some() { phase.same + 1 } else { 1 };
    draft.event(Event::Failed { phase: place, message, failures, same });
    let (phase, policy) = (draft.phase(place), &draft.state.policy);
    if phase.same >= policy.deadlock_after {
        draft.escalate(place, Reason::Deadlock, None);
    } else if phase.iteration >= phase.max_iterations {
        draft.escalate(place, Reason::MaxIterations, None);
    } else {
        turn::ask_fix(draft, place, None, false);
    }
}

/// It could not check: once more, then somebody decides.
fn erred(draft: &mut Draft<'_>, place: usize, message: MessageId) {
    let Some(awaited) = draft.phase(place).awaited.clone() else { return };
    if awaited.retried {
        return draft.escalate(place, Reason::SpecialistError, Some(message));
    }
    draft.trouble(place, Trouble::SpecialistFailure, Some(message));
    turn::ask(draft, place, awaited.duty, Asked::Error, None);
}

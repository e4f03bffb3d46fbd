//! Whether it goes on: asked whenever an agent answered or ran out of time.

use super::draft::Draft;
use super::perform::authorize;
use crate::decision::Stage;
use crate::escalation::Reason;
use crate::name::Name;
use crate::operation::event::Why;
use crate::operation::execute::Execute;
use crate::operation::quorum::{Tally, Verdict, weigh};
use crate::operation::state::{Outcome, Phase, TrackState};

pub(super) fn settle(draft: &mut Draft<'_>) {
    let verdict = verdict(draft, draft.state.tally());
    match (&draft.state.phase, verdict) {
        (Phase::Notifying { .. } | Phase::Waiting, Verdict::NobodyLeft) => {
            draft.end(Outcome::Aborted, Why::NobodyLeft, None);
        }
        (Phase::Waiting, Verdict::AllReady) => authorize(draft, Why::AllReady),
        (Phase::Waiting, Verdict::Enough) => authorize(draft, Why::Quorum),
        (Phase::Waiting, Verdict::Regardless) => match unaware(draft) {
            Some(agent) => draft.escalate(Reason::NotReached, agent),
            None => authorize(draft, Why::Timeout),
        },
        (Phase::Waiting, Verdict::TooFew) => draft.end(Outcome::Aborted, Why::TooFewReady, None),
        (Phase::Waiting, Verdict::Wait)
        | (Phase::Notifying { .. } | Phase::Authorized { .. } | Phase::Executing | Phase::Ended { .. }, _) => {
        }
    }
}

pub(super) fn verdict(draft: &Draft<'_>, tally: Tally) -> Verdict {
    weigh(tally, draft.state.policy.quorum, draft.state.policy.proceed_on_timeout)
}

/// Whether it goes on as things stand; none while that is open.
pub(super) fn proceeding(draft: &Draft<'_>) -> Option<bool> {
    match verdict(draft, draft.state.tally()) {
        Verdict::Wait => None,
        Verdict::AllReady | Verdict::Enough => Some(true),
        Verdict::Regardless => unaware(draft).is_none().then_some(true),
        Verdict::TooFew | Verdict::NobodyLeft => Some(false),
    }
}

/// A silent agent that never saw what was coming, when a command would be run on it by default alone.
pub(super) fn unaware(draft: &Draft<'_>) -> Option<Name> {
    let state = &draft.state;
    let by_default = matches!(state.execute, Execute::Command(_)) && !state.silence_foreseen;
    let mut silent = state.tracks.iter().filter(|track| track.state == TrackState::TimedOut);
    let unseen = silent.find(|track| draft.facts.delivery(state.id, &track.agent) < Stage::Injected);
    unseen.filter(|_| by_default).map(|track| track.agent.clone())
}

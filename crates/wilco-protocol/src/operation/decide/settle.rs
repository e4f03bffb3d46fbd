//! Whether it goes on: asked whenever an agent answered or ran out of time.

use super::draft::Draft;
use super::perform::authorize;
use crate::decision::Stage;
use crate::escalation::Reason;
use crate::name::Name;
use crate::operation::event::Why;
use crate::operation::execute::Execute;
use crate::operation::quorum::{Tally, Verdict, weigh};
use crate::operation::state::{Outcome, Phase, Track, TrackState};

pub(super) fn settle(draft: &mut Draft<'_>) {
    let verdict = verdict(draft, draft.state.tally());
    match (&draft.state.phase, verdict) {
        (Phase::Notifying { .. } | Phase::Waiting, Verdict::NobodyLeft) => {
            draft.end(Outcome::Aborted, Why::NobodyLeft, None);
        }
        (Phase::Waiting, Verdict::AllReady) => authorize(draft, Why::AllReady),
        (Phase::Waiting, Verdict::Enough) => without_the_silent(draft, Why::Quorum),
        (Phase::Waiting, Verdict::Regardless) => without_the_silent(draft, Why::Timeout),
        (Phase::Waiting, Verdict::TooFew) => draft.end(Outcome::Aborted, Why::TooFewReady, None),
        (Phase::Waiting, Verdict::Wait)
        | (Phase::Notifying { .. } | Phase::Authorized { .. } | Phase::Executing | Phase::Ended { .. }, _) => {
        }
    }
}

/// Somebody decides when one of them said no, or a command would be run on one that cannot know of it.
fn without_the_silent(draft: &mut Draft<'_>, because: Why) {
    match in_the_way(draft) {
        Some((reason, agent)) => draft.escalate(reason, agent),
        None => authorize(draft, because),
    }
}

pub(super) fn verdict(draft: &Draft<'_>, tally: Tally) -> Verdict {
    weigh(tally, draft.state.policy.quorum, draft.state.policy.proceed_on_timeout)
}

/// Whether it goes on as things stand; none while that is open.
pub(super) fn proceeding(draft: &Draft<'_>) -> Option<bool> {
    match verdict(draft, draft.state.tally()) {
        Verdict::Wait => None,
        Verdict::AllReady => Some(true),
        Verdict::Enough | Verdict::Regardless => in_the_way(draft).is_none().then_some(true),
        Verdict::TooFew | Verdict::NobodyLeft => Some(false),
    }
}

/// Why it does not go on by itself over those who are not ready, and which of them.
fn in_the_way(draft: &Draft<'_>) -> Option<(Reason, Name)> {
    let said_no = |track: &&Track| track.state == TrackState::TimedOut && track.refused;
    let refused = draft.state.tracks.iter().find(said_no).map(|track| (Reason::Refused, track.agent.clone()));
    refused.or_else(|| unaware(draft).map(|agent| (Reason::NotReached, agent)))
}

/// A silent agent that never saw what was coming, when a command would be run on it and the request itself
/// did not say to go on at silence.
fn unaware(draft: &Draft<'_>) -> Option<Name> {
    let state = &draft.state;
    let foreseen = state.silence_foreseen && state.policy.proceed_on_timeout;
    let by_default = matches!(state.execute, Execute::Command(_)) && !foreseen;
    let mut silent = state.tracks.iter().filter(|track| track.state == TrackState::TimedOut);
    let unseen = silent.find(|track| draft.facts.delivery(state.id, &track.agent) < Stage::Injected);
    unseen.filter(|_| by_default).map(|track| track.agent.clone())
}

//! Steps that the initiator takes by itself: they count as Wilco's, which does not take them again.

use super::answer::{extend, extended};
use super::draft::Draft;
use super::silence::time_out;
use crate::name::Name;
use crate::operation::event::Event;
use crate::operation::input::OwnStep;
use crate::operation::state::{Phase, Track, TrackState};

pub(super) fn taken(draft: &mut Draft<'_>, step: OwnStep, agents: &[Name]) {
    if !matches!(draft.state.phase, Phase::Waiting) {
        return;
    }
    let named = |track: &Track| agents.contains(&track.agent) && track.state == TrackState::Waiting;
    let waiting = draft.agents_where(named);
    match step {
        OwnStep::Reminder => waiting.iter().for_each(|agent| reminded(draft, agent)),
        OwnStep::Timeout => time_out(draft, waiting, draft.now, false),
        OwnStep::Extension => {
            for agent in waiting {
                let Some(track) = draft.state.track(&agent).cloned() else { continue };
                if let Some(deadline) = extended(draft, &track) {
                    extend(draft, &track, deadline, true);
                }
            }
        }
    }
}

/// It counts for the reminder that it comes nearest to. One that Wilco has sent is not taken back.
fn reminded(draft: &mut Draft<'_>, agent: &Name) {
    let Some(track) = draft.state.track(agent) else { return };
    let Some(next) = track.reminders.first().copied() else { return };
    let ahead = next.since(draft.now);
    if track.last_reminder.is_some_and(|last| draft.now.since(last) < ahead) {
        return;
    }
    let past = track.reminders_past + 1;
    draft.event(Event::Reminded { agent: agent.clone(), past, due: next, by_initiator: true });
}

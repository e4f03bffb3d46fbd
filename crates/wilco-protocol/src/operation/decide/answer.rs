//! What an agent's answer leads to. It may change its mind until it is decided whether to go on.

use super::begin::ask;
use super::draft::Draft;
use super::settle::settle;
use crate::name::Name;
use crate::operation::event::{Event, Why};
use crate::operation::policy::OnCancel;
use crate::operation::say::{Notice, Say, ToInitiator};
use crate::operation::state::{Outcome, Phase, Track, TrackState};
use crate::operation::words::Answer;
use crate::time::{Span, Time};

/// The last reminder after an extension comes this long before the end.
const LAST_CALL: Span = Span::seconds(30);

pub(super) fn heard(draft: &mut Draft<'_>, agent: Name, answer: Answer) {
    let Some(track) = draft.state.track(&agent).cloned() else { return };
    let decided = !draft.state.undecided();
    match answer {
        // What says nothing is answered as what could not be read.
        Answer::Information => {}
        Answer::Ready | Answer::Wait | Answer::Refuse | Answer::Cancel if decided => {
            notice(draft, agent, Notice::TooLate { answer });
        }
        Answer::Ready => ready(draft, &track),
        Answer::Wait => wait(draft, &track),
        Answer::Refuse => refuse(draft, track),
        Answer::Cancel => cancel(draft, &track),
    }
}

fn notice(draft: &mut Draft<'_>, agent: Name, notice: Notice) {
    draft.say(agent, Say::Notice(notice));
}

fn ready(draft: &mut Draft<'_>, track: &Track) {
    notice(draft, track.agent.clone(), Notice::Read { answer: Answer::Ready });
    if track.state == TrackState::Ready {
        return;
    }
    let in_time =
        track.state != TrackState::TimedOut && track.deadline.is_none_or(|until| draft.now <= until);
    draft.event(Event::Ready { agent: track.agent.clone(), in_time });
    settle(draft);
}

fn wait(draft: &mut Draft<'_>, track: &Track) {
    let agent = track.agent.clone();
    match (&draft.state.phase, track.state) {
        (Phase::Notifying { .. }, state) => {
            if state == TrackState::Ready {
                draft.event(Event::Unready { agent: agent.clone(), refused: false });
            }
            notice(draft, agent, Notice::NotYetAsked);
        }
        // Who is out of it need not be waited for.
        (_, TrackState::Excluded | TrackState::Cancelled) => {
            notice(draft, agent, Notice::Read { answer: Answer::Information });
        }
        (_, TrackState::TimedOut) => notice(draft, agent, Notice::NoMoreTime),
        // It was ready before anybody was asked, so it has no deadline: it is asked now.
        (_, TrackState::Ready) if track.deadline.is_none() => {
            draft.event(Event::Unready { agent: agent.clone(), refused: false });
            ask(draft, vec![agent.clone()]);
            draft.say(agent, Say::Ask);
        }
        (_, TrackState::Waiting | TrackState::Ready) => match extended(draft, track) {
            Some(deadline) => {
                extend(draft, track, deadline, false);
                draft.say(agent, Say::Extension);
            }
            None => {
                if track.state == TrackState::Ready {
                    draft.event(Event::Unready { agent: agent.clone(), refused: false });
                }
                notice(draft, agent, Notice::NoMoreTime);
            }
        },
    }
}

/// A plain no: more time as with `wait`, and at its end somebody decides.
fn refuse(draft: &mut Draft<'_>, mut track: Track) {
    let asked = draft.state.phase == Phase::Waiting && track.deadline.is_some();
    let counts = matches!(track.state, TrackState::Waiting | TrackState::Ready | TrackState::TimedOut);
    if !(asked && counts) {
        return wait(draft, &track);
    }
    if !track.refused {
        draft.event(Event::Unready { agent: track.agent.clone(), refused: true });
        track = draft.state.track(&track.agent).cloned().unwrap_or(track);
    }
    match track.state == TrackState::Waiting && extended(draft, &track).is_some() {
        true => wait(draft, &track),
        false => notice(draft, track.agent, Notice::Read { answer: Answer::Refuse }),
    }
}

/// Until when it may have, if it may have more.
pub(super) fn extended(draft: &Draft<'_>, track: &Track) -> Option<Time> {
    let policy = &draft.state.policy;
    let deadline = track.deadline?.plus(policy.max_extension);
    (policy.extension_allowed && !track.extended && deadline > draft.now).then_some(deadline)
}

/// Gives more time; one last reminder replaces those that were to come.
pub(super) fn extend(draft: &mut Draft<'_>, track: &Track, deadline: Time, by_initiator: bool) {
    let remaining = deadline.since(draft.now).as_millis();
    let until_last_call = Span::millis(remaining.saturating_sub(LAST_CALL.as_millis()));
    let reminder = draft.after(until_last_call);
    draft.event(Event::Extended { agent: track.agent.clone(), deadline, reminder, by_initiator });
}

fn cancel(draft: &mut Draft<'_>, track: &Track) {
    let agent = track.agent.clone();
    if !draft.state.several() {
        draft.event(Event::Cancelled { agent: agent.clone() });
        return draft.end(Outcome::Cancelled, Why::AgentCancelled, Some(agent));
    }
    match draft.state.policy.on_cancel {
        OnCancel::Abort => {
            draft.event(Event::Cancelled { agent: agent.clone() });
            draft.end(Outcome::Aborted, Why::AgentCancelled, Some(agent));
        }
        OnCancel::Exclude => {
            notice(draft, agent.clone(), Notice::Read { answer: Answer::Cancel });
            if track.state != TrackState::Excluded {
                draft.event(Event::Excluded { agent: agent.clone() });
                draft.tell_initiator(ToInitiator::Excluded { agent });
                settle(draft);
            }
        }
    }
}

//! What happens when nobody says anything. Every handled wake removes its timer or moves it past now.

use super::begin::ask;
use super::draft::Draft;
use super::run;
use super::settle::{proceeding, settle, verdict};
use crate::escalation::{Incident, Reason};
use crate::name::Name;
use crate::operation::event::Event;
use crate::operation::quorum::Verdict;
use crate::operation::say::{Say, ToInitiator};
use crate::operation::state::TrackState;
use crate::operation::timers::{Alarm, due};
use crate::operation::words::{Kind, Tone};
use crate::time::Time;

pub(super) fn wake(draft: &mut Draft<'_>) {
    let Some((alarm, due)) = due(&draft.state, draft.now) else { return };
    match alarm {
        Alarm::Handshake => handshake(draft),
        Alarm::Reminder(place) => remind(draft, place),
        Alarm::Deadline => deadline(draft, due),
        Alarm::Result { reminded: false } => {
            let until = draft.after(draft.state.policy.result_timeout);
            draft.event(Event::ResultAwaited { until, reminded: true });
            draft.tell_initiator(ToInitiator::ResultDue);
        }
        Alarm::Result { reminded: true } => draft.escalate(Reason::NoResult, draft.state.initiator.clone()),
        Alarm::Step(place) => run::waited_in_vain(draft, place),
        Alarm::Escalation => remind_of_escalation(draft),
    }
}

/// The time that was announced has come. Who is ready already need not be asked.
fn handshake(draft: &mut Draft<'_>) {
    let agents = draft.agents_where(|track| track.state == TrackState::Waiting);
    ask(draft, agents.clone());
    for agent in agents {
        draft.say(agent, Say::Ask);
    }
    settle(draft);
}

/// Reminders that are overdue together become the latest of them.
fn remind(draft: &mut Draft<'_>, place: usize) {
    let Some(track) = draft.state.tracks.get(place).cloned() else { return };
    let overdue = track.reminders.iter().filter(|due| **due <= draft.now);
    let Some(due) = overdue.clone().max().copied() else { return };
    let (number, total) = (track.reminders_past + overdue.count() as u32, track.total_reminders());
    draft.event(Event::Reminded { agent: track.agent.clone(), past: number, due, by_initiator: false });
    let tone = Tone::of(number, total);
    draft.say(track.agent, Say::Reminder { number, total, tone, grace: false });
}

/// The time of some is up.
fn deadline(draft: &mut Draft<'_>, due: Time) {
    let is_up = |deadline: Option<Time>| deadline.is_some_and(|deadline| deadline <= due);
    let late = draft.agents_where(|track| track.state == TrackState::Waiting && is_up(track.deadline));
    let mut silent = Vec::new();
    for agent in late {
        if had_no_chance(draft, &agent, due) {
            grace(draft, agent);
        } else {
            silent.push(agent);
        }
    }
    time_out(draft, silent, due, true);
}

/// These agents did not answer. `tell_them`: unless their initiator did.
pub(super) fn time_out(draft: &mut Draft<'_>, silent: Vec<Name>, due: Time, tell_them: bool) {
    if silent.is_empty() {
        return;
    }
    for agent in &silent {
        let after_seconds = after_seconds(draft, agent, due);
        draft.event(Event::TimedOut { agent: agent.clone(), after_seconds });
        let said_no = draft.state.track(agent).is_some_and(|track| track.refused);
        if draft.state.kind == Kind::Disruptive && !said_no {
            let incident = incident(draft, agent);
            draft.event(Event::Recorded { incident });
        }
    }
    let proceeding = proceeding(draft);
    for agent in silent {
        if tell_them {
            draft.say(agent.clone(), Say::Timeout { proceeding });
        }
        let after_seconds = after_seconds(draft, &agent, due);
        draft.tell_initiator(ToInitiator::TimedOut { agent, after_seconds, proceeding });
    }
    settle(draft);
}

/// How long an agent had to answer.
fn after_seconds(draft: &Draft<'_>, agent: &Name, due: Time) -> u64 {
    let asked = draft.state.track(agent).and_then(|track| track.asked_at);
    asked.map_or(0, |asked| due.since(asked).as_seconds())
}

fn incident(draft: &Draft<'_>, agent: &Name) -> Incident {
    Incident {
        at: draft.now,
        kind: "no-acknowledgment".to_owned(),
        agent: agent.clone(),
        attempts: draft.state.track(agent).map_or(1, |track| track.reminders_sent + 1),
        delivery: draft.facts.delivery(draft.state.id, agent),
    }
}

/// Nobody could hear its answer, or it could not hear the question. Where silence leads to nothing, that
/// does not matter.
fn had_no_chance(draft: &Draft<'_>, agent: &Name, due: Time) -> bool {
    let Some(track) = draft.state.track(agent).filter(|track| !track.grace_given) else { return false };
    let since = track.asked_at.unwrap_or(draft.state.created);
    let cut_off = draft.facts.down_across(due) || draft.facts.unreached(draft.state.id, &track.agent, since);
    let mut without = draft.state.tally();
    (without.waiting, without.timed_out) = (without.waiting - 1, without.timed_out + 1);
    let goes_on = match verdict(draft, without) {
        Verdict::TooFew | Verdict::NobodyLeft => false,
        Verdict::Wait | Verdict::AllReady | Verdict::Enough | Verdict::Regardless => true,
    };
    cut_off && goes_on
}

fn grace(draft: &mut Draft<'_>, agent: Name) {
    let deadline = draft.after(draft.state.policy.downtime_grace);
    draft.event(Event::GraceGiven { agent: agent.clone(), deadline });
    let number = draft.state.track(&agent).map_or(1, |track| track.reminders_past);
    draft.say(agent, Say::Reminder { number, total: number, tone: Tone::Final, grace: true });
}

fn remind_of_escalation(draft: &mut Draft<'_>) {
    let Some(open) = draft.state.escalation().cloned() else { return };
    draft.event(Event::EscalationReminded { remind_at: draft.after(open.remind_every) });
    draft.say(open.addressee, Say::Escalation { number: open.number, again: true });
}

//! What happens when nobody says anything. One wake handles the earliest due timer, and every handled
//! wake removes that timer or moves it past now.

use super::ack::judge_failed;
use super::draft::Draft;
use crate::escalation::{Incident, Reason};
use crate::handoff::event::Event;
use crate::handoff::say::{Owed, Say, ToInitiator};
use crate::handoff::state::Phase;
use crate::handoff::timers::{Alarm, earliest};
use crate::time::Time;

/// Reminders before somebody must decide.
pub(super) const REMINDERS: u32 = 2;

pub(super) fn wake(draft: &mut Draft<'_>) {
    let Some((alarm, due)) = earliest(&draft.state).filter(|(_, due)| *due <= draft.now) else { return };
    match alarm {
        Alarm::Ack => unanswered(draft, due),
        Alarm::Judge => judge_failed(draft, "no answer in time".to_owned()),
        Alarm::Review { reminded } => owed(draft, due, reminded, Owed::Verdict),
        Alarm::Clarification { reminded } => owed(draft, due, reminded, Owed::Answers),
        Alarm::Help { reminded } => owed(draft, due, reminded, Owed::Help),
        Alarm::Escalation => remind_of_escalation(draft),
    }
}

/// A reminder, a final one, then somebody must decide.
fn unanswered(draft: &mut Draft<'_>, due: Time) {
    let sent = draft.state.reminders_sent;
    if sent < REMINDERS {
        let (number, until) = (sent + 1, draft.after(draft.state.half()));
        draft.event(Event::Reminded { number, until, by_initiator: false });
        return draft.say_to_replacement(Say::Reminder { number, grace: false });
    }
    if draft.facts.down_across(due) {
        let until = draft.after(draft.state.policy.downtime_grace);
        draft.event(Event::GraceGiven { until });
        return draft.say_to_replacement(Say::Reminder { number: sent, grace: true });
    }
    let agent = draft.state.agent();
    let incident = Incident {
        at: draft.now,
        kind: "no-handoff-ack".to_owned(),
        attempts: sent + 1,
        delivery: draft.facts.delivery(draft.state.id, &agent),
        agent,
    };
    draft.event(Event::Recorded { incident });
    draft.escalate(Reason::NoAcknowledgment);
}

/// The initiator's own reminder counts for the one that is due next.
pub(super) fn reminded_by_initiator(draft: &mut Draft<'_>) {
    let sent = draft.state.reminders_sent;
    let (Phase::AwaitingAck { until } | Phase::Correcting { until }) = draft.state.phase else { return };
    let ahead = until.since(draft.now);
    let just_reminded =
        sent > 0 && draft.state.last_attempt.is_some_and(|last| draft.now.since(last) < ahead);
    if sent < REMINDERS && !just_reminded {
        let until = until.plus(draft.state.half());
        draft.event(Event::Reminded { number: sent + 1, until, by_initiator: true });
    }
}

/// The initiator owes something: a reminder, then a decision.
fn owed(draft: &mut Draft<'_>, due: Time, reminded: bool, what: Owed) {
    let policy = &draft.state.policy;
    let (period, reason) = match what {
        Owed::Answers => (policy.clarification_timeout, Reason::NoClarification),
        Owed::Verdict => (policy.review_timeout, Reason::NoVerdict),
        Owed::Help => (policy.clarification_timeout, Reason::EnvironmentIssue),
    };
    if !reminded {
        let until = draft.after(period);
        draft.event(Event::InitiatorReminded { until });
        draft.tell_initiator(ToInitiator::Reminder { of: what });
    } else if draft.facts.down_across(due) {
        let until = draft.after(draft.state.policy.downtime_grace);
        draft.event(Event::InitiatorReminded { until });
        draft.tell_initiator(ToInitiator::Reminder { of: what });
    } else {
        draft.escalate(reason);
    }
}

fn remind_of_escalation(draft: &mut Draft<'_>) {
    let Some(open) = draft.state.escalation().cloned() else { return };
    draft.event(Event::EscalationReminded { remind_at: draft.after(open.remind_every) });
    draft.say(open.addressee, Say::Escalation { number: open.number, again: true });
}

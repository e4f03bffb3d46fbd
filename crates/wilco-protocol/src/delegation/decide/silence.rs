//! What happens when nobody says anything. One wake handles the earliest due timer, and every handled
//! wake removes that timer or moves it past now.

use super::ack::judge_failed;
use super::draft::Draft;
use super::succession::next_agent;
use crate::decision::Tell;
use crate::delegation::event::{Event, Resend, Why};
use crate::delegation::say::{Owed, Say, ToInitiator};
use crate::delegation::state::Phase;
use crate::delegation::timers::{Alarm, earliest};
use crate::directory;
use crate::escalation::{Incident, Reason};
use crate::name::ExchangeId;
use crate::time::{Span, Time};

/// Status checks before a silent worker or a full queue becomes somebody's decision.
const CHECKS: u8 = 2;

/// More tasks before a queued one than this are not remembered.
const MOST_AHEAD: usize = 100;

pub(super) fn wake(draft: &mut Draft<'_>) {
    let Some((alarm, due)) = earliest(&draft.state).filter(|(_, due)| *due <= draft.now) else { return };
    match alarm {
        Alarm::Ack => attempt_over(draft, due),
        Alarm::Retry => ask_again(draft),
        Alarm::Clarification { reminded } => owed(draft, due, reminded, Owed::Answers),
        Alarm::Review { reminded } => owed(draft, due, reminded, Owed::Verdict),
        Alarm::Amendment { reminded } => owed(draft, due, reminded, Owed::Amendment),
        Alarm::Judge => judge_failed(draft, "no answer in time".to_owned()),
        Alarm::Queued { checks } => queue_check(draft, due, checks),
        Alarm::Resend { because } => resend(draft, because),
        Alarm::Checkpoint { checks } => checkpoint_missed(draft, due, checks),
        Alarm::Pause => {
            let again = match draft.state.phase {
                Phase::Paused { again: Some(again), .. } => again,
                _ => draft.state.policy.clarification_timeout,
            };
            let until = draft.after(again);
            draft.event(Event::PauseReminded { until });
            draft.tell_initiator(ToInitiator::PauseOver);
        }
        Alarm::Confirmation { resume } => {
            draft.event(Event::Unconfirmed);
            draft.tell_initiator(ToInitiator::PauseUnconfirmed { resume });
        }
        Alarm::Stop => {
            draft.event(Event::StopUnconfirmed);
            draft.tell_initiator(ToInitiator::StopUnconfirmed);
        }
        Alarm::Escalation => remind_of_escalation(draft),
    }
}

/// The server was down when a last step was due: whoever is silent had no chance to answer.
fn had_no_chance(draft: &mut Draft<'_>, due: Time) -> bool {
    if !draft.facts.down_across(due) {
        return false;
    }
    let until = draft.after(draft.state.policy.downtime_grace);
    draft.event(Event::GraceGiven { until });
    true
}

fn attempt_over(draft: &mut Draft<'_>, due: Time) {
    let attempt = draft.state.attempt;
    if draft.state.policy.timeout_of(attempt + 1).is_none() {
        if had_no_chance(draft, due) {
            return draft.say_to_assignee(Say::AckRequest);
        }
        return silent(draft);
    }
    // The wait began when the attempt ended, even if nobody was there to see it.
    let until = due.plus(draft.state.policy.wait_after(attempt));
    if until <= draft.now {
        return ask_again(draft);
    }
    draft.event(Event::BackedOff { until });
}

fn ask_again(draft: &mut Draft<'_>) {
    let attempt = draft.state.attempt + 1;
    let timeout = draft.state.policy.timeout_of(attempt).unwrap_or(draft.state.policy.ack_timeout);
    let until = draft.after(timeout);
    draft.event(Event::AckRequested { attempt, until });
    draft.say_to_assignee(Say::AckRequest);
}

/// Every attempt passed in silence. Who showed work, or was enrolled by a weak sign, is not replaced.
fn silent(draft: &mut Draft<'_>) {
    // An answer that could not be read is no silence.
    if draft.state.unread_answer().is_some() {
        return draft.escalate(Reason::Unreadable);
    }
    if draft.state.spares_its_agent() {
        return draft.escalate(Reason::NoAcknowledgment);
    }
    let (id, agent) = (draft.state.id, draft.state.assignee.clone());
    let incident = Incident {
        at: draft.now,
        kind: "unresponsive".to_owned(),
        agent: agent.clone(),
        attempts: draft.state.attempt,
        delivery: draft.facts.delivery(id, &agent),
    };
    draft.event(Event::Recorded { incident });
    draft.tell(Tell::Directory(directory::Input::Unresponsive { agent, exchange: id }));
    next_agent(draft, Why::Unresponsive, Reason::NoAcknowledgment);
}

/// The initiator owes something: a reminder, then a decision.
fn owed(draft: &mut Draft<'_>, due: Time, reminded: bool, what: Owed) {
    let (period, reason) = match what {
        Owed::Answers => (draft.state.policy.clarification_timeout, Reason::NoClarification),
        Owed::Verdict => (draft.state.policy.review_timeout, Reason::NoVerdict),
        Owed::Amendment => (draft.state.policy.clarification_timeout, Reason::NotAmended),
    };
    if !reminded {
        let until = draft.after(period);
        draft.event(Event::Reminded { until });
        draft.tell_initiator(ToInitiator::Reminder { of: what });
    } else if had_no_chance(draft, due) {
        draft.tell_initiator(ToInitiator::Reminder { of: what });
    } else {
        draft.escalate(reason);
    }
}

/// A queued task: ask, then ask for its ACK or say what blocks and ask again, then let somebody decide. Tasks
/// that came after the first check block nothing.
fn queue_check(draft: &mut Draft<'_>, due: Time, checks: u8) {
    if checks >= CHECKS {
        if had_no_chance(draft, due) {
            return check_on_assignee(draft);
        }
        return draft.escalate(Reason::QueueStuck);
    }
    let mut ahead = other_tasks(draft);
    match &draft.state.phase {
        Phase::Queued { behind, .. } if checks > 0 => ahead.retain(|(id, _)| behind.contains(id)),
        _ => ahead.truncate(MOST_AHEAD),
    }
    let until = draft.after(draft.state.policy.queued_check);
    let behind = ahead.iter().map(|(id, _)| *id).collect();
    draft.event(Event::QueueChecked { checks: checks + 1, until, behind });
    if checks > 0 && ahead.is_empty() {
        return draft.say_to_assignee(Say::AckRequest);
    }
    if checks > 0 {
        let tasks = ahead.into_iter().map(|(_, task)| task).collect();
        draft.tell_initiator(ToInitiator::Blocked { tasks });
    }
    check_on_assignee(draft);
}

/// The assignee's open delegations but this one.
fn other_tasks(draft: &Draft<'_>) -> Vec<(ExchangeId, String)> {
    let open = draft.facts.open_tasks(&draft.state.assignee);
    open.into_iter().filter(|(id, _)| *id != draft.state.id).collect()
}

pub(super) fn check_on_assignee(draft: &mut Draft<'_>) {
    let other_tasks = other_tasks(draft).into_iter().map(|(_, task)| task).collect();
    draft.say_to_assignee(Say::StatusCheck { other_tasks });
}

fn resend(draft: &mut Draft<'_>, because: Resend) {
    let until = draft.answer_deadline();
    draft.event(Event::Resent { because, attempt: 1, until });
    draft.say_to_assignee(Say::Assignment { sole: false, spell_out: false });
}

fn checkpoint_missed(draft: &mut Draft<'_>, due: Time, checks: u8) {
    let period = draft.state.policy.checkpoint_timeout.unwrap_or(Span::minutes(1));
    if checks < CHECKS {
        let check = draft.after(period);
        draft.event(Event::CheckpointMissed { checks: checks + 1, check });
        check_on_assignee(draft);
    } else if had_no_chance(draft, due) {
        check_on_assignee(draft);
    } else {
        draft.escalate(Reason::NoCheckpoint);
    }
}

fn remind_of_escalation(draft: &mut Draft<'_>) {
    let Some(open) = draft.state.escalation().cloned() else { return };
    draft.event(Event::EscalationReminded { remind_at: draft.after(open.remind_every) });
    draft.say(open.addressee, Say::Escalation { number: open.number, again: true });
}

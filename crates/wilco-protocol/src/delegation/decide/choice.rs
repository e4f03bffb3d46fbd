//! Decisions on an escalated delegation.

use super::ack::{assign, take_as};
use super::draft::Draft;
use super::succession::{reassign, successor};
use crate::decision::{Problem, Refusal};
use crate::delegation::event::{Event, Resend, Why};
use crate::delegation::input::Choice;
use crate::delegation::say::{CancelReason, Say};
use crate::delegation::state::{Outcome, Phase, State};
use crate::delegation::timers::deadline;
use crate::delegation::words::AckStatus;
use crate::escalation::{Escalation, Reason};
use crate::name::{MessageId, Name};
use crate::time::Span;

/// What may be chosen now.
pub fn options(state: &State) -> Vec<&'static str> {
    let Phase::Escalated { from } = &state.phase else { return Vec::new() };
    let mut options = vec!["retry", "reassign"];
    if state.ack.is_some() {
        options.push("accept");
    }
    if unread(state).is_some() {
        options.push("accept-as");
    }
    if deadline(from).is_some() {
        options.push("extend");
    }
    options.push("abort");
    options
}

/// The answer that the open escalation is about, when that is that it could not be read.
fn unread(state: &State) -> Option<&MessageId> {
    let open = state.escalation().filter(|open| open.reason == Reason::Unreadable)?;
    open.evidence.said.as_ref()
}

/// A candidate that never had the task; whether it can take it now, the decision finds out. When the
/// escalation says that nobody is left, there is none.
pub fn untried(state: &State) -> Option<&Name> {
    let nobody_left = |open: &Escalation| {
        matches!(open.reason, Reason::NoAcknowledgment | Reason::NoCandidate) && !open.evidence.spared
    };
    if state.escalation().is_some_and(nobody_left) {
        return None;
    }
    let had = |agent: &Name| *agent == state.assignee || state.former_assignees.contains(agent);
    state.candidates.iter().find(|agent| **agent != state.initiator && !had(agent))
}

pub(super) fn decide(draft: &mut Draft<'_>, by: Name, choice: Choice) -> Result<(), Refusal> {
    let open = draft.state.escalation().map(|escalation| escalation.number);
    if names_none(&draft.state, &choice) {
        return Err(unknown_escalation());
    }
    if choice.escalation.is_some() && choice.escalation != open {
        return Err(Refusal::State { expected: "an open escalation", got: "decided" });
    }
    let decided = check(draft, &choice)?;
    draft.withhold();
    draft.event(Event::EscalationClosed { option: Some(choice.option), by: Some(by) });
    match decided {
        Decided::Retry => {
            let until = draft.answer_deadline();
            draft.event(Event::Resent { because: Resend::Retry, attempt: 1, until });
            draft.say_to_assignee(Say::Assignment { sole: false, spell_out: false });
        }
        Decided::Reassign(agent) => reassign(draft, agent, Why::Decision),
        Decided::Accept => assign(draft),
        Decided::AcceptAs(message, status) => take_as(draft, message, status),
        Decided::Extend(time) => {
            let until = draft.after(time);
            draft.event(Event::Extended { until });
        }
        Decided::Abort => {
            draft.say_to_assignee(Say::Cancel { because: CancelReason::GivenUp });
            draft.end(Outcome::Failed);
        }
    }
    Ok(())
}

/// A decision where none is wanted: it was made already, or nobody ever asked.
pub(super) fn not_asked(state: &State, choice: &Choice) -> Refusal {
    match state.escalations.is_empty() {
        _ if names_none(state, choice) => unknown_escalation(),
        true => Refusal::State { expected: "escalated", got: state.name() },
        false => Refusal::State { expected: "waiting for a decision", got: "decided already" },
    }
}

/// Whether it names an escalation that never was.
fn names_none(state: &State, choice: &Choice) -> bool {
    let newest = state.escalations.last().map_or(0, |last| last.number);
    choice.escalation.is_some_and(|number| number == 0 || number > newest)
}

fn unknown_escalation() -> Refusal {
    Refusal::Field { pointer: "/content/escalation".into(), problem: Problem::UnknownEscalation }
}

enum Decided {
    Retry,
    Reassign(Name),
    Accept,
    AcceptAs(MessageId, AckStatus),
    Extend(Span),
    Abort,
}

/// Everything that could be wrong with a choice is found before anything happens.
fn check(draft: &Draft<'_>, choice: &Choice) -> Result<Decided, Refusal> {
    let field = |pointer: &'static str, problem| Refusal::Field { pointer: pointer.into(), problem };
    match choice.option.as_str() {
        "retry" if !draft.facts.is_registered(&draft.state.assignee) => {
            let got = draft.state.assignee.to_string();
            Err(field("/content/option", Problem::AssigneeRemoved { got }))
        }
        "retry" => Ok(Decided::Retry),
        "abort" => Ok(Decided::Abort),
        "accept" if draft.state.ack.is_none() => Err(field("/content/option", Problem::NothingAcknowledged)),
        "accept" => Ok(Decided::Accept),
        "accept-as" => match (unread(&draft.state), choice.status) {
            (Some(message), Some(status)) => Ok(Decided::AcceptAs(message.clone(), status)),
            (Some(_), None) => Err(field("/content/status", Problem::MissingStatus)),
            (None, _) => Err(field("/content/option", Problem::NothingUnread)),
        },
        "reassign" => match &choice.agent {
            None => successor(draft)
                .map(Decided::Reassign)
                .ok_or_else(|| field("/content/agent", Problem::NoCandidateLeft)),
            Some(agent) if *agent == draft.state.initiator => {
                Err(field("/content/agent", Problem::SelfAssigned))
            }
            Some(agent) if !draft.facts.is_registered(agent) => {
                Err(field("/content/agent", Problem::UnknownAgent { got: agent.to_string() }))
            }
            Some(agent) if *agent == draft.state.assignee => Ok(Decided::Retry),
            Some(agent) => Ok(Decided::Reassign(agent.clone())),
        },
        "extend" => match (choice.time, options(&draft.state).contains(&"extend")) {
            (Some(time), true) if !time.is_zero() => Ok(Decided::Extend(time)),
            (Some(_) | None, true) => Err(field("/content/time", Problem::MissingTime)),
            (_, false) => Err(field("/content/option", Problem::NoDeadlineRuns)),
        },
        unknown => {
            let options = options(&draft.state);
            Err(field("/content/option", Problem::UnknownOption { got: unknown.to_owned(), options }))
        }
    }
}

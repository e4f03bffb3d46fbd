//! Decisions on an operation that could not go on by itself.

use super::begin::ask;
use super::draft::Draft;
use super::{perform, run, settle};
use crate::decision::{Problem, Refusal};
use crate::name::Name;
use crate::operation::event::{Event, Why};
use crate::operation::execute::{Step, StepState};
use crate::operation::input::Choice;
use crate::operation::say::{Say, ToInitiator};
use crate::operation::state::{Outcome, Phase, State, TrackState};

const OPTIONS: [&str; 3] = ["proceed", "retry", "abort"];

/// What may be chosen now.
pub fn options(state: &State) -> Vec<&'static str> {
    state.escalation().map(|_| OPTIONS.to_vec()).unwrap_or_default()
}

/// Whether what the open escalation is about still stands.
pub(super) fn still_asks(state: &State) -> bool {
    match &state.phase {
        Phase::Waiting => {
            let silent = state.tracks.iter().any(|track| track.state == TrackState::TimedOut);
            silent && state.tally().waiting == 0
        }
        Phase::Authorized { until, .. } => until.is_none(),
        Phase::Executing => {
            let open = |step: &Step| step.state == StepState::Interrupted && !step.accepted;
            state.steps.iter().any(open)
        }
        Phase::Notifying { .. } | Phase::Ended { .. } => false,
    }
}

enum Decided {
    Proceed,
    Retry,
    Abort,
}

pub(super) fn decide(draft: &mut Draft<'_>, by: Name, choice: Choice) -> Result<(), Refusal> {
    let decided = check(draft, &choice)?;
    draft.withhold();
    draft.event(Event::EscalationClosed { option: Some(choice.option), by: Some(by) });
    match draft.state.phase {
        Phase::Waiting => about_silence(draft, &decided),
        Phase::Authorized { .. } => about_result(draft, &decided),
        Phase::Executing => about_interruption(draft, &decided),
        Phase::Notifying { .. } | Phase::Ended { .. } => {}
    }
    Ok(())
}

fn check(draft: &Draft<'_>, choice: &Choice) -> Result<Decided, Refusal> {
    let newest = draft.state.escalations.last().map_or(0, |last| last.number);
    if choice.escalation.is_some_and(|number| number == 0 || number > newest) {
        return Err(Refusal::Field {
            pointer: "/content/escalation".into(),
            problem: Problem::UnknownEscalation,
        });
    }
    let open = draft.state.escalation().map(|escalation| escalation.number);
    match (open, choice.escalation) {
        (None, _) if newest == 0 => {
            return Err(Refusal::State { expected: "waiting for a decision", got: draft.state.name() });
        }
        (None, _) => return Err(Refusal::State { expected: "an open escalation", got: "decided" }),
        (Some(open), Some(named)) if open != named => {
            return Err(Refusal::State { expected: "an open escalation", got: "decided" });
        }
        (Some(_), _) => {}
    }
    match choice.option.as_str() {
        "proceed" => Ok(Decided::Proceed),
        "retry" => Ok(Decided::Retry),
        "abort" => Ok(Decided::Abort),
        unknown => {
            let problem = Problem::UnknownOption { got: unknown.to_owned(), options: OPTIONS.to_vec() };
            Err(Refusal::Field { pointer: "/content/option".into(), problem })
        }
    }
}

/// Some agents never saw what was coming.
fn about_silence(draft: &mut Draft<'_>, decided: &Decided) {
    match decided {
        Decided::Proceed => perform::authorize(draft, Why::Decision),
        Decided::Abort => draft.end(Outcome::Aborted, Why::Decision, None),
        Decided::Retry => {
            let silent = draft.agents_where(|track| track.state == TrackState::TimedOut);
            ask(draft, silent.clone());
            silent.into_iter().for_each(|agent| draft.say(agent, Say::Ask));
            settle::settle(draft);
        }
    }
}

/// The initiator did not say how it went.
fn about_result(draft: &mut Draft<'_>, decided: &Decided) {
    match decided {
        Decided::Proceed => draft.end(Outcome::Done, Why::Decision, None),
        Decided::Abort => draft.end(Outcome::Failed, Why::Decision, None),
        Decided::Retry => {
            let until = draft.after(draft.state.policy.result_timeout);
            draft.event(Event::ResultAwaited { until, reminded: false });
            draft.tell_initiator(ToInitiator::ResultDue);
        }
    }
}

/// Nobody knows how far a command came.
fn about_interruption(draft: &mut Draft<'_>, decided: &Decided) {
    let agents = run::interrupted(draft);
    match decided {
        Decided::Proceed => draft.event(Event::StepsAccepted { agents }),
        Decided::Retry => run::again(draft, agents),
        Decided::Abort => run::skip(draft),
    }
    run::advance(draft);
}

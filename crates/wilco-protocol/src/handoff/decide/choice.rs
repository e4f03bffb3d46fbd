//! Decisions on a handoff that could not go on by itself.

use super::begin::fits;
use super::draft::Draft;
use super::table::overridden;
use super::{confirm, delivery};
use crate::decision::{Problem, Refusal};
use crate::handoff::event::{Event, Why};
use crate::handoff::input::Choice;
use crate::handoff::state::{Phase, State};
use crate::name::{MessageId, Name};

/// What may be chosen now.
pub fn options(state: &State) -> Vec<&'static str> {
    let Phase::Escalated { from } = &state.phase else { return Vec::new() };
    match **from {
        // Nobody can go on without having been handed anything.
        Phase::Preparing => vec!["provide_alternative_agent", "retry", "abort"],
        _ => vec!["provide_alternative_agent", "retry", "override", "abort"],
    }
}

/// A candidate that was not asked; whether it can take over now, the decision finds out.
pub fn untried(state: &State) -> Option<&Name> {
    let asked = |agent: &Name| *agent == state.agent() || state.former.iter().any(|one| one.agent == *agent);
    state.candidates.iter().find(|agent| !asked(agent))
}

enum Decided {
    Alternative(Name),
    Retry,
    Override,
    Abort,
}

pub(super) fn decide(
    draft: &mut Draft<'_>,
    by: Name,
    message: MessageId,
    choice: Choice,
) -> Result<(), Refusal> {
    let decided = check(draft, &choice)?;
    draft.withhold();
    let Some(reason) = draft.state.escalation().map(|open| open.reason) else { return Ok(()) };
    draft.event(Event::EscalationClosed { option: Some(choice.option), by: Some(by.clone()) });
    match decided {
        Decided::Alternative(agent) => delivery::change(draft, &agent, Why::Decision),
        Decided::Retry => {
            let prepared = draft.state.document.is_some() || draft.state.given_url.is_some();
            draft.event(Event::Retried);
            if prepared {
                delivery::deliver(draft, true);
            } else {
                delivery::prepare(draft);
            }
        }
        Decided::Override => overridden(draft, by, message),
        Decided::Abort => confirm::abort(draft, reason),
    }
    Ok(())
}

/// Everything that could be wrong with a choice is found before anything happens.
fn check(draft: &Draft<'_>, choice: &Choice) -> Result<Decided, Refusal> {
    let state = &draft.state;
    let field = |pointer: &'static str, problem| Refusal::Field { pointer: pointer.into(), problem };
    let newest = state.escalations.last().map_or(0, |last| last.number);
    if choice.escalation.is_some_and(|number| number == 0 || number > newest) {
        return Err(field("/content/escalation", Problem::UnknownEscalation));
    }
    let open = state.escalation().map(|escalation| escalation.number);
    match (open, choice.escalation) {
        (None, _) if newest == 0 => {
            return Err(Refusal::State { expected: "escalated", got: state.name() });
        }
        (None, _) => return Err(Refusal::State { expected: "an open escalation", got: "decided" }),
        (Some(open), Some(named)) if open != named => {
            return Err(Refusal::State { expected: "an open escalation", got: "decided" });
        }
        (Some(_), _) => {}
    }
    let options = options(state);
    match choice.option.replace('-', "_").as_str() {
        "provide_alternative_agent" => match &choice.agent {
            None => delivery::successor(draft)
                .map(Decided::Alternative)
                .ok_or_else(|| field("/content/agent", Problem::NoCandidateLeft)),
            Some(agent) => {
                fits(draft.facts, agent, state.failed_agent().as_ref(), &state.initiator)
                    .map_err(|problem| field("/content/agent", problem))?;
                Ok(Decided::Alternative(agent.clone()))
            }
        },
        "retry" => Ok(Decided::Retry),
        "override" if !options.contains(&"override") => {
            let problem = Problem::UnknownOption { got: choice.option.clone(), options };
            Err(field("/content/option", problem))
        }
        "override" if !choice.note => Err(field("/content/note", Problem::MissingNote)),
        "override" => Ok(Decided::Override),
        "abort" => Ok(Decided::Abort),
        _ => {
            let problem = Problem::UnknownOption { got: choice.option.clone(), options };
            Err(field("/content/option", problem))
        }
    }
}

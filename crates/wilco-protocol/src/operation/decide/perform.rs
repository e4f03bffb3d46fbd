//! Going on: authorization, the initiator's result, and taking it all back.

use super::draft::Draft;
use super::run;
use crate::decision::{Problem, Refusal};
use crate::name::{MessageId, Name};
use crate::operation::event::{Event, Why};
use crate::operation::execute::Execute;
use crate::operation::say::Say;
use crate::operation::state::{Outcome, Phase};

pub(super) fn authorize(draft: &mut Draft<'_>, because: Why) {
    let manual = draft.state.execute == Execute::Manual;
    let until = manual.then(|| draft.after(draft.state.policy.result_timeout));
    draft.event(Event::Authorized { because, until });
    draft.say(draft.state.initiator.clone(), Say::Authorized { because });
    if draft.state.several() {
        draft.say_to_agents(&Say::Authorized { because });
    }
    match draft.state.execute {
        Execute::Manual => {}
        Execute::None => draft.end_quietly(),
        Execute::Command(_) => run::begin(draft),
    }
}

/// What the initiator made of it.
pub(super) fn result(
    draft: &mut Draft<'_>,
    message: MessageId,
    done: bool,
    results: Vec<(Name, bool)>,
) -> Result<(), Refusal> {
    let awaited = matches!(draft.state.phase, Phase::Authorized { .. });
    if !awaited {
        return Err(Refusal::State { expected: "authorized", got: draft.state.name() });
    }
    if let Some((stranger, _)) = results.iter().find(|(agent, _)| draft.state.track(agent).is_none()) {
        let problem = Problem::NotTakingPart { got: stranger.to_string() };
        return Err(Refusal::Field { pointer: "/content/results".into(), problem });
    }
    draft.withhold();
    draft.event(Event::ResultGiven { message, done, results });
    draft.end(if done { Outcome::Done } else { Outcome::Failed }, Why::Performed, None);
    Ok(())
}

pub(super) fn withdraw(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    match draft.state.phase {
        Phase::Notifying { .. } | Phase::Waiting | Phase::Authorized { .. } => {
            draft.withhold();
            let initiator = draft.state.initiator.clone();
            draft.end(Outcome::Cancelled, Why::InitiatorCancelled, Some(initiator));
            Ok(())
        }
        Phase::Executing | Phase::Ended { .. } => {
            Err(Refusal::State { expected: "waiting or authorized", got: draft.state.name() })
        }
    }
}

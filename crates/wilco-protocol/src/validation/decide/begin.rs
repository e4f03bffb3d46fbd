//! How a validation begins.

use super::Decision;
use super::draft::Draft;
use super::turn;
use crate::decision::{Facts, Problem, Refusal};
use crate::time::Time;
use crate::validation::apply::started;
use crate::validation::event::{Event, Started};
use crate::validation::input::{Planned, Validate};

/// Begins a validation, or says what stands against it.
pub fn begin(validate: Validate, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
    if validate.phases.is_empty() {
        return Err(Refusal::Field { pointer: "/content/phases".into(), problem: Problem::NoPhases });
    }
    if let Some((place, got)) = twice(&validate.phases, |phase| phase.name.to_lowercase()) {
        let pointer = format!("/content/phases/{place}/name").into();
        return Err(Refusal::Field { pointer, problem: Problem::PhaseTwice { got } });
    }
    if let Some((place, got)) = twice(&validate.phases, |phase| phase.specialist.to_string()) {
        let pointer = format!("/content/phases/{place}/specialist").into();
        return Err(Refusal::Field { pointer, problem: Problem::SpecialistTwice { got } });
    }
    if let Some(exchange) = facts.validation_of(&validate.by, &validate.issue) {
        return Err(Refusal::AlreadyOpen { key: "issue", value: validate.issue, exchange });
    }
    let first = Started {
        id: validate.id,
        issue: validate.issue,
        feature: validate.feature,
        initiator: validate.by,
        main_agent: validate.main_agent,
        watchers: validate.watchers,
        opening: validate.message,
        phases: validate.phases,
        policy: validate.policy,
    };
    let state = started(&first, now);
    let mut draft = Draft::born(Event::Started(Box::new(first)), state, facts, now);
    draft.withhold();
    turn::start(&mut draft);
    Ok(draft.finish())
}

/// What stands in the list more than once, and where it does for the second time.
fn twice(phases: &[Planned], of: impl Fn(&Planned) -> String) -> Option<(usize, String)> {
    let words: Vec<_> = phases.iter().map(of).collect();
    words
        .iter()
        .enumerate()
        .find(|(place, word)| words[..*place].contains(word))
        .map(|(place, word)| (place, word.clone()))
}

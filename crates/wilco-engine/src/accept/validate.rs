//! Messages that begin a validation.

use wilco_language::message::MessageType;
use wilco_language::parse::{FieldError, PhaseSpec, Start};
use wilco_protocol::exchange;
use wilco_protocol::validation::{COMMAND, Planned, Validate};
use wilco_protocol::{ExchangeId, Meaning, Name, Protocol};
use wilco_store::Priority;

use super::arrival::{Arrival, Defaults};
use super::parties::known;
use super::start::{Taken, begin};
use crate::authority::TokenHolder;
use crate::command::Refused;
use crate::command_rule::{CommandCall, CommandRule};
use crate::execute::priority;
use crate::workspace::Workspace;

/// A `validation-start`.
pub(crate) fn validate(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    said: &Start,
) -> Result<Taken, Refused> {
    let policy = workspace.settings().validation_policy(&said.policy);
    let policy = policy.map_err(|errors| Refused::Invalid { errors })?;
    let from = &arrival.from;
    let mut phases = Vec::new();
    for (place, phase) in said.phases.iter().enumerate() {
        let (specialist, arguments) = specialist(workspace, arrival, phase, place)?;
        phases.push(Planned { name: phase.name.clone(), specialist, parallel: phase.parallel, arguments });
    }
    let main_agent = known(workspace, &said.main_agent, from)?;
    let mut watchers: Vec<Name> = said.watch.then(|| from.clone()).into_iter().collect();
    for watcher in &said.watchers {
        let watcher = known(workspace, watcher, from)?;
        if !watchers.contains(&watcher) {
            watchers.push(watcher);
        }
    }
    let start = Validate {
        id: ExchangeId { protocol: Protocol::Validation, number: workspace.next_position() },
        by: from.clone(),
        message: arrival.id.clone(),
        issue: said.issue.clone(),
        feature: said.feature.clone(),
        phases,
        main_agent,
        watchers,
        policy,
    };
    let given = arrival.incoming().priority.as_deref().map_or(Priority::Normal, priority);
    let defaults = Defaults {
        subject: said.feature.clone().unwrap_or_else(|| said.issue.clone()),
        priority: given,
        rule: MessageType::ValidationStart.name().into(),
        meaning: Meaning::ValidationStart,
    };
    begin(workspace, arrival, exchange::Start::Validation(start), defaults).map_err(Refused::from)
}

/// The agent, or the command with its arguments, that checks a phase.
fn specialist(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    phase: &PhaseSpec,
    place: usize,
) -> Result<(Name, Vec<String>), Refused> {
    let values_at = format!("/content/phases/{place}/values");
    let Some(name) = phase.specialist.strip_prefix(COMMAND) else {
        if phase.values.is_empty() {
            return Ok((known(workspace, &phase.specialist, &arrival.from)?, Vec::new()));
        }
        let detail = "values are for commands, and an agent checks this phase".to_owned();
        return Err(Refused::Invalid { errors: vec![FieldError { pointer: values_at, detail }] });
    };
    let known = &workspace.settings().validation_commands;
    let rule = known.get(name);
    CommandRule::check(rule, &TokenHolder::of(arrival.post), name)?;
    let Some(rule) = rule else {
        let list: Vec<_> = known.keys().map(String::as_str).collect();
        let detail = match list.is_empty() {
            true => {
                format!(
                    "there is no command {name:?}: none is configured; name it under [validation.commands]"
                )
            }
            false => format!("there is no command {name:?}; choose one of {}", list.join(", ")),
        };
        let pointer = format!("/content/phases/{place}/specialist");
        return Err(Refused::Invalid { errors: vec![FieldError { pointer, detail }] });
    };
    let asked =
        CommandCall { name, arguments: &[], values: &phase.values, arguments_at: "", values_at: &values_at };
    let arguments = rule.arguments(&asked).map_err(|errors| Refused::Invalid { errors })?;
    Ok((Name::new(&phase.specialist), arguments))
}

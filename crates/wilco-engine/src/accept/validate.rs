//! Messages that begin a validation.

use wilco_language::parse::{FieldError, PhaseSpec, Start};
use wilco_protocol::exchange;
use wilco_protocol::validation::{COMMAND, Planned, Validate};
use wilco_protocol::{ExchangeId, Name, Protocol};
use wilco_store::Priority;

use super::arrival::{Arrival, Defaults};
use super::start::{Taken, Unbegun};
use crate::command::Refused;
use crate::execute::{priority, refused};
use crate::workspace::Workspace;

impl Workspace<'_> {
    /// A `validation-start`.
    pub(crate) fn validate(&mut self, arrival: &Arrival<'_>, said: &Start) -> Result<Taken, Refused> {
        let policy = self.settings.validation_policy(&said.policy);
        let policy = policy.map_err(|errors| Refused::Invalid { errors })?;
        let from = &arrival.from;
        let mut phases = Vec::new();
        for (place, phase) in said.phases.iter().enumerate() {
            phases.push(Planned {
                name: phase.name.clone(),
                specialist: self.specialist(phase, place, from)?,
                parallel: phase.parallel,
            });
        }
        let main_agent = self.known(&said.main_agent, from)?;
        let mut watchers: Vec<Name> = said.watch.then(|| from.clone()).into_iter().collect();
        for watcher in &said.watchers {
            let watcher = self.known(watcher, from)?;
            if !watchers.contains(&watcher) {
                watchers.push(watcher);
            }
        }
        let start = Validate {
            id: ExchangeId { protocol: Protocol::Validation, number: self.next_position() },
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
            rule: "validation-start".into(),
            meaning: "validation-start",
        };
        self.begin(arrival, exchange::Start::Validation(start), defaults).map_err(|refusal| match refusal {
            Unbegun::Refusal(refusal) => refused(&refusal, None),
            Unbegun::Refused(refused) => refused,
        })
    }

    /// The agent, or the command, that checks a phase.
    fn specialist(&mut self, phase: &PhaseSpec, place: usize, from: &Name) -> Result<Name, Refused> {
        let Some(name) = phase.specialist.strip_prefix(COMMAND) else {
            return self.known(&phase.specialist, from);
        };
        let known = &self.settings.validation_commands;
        if known.contains(name) {
            return Ok(Name::new(&phase.specialist));
        }
        let list: Vec<_> = known.iter().map(String::as_str).collect();
        let detail = match list.is_empty() {
            true => format!(
                "there is no command {name:?}: none is configured; name it under [validation.commands]"
            ),
            false => format!("there is no command {name:?}; choose one of {}", list.join(", ")),
        };
        let pointer = format!("/content/phases/{place}/specialist");
        Err(Refused::Invalid { errors: vec![FieldError { pointer, detail }] })
    }
}

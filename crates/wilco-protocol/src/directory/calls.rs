//! What agents are called, so that whoever a text addresses is found without asking every agent.

use std::collections::{BTreeMap, BTreeSet};

use super::Agent;
use super::address::HERE;
use crate::name::Name;

/// All that agents go by. Letter case is folded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Calls {
    by: BTreeMap<String, BTreeSet<(Call, Name)>>,
    /// Names read from their end: those with the same last segments stand side by side.
    backwards: BTreeSet<(String, Name)>,
    /// How many agents are on each host; those that named none are here.
    hosts: BTreeMap<String, usize>,
}

/// How somebody goes by a text. Its session counts where it is not simply the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Call {
    Id,
    Name,
    Alias,
    Session,
}

impl Calls {
    pub(super) fn add(&mut self, agent: &Agent) {
        for (call, text) in calls(agent) {
            let entry = (call, agent.name.clone());
            self.by.entry(text.to_ascii_lowercase()).or_default().insert(entry);
        }
        self.backwards.insert((backwards(agent.name.as_str()), agent.name.clone()));
        *self.hosts.entry(host(agent)).or_default() += 1;
    }

    pub(super) fn remove(&mut self, agent: &Agent) {
        for (call, text) in calls(agent) {
            let text = text.to_ascii_lowercase();
            if let Some(entries) = self.by.get_mut(&text) {
                entries.remove(&(call, agent.name.clone()));
                if entries.is_empty() {
                    self.by.remove(&text);
                }
            }
        }
        self.backwards.remove(&(backwards(agent.name.as_str()), agent.name.clone()));
        if let Some(count) = self.hosts.get_mut(&host(agent)) {
            *count -= 1;
            if *count == 0 {
                self.hosts.remove(&host(agent));
            }
        }
    }

    /// Whether somebody is on a host of this name.
    pub(super) fn has_host(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        self.hosts.contains_key(&host) || HERE.contains(&host.as_str()) && self.hosts.contains_key("")
    }

    /// Who goes by exactly this text in this way, by name.
    pub(super) fn called(&self, text: &str, how: Call) -> impl Iterator<Item = &Name> {
        let entries = self.by.get(&text.to_ascii_lowercase()).into_iter().flatten();
        entries.filter(move |(call, _)| *call == how).map(|(_, name)| name)
    }

    /// Whose name ends with this text behind a dash, by name.
    pub(super) fn ending_with(&self, text: &str) -> BTreeSet<&Name> {
        let end = backwards(text) + "-";
        let from = self.backwards.range((end.clone(), Name::new(""))..);
        from.take_while(|(name, _)| name.starts_with(&end)).map(|(_, name)| name).collect()
    }
}

fn calls(agent: &Agent) -> impl Iterator<Item = (Call, &str)> {
    let others = [(Call::Alias, &agent.profile.alias), (Call::Session, &agent.profile.session)];
    let others = others.into_iter().filter_map(|(call, text)| Some((call, text.as_deref()?)));
    [(Call::Id, agent.id.as_str()), (Call::Name, agent.name.as_str())].into_iter().chain(others)
}

/// Empty for this machine.
fn host(agent: &Agent) -> String {
    agent.profile.host.as_deref().unwrap_or_default().to_ascii_lowercase()
}

fn backwards(text: &str) -> String {
    text.to_lowercase().chars().rev().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Directory, Profile, Unresolved};
    use super::*;
    use crate::time::Time;

    /// Asks every agent, as the rules of addressing are written down.
    fn asked_one_by_one(agents: &[Agent], text: &str) -> Result<Option<Name>, Vec<Name>> {
        let same = |other: &str| other.eq_ignore_ascii_case(text);
        let tail = format!("-{}", text.to_lowercase());
        let rules: [&dyn Fn(&Agent) -> bool; 5] = [
            &|agent| same(&agent.id),
            &|agent| same(agent.name.as_str()),
            &|agent| agent.profile.alias.as_deref().is_some_and(same),
            &|agent| same(agent.session()),
            &|agent| agent.name.as_str().to_lowercase().ends_with(&tail),
        ];
        if let Some(exactly) = agents.iter().find(|agent| agent.name.as_str() == text) {
            return Ok(Some(exactly.name.clone()));
        }
        for (number, rule) in rules.into_iter().enumerate() {
            let names: Vec<Name> =
                agents.iter().filter(|agent| rule(agent)).map(|agent| agent.name.clone()).collect();
            match names.as_slice() {
                [] => {}
                // An id or a name is certain.
                [first, ..] if number < 2 => return Ok(Some(first.clone())),
                [one] => return Ok(Some(one.clone())),
                _ => return Err(names),
            }
        }
        Ok(None)
    }

    fn agent() -> impl Strategy<Value = Agent> {
        let text = "[aBb]{1,2}(-[aA]){0,2}";
        (text, prop::option::of(text), prop::option::of(text), 0..4u8).prop_map(
            |(name, alias, session, id)| Agent {
                id: format!("agent-{id}"),
                name: Name::new(name),
                profile: Profile { alias, session, ..Profile::default() },
                mark: None,
                registered: Time::from_millis(0),
            },
        )
    }

    proptest! {
        /// Whatever was put in, changed and taken out before.
        #[test]
        fn whoever_is_addressed_is_found_as_if_all_were_asked(
            changes in prop::collection::vec((agent(), prop::bool::weighted(0.8)), 1..12),
            texts in prop::collection::vec("(agent-[0-3]|[aAbB]{1,2}(-[aA]){0,2})", 1..8),
        ) {
            let mut directory = Directory::default();
            for (agent, stays) in changes {
                match stays {
                    true => directory.restore(agent),
                    false => directory.forget(&agent.name),
                }
            }
            let agents: Vec<Agent> = directory.iter().cloned().collect();
            prop_assert_eq!(agents.len(), directory.len());
            for text in texts {
                let found = match directory.find(&text) {
                    Ok(agent) => Ok(Some(agent.name.clone())),
                    Err(Unresolved::Ambiguous { candidates }) => Err(candidates),
                    Err(Unresolved::Unknown { .. } | Unresolved::UnknownHost { .. }) => Ok(None),
                };
                prop_assert_eq!(found, asked_one_by_one(&agents, &text), "{}", text);
            }
        }
    }
}

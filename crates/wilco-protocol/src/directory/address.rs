//! Whom a text addresses.

use std::collections::BTreeSet;

use super::calls::Call;
use super::{Agent, Directory};
use crate::name::Name;

/// Why a text addresses nobody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unresolved {
    Unknown { nearest: Vec<Name> },
    UnknownHost { host: String },
    Ambiguous { candidates: Vec<Name> },
}

/// The names that a text may mean.
type Nearest<'a> = dyn Fn(&str) -> Vec<Name> + 'a;

/// What this machine is called as a host.
pub(super) const HERE: [&str; 2] = ["localhost", "local"];

impl Directory {
    /// Finds a recipient: `name@host`, id, name, alias, session, then a unique last segment
    /// (`auth` finds `code-impl-auth`). Letter case does not matter; an exact name always wins.
    pub fn resolve(&self, text: &str) -> Result<&Agent, Unresolved> {
        self.look_for(text, &|text| self.nearest(text))
    }

    /// The same for somebody who does not ask which names could be meant: of an unknown one, none is named.
    pub fn find(&self, text: &str) -> Result<&Agent, Unresolved> {
        self.look_for(text, &|_| Vec::new())
    }

    fn look_for(&self, text: &str, near: &Nearest<'_>) -> Result<&Agent, Unresolved> {
        let text = text.strip_prefix('@').unwrap_or(text);
        if let Some(agent) = self.named(text) {
            return Ok(agent);
        }
        if let Some((name, host)) = text.rsplit_once('@') {
            return self.on_host(name, host, near);
        }
        if let Some(agent) = self.exact(text)? {
            return Ok(agent);
        }
        let ending = if text.is_empty() { BTreeSet::new() } else { self.calls.ending_with(text) };
        self.only(ending)?.ok_or_else(|| Unresolved::Unknown { nearest: near(text) })
    }

    /// The one agent among these; several are too many.
    fn only<'a>(&self, names: impl IntoIterator<Item = &'a Name>) -> Result<Option<&Agent>, Unresolved> {
        let names: Vec<&Name> = names.into_iter().collect();
        match names.as_slice() {
            [] => Ok(None),
            [one] => Ok(self.get(one)),
            several => Err(Unresolved::Ambiguous { candidates: several.iter().copied().cloned().collect() }),
        }
    }

    /// The name as it is written in the directory; letter case does not matter.
    pub fn canonical_name(&self, text: &str) -> Option<&Name> {
        let exactly = self.named(text).map(|agent| &agent.name);
        exactly.or_else(|| self.calls.called(text, Call::Name).next())
    }

    /// Who is named exactly; nobody when it could be several.
    pub fn exactly(&self, text: &str) -> Option<&Agent> {
        self.exact(text).ok().flatten()
    }

    /// Finds a sender: exactly by id, name, alias or session. Two agents may say that they go by the same one.
    pub fn exact(&self, text: &str) -> Result<Option<&Agent>, Unresolved> {
        let text = text.strip_prefix('@').unwrap_or(text);
        let certain = self.named(text).or_else(|| {
            let by = |call| self.calls.called(text, call).next().and_then(|name| self.get(name));
            by(Call::Id).or_else(|| by(Call::Name))
        });
        if certain.is_some() {
            return Ok(certain);
        }
        match self.only(self.calls.called(text, Call::Alias))? {
            Some(agent) => Ok(Some(agent)),
            None => self.only(self.calls.called(text, Call::Session)),
        }
    }

    /// Who goes by exactly this text in any way.
    pub fn going_by(&self, text: &str) -> impl Iterator<Item = &Name> {
        [Call::Id, Call::Name, Call::Alias, Call::Session]
            .into_iter()
            .flat_map(move |call| self.calls.called(text, call))
    }

    /// Up to three names that somebody may have meant. Of many agents only those are looked at whose names stand near
    /// the text: what is not found there is hardly what was meant.
    pub fn nearest(&self, text: &str) -> Vec<Name> {
        let near = Name::new(text);
        let behind = self.names.range::<Name, _>(&near..).take(LOOKED_AT);
        nearest(behind.chain(self.names.range::<Name, _>(..&near).rev().take(LOOKED_AT)), text)
    }

    fn on_host(&self, name: &str, host: &str, near: &Nearest<'_>) -> Result<&Agent, Unresolved> {
        let here = |agent: &Agent| match agent.profile.host.as_deref() {
            Some(own) => own.eq_ignore_ascii_case(host),
            None => HERE.iter().any(|own| own.eq_ignore_ascii_case(host)),
        };
        if !self.calls.has_host(host) {
            return Err(Unresolved::UnknownHost { host: host.to_owned() });
        }
        let agent = self.look_for(name, near)?;
        if here(agent) { Ok(agent) } else { Err(Unresolved::UnknownHost { host: host.to_owned() }) }
    }
}

/// A longer text is nobody's name, and comparing it with every name would take its time.
const LONGEST: usize = 256;

/// How many names are compared on either side of a text.
const LOOKED_AT: usize = 500;

/// Up to three of these names that somebody may have meant.
pub fn nearest<'a>(names: impl Iterator<Item = &'a Name>, text: &str) -> Vec<Name> {
    if text.len() > LONGEST {
        return Vec::new();
    }
    let text = text.to_lowercase();
    let close = |name: &Name| {
        let lower = name.as_str().to_lowercase();
        let distance = distance(&lower, &text);
        let near = distance <= 2.max(text.chars().count() / 3) || lower.contains(&text) && !text.is_empty();
        near.then_some(distance)
    };
    let mut found: Vec<_> = names.filter_map(|name| Some((close(name)?, name.clone()))).collect();
    found.sort();
    found.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Edits between two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directory::Profile;
    use crate::time::Time;

    /// MSG-45: such doubles may be stored from before.
    #[test]
    fn msg_45_an_alias_or_session_of_two_agents_is_neithers() {
        let mut directory = Directory::default();
        for (number, name) in ["anna", "eve"].into_iter().enumerate() {
            let (alias, session) = (Some("gate".to_owned()), Some("pane-3".to_owned()));
            directory.restore(Agent {
                id: format!("agent-{number}"),
                name: name.into(),
                profile: Profile { alias, session, ..Profile::default() },
                mark: None,
                registered: Time::from_millis(0),
            });
        }
        for shared in ["gate", "Gate", "@gate", "pane-3"] {
            for found in [directory.exact(shared).map(|_| ()), directory.resolve(shared).map(|_| ())] {
                let candidates = vec!["anna".into(), "eve".into()];
                assert_eq!(found, Err(Unresolved::Ambiguous { candidates }), "{shared}");
            }
        }
        let gate = Agent { name: "gate".into(), ..directory.named("eve").cloned().expect("an agent") };
        directory.restore(gate);
        assert_eq!(
            directory.resolve("gate").map(|agent| agent.name.as_str()),
            Ok("gate"),
            "a name always wins"
        );
    }
}

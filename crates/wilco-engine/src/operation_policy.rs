//! The policy of a new operation, from everything that has a say in it.

use serde_json::{Map, Value};
use wilco_language::parse::{Announcement, FieldError};
use wilco_language::render;
use wilco_protocol::operation::{Kind, Policy, Quorum};
use wilco_protocol::policy::{BadKey, Overrides};

use crate::settings::Settings;

impl Settings {
    /// Built-in, configured, the kind's preset, the preset that is named like the operation, the chosen
    /// preset, `content.policy`, `content`; the later wins.
    pub(crate) fn operation_policy(
        &self,
        said: &Announcement,
        agents: usize,
    ) -> Result<(Kind, Policy), Vec<FieldError>> {
        let (chosen, mut wrong) = match self.chosen_preset(&said.own, &said.policy) {
            Ok(chosen) => (chosen, Vec::new()),
            Err(wrong) => (None, wrong),
        };
        let default = if agents > 1 { Kind::Coordinated } else { Kind::Disruptive };
        let named = |kind: &Kind| chosen.as_deref() == Some(kind.word());
        let kind = said.kind.or(Kind::ALL.into_iter().find(named)).unwrap_or(default);
        let own_preset = self.operation.presets.get(&said.operation).map(|_| said.operation.clone());
        let name = chosen.clone().or(own_preset.clone()).unwrap_or_else(|| kind.word().to_owned());
        let mut policy = Policy { preset: name, ..Policy::default() };
        let mut layers = vec![self.operation.base.clone()];
        for preset in [Some(kind.word().to_owned()), own_preset, chosen].into_iter().flatten() {
            let built_in = Policy::built_in().into_iter().find(|(known, _)| *known == preset);
            layers.extend(built_in.map(|(_, overrides)| overrides));
            layers.extend(self.operation.presets.get(&preset).cloned());
        }
        let configured = layers.iter().try_for_each(|layer| policy.set_all(layer));
        configured.map_err(|bad| pointed(&bad, "/content/policy"))?;
        for (keys, place) in [(&said.policy, "/content/policy"), (&said.own, "/content")] {
            wrong.extend(policy.set_all(&overrides(keys)).err().iter().flat_map(|bad| pointed(bad, place)));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        match policy.quorum {
            Quorum::Number(number) if number as usize > agents => {
                let place = if said.own.contains_key("quorum") { "/content" } else { "/content/policy" };
                let detail = format!(
                    "{number} agents cannot be ready when there are only {agents}; ask for at most {agents}, all or majority"
                );
                Err(vec![FieldError { pointer: format!("{place}/quorum"), detail }])
            }
            Quorum::Number(_) | Quorum::All | Quorum::Majority => Ok((kind, policy)),
        }
    }

    pub(crate) fn chosen_preset(
        &self,
        own: &Map<String, Value>,
        policy: &Map<String, Value>,
    ) -> Result<Option<String>, Vec<FieldError>> {
        let given =
            [("/content/preset", own.get("preset")), ("/content/policy/preset", policy.get("preset"))];
        let Some((pointer, value)) = given.into_iter().find_map(|(pointer, value)| Some((pointer, value?)))
        else {
            return Ok(self.operation.preset().map(str::to_owned));
        };
        let wrong = |detail: String| vec![FieldError { pointer: pointer.to_owned(), detail }];
        let Value::String(name) = value else {
            return Err(wrong("expected the name of a preset".to_owned()));
        };
        let built_in = Policy::built_in().map(|(known, _)| known.to_owned());
        let mut known: Vec<_> = built_in.into_iter().chain(self.operation.presets.keys().cloned()).collect();
        if known.contains(name) {
            return Ok(Some(name.clone()));
        }
        known.dedup();
        Err(wrong(format!("there is no preset {name:?}; choose one of {}", known.join(", "))))
    }
}

fn overrides(keys: &Map<String, Value>) -> Overrides {
    keys.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn pointed(bad: &[BadKey], place: &str) -> Vec<FieldError> {
    let at = |bad: &BadKey| FieldError { pointer: format!("{place}/{}", bad.key), ..render::bad_key(bad) };
    bad.iter().map(at).collect()
}

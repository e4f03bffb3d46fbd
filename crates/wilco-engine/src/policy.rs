//! The policy of a new exchange, from everything that has a say in it: built in, configured, its presets, the
//! request; the later wins. What is wrong is said by key, all of it at once.

use serde_json::{Map, Value};
use wilco_language::parse::{Announcement, FieldError};
use wilco_language::render;
use wilco_protocol::operation::{Kind, Quorum};
use wilco_protocol::policy::{Overrides, Rows, set_all};
use wilco_protocol::{Span, delegation, operation, validation};

use crate::settings::{PolicySettings, Settings};

/// What is said to whoever leaves judging to somebody who is not there.
pub(crate) const NO_JUDGE: &str = "no judge is configured; the server needs [judge] in its configuration (or \
    delegation.judge, a command); choose auto, initiator or accept";

/// Where a policy stands in a request.
const PLACE: &str = "/content/policy";

/// A policy in the making, and what is wrong with it.
struct Layered<P> {
    policy: P,
    wrong: Vec<FieldError>,
}

impl<P: Rows> Layered<P> {
    /// What is configured, with these presets.
    fn new(settings: &PolicySettings, presets: &[&str]) -> Layered<P> {
        let mut layered = Layered { policy: P::default(), wrong: Vec::new() };
        layered.lay(&settings.base, PLACE);
        for preset in presets {
            let built_in = P::presets().into_iter().find(|(known, _)| known == preset);
            let built_in = built_in.map(|(_, overrides)| overrides);
            for layer in built_in.iter().chain(settings.presets.get(*preset)) {
                layered.lay(layer, PLACE);
            }
        }
        layered
    }

    fn lay(&mut self, layer: &Overrides, place: &str) {
        let bad = set_all(&mut self.policy, layer).err().unwrap_or_default();
        self.wrong.extend(bad.iter().map(|bad| {
            let pointer = format!("{place}/{}", bad.key);
            FieldError { pointer, ..render::bad_key(bad) }
        }));
    }

    fn request(&mut self, keys: &Map<String, Value>, place: &str) {
        self.lay(&keys.iter().map(|(key, value)| (key.clone(), value.clone())).collect(), place);
    }

    fn finish(self) -> Result<P, Vec<FieldError>> {
        if self.wrong.is_empty() { Ok(self.policy) } else { Err(self.wrong) }
    }
}

impl PolicySettings {
    /// What to say of a preset that does not exist.
    fn unknown<P: Rows>(&self, name: &str, pointer: &str) -> Option<FieldError> {
        let built_in: Vec<_> = P::presets().into_iter().map(|(known, _)| known).collect();
        let added = self.presets.keys().map(String::as_str).filter(|name| !built_in.contains(name));
        let known: Vec<_> = built_in.iter().copied().chain(added).collect();
        let detail = format!("there is no preset {name:?}; choose one of {}", known.join(", "));
        let unknown = !known.contains(&name);
        unknown.then(|| FieldError { pointer: pointer.to_owned(), detail })
    }
}

impl Settings {
    /// `ack_timeout`: as the assignment itself says it.
    pub(crate) fn delegation_policy(
        &self,
        ack_timeout: Option<Span>,
        request: &Map<String, Value>,
    ) -> Result<delegation::Policy, Vec<FieldError>> {
        let chosen = request.get("preset").and_then(Value::as_str);
        let name = chosen.or(self.delegation.preset()).unwrap_or("standard");
        let mut layered = Layered::<delegation::Policy>::new(&self.delegation, &[name]);
        name.clone_into(&mut layered.policy.preset);
        layered.policy.ack_timeout = ack_timeout.unwrap_or(layered.policy.ack_timeout);
        layered.request(request, PLACE);
        let unknown = self.delegation.unknown::<delegation::Policy>(name, "/content/policy/preset");
        layered.wrong.splice(0..0, unknown);
        if layered.policy.understanding.names_a_judge() && !self.judge.named {
            let detail = NO_JUDGE;
            let pointer = "/content/policy/understanding".to_owned();
            layered.wrong.push(FieldError { pointer, detail: detail.to_owned() });
        }
        layered.finish()
    }

    pub(crate) fn validation_policy(
        &self,
        request: &Map<String, Value>,
    ) -> Result<validation::Policy, Vec<FieldError>> {
        let name = match request.get("preset") {
            None | Some(Value::Null) => self.validation.preset().unwrap_or("standard"),
            Some(name) => name.as_str().unwrap_or(""),
        };
        let mut layered = Layered::<validation::Policy>::new(&self.validation, &[name]);
        name.clone_into(&mut layered.policy.preset);
        layered.request(request, PLACE);
        let unknown = self.validation.unknown::<validation::Policy>(name, "/content/policy/preset");
        layered.wrong.splice(0..0, unknown);
        layered.finish()
    }

    /// Its presets are that of its kind, the one that is named like the operation, and the chosen one; and
    /// `content` has a say besides `content.policy`.
    pub(crate) fn operation_policy(
        &self,
        said: &Announcement,
        agents: usize,
    ) -> Result<(Kind, operation::Policy), Vec<FieldError>> {
        let (chosen, wrong) = match self.chosen_preset(&said.own, &said.policy) {
            Ok(chosen) => (chosen, None),
            Err(wrong) => (None, Some(wrong)),
        };
        let default = if agents > 1 { Kind::Coordinated } else { Kind::Disruptive };
        let named = |kind: &Kind| chosen == Some(kind.word());
        let kind = said.kind.or(Kind::ALL.into_iter().find(named)).unwrap_or(default);
        let own = self.operation.presets.contains_key(&said.operation).then_some(said.operation.as_str());
        let presets: Vec<_> = [Some(kind.word()), own, chosen].into_iter().flatten().collect();
        let mut layered = Layered::<operation::Policy>::new(&self.operation, &presets);
        chosen.or(own).unwrap_or(kind.word()).clone_into(&mut layered.policy.preset);
        layered.wrong.extend(wrong);
        layered.request(&said.policy, PLACE);
        layered.request(&said.own, "/content");
        let policy = layered.finish()?;
        match policy.quorum {
            Quorum::Number(number) if number as usize > agents => {
                let place = if said.own.contains_key("quorum") { "/content" } else { PLACE };
                let detail = format!(
                    "{number} agents cannot be ready when there are only {agents}; ask for at most {agents}, all or majority"
                );
                Err(vec![FieldError { pointer: format!("{place}/quorum"), detail }])
            }
            Quorum::Number(_) | Quorum::All | Quorum::Majority => Ok((kind, policy)),
        }
    }

    pub(crate) fn chosen_preset<'a>(
        &'a self,
        own: &'a Map<String, Value>,
        policy: &'a Map<String, Value>,
    ) -> Result<Option<&'a str>, FieldError> {
        let given =
            [("/content/preset", own.get("preset")), ("/content/policy/preset", policy.get("preset"))];
        let Some((pointer, value)) = given.into_iter().find_map(|(pointer, value)| Some((pointer, value?)))
        else {
            return Ok(self.operation.preset());
        };
        let Value::String(name) = value else {
            let detail = "expected the name of a preset".to_owned();
            return Err(FieldError { pointer: pointer.to_owned(), detail });
        };
        self.operation.unknown::<operation::Policy>(name, pointer).map_or(Ok(Some(name)), Err)
    }
}

//! The policy of a new validation, from everything that has a say in it.

use serde_json::{Map, Value};
use wilco_language::parse::FieldError;
use wilco_language::render;
use wilco_protocol::policy::Overrides;
use wilco_protocol::validation::Policy;

use crate::settings::Settings;

impl Settings {
    /// Built-in, configured, preset, request; the later wins.
    pub(crate) fn validation_policy(&self, request: &Map<String, Value>) -> Result<Policy, Vec<FieldError>> {
        let name = match request.get("preset") {
            None | Some(Value::Null) => self.validation.preset().unwrap_or("standard"),
            Some(name) => name.as_str().unwrap_or(""),
        };
        let built_in = Policy::built_in().into_iter().find(|(known, _)| *known == name).map(|(_, over)| over);
        let configured = self.validation.presets.get(name);
        let mut errors = Vec::new();
        if built_in.is_none() && configured.is_none() {
            let names = Policy::built_in().map(|(known, _)| known.to_owned());
            let known: Vec<_> = names.into_iter().chain(self.validation.presets.keys().cloned()).collect();
            let detail = format!("there is no preset {name:?}; choose one of {}", known.join(", "));
            errors.push(FieldError { pointer: "/content/policy/preset".to_owned(), detail });
        }
        let mut policy = Policy { preset: name.to_owned(), ..Policy::default() };
        let over: Overrides = request.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        let layers = [Some(&self.validation.base), built_in.as_ref(), configured, Some(&over)];
        for layer in layers.into_iter().flatten() {
            if let Err(bad) = policy.set_all(layer) {
                errors.extend(bad.iter().map(render::bad_key));
            }
        }
        if errors.is_empty() { Ok(policy) } else { Err(errors) }
    }
}

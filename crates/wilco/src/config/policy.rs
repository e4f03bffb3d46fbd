//! `[policy.PROTOCOL]` and its presets, from the file and the environment.

use std::collections::BTreeMap;
use wilco_language::nearest;

use anyhow::{Context, bail};
use serde_json::Value;
use wilco_engine::PolicySettings;
use wilco_language::render::bad_key;
use wilco_protocol::policy::{BadKey, Overrides, Rows, set_all};
use wilco_protocol::{delegation, handoff, operation, validation};

use super::keys::environment_name;
use super::values::{Given, Origin};
use crate::values;

/// A protocol that has a policy.
pub(crate) struct Protocol {
    pub(crate) name: &'static str,
    /// Each key with what it means, as the protocol's page in `docs/` says it.
    pub(crate) meanings: fn() -> Vec<(&'static str, &'static str)>,
    /// The policy that holds when nothing is set, as JSON.
    pub(crate) defaults: fn() -> Value,
    check: fn(&Overrides) -> Result<(), Vec<BadKey>>,
    /// The presets that exist without any configuration.
    pub(crate) presets: fn() -> Vec<(&'static str, Overrides)>,
}

pub(crate) const PROTOCOLS: &[Protocol] = &[
    protocol::<delegation::Policy>("delegation"),
    protocol::<operation::Policy>("operation"),
    protocol::<handoff::Policy>("handoff"),
    protocol::<validation::Policy>("validation"),
];

const fn protocol<P: Rows>(name: &'static str) -> Protocol {
    Protocol {
        name,
        meanings: || P::ROWS.iter().map(|row| (row.key, row.meaning)).collect(),
        defaults: P::unset,
        check: |overrides| set_all(&mut P::default(), overrides),
        presets: P::presets,
    }
}

/// What is configured for each protocol, and where each of it came from.
#[derive(Debug, Default)]
pub(crate) struct Policies {
    settings: BTreeMap<&'static str, PolicySettings>,
    /// By the path of the key, such as `policy.delegation.night.ack_timeout`.
    given: BTreeMap<String, Given>,
}

impl Policies {
    /// Takes the table `policy` of a file, and the environment.
    pub(crate) fn read(
        table: Option<&Value>,
        place: &str,
        environment: &[(String, String)],
    ) -> anyhow::Result<Policies> {
        let mut policies = Policies::default();
        policies.take_file(table).with_context(|| place.to_owned())?;
        policies.take_environment(environment)?;
        PROTOCOLS.iter().try_for_each(|protocol| policies.check_preset(protocol))?;
        Ok(policies)
    }

    /// The preset for whoever chooses none must be there.
    fn check_preset(&self, protocol: &Protocol) -> anyhow::Result<()> {
        let (base, presets) = (self.of(protocol.name).base, self.presets(protocol));
        match base.get("preset") {
            Some(Value::String(name)) if presets.contains_key(name) => Ok(()),
            None => Ok(()),
            Some(name) => {
                let known: Vec<_> = presets.into_keys().collect();
                bail!(
                    "policy.{}.preset: there is no preset {name}; choose one of {}",
                    protocol.name,
                    known.join(", ")
                )
            }
        }
    }

    /// The first key that leaves judging to the configured judge.
    pub(crate) fn names_a_judge(&self) -> Option<(&str, &Origin)> {
        let found = self.given.iter().find(|(path, given)| {
            path.ends_with(".understanding") && matches!(given.value.as_str(), Some("command" | "judge"))
        });
        found.map(|(path, given)| (path.as_str(), &given.origin))
    }

    pub(crate) fn of(&self, protocol: &str) -> PolicySettings {
        self.settings.get(protocol).cloned().unwrap_or_default()
    }

    /// Every key that holds without a preset, and every key of a preset.
    pub(crate) fn each(&self) -> Vec<(String, Given)> {
        let mut rows = Vec::new();
        for protocol in PROTOCOLS {
            let defaults = (protocol.defaults)();
            let mut row = |path: String, value: &Value| {
                let unset = || Given { value: value.clone(), origin: Origin::Default };
                let given = self.given.get(&path).cloned().unwrap_or_else(unset);
                rows.push((path, given));
            };
            for (key, _) in (protocol.meanings)() {
                row(path(protocol.name, None, key), &defaults[key]);
            }
            for (preset, overrides) in self.presets(protocol) {
                overrides.iter().for_each(|(key, value)| row(path(protocol.name, Some(&preset), key), value));
            }
        }
        rows
    }

    /// The presets of a protocol, built in and configured, with all that they set.
    fn presets(&self, protocol: &Protocol) -> BTreeMap<String, Overrides> {
        let mut presets: BTreeMap<_, _> =
            (protocol.presets)().into_iter().map(|(name, over)| (name.to_owned(), over)).collect();
        for (name, overrides) in self.of(protocol.name).presets {
            presets.entry(name).or_insert_with(Overrides::new).extend(overrides);
        }
        presets
    }

    /// Tables below a protocol are presets; everything else is a key that holds always.
    fn take_file(&mut self, policy: Option<&Value>) -> anyhow::Result<()> {
        let Some(policy) = policy else { return Ok(()) };
        let Some(protocols) = policy.as_object() else { bail!("policy: expected a table") };
        for (name, value) in protocols {
            let Some(protocol) = PROTOCOLS.iter().find(|protocol| protocol.name == name) else {
                let known: Vec<_> = PROTOCOLS.iter().map(|protocol| protocol.name).collect();
                match nearest(name, known.iter().copied()) {
                    Some(near) => bail!("there is no policy {name:?}; did you mean {near:?}?"),
                    None => bail!("there is no policy {name:?}; there are {}", known.join(", ")),
                }
            };
            let Some(keys) = value.as_object() else { bail!("policy.{name}: expected a table") };
            for (key, value) in keys {
                match value {
                    Value::Object(preset) => {
                        self.settings
                            .entry(protocol.name)
                            .or_default()
                            .presets
                            .entry(key.clone())
                            .or_default();
                        for (preset_key, value) in preset {
                            self.set(protocol, Some(key), preset_key, value.clone(), Origin::File)?;
                        }
                    }
                    _ => self.set(protocol, None, key, value.clone(), Origin::File)?,
                }
            }
        }
        Ok(())
    }

    fn take_environment(&mut self, environment: &[(String, String)]) -> anyhow::Result<()> {
        for protocol in PROTOCOLS {
            let presets = self.presets(protocol);
            let places = std::iter::once(None).chain(presets.keys().map(Some));
            let keys = (protocol.meanings)();
            for (preset, (key, _)) in places.flat_map(|place| keys.iter().map(move |key| (place, key))) {
                let name = environment_name(&path(protocol.name, preset.map(String::as_str), key));
                if let Some((_, text)) = environment.iter().find(|(given, _)| *given == name) {
                    let (_, value) = values::policy(&format!("{key}={text}")).map_err(anyhow::Error::msg)?;
                    let preset = preset.map(String::as_str);
                    self.set(protocol, preset, key, value, Origin::Environment(name.clone()))
                        .with_context(|| format!("environment variable {name}"))?;
                }
            }
        }
        Ok(())
    }

    fn set(
        &mut self,
        protocol: &'static Protocol,
        preset: Option<&str>,
        key: &str,
        value: Value,
        origin: Origin,
    ) -> anyhow::Result<()> {
        let path = path(protocol.name, preset, key);
        if let Err(bad) = (protocol.check)(&Overrides::from([(key.to_owned(), value.clone())])) {
            let said: Vec<_> = bad.iter().map(|bad| bad_key(bad).detail).collect();
            bail!("{path}: {}", said.join("; "));
        }
        let settings = self.settings.entry(protocol.name).or_default();
        let overrides = match preset {
            Some(name) => settings.presets.entry(name.to_owned()).or_default(),
            None => &mut settings.base,
        };
        overrides.insert(key.to_owned(), value.clone());
        self.given.insert(path, Given { value, origin });
        Ok(())
    }
}

fn path(protocol: &str, preset: Option<&str>, key: &str) -> String {
    match preset {
        Some(preset) => format!("policy.{protocol}.{preset}.{key}"),
        None => format!("policy.{protocol}.{key}"),
    }
}

/// The paths that the environment can set, with the presets that are known.
pub(crate) fn paths(policies: &Policies) -> Vec<String> {
    let mut paths = Vec::new();
    for protocol in PROTOCOLS {
        let presets = policies.presets(protocol);
        for (key, _) in (protocol.meanings)() {
            paths.push(path(protocol.name, None, key));
            paths.extend(presets.keys().map(|preset| path(protocol.name, Some(preset), key)));
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(table: Value, environment: &[(&str, &str)]) -> anyhow::Result<Policies> {
        let environment: Vec<_> =
            environment.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Policies::read(Some(&table), "wilco.toml", &environment)
    }

    #[test]
    fn cfg_1_policies_and_presets_are_checked_at_start() {
        let table = json!({"delegation": {"ack_timeout": "9m", "night": {"max_wait": "1h"}}});
        let settings = read(table, &[]).unwrap().of("delegation");
        assert_eq!(settings.base["ack_timeout"], json!("9m"));
        assert!(settings.presets.contains_key("night"));
        let said = |value: Value| format!("{:#}", read(value, &[]).unwrap_err());
        assert!(said(json!({"delegation": {"ack_timeut": "9m"}})).contains("did you mean \"ack_timeout\""));
        assert!(
            said(json!({"delegation": {"night": {"max_wait": -1}}}))
                .contains("policy.delegation.night.max_wait")
        );
    }

    #[test]
    fn cfg_1_a_policy_can_be_set_in_the_environment() {
        let table = json!({"delegation": {"ack_timeout": "9m", "night": {"max_wait": "1h"}}});
        let environment = [
            ("WILCO_POLICY_DELEGATION_ACK_TIMEOUT", "3m"),
            ("WILCO_POLICY_DELEGATION_RETRY_TIMEOUTS", "1m,30s"),
            ("WILCO_POLICY_DELEGATION_NIGHT_MAX_WAIT", "2h"),
        ];
        let policies = read(table, &environment).unwrap();
        let settings = policies.of("delegation");
        assert_eq!(
            (&settings.base["ack_timeout"], &settings.base["retry_timeouts"]),
            (&json!("3m"), &json!(["1m", "30s"]))
        );
        assert_eq!(settings.presets["night"]["max_wait"], json!("2h"));
        let rows: BTreeMap<_, _> = policies.each().into_iter().collect();
        assert_eq!(rows["policy.delegation.max_wait"].origin, Origin::Default);
        assert_eq!(rows["policy.delegation.critical.base_wait"].value, json!("30s"));
        assert!(matches!(rows["policy.delegation.night.max_wait"].origin, Origin::Environment(_)));
        let bad = read(json!({}), &[("WILCO_POLICY_DELEGATION_ACK_TIMEOUT", "soon")]).unwrap_err();
        assert!(format!("{bad:#}").contains("WILCO_POLICY_DELEGATION_ACK_TIMEOUT"), "{bad:#}");
    }

    #[test]
    fn cfg_1_every_policy_key_is_known_and_documented() {
        let pages = [
            ("delegation", include_str!("../../../../docs/delegation.md"), &delegation::KEYS[..]),
            ("operation", include_str!("../../../../docs/operation.md"), &operation::KEYS[..]),
            ("validation", include_str!("../../../../docs/validation.md"), &validation::KEYS[..]),
            ("handoff", include_str!("../../../../docs/handoff.md"), &handoff::KEYS[..]),
        ];
        for protocol in PROTOCOLS {
            let (_, page, keys) = pages.iter().find(|(name, ..)| *name == protocol.name).unwrap();
            assert_eq!((protocol.meanings)().iter().map(|(key, _)| *key).collect::<Vec<_>>(), *keys);
            for (key, meaning) in (protocol.meanings)() {
                assert!(
                    page.contains(&format!("| `{key}` |")) && page.contains(&format!(" {meaning} |")),
                    "{key}: {meaning}"
                );
            }
        }
    }
}

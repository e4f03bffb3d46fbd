//! `[policy.delegation]` and its presets.

use std::collections::BTreeMap;

use anyhow::bail;
use serde_json::Value;
use wilco_engine::PolicySettings;
use wilco_language::render::bad_key;
use wilco_protocol::delegation::Policy;
use wilco_protocol::policy::Overrides;

/// Tables below a protocol are presets; everything else is a key that holds always.
pub(crate) fn read(policy: Option<&Value>) -> anyhow::Result<PolicySettings> {
    let Some(policy) = policy else { return Ok(PolicySettings::default()) };
    let Some(protocols) = policy.as_object() else { bail!("policy: expected a table") };
    let mut settings = PolicySettings::default();
    for (protocol, value) in protocols {
        if protocol != "delegation" {
            bail!("there is no policy {protocol:?}; did you mean \"delegation\"?");
        }
        let Some(keys) = value.as_object() else { bail!("policy.{protocol}: expected a table") };
        let mut presets = BTreeMap::new();
        for (key, value) in keys {
            match value {
                Value::Object(preset) => {
                    presets.insert(key.clone(), preset.clone().into_iter().collect::<Overrides>());
                }
                _ => {
                    settings.base.insert(key.clone(), value.clone());
                }
            }
        }
        settings.presets = presets;
    }
    check("policy.delegation", &settings.base)?;
    for (name, overrides) in &settings.presets {
        check(&format!("policy.delegation.{name}"), overrides)?;
    }
    Ok(settings)
}

fn check(place: &str, overrides: &Overrides) -> anyhow::Result<()> {
    match Policy::default().set_all(overrides) {
        Ok(()) => Ok(()),
        Err(bad) => {
            let said: Vec<_> =
                bad.iter().map(|bad| format!("{place}.{}: {}", bad.key, bad_key(bad).detail)).collect();
            bail!("{}", said.join("; "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cfg_1_policies_and_presets_are_checked_at_start() {
        let settings =
            read(Some(&json!({"delegation": {"ack_timeout": "9m", "night": {"max_wait": "1h"}}}))).unwrap();
        assert_eq!(settings.base["ack_timeout"], json!("9m"));
        assert!(settings.presets.contains_key("night"));
        let said = |value: Value| read(Some(&value)).unwrap_err().to_string();
        assert!(said(json!({"delegation": {"ack_timeut": "9m"}})).contains("did you mean \"ack_timeout\""));
        assert!(
            said(json!({"delegation": {"night": {"max_wait": -1}}}))
                .contains("policy.delegation.night.max_wait")
        );
    }
}

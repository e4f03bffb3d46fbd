//! A configuration file with every key, its default and what it means.

use serde_json::Value;

use super::keys::KEYS;
use super::policy::PROTOCOLS;

const HEAD: &str = "\
# The configuration of Wilco. Every key stands here with its default; take away the # of what you change.
# It is read from --config FILE, else ./wilco.toml, else wilco/wilco.toml in the user's configuration directory.
# Every key can also be set in the environment: server.listen is WILCO_SERVER_LISTEN.
# `wilco config show` prints what holds, and where each value came from.
";

/// The sample. Nothing in it changes anything before somebody edits it.
pub(crate) fn sample() -> String {
    let mut text = format!("{HEAD}\n");
    let mut section = "";
    for key in KEYS {
        let (table, name) = key.path.split_once('.').unwrap_or(("", key.path));
        if table != section {
            text.push_str(&format!("\n[{table}]\n"));
            section = table;
        }
        text.push_str(&entry(name, key.meaning, &(key.default)()));
    }
    for protocol in PROTOCOLS {
        text.push_str(&format!("\n# What holds for every {} that says nothing else.\n", protocol.name));
        text.push_str(&format!("[policy.{}]\n", protocol.name));
        let defaults = (protocol.defaults)();
        for (key, meaning) in (protocol.meanings)().into_iter().filter(|(key, _)| *key != "preset") {
            text.push_str(&entry(key, meaning, &defaults[key]));
        }
        for (preset, overrides) in (protocol.presets)() {
            if !overrides.is_empty() {
                text.push_str(&format!(
                    "\n# A preset; a request chooses it with --policy preset={preset}.\n"
                ));
                text.push_str(&format!("[policy.{}.{preset}]\n", protocol.name));
            }
            overrides.iter().for_each(|(key, value)| text.push_str(&format!("# {key} = {value}\n")));
        }
    }
    text
}

/// JSON texts, numbers, flags and lists of them are TOML as they are; a key without a default has none.
fn entry(name: &str, meaning: &str, default: &Value) -> String {
    match default {
        Value::Null => format!("# {meaning}\n# {name} is not set\n"),
        default => format!("# {meaning}\n# {name} = {default}\n"),
    }
}

#[cfg(test)]
mod tests {
    use wilco_protocol::Span;

    use super::super::{Origin, Policies, Values};
    use super::*;

    /// The lines that set a key, without their marks.
    fn uncommented() -> String {
        let is_key = |line: &str| line.split_once(" = ").is_some_and(|(name, _)| !name.contains(' '));
        let lines = sample()
            .lines()
            .map(|line| match line.strip_prefix("# ") {
                Some(key) if is_key(key) => key.to_owned(),
                _ => line.to_owned(),
            })
            .collect::<Vec<_>>();
        lines.join("\n")
    }

    #[test]
    fn cfg_1_the_sample_changes_nothing_and_holds_every_key() {
        let (values, policy) = Values::read(sample().parse().unwrap(), "sample", &[]).unwrap();
        assert!(values.each().all(|(_, given)| given.origin == Origin::Default));
        let policies = Policies::read(policy.as_ref(), "sample", &[]).unwrap();
        assert!(policies.each().iter().all(|(_, given)| given.origin == Origin::Default));

        let (all, policy) = Values::read(uncommented().parse().unwrap(), "sample", &[]).unwrap();
        for ((key, given), (_, default)) in all.each().zip(values.each()) {
            // The same duration may be written in several ways.
            let plain = |value: &Value| {
                value
                    .as_str()
                    .and_then(|text| text.parse::<Span>().ok())
                    .map_or(value.clone(), |span| span.to_string().into())
            };
            assert_eq!(
                (key, &given.origin, plain(&given.value)),
                (key, &Origin::File, plain(&default.value))
            );
        }
        let all = Policies::read(policy.as_ref(), "sample", &[]).unwrap().each();
        for ((key, given), (_, default)) in all.iter().zip(policies.each()) {
            assert_eq!(given.value, default.value, "{key}");
        }
    }
}

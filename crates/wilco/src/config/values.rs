//! Values by key, checked: an unknown key is an error that names the nearest known one.

use std::collections::BTreeMap;
use wilco_language::nearest;

use anyhow::{Context, bail};
use serde_json::Value;

use super::keys::{KEYS, Key, ValueKind, environment_name};
use super::policy::{self, Policies};
use super::programs::{NUDGE, OPERATION, VALIDATION};

#[derive(Debug)]
pub(crate) struct Values(BTreeMap<&'static str, Given>);

/// A value, and where it came from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Given {
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    /// In the configuration file.
    File,
    /// From this variable.
    Environment(String),
    /// From this flag.
    Flag(&'static str),
}

impl Values {
    /// Takes the table of a file and the environment; gives back the table `policy`, which has keys of
    /// its own.
    pub(crate) fn read(
        mut table: toml::Table,
        place: &str,
        environment: &[(String, String)],
    ) -> anyhow::Result<(Values, Option<Value>)> {
        let policy = table.remove("policy").map(serde_json::to_value).transpose()?;
        let default = |key: &Key| Given { value: (key.default)(), origin: Origin::Default };
        let mut values: BTreeMap<_, _> = KEYS.iter().map(|key| (key.path, default(key))).collect();
        let mut given = Vec::new();
        flatten("", serde_json::to_value(table)?, &mut given);
        for (path, value) in given {
            if value.is_object() && is_table(&path) {
                continue;
            }
            let key = known(&path).with_context(|| place.to_owned())?;
            let value = checked(key, value).with_context(|| place.to_owned())?;
            values.insert(key.path, Given { value, origin: Origin::File });
        }
        for key in KEYS {
            let name = environment_name(key.path);
            if let Some((_, text)) = environment.iter().find(|(given, _)| *given == name) {
                let value = from_text(key, text).with_context(|| format!("environment variable {name}"))?;
                values.insert(key.path, Given { value, origin: Origin::Environment(name) });
            }
        }
        Ok((Values(values), policy))
    }

    /// A flag wins over everything.
    pub(crate) fn flagged(&mut self, key: &'static str, text: String, flag: &'static str) {
        self.0.insert(key, Given { value: Value::String(text), origin: Origin::Flag(flag) });
    }

    /// Every key with its value, in the order of the documentation.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&'static str, &Given)> {
        KEYS.iter().filter_map(|key| Some((key.path, self.0.get(key.path)?)))
    }

    /// Whether a key's value is shown to nobody.
    pub(crate) fn is_secret(path: &str) -> bool {
        KEYS.iter().any(|key| key.path == path && key.kind == ValueKind::Secret)
    }

    fn value(&self, key: &str) -> Option<&Value> {
        self.0.get(key).map(|given| &given.value)
    }

    pub(crate) fn text(&self, key: &str) -> &str {
        self.value(key).and_then(Value::as_str).unwrap_or("")
    }

    pub(crate) fn flag(&self, key: &str) -> bool {
        self.value(key).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(crate) fn whole(&self, key: &str) -> u64 {
        self.value(key).and_then(Value::as_u64).unwrap_or(0)
    }

    pub(crate) fn list(&self, key: &str) -> Vec<String> {
        let items = self.value(key).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

/// `{a: {b: 1}}` becomes `a.b = 1`; a table with nothing in it stays one, because its name may be wrong.
fn flatten(prefix: &str, value: Value, into: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(map) if prefix.is_empty() || !map.is_empty() => {
            for (key, value) in map {
                let path = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
                flatten(&path, value, into);
            }
        }
        leaf => into.push((prefix.to_owned(), leaf)),
    }
}

fn known(path: &str) -> anyhow::Result<&'static Key> {
    if let Some(key) = KEYS.iter().find(|key| key.path == path) {
        return Ok(key);
    }
    let policies = policy::paths(&Policies::default());
    let paths = KEYS.iter().map(|key| key.path).chain(policies.iter().map(String::as_str));
    let sections = paths.clone().chain(paths.clone().filter_map(table));
    // Or its section is missing: `listen` is `server.listen`.
    let whole =
        || paths.clone().find(|known| known.strip_suffix(path).is_some_and(|rest| rest.ends_with('.')));
    match nearest(path, sections).or_else(whole) {
        Some(near) => bail!("there is no key {path:?}; did you mean {near:?}?"),
        // Names of programs are free, their sections are not.
        None if near_section(path).is_some() => {
            bail!("there is no key {path:?}; did you mean {:?}?", near_section(path).unwrap_or_default())
        }
        None => bail!("there is no key {path:?}"),
    }
}

/// The section of programs that a key was probably meant to stand in.
fn near_section(path: &str) -> Option<&'static str> {
    const PROGRAMS: [&str; 3] = ["operation.commands", "validation.commands", "nudge.commands"];
    nearest(table(path)?, PROGRAMS)
}

/// The table that a key stands in.
fn table(path: &str) -> Option<&str> {
    path.rsplit_once('.').map(|(table, _)| table)
}

/// Whether keys, or programs under names of their own, may stand in it.
fn is_table(path: &str) -> bool {
    let free = [OPERATION, VALIDATION, NUDGE].map(|kind| kind.table);
    let mut paths = KEYS.iter().map(|key| key.path).chain(free);
    paths.any(|key| key.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
}

fn checked(key: &Key, value: Value) -> anyhow::Result<Value> {
    let fits = match key.kind {
        ValueKind::Text => value.is_string(),
        ValueKind::Secret if !value.is_string() => bail!("{}: expected a text", key.path),
        ValueKind::Secret => true,
        ValueKind::Variable => return variable(key, value),
        ValueKind::Flag => value.is_boolean(),
        ValueKind::Whole => value.as_u64().is_some_and(|number| number > 0),
        ValueKind::List => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
        ValueKind::Program if value.is_string() => return Ok(Value::Array(vec![value])),
        ValueKind::Program => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
        ValueKind::Span => return span(key, &value),
    };
    if !fits {
        let expected = match key.kind {
            ValueKind::Text | ValueKind::Secret | ValueKind::Variable | ValueKind::Span => "a text",
            ValueKind::Flag => "true or false",
            ValueKind::Whole => "a whole number above zero",
            ValueKind::List => "a list of texts",
            ValueKind::Program => "a program, or a list of it and its arguments",
        };
        bail!("{}: expected {expected}, got {value}", key.path);
    }
    Ok(value)
}

/// The name of a variable, or nothing. What looks like a key is none, and is not repeated.
fn variable(key: &Key, value: Value) -> anyhow::Result<Value> {
    let fits = |name: &str| {
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let has = |test: fn(&char) -> bool| name.chars().any(|c| test(&c));
        let mixed =
            has(char::is_ascii_lowercase) && has(char::is_ascii_uppercase) && has(char::is_ascii_digit);
        name.is_empty()
            || begins && plain && name.len() <= LONGEST_VARIABLE && !(mixed && name.len() > SHORTEST_KEY)
    };
    match value.as_str() {
        Some(name) if fits(name) => Ok(value),
        Some(_) | None => bail!(
            "{}: expected the name of an environment variable such as OPENAI_API_KEY, never the key itself; what was \
             given is not repeated",
            key.path
        ),
    }
}

/// Nobody calls a variable so, and keys are no shorter.
const LONGEST_VARIABLE: usize = 100;
const SHORTEST_KEY: usize = 16;

/// Kept as a text that is known to be a duration.
fn span(key: &Key, value: &Value) -> anyhow::Result<Value> {
    let span: Result<wilco_protocol::Span, _> = serde_json::from_value(value.clone());
    match span {
        Ok(span) => Ok(Value::String(span.to_string())),
        Err(error) => bail!("{}: {error}", key.path),
    }
}

fn from_text(key: &Key, text: &str) -> anyhow::Result<Value> {
    let value = match key.kind {
        ValueKind::Text | ValueKind::Secret | ValueKind::Variable | ValueKind::Span => {
            Value::String(text.to_owned())
        }
        ValueKind::Flag | ValueKind::Whole => {
            serde_json::from_str(text).unwrap_or(Value::String(text.to_owned()))
        }
        ValueKind::List | ValueKind::Program => {
            text.split_whitespace().map(|word| Value::String(word.to_owned())).collect()
        }
    };
    checked(key, value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str, environment: &[(&str, &str)]) -> anyhow::Result<Values> {
        let environment: Vec<_> =
            environment.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Values::read(text.parse().unwrap(), "wilco.toml", &environment).map(|(values, _)| values)
    }

    #[test]
    fn cfg_1_the_environment_wins_over_the_file_over_the_default() {
        let values = read("[escalation]\nreminder = \"10m\"", &[("WILCO_LIMITS_CONNECTIONS", "7")]).unwrap();
        assert_eq!(values.text("escalation.reminder"), "10m");
        assert_eq!(values.whole("limits.connections"), 7);
        assert_eq!(values.text("agents.default_sender"), "operator");
        assert_eq!(read("auth = \"required\"", &[("WILCO_AUTH", "local")]).unwrap().text("auth"), "local");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        /// Whatever stands in the file or the environment is taken or refused by name, and a known key keeps
        /// its kind.
        #[test]
        fn cfg_1_any_value_is_taken_or_refused(
            at in 0..KEYS.len(),
            value in prop_oneof![
                "\"[^\"\\\\\\p{Cc}]{0,20}\"", "-?[0-9]{1,20}", "true|false", "\\[(\"[a-z]*\",?){0,3}\\]", "\"[0-9]{1,9}(ms|s|m|h|d)\"", "[0-9.e+-]{1,9}",
            ],
            text in any::<String>(),
        ) {
            let key = &KEYS[at];
            if let Ok(table) = format!("{} = {value}", key.path).parse::<toml::Table>() {
                match Values::read(table, "wilco.toml", &[]) {
                    Ok((values, _)) => {
                        let kept = values.0[key.path].value.clone();
                        prop_assert_eq!(checked(key, kept.clone()).ok(), Some(kept));
                    }
                    Err(error) => prop_assert!(format!("{error:#}").contains(key.path), "{:#}", error),
                }
            }
            let environment = [(environment_name(key.path), text)];
            let _ = Values::read(toml::Table::new(), "wilco.toml", &environment);
        }

        #[test]
        fn cfg_1_any_text_is_read_or_refused(text in "(?s).{0,60}|(\\[[a-z.]{1,20}\\]\n([a-z_]{1,12} = [a-z0-9\"\\[\\]{}]{0,8}\n){0,3}){0,3}") {
            if let Ok(table) = text.parse::<toml::Table>() {
                let read = Values::read(table, "wilco.toml", &[]);
                let _ = read.map(|(_, policy)| super::super::Policies::read(policy.as_ref(), "wilco.toml", &[]));
            }
        }
    }

    #[test]
    fn cfg_1_unknown_keys_and_bad_values_are_named() {
        let said = |text: &str| format!("{:#}", read(text, &[]).unwrap_err());
        assert!(said("[server]\nlistn = \"x\"").contains("did you mean \"server.listen\""));
        assert!(
            said("[limits]\nconnections = 0")
                .contains("limits.connections: expected a whole number above zero")
        );
        assert!(said("[escalation]\nreminder = \"-5m\"").contains("negative"));
    }
}

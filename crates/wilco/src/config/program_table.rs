//! A program that is written as a table: `[operation.commands.NAME]` with program, args, values, may and env.

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use wilco_engine::{FixedCommand, check_name};
use wilco_language::nearest;

use super::programs::is_program;

/// A program whose arguments are fixed.
#[derive(Debug)]
pub(super) struct FixedProgram {
    pub(super) program: String,
    /// The server's variables that it inherits, if the table names them.
    pub(super) env: Option<Vec<String>>,
    pub(super) rule: FixedCommand,
}

/// As it stands in the file.
#[derive(Debug, Serialize, Deserialize)]
struct Keys {
    program: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    values: BTreeMap<String, Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    may: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    env: Option<Vec<String>>,
}

const KEYS: [&str; 5] = ["program", "args", "values", "may", "env"];

impl FixedProgram {
    /// Reads the table that stands at this key; `places` are those that Wilco fills by itself.
    pub(super) fn read(
        key: &str,
        table: &Map<String, Value>,
        places: &[&str],
    ) -> anyhow::Result<FixedProgram> {
        if let Some(unknown) = table.keys().find(|known| !KEYS.contains(&known.as_str())) {
            match nearest(unknown, KEYS) {
                Some(near) => bail!("{key}.{unknown}: there is no such key; did you mean {near:?}?"),
                None => bail!("{key}.{unknown}: there is no such key; there are {}", KEYS.join(", ")),
            }
        }
        let keys: Keys = serde_json::from_value(Value::Object(table.clone())).with_context(|| {
            format!("{key}: expected program = \"/absolute/program\", args, may and env as lists of texts, values = {{place = [texts]}}")
        })?;
        if !is_program(&keys.program) {
            bail!("{key}.program: expected an absolute program, got {:?}", keys.program);
        }
        let mut texts = keys.args.iter().chain(keys.values.values().flatten());
        if texts.any(|text| text.contains('\0')) {
            bail!("{key}: expected texts without NUL characters");
        }
        if let Some(own) = keys.env.iter().flatten().find(|name| name.starts_with("WILCO_")) {
            bail!("{key}.env: {own} is not for programs: Wilco's variables may hold tokens");
        }
        let mut may = Vec::new();
        for name in &keys.may {
            match check_name(name) {
                Ok(name) => may.push(name),
                Err(why) => bail!("{key}.may: expected names of agents, got {name:?}: {why}"),
            }
        }
        let rule = FixedCommand { args: keys.args, values: keys.values, may };
        if let Some(problem) = rule.problem(places) {
            bail!("{key}: {problem}");
        }
        Ok(FixedProgram { program: keys.program, env: keys.env, rule })
    }

    /// The table again.
    pub(super) fn value(&self) -> Value {
        let keys = Keys {
            program: self.program.clone(),
            args: self.rule.args.clone(),
            values: self.rule.values.clone(),
            may: self.rule.may.iter().map(ToString::to_string).collect(),
            env: self.env.clone(),
        };
        serde_json::to_value(keys).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<FixedProgram> {
        let Value::Object(table) = serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap() else {
            panic!("a table");
        };
        FixedProgram::read("operation.commands.a", &table, &["agent"])
    }

    #[test]
    fn sec_11_a_table_is_read_and_shown_as_it_stands() {
        let text = r#"
            program = "/bin/restart"
            args = ["--mode={mode}", "{agent}"]
            values = {mode = ["soft", "hard"]}
            may = ["ci"]
            env = ["HOME"]"#;
        let shown = read(text).unwrap().value();
        assert_eq!(shown, serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap());
    }

    #[test]
    fn sec_11_what_cannot_work_is_refused_with_its_key() {
        for (text, said) in [
            ("program = \"restart\"", "operation.commands.a.program: expected an absolute program"),
            ("args = []", "operation.commands.a: expected program"),
            (
                "program = \"/x\"\nargz = []",
                "operation.commands.a.argz: there is no such key; did you mean \"args\"?",
            ),
            ("program = \"/x\"\nargs = [\"{mode}\"]", "nothing is listed for the place {mode}"),
            ("program = \"/x\"\nvalues = {mode = [\"a\"]}", "args have no place {mode}"),
            ("program = \"/x\"\nargs = [\"{mode}\"]\nvalues = {mode = []}", "at least one value"),
            ("program = \"/x\"\nargs = [\"{agent}\"]\nvalues = {agent = [\"a\"]}", "by itself"),
            ("program = \"/x\"\nmay = [\"a b\"]", "operation.commands.a.may"),
            ("program = \"/x\"\nenv = [\"WILCO_TOKEN\"]", "operation.commands.a.env"),
        ] {
            let error = format!("{:#}", read(text).unwrap_err());
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}

//! `[operation.commands]`, `[validation.commands]` and `[nudge.commands]`: programs under names that anybody may choose.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use serde_json::Value;
use wilco_engine::CommandRule;
use wilco_outside::StepProgram;
use wilco_protocol::operation::PLACEHOLDERS;

use super::keys::environment_name;
use super::program_table::FixedProgram;
use super::values::{Given, Origin};

/// A table of programs, and what a program in it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProgramTable {
    pub(crate) table: &'static str,
    expected: &'static str,
    fits: fn(&[String]) -> bool,
    /// The places that Wilco fills in the arguments of a program that is written as a table; None: none is.
    places: Option<&'static [&'static str]>,
}

/// What operations may run: an absolute program alone, as its arguments come with the operation, or a table with
/// arguments that are fixed. Whether it is there shows when it is run.
pub(crate) const OPERATION: ProgramTable = ProgramTable {
    table: "operation.commands",
    expected: "an absolute program such as \"/usr/local/bin/restart-agent\", or a table with program and args",
    fits: |argv| matches!(argv, [program] if is_program(program)),
    places: Some(&PLACEHOLDERS),
};

/// What checks phases of validations: an absolute program alone, or a table with its arguments.
pub(crate) const VALIDATION: ProgramTable = ProgramTable {
    table: "validation.commands",
    expected: "an absolute program such as \"/usr/local/bin/unit-tests\", or a table with program and args",
    fits: OPERATION.fits,
    places: Some(&[]),
};

/// What nudges agents.
pub(crate) const NUDGE: ProgramTable = ProgramTable {
    table: "nudge.commands",
    expected: "a program, or a list of it and its arguments",
    fits: |argv| argv.first().is_some_and(|program| !program.is_empty()),
    places: None,
};

/// Whether a program is named from the root on.
pub(super) fn is_program(program: &str) -> bool {
    Path::new(program).is_absolute() && !program.contains('\0')
}

/// Programs with their arguments, by name.
#[derive(Debug)]
pub(crate) struct Programs {
    kind: ProgramTable,
    by_name: BTreeMap<String, (Written, Origin)>,
}

/// How a program is written down.
#[derive(Debug)]
enum Written {
    Words(Vec<String>),
    Table(FixedProgram),
}

impl Programs {
    /// Takes the table out of the file, and what the environment has instead or besides:
    /// `WILCO_NUDGE_COMMANDS_NIGHT_BELL` is `nudge.commands.night-bell`, or whatever name of the file is written
    /// so.
    pub(crate) fn take(
        kind: ProgramTable,
        file: &mut toml::Table,
        place: &str,
        environment: &[(String, String)],
    ) -> anyhow::Result<Programs> {
        let mut programs = Programs { kind, by_name: BTreeMap::new() };
        programs.read(file).with_context(|| place.to_owned())?;
        let prefix = environment_prefix(kind);
        for (variable, text) in environment {
            let Some(written) = variable.strip_prefix(&prefix).filter(|rest| !rest.is_empty()) else {
                continue;
            };
            let of_file = programs.by_name.keys().find(|name| in_environment(name) == *written).cloned();
            let name = of_file.unwrap_or_else(|| written.to_lowercase().replace('_', "-"));
            let argv = text.split_whitespace().map(str::to_owned).collect();
            let origin = Origin::Environment(variable.clone());
            programs
                .put(name, argv, &Value::from(text.as_str()), origin)
                .with_context(|| format!("environment variable {variable}"))?;
        }
        Ok(programs)
    }

    fn read(&mut self, file: &mut toml::Table) -> anyhow::Result<()> {
        let (section, table) = self.kind.table.split_once('.').unwrap_or((self.kind.table, ""));
        let section = file.get_mut(section).and_then(toml::Value::as_table_mut);
        let Some(given) = section.and_then(|section| section.remove(table)) else { return Ok(()) };
        let Value::Object(given) = serde_json::to_value(given)? else {
            bail!("{}: expected a table of programs", self.kind.table);
        };
        for (name, value) in given {
            let argv = match (&value, self.kind.places) {
                (Value::Object(table), Some(places)) => {
                    let fixed = FixedProgram::read(&format!("{}.{name}", self.kind.table), table, places)?;
                    self.by_name.insert(name, (Written::Table(fixed), Origin::File));
                    continue;
                }
                (Value::String(program), _) => vec![program.clone()],
                (Value::Array(words), _) => words
                    .iter()
                    .map(|word| word.as_str().map(str::to_owned))
                    .collect::<Option<_>>()
                    .unwrap_or_default(),
                _ => Vec::new(),
            };
            self.put(name, argv, &value, Origin::File)?;
        }
        Ok(())
    }

    fn put(&mut self, name: String, argv: Vec<String>, got: &Value, origin: Origin) -> anyhow::Result<()> {
        if !(self.kind.fits)(&argv) {
            bail!("{}.{name}: expected {}, got {got}", self.kind.table, self.kind.expected);
        }
        self.by_name.insert(name, (Written::Words(argv), origin));
        Ok(())
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.by_name.keys()
    }

    /// Those that are written as a program, or as a list of it and its arguments.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &[String])> {
        self.by_name.iter().filter_map(|(name, (written, _))| match written {
            Written::Words(argv) => Some((name, argv.as_slice())),
            Written::Table(_) => None,
        })
    }

    /// Who may run each, and with which arguments.
    pub(crate) fn rules(&self) -> BTreeMap<String, CommandRule> {
        let rule = |written: &Written| match written {
            Written::Words(_) => CommandRule::Open,
            Written::Table(fixed) => CommandRule::Fixed(fixed.rule.clone()),
        };
        self.by_name.iter().map(|(name, (written, _))| (name.clone(), rule(written))).collect()
    }

    /// What is run, with the variables of its own table or else these.
    pub(crate) fn step_programs(&self, env: &[String]) -> BTreeMap<String, StepProgram> {
        let program = |written: &Written| match written {
            Written::Words(argv) => StepProgram { program: argv.concat(), env: env.to_vec() },
            Written::Table(fixed) => StepProgram {
                program: fixed.program.clone(),
                env: fixed.env.clone().unwrap_or_else(|| env.to_vec()),
            },
        };
        self.by_name.iter().map(|(name, (written, _))| (name.clone(), program(written))).collect()
    }

    /// Each as a key of the configuration.
    pub(crate) fn each(&self) -> impl Iterator<Item = (String, Given)> {
        self.by_name.iter().map(|(name, (written, origin))| {
            let value = match written {
                Written::Words(argv) => match argv.as_slice() {
                    [program] => Value::from(program.as_str()),
                    words => Value::from(words),
                },
                Written::Table(fixed) => fixed.value(),
            };
            (format!("{}.{name}", self.kind.table), Given { value, origin: origin.clone() })
        })
    }
}

/// What the variables of a table begin with.
pub(crate) fn environment_prefix(kind: ProgramTable) -> String {
    environment_name(kind.table) + "_"
}

/// A name as a variable has it.
fn in_environment(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(kind: ProgramTable, file: &str, environment: &[(&str, &str)]) -> anyhow::Result<Programs> {
        let environment: Vec<_> =
            environment.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Programs::take(kind, &mut file.parse().unwrap(), "wilco.toml", &environment)
    }

    fn argv<'a>(programs: &'a Programs, name: &str) -> Option<&'a [String]> {
        programs.iter().find(|(known, _)| *known == name).map(|(_, argv)| argv)
    }

    #[test]
    fn cfg_1_programs_have_names_of_their_own() {
        let file = "[nudge]\nprivate_addresses = true\n[nudge.commands]\nbell = \"/bin/bell\"\nsay = [\"say\", \"hi\"]";
        let mut table = file.parse().unwrap();
        let programs = Programs::take(NUDGE, &mut table, "wilco.toml", &[]).unwrap();
        assert_eq!(argv(&programs, "bell").unwrap(), ["/bin/bell"]);
        assert_eq!(argv(&programs, "say").unwrap(), ["say", "hi"]);
        assert!(
            table["nudge"].get("commands").is_none() && table["nudge"].get("private_addresses").is_some()
        );
        for wrong in ["bell = 7", "bell = []", "bell = \"\"", "bell = [1]"] {
            let error = take(NUDGE, &format!("[nudge.commands]\n{wrong}"), &[]).unwrap_err();
            assert!(format!("{error:#}").contains("nudge.commands.bell"), "{error:#}");
        }
        assert!(take(NUDGE, "[nudge]\ncommands = 1", &[]).is_err());
    }

    #[test]
    fn op_10_a_command_is_a_name_for_an_absolute_program() {
        let known = take(OPERATION, "[operation.commands]\nrestart-agent = \"/bin/true\"", &[]).unwrap();
        assert_eq!(argv(&known, "restart-agent").unwrap(), ["/bin/true"]);
        for bad in ["a = \"true\"", "a = [\"/bin/true\", \"x\"]", "a = \"\"", "a = 1"] {
            let error = take(OPERATION, &format!("[operation.commands]\n{bad}"), &[]).unwrap_err();
            assert!(format!("{error:#}").contains("operation.commands.a"), "{bad}: {error:#}");
        }
    }

    #[test]
    fn cfg_1_programs_come_from_the_environment_too() {
        let file = "[nudge.commands]\nnight_bell = \"/bin/bell\"\nsay = \"/bin/say\"";
        let environment = [
            ("WILCO_NUDGE_COMMANDS_NIGHT_BELL", "/bin/gong --loud"),
            ("WILCO_NUDGE_COMMANDS_TELL_ME", "/bin/tell"),
            ("WILCO_OPERATION_COMMANDS_RESTART_AGENT", "/bin/true"),
        ];
        let nudges = take(NUDGE, file, &environment).unwrap();
        assert_eq!(argv(&nudges, "night_bell").unwrap(), ["/bin/gong", "--loud"]);
        assert_eq!(argv(&nudges, "say").unwrap(), ["/bin/say"]);
        assert_eq!(argv(&nudges, "tell-me").unwrap(), ["/bin/tell"]);
        let origin = nudges.each().find(|(key, _)| key == "nudge.commands.tell-me").unwrap().1.origin;
        assert_eq!(origin, Origin::Environment("WILCO_NUDGE_COMMANDS_TELL_ME".to_owned()));
        let commands = take(OPERATION, "", &environment).unwrap();
        assert_eq!(argv(&commands, "restart-agent").unwrap(), ["/bin/true"]);
        let error = take(OPERATION, "", &[("WILCO_OPERATION_COMMANDS_X", "true")]).unwrap_err();
        assert!(format!("{error:#}").contains("WILCO_OPERATION_COMMANDS_X"), "{error:#}");
    }
}

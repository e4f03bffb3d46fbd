//! `[nudge.commands]`: the programs that nudge, by name.

use std::collections::BTreeMap;

use anyhow::bail;
use toml::{Table, Value};

/// Programs with their arguments, by name.
pub(crate) type Commands = BTreeMap<String, Vec<String>>;

/// Takes the table out of the file. A program is a text, or a list with its arguments.
pub(crate) fn take(file: &mut Table) -> anyhow::Result<Commands> {
    let Some(Value::Table(nudge)) = file.get_mut("nudge") else { return Ok(Commands::new()) };
    let Some(commands) = nudge.remove("commands") else { return Ok(Commands::new()) };
    let Value::Table(commands) = commands else { bail!("nudge.commands: expected a table of programs") };
    let mut read = Commands::new();
    for (name, value) in commands {
        let argv = match &value {
            Value::String(program) => vec![program.clone()],
            Value::Array(items) => {
                let words = items.iter().map(|item| item.as_str().map(str::to_owned));
                words.collect::<Option<Vec<_>>>().unwrap_or_default()
            }
            _ => Vec::new(),
        };
        if argv.first().is_none_or(|program| program.is_empty()) {
            bail!("nudge.commands.{name}: expected a program, or a list of it and its arguments");
        }
        read.insert(name, argv);
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cfg_1_commands_have_names_of_their_own() {
        let mut table: Table =
            "[nudge]\nprivate_addresses = true\n[nudge.commands]\nbell = \"/bin/bell\"\nsay = [\"say\", \"hi\"]"
                .parse()
                .unwrap();
        let commands = take(&mut table).unwrap();
        assert_eq!(commands["bell"], ["/bin/bell"]);
        assert_eq!(commands["say"], ["say", "hi"]);
        assert!(
            table["nudge"].get("commands").is_none() && table["nudge"].get("private_addresses").is_some()
        );
        for wrong in ["bell = 7", "bell = []", "bell = \"\"", "bell = [1]"] {
            let mut table: Table = format!("[nudge.commands]\n{wrong}").parse().unwrap();
            let error = take(&mut table).unwrap_err().to_string();
            assert!(error.contains("nudge.commands.bell"), "{error}");
        }
        assert!(take(&mut "[nudge]\ncommands = 1".parse().unwrap()).is_err());
    }
}

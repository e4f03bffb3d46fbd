//! `[operation.commands]`: the programs that operations may run, by name.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::bail;
use serde_json::Value;

/// Takes the table out of the file: its keys are anybody's to choose.
pub(crate) fn take(file: &mut toml::Table) -> anyhow::Result<BTreeMap<String, String>> {
    let Some(operation) = file.get_mut("operation").and_then(toml::Value::as_table_mut) else {
        return Ok(BTreeMap::new());
    };
    let commands = operation.remove("commands").map(serde_json::to_value).transpose()?;
    read(commands.as_ref())
}

/// Names and absolute programs. Whether a program is there shows when it is run.
fn read(commands: Option<&Value>) -> anyhow::Result<BTreeMap<String, String>> {
    let Some(commands) = commands else { return Ok(BTreeMap::new()) };
    let Some(table) = commands.as_object() else { bail!("operation.commands: expected a table") };
    let mut known = BTreeMap::new();
    for (name, program) in table {
        match program.as_str() {
            Some(program) if Path::new(program).is_absolute() && !program.contains('\0') => {
                known.insert(name.clone(), program.to_owned());
            }
            _ => bail!(
                "operation.commands.{name}: expected an absolute program such as \"/usr/local/bin/restart-agent\", got {program}"
            ),
        }
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn op_10_a_command_is_a_name_for_an_absolute_program() {
        let known = read(Some(&json!({"restart-agent": "/bin/true"}))).unwrap();
        assert_eq!(known["restart-agent"], "/bin/true");
        for bad in [json!({"a": "true"}), json!({"a": ["/bin/true"]}), json!("a"), json!({"a": ""})] {
            assert!(read(Some(&bad)).unwrap_err().to_string().contains("operation.commands"), "{bad}");
        }
    }
}

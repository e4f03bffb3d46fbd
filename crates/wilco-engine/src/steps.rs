//! What an operation's command is run with: its arguments with every placeholder filled.

use serde_json::{Value, json};
use wilco_protocol::Name;
use wilco_protocol::operation::{Execute, PLACEHOLDERS, State};

use crate::workspace::Workspace;

/// The order for one agent. What cannot be filled in is said, and fails the step.
pub(crate) fn step(workspace: &Workspace<'_>, state: &State, agent: &Name) -> Value {
    let Execute::Command(command) = &state.execute else { return Value::Null };
    let known = workspace.directory().get(agent);
    let session = known.map(|agent| agent.session().to_owned());
    let value = |word: &str| match word {
        "agent" => Some(agent.to_string()),
        "session" => session.clone(),
        _ => Some(state.operation.clone()),
    };
    let (mut arguments, mut problem) = (Vec::new(), None);
    for argument in &command.argv[1..] {
        let filled = fill(argument, &value);
        problem = problem.or(filled.as_ref().err().cloned());
        arguments.push(filled.unwrap_or_default());
    }
    json!({
        "command": command.argv[0],
        "arguments": arguments,
        "problem": problem,
        "time_limit": command.time_limit,
    })
}

/// One argument, still one argument whatever the values hold.
fn fill(argument: &str, value: &impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = argument;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        filled.push_str(before);
        let word = PLACEHOLDERS
            .iter()
            .find(|word| from[1..].strip_prefix(**word).is_some_and(|rest| rest.starts_with('}')));
        match word {
            None => {
                filled.push('{');
                rest = &from[1..];
            }
            Some(word) => {
                let value = value(word).filter(|value| !value.is_empty());
                let value = value.ok_or_else(|| format!("there is no value for {{{word}}}"))?;
                if value.starts_with('-') || value.contains('\0') {
                    return Err(format!("the value of {{{word}}} could be taken for an option: {value:?}"));
                }
                filled.push_str(&value);
                rest = &from[word.len() + 2..];
            }
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn op_10_placeholders_fill_part_of_one_argument() {
        let value = |word: &str| match word {
            "agent" => Some("a b;c".to_owned()),
            "session" => None,
            _ => Some("-rf".to_owned()),
        };
        assert_eq!(fill("--to={agent}!", &value).as_deref(), Ok("--to=a b;c!"));
        assert_eq!(fill("{ {x} {agent", &value).as_deref(), Ok("{ {x} {agent"));
        assert!(fill("{session}", &value).is_err());
        assert!(fill("{operation}", &value).is_err());
    }
}

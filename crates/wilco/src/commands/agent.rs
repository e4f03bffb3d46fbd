//! `wilco agent`: register an agent, or remove it.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Map, Value};
use wilco_wire::AgentSpec;

use crate::caller::Caller;
use crate::output::{self, escape::one_line};
use crate::values;

/// Register or remove an agent
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) what: AgentCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    Register(Box<Register>),
    Remove(Remove),
}

/// Register an agent, or change what is known of it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  wilco agent register bob --role worker --capability rust --capability sql"
)]
pub(crate) struct Register {
    /// The agent's name
    pub(crate) agent: String,
    /// Another name that it answers to
    #[arg(long, value_name = "NAME")]
    pub(crate) alias: Option<String>,
    /// The terminal session; the name, unless you say otherwise
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// The machine it runs on
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Option<String>,
    /// What it runs in, such as claude-code
    #[arg(long, value_name = "NAME")]
    pub(crate) program: Option<String>,
    /// What it is for, such as worker
    #[arg(long, value_name = "WORD")]
    pub(crate) role: Option<String>,
    /// Something it can do; repeat it for more
    #[arg(long = "capability", value_name = "WORD")]
    pub(crate) capabilities: Vec<String>,
    /// How to nudge it: tmux, or a JSON object with a kind
    #[arg(long, value_name = "JSON", value_parser = values::nudge)]
    pub(crate) nudge: Option<Map<String, Value>>,
    /// Its name on GitHub
    #[arg(long, value_name = "NAME")]
    pub(crate) github: Option<String>,
    /// A label; repeat it for more
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = values::pair)]
    pub(crate) labels: Vec<(String, String)>,
    /// What it is taught to answer by: text, cli, http, api or mcp; else what it spoke by last
    #[arg(long, value_name = "WORD")]
    pub(crate) speaks: Option<String>,
    /// Gather what only informs it, changes of status and progress, and tell it as one message: 5m
    #[arg(long, value_name = "TIME")]
    pub(crate) digest: Option<String>,
    /// active, hibernated or inactive
    #[arg(long, value_name = "WORD")]
    pub(crate) status: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

/// Remove an agent
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco agent remove bob")]
pub(crate) struct Remove {
    /// The agent's name
    pub(crate) agent: String,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        AgentCommand::Register(args) => {
            let answer = args.caller.client().register(&args.agent, &spec(&args));
            args.caller.show(answer, |agent, _| {
                format!("{} is registered and {}.", one_line(&agent.name), agent.status)
            })?;
        }
        AgentCommand::Remove(args) => {
            args.caller.checked(args.caller.client().remove(&args.agent))?;
            match args.caller.json {
                true => output::print_json(&serde_json::json!({"removed": args.agent}).to_string()),
                false => output::print(&format!("{} is removed.", one_line(&args.agent))),
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn spec(args: &Register) -> AgentSpec {
    AgentSpec {
        name: None,
        alias: args.alias.clone(),
        session: args.session.clone(),
        host: args.host.clone(),
        program: args.program.clone(),
        role: args.role.clone(),
        capabilities: Some(args.capabilities.clone()).filter(|words| !words.is_empty()),
        nudge: args.nudge.clone().map(Value::Object),
        github: args.github.clone(),
        labels: values::labels(&args.labels),
        speaks: args.speaks.clone(),
        digest: args.digest.clone(),
        status: args.status.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cli_4_registering_says_only_what_was_given() {
        let line = ["bob", "--role", "worker", "--capability", "rust", "--label", "team=core"];
        let args = super::super::parsed::<Register>(&line).unwrap();
        assert_eq!(
            serde_json::to_value(spec(&args)).unwrap(),
            json!({"role": "worker", "capabilities": ["rust"], "labels": {"team": "core"}})
        );
    }
}

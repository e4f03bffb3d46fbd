//! `wilco validate`: an initiator starts a validation loop.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use serde_json::{Value, json};
use wilco_client::{IdempotencyKey, Outgoing};

use crate::caller::Caller;
use crate::follow::Follow;
use crate::values::{self, Content};

/// Let specialists check and a main agent fix, until all phases pass
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco validate --issue 42 --phase unit=unit-specialist --phase lint=lint-specialist \\\n    \
    --main feature-implementer --wait\n  \
    wilco validate --issue 42 --phase unit=cmd:unit-tests --main bob --policy max_iterations=3\n\n\
    Policy keys: preset, max_iterations, validation_timeout, fix_timeout, revalidation_timeout,\n\
    reminder_grace, iteration_timeout, deadlock_after, downtime_grace.")]
pub(crate) struct Args {
    /// The number or the name of what is validated
    #[arg(long, value_name = "ISSUE")]
    pub(crate) issue: String,
    /// A phase and who checks it: an agent, or cmd:NAME of the configuration; repeat it for more
    #[arg(long = "phase", value_name = "NAME=SPECIALIST", value_parser = values::phase, required = true)]
    pub(crate) phases: Vec<(String, String)>,
    /// Who fixes what fails
    #[arg(long, value_name = "AGENT")]
    pub(crate) main: String,
    /// What it is about, in a line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) feature: Option<String>,
    /// What is expected of a phase; repeat it for more
    #[arg(long = "expect", value_name = "PHASE=TEXT", value_parser = values::pair)]
    pub(crate) expected: Vec<(String, String)>,
    /// Run all phases together
    #[arg(long)]
    pub(crate) parallel: bool,
    /// Who hears of every change besides you, separated by commas
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) watchers: Vec<String>,
    /// Do not hear of every change yourself
    #[arg(long)]
    pub(crate) no_watch: bool,
    /// A key of the policy; repeat it for more
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::policy)]
    pub(crate) policy: Vec<(String, Value)>,
    #[command(flatten)]
    pub(crate) follow: Follow,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let from = args.caller.sender()?;
    let message = outgoing(&args, from)?;
    let answer = args.caller.checked(args.caller.client().send(&message, &IdempotencyKey::fresh()))?;
    args.follow.show(&args.caller, &answer)
}

fn outgoing(args: &Args, from: Option<String>) -> anyhow::Result<Outgoing> {
    let unknown = args.expected.iter().find(|(name, _)| !args.phases.iter().any(|(phase, _)| phase == name));
    if let Some((name, _)) = unknown {
        anyhow::bail!("--expect {name}=…: there is no --phase {name}=…");
    }
    let phase = |(name, specialist): &(String, String)| {
        let mut phase = json!({"name": name, "specialist": specialist});
        if let Some((_, text)) = args.expected.iter().find(|(phase, _)| phase == name) {
            phase["expected_outcome"] = json!(text);
        }
        phase
    };
    let mut content = Content::new(MessageType::ValidationStart)
        .with("issue", args.issue.clone())
        .with("feature", args.feature.clone())
        .with("phases", args.phases.iter().map(phase).collect::<Vec<_>>())
        .with("main_agent", args.main.clone())
        .with("parallel", args.parallel)
        .with("watchers", args.watchers.clone())
        .with("policy", values::map(&args.policy));
    if args.no_watch {
        content.set("watch", false);
    }
    let to = vec!["validation-orchestrator".to_owned()];
    Ok(Outgoing { from, to, content: content.into_value(), ..Outgoing::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cli_3_a_validation_says_what_was_given() {
        let line = [
            "--issue",
            "42",
            "--phase",
            "unit=u",
            "--phase",
            "lint=cmd:lint",
            "--main",
            "bob",
            "--expect",
            "unit=all pass",
            "--no-watch",
            "--policy",
            "max_iterations=3",
        ];
        let args = super::super::parsed::<Args>(&line).unwrap();
        assert_eq!(
            serde_json::to_value(outgoing(&args, Some("anna".to_owned())).unwrap()).unwrap(),
            json!({
                "from": "anna", "to": "validation-orchestrator",
                "content": {
                    "type": "validation-start", "issue": "42", "main_agent": "bob", "watch": false,
                    "phases": [
                        {"name": "unit", "specialist": "u", "expected_outcome": "all pass"},
                        {"name": "lint", "specialist": "cmd:lint"},
                    ],
                    "policy": {"max_iterations": 3},
                },
            })
        );
        let odd = ["--issue", "42", "--phase", "unit=u", "--main", "bob", "--expect", "lint=x"];
        assert!(outgoing(&super::super::parsed::<Args>(&odd).unwrap(), None).is_err());
    }
}

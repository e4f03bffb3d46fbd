//! The verbs there are, and the help that groups them by who uses them.

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands::{
    ack, agent, agents, amend, audit, checkpoint, clarify, complete, decide, delegate, demo, error,
    exchanges, extend, inbox, log, pause, paused, read, rebuild, reply, report, resume, resumed, send, serve,
    show, status, stop, stopped, token, verdict,
};

/// Makes agents' handshakes reliable: acknowledged, timed, retried, escalated and audited
#[derive(Debug, Parser)]
#[command(
    name = "wilco",
    version,
    subcommand_value_name = "VERB",
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Inbox(inbox::Args),
    Read(read::Args),
    Send(send::Args),
    Reply(reply::Args),
    Ack(ack::Args),
    Checkpoint(checkpoint::Args),
    Complete(complete::Args),
    Error(error::Args),
    Stopped(stopped::Args),
    Paused(paused::Args),
    Resumed(resumed::Args),
    Delegate(Box<delegate::Args>),
    Clarify(clarify::Args),
    Verdict(verdict::Args),
    Amend(amend::Args),
    Extend(extend::Args),
    Pause(pause::Args),
    Resume(resume::Args),
    Stop(stop::Args),
    Decide(decide::Args),
    Status(status::Args),
    Exchanges(exchanges::Args),
    Show(show::Args),
    Log(log::Args),
    Agents(agents::Args),
    Agent(agent::Args),
    Report(report::Args),
    Audit(audit::Args),
    Serve(serve::Args),
    Demo(demo::Args),
    Rebuild(rebuild::Args),
    Token(token::Args),
}

/// Who uses which verb.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "For agents",
        &[
            "inbox",
            "read",
            "send",
            "reply",
            "ack",
            "checkpoint",
            "complete",
            "error",
            "stopped",
            "paused",
            "resumed",
        ],
    ),
    (
        "For initiators",
        &["delegate", "clarify", "verdict", "amend", "extend", "pause", "resume", "stop", "decide"],
    ),
    ("For everyone", &["status", "exchanges", "show", "log", "agents", "agent", "report", "audit"]),
    ("The server", &["serve", "demo", "token", "rebuild"]),
];

pub(crate) fn parse() -> Cli {
    let matches = command().get_matches();
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

fn command() -> clap::Command {
    let command = Cli::command();
    let groups: Vec<_> = GROUPS.iter().map(|(title, verbs)| group(&command, title, verbs)).collect();
    command.help_template(format!(
        "{{about}}\n\nUsage: wilco VERB [OPTIONS]\n\n{}\n\nOptions:\n{{options}}\n\n\
         Try `wilco demo`. `wilco help VERB` shows the options of a verb, with examples.\n",
        groups.join("\n\n")
    ))
}

fn group(command: &clap::Command, title: &str, verbs: &[&str]) -> String {
    let line = |verb: &&str| {
        let about = command.find_subcommand(verb).and_then(|verb| verb.get_about());
        format!("  {verb:<11} {}", about.map(ToString::to_string).unwrap_or_default())
    };
    let lines: Vec<_> = verbs.iter().map(line).collect();
    format!("{title}:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cli_5_every_verb_stands_in_one_group_with_a_sentence() {
        let command = command();
        command.clone().debug_assert();
        let mut grouped: Vec<_> = GROUPS.iter().flat_map(|(_, verbs)| verbs.iter().copied()).collect();
        let mut known: Vec<_> = command.get_subcommands().map(|verb| verb.get_name()).collect();
        grouped.sort_unstable();
        known.sort_unstable();
        assert_eq!(grouped, known);
        let silent: Vec<_> = command.get_subcommands().filter(|verb| verb.get_about().is_none()).collect();
        assert!(silent.is_empty(), "{silent:?}");
    }

    #[test]
    fn cli_5_every_verb_shows_an_example() {
        for verb in command().get_subcommands_mut().filter(|verb| verb.get_name() != "serve") {
            let help = verb.render_long_help().to_string();
            assert!(help.contains("Examples:\n  wilco ") || verb.has_subcommands(), "{}", verb.get_name());
        }
    }
}

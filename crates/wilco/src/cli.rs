//! The verbs there are, and the help that groups them by who uses them.

use clap::{Args as _, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands::{
    ack, agent, agents, amend, audit, backup, cancel, checked, checkpoint, clarify, complete, completions,
    config, decide, delegate, demo, doctor, error, exchanges, extend, fixed, fixing, forward, handoff, hook,
    inbox, install, judge, log, man, mcp, next, nodes, nudge_test, nudges, operate, pause, paused, read,
    ready, rebuild, reply, report, restore, result, resume, resumed, search, send, serve, show, status, stop,
    stopped, todo, token, validate, verdict, wait, watch,
};
use crate::values::{FREE_TEXT, free_text};
use crate::{output, topics};

/// Makes agents' handshakes reliable: acknowledged, timed, escalated, audited
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
    Todo(todo::Args),
    Next(next::Args),
    Inbox(inbox::Args),
    Read(read::Args),
    Send(send::Args),
    Reply(reply::Args),
    Forward(forward::Args),
    Ack(ack::Args),
    Checkpoint(checkpoint::Args),
    Complete(complete::Args),
    Error(error::Args),
    Stopped(stopped::Args),
    Paused(paused::Args),
    Resumed(resumed::Args),
    Ready(ready::Args),
    Wait(wait::Args),
    Cancel(cancel::Args),
    Checked(checked::Args),
    Fixing(fixing::Args),
    Fixed(fixed::Args),
    Mcp(mcp::Args),
    Hook(hook::Args),
    Delegate(Box<delegate::Args>),
    Operate(Box<operate::Args>),
    Validate(Box<validate::Args>),
    Handoff(Box<handoff::Args>),
    Result(result::Args),
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
    Watch(watch::Args),
    Log(log::Args),
    Search(search::Args),
    Agents(agents::Args),
    Agent(agent::Args),
    Nodes(nodes::Args),
    Nudges(nudges::Args),
    NudgeTest(nudge_test::Args),
    Report(report::Args),
    Audit(audit::Args),
    Doctor(doctor::Args),
    Judge(judge::Args),
    Install(install::Args),
    Serve(serve::Args),
    Demo(demo::Args),
    Backup(backup::Args),
    Restore(restore::Args),
    Rebuild(rebuild::Args),
    Token(token::Args),
    Config(config::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Who uses which verb.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "For agents",
        &[
            "todo",
            "next",
            "inbox",
            "read",
            "send",
            "reply",
            "forward",
            "ack",
            "checkpoint",
            "complete",
            "error",
            "stopped",
            "paused",
            "resumed",
            "ready",
            "wait",
            "cancel",
            "checked",
            "fixing",
            "fixed",
            "mcp",
            "hook",
        ],
    ),
    (
        "For initiators",
        &[
            "delegate", "clarify", "verdict", "amend", "extend", "pause", "resume", "stop", "operate",
            "result", "handoff", "validate", "decide",
        ],
    ),
    (
        "For everyone",
        &[
            "status",
            "exchanges",
            "show",
            "watch",
            "log",
            "search",
            "agents",
            "agent",
            "nudges",
            "nudge-test",
            "report",
            "audit",
            "doctor",
            "judge",
            "install",
        ],
    ),
    ("The server", &["serve", "demo", "nodes", "token", "config", "backup", "restore", "rebuild"]),
    ("This program", &["completions", "man"]),
];

const EXAMPLES: &str = "Examples:
  wilco demo                                      watch it work
  wilco serve                                     start the server
  wilco delegate bob --as anna --title Login      give bob a task
  wilco inbox --as bob --wait                     wait for the next message
  wilco ack GH-42 received --understanding TEXT   say what you understood
  wilco status                                    what waits, what is open";

const OPTIONS: &str = "Options:
  -h, --help     Print help
  -V, --version  Print the version";

pub(crate) fn parse() -> Cli {
    let words: Vec<String> = std::env::args_os().skip(1).filter_map(|word| word.into_string().ok()).collect();
    if let Some(said) = topics::of_types(&words.iter().map(String::as_str).collect::<Vec<_>>()) {
        print_or_exit(said);
    }
    if let Some(args) = hook_alone(&words) {
        return Cli { verb: Verb::Hook(args) };
    }
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        // A client would take a complaint for the answer of its hook.
        Err(error) if words.first().is_some_and(|verb| verb == "hook") && error.use_stderr() => {
            std::process::exit(0)
        }
        Err(error) => error.exit(),
    };
    if let Some(topic) = matches.subcommand_name().and_then(topics::find) {
        output::print(topic.text);
        std::process::exit(0);
    }
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// A client starts a hook after every tool: it does not wait until all verbs and their help are made.
fn hook_alone(words: &[String]) -> Option<hook::Args> {
    words.first().filter(|verb| *verb == "hook")?;
    let matches = hook::Args::augment_args(clap::Command::new("hook")).try_get_matches_from(words).ok()?;
    hook::Args::from_arg_matches(&matches).ok()
}

fn print_or_exit(said: Result<String, String>) -> ! {
    match said {
        Ok(text) => {
            output::print(&text);
            std::process::exit(0)
        }
        Err(wrong) => command().error(clap::error::ErrorKind::InvalidValue, wrong).exit(),
    }
}

/// All verbs, with the help that people, manuals and completions are made from.
pub(crate) fn command() -> clap::Command {
    let command = with_free_texts(Cli::command());
    let groups: Vec<_> = GROUPS.iter().map(|(title, verbs)| group(&command, title, verbs)).collect();
    let topics = topics::TOPICS.iter().map(|topic| topic.name).chain(["types"]);
    let names: Vec<_> = topics.map(|topic| format!("wilco help {topic}")).collect();
    let template = format!(
        "{{about}}\n\nUsage: wilco VERB [OPTIONS]\n\n{}\n\n{OPTIONS}\n\n{EXAMPLES}\n\n\
         wilco help VERB shows the options of a verb, with examples.\nAlso: {}\n",
        groups.join("\n\n"),
        names.join(", ")
    );
    let more: Vec<_> = topics::TOPICS.iter().map(|topic| topic.text).collect();
    topics::TOPICS
        .iter()
        .map(|topic| {
            clap::Command::new(topic.name).hide(true).help_template(topic.text).disable_help_flag(true)
        })
        .fold(command, clap::Command::subcommand)
        .help_template(template)
        .after_long_help(format!("{EXAMPLES}\n\n{}", more.join("\n\n")))
}

/// `-` is stdin for every text of the caller's own, whichever verb it belongs to.
fn with_free_texts(command: clap::Command) -> clap::Command {
    let is_text = |arg: &clap::Arg| {
        arg.get_value_names().is_some_and(|names| names.iter().any(|name| *name == FREE_TEXT))
    };
    let command = command.mut_args(|arg| if is_text(&arg) { arg.value_parser(free_text) } else { arg });
    command.mut_subcommands(with_free_texts)
}

fn group(command: &clap::Command, title: &str, verbs: &[&str]) -> String {
    let line = |verb: &&str| {
        let about = command.find_subcommand(verb).and_then(|verb| verb.get_about());
        format!("  {verb:<12} {}", about.map(ToString::to_string).unwrap_or_default())
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
        let known = command.get_subcommands().filter(|verb| !verb.is_hide_set());
        let mut known: Vec<_> = known.map(|verb| verb.get_name()).collect();
        grouped.sort_unstable();
        known.sort_unstable();
        assert_eq!(grouped, known);
    }

    #[test]
    fn cli_5_the_help_fits_a_terminal() {
        let help = command().render_help().to_string();
        let long: Vec<_> = help.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.is_empty(), "{long:#?}");
    }

    /// Every verb, and every verb of a verb.
    fn every(command: &clap::Command) -> Vec<clap::Command> {
        let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
        verbs.flat_map(|verb| std::iter::once(verb.clone()).chain(every(verb))).collect()
    }

    #[test]
    fn cli_5_every_verb_shows_an_example_and_says_what_each_option_does() {
        for mut verb in every(&command()) {
            let (name, help) = (verb.get_name().to_owned(), verb.render_long_help().to_string());
            assert!(verb.get_about().is_some(), "{name} has no sentence");
            assert!(
                help.contains("Examples:\n  ") && help.contains("wilco ") || verb.has_subcommands(),
                "{name}:\n{help}"
            );
            for option in verb.get_arguments() {
                assert!(option.get_help().is_some(), "{name} {option} says nothing");
            }
        }
    }

    #[test]
    fn cli_5_every_verb_prints_json_where_it_answers() {
        // These print what they are asked for in a form of its own, or never end.
        let others = ["serve", "demo", "mcp", "hook", "install", "completions", "man", "sample"];
        for verb in every(&command()).iter().filter(|verb| !verb.has_subcommands()) {
            let json = verb.get_arguments().any(|option| option.get_id() == "json");
            assert_eq!(json, !others.contains(&verb.get_name()), "{}", verb.get_name());
        }
    }
}

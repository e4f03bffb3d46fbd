//! The verbs, one file each. Only here, at the edge, the time is read.

pub(crate) mod ack;
pub(crate) mod agent;
pub(crate) mod agents;
pub(crate) mod amend;
pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod cancel;
pub(crate) mod checked;
pub(crate) mod checkpoint;
pub(crate) mod clarify;
pub(crate) mod complete;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod decide;
pub(crate) mod delegate;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod error;
pub(crate) mod exchanges;
pub(crate) mod extend;
pub(crate) mod fixed;
pub(crate) mod fixing;
pub(crate) mod forward;
pub(crate) mod handoff;
pub(crate) mod hook;
pub(crate) mod inbox;
pub(crate) mod install;
pub(crate) mod judge;
pub(crate) mod log;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod next;
pub(crate) mod nodes;
pub(crate) mod nudge_test;
pub(crate) mod nudges;
pub(crate) mod operate;
pub(crate) mod pause;
pub(crate) mod paused;
pub(crate) mod read;
pub(crate) mod ready;
pub(crate) mod rebuild;
pub(crate) mod reply;
pub(crate) mod report;
pub(crate) mod restore;
pub(crate) mod result;
pub(crate) mod resume;
pub(crate) mod resumed;
pub(crate) mod search;
pub(crate) mod send;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod stopped;
pub(crate) mod todo;
pub(crate) mod token;
pub(crate) mod validate;
pub(crate) mod verdict;
pub(crate) mod wait;
pub(crate) mod watch;

use std::process::ExitCode;
use std::time::SystemTime;

use wilco_protocol::Time;

use crate::cli::{Cli, Verb};

pub(crate) fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.verb {
        Verb::Todo(args) => todo::run(args),
        Verb::Next(args) => next::run(args),
        Verb::Inbox(args) => inbox::run(args),
        Verb::Read(args) => read::run(args),
        Verb::Send(args) => send::run(args),
        Verb::Reply(args) => reply::run(args),
        Verb::Forward(args) => forward::run(args),
        Verb::Ack(args) => ack::run(args),
        Verb::Checkpoint(args) => checkpoint::run(args),
        Verb::Complete(args) => complete::run(args),
        Verb::Error(args) => error::run(args),
        Verb::Stopped(args) => stopped::run(args),
        Verb::Paused(args) => paused::run(args),
        Verb::Resumed(args) => resumed::run(args),
        Verb::Ready(args) => ready::run(args),
        Verb::Wait(args) => wait::run(args),
        Verb::Cancel(args) => cancel::run(args),
        Verb::Checked(args) => checked::run(args),
        Verb::Fixing(args) => fixing::run(args),
        Verb::Fixed(args) => fixed::run(args),
        Verb::Mcp(args) => mcp::run(args),
        Verb::Hook(args) => hook::run(args),
        Verb::Operate(args) => operate::run(*args),
        Verb::Validate(args) => validate::run(*args),
        Verb::Handoff(args) => handoff::run(*args),
        Verb::Result(args) => result::run(args),
        Verb::Delegate(args) => delegate::run(*args),
        Verb::Clarify(args) => clarify::run(args),
        Verb::Judge(args) => judge::run(args),
        Verb::Verdict(args) => verdict::run(args),
        Verb::Amend(args) => amend::run(args),
        Verb::Extend(args) => extend::run(args),
        Verb::Pause(args) => pause::run(args),
        Verb::Resume(args) => resume::run(args),
        Verb::Stop(args) => stop::run(args),
        Verb::Decide(args) => decide::run(args),
        Verb::Status(args) => status::run(args),
        Verb::Exchanges(args) => exchanges::run(args),
        Verb::Show(args) => show::run(args),
        Verb::Watch(args) => watch::run(args),
        Verb::Log(args) => log::run(args),
        Verb::Search(args) => search::run(args),
        Verb::Agents(args) => agents::run(args),
        Verb::Agent(args) => agent::run(args),
        Verb::Nodes(args) => nodes::run(args),
        Verb::Nudges(args) => nudges::run(args),
        Verb::NudgeTest(args) => nudge_test::run(args),
        Verb::Report(args) => report::run(args),
        Verb::Audit(args) => audit::run(args),
        Verb::Doctor(args) => doctor::run(args),
        Verb::Install(args) => install::run(args),
        Verb::Serve(args) => serve::run(args),
        Verb::Demo(args) => demo::run(args),
        Verb::Backup(args) => backup::run(args),
        Verb::Restore(args) => restore::run(args),
        Verb::Rebuild(args) => rebuild::run(args),
        Verb::Token(args) => token::run(args),
        Verb::Config(args) => config::run(args),
        Verb::Completions(args) => completions::run(args),
        Verb::Man(args) => man::run(args),
    }
}

/// What time it is for the server, to show how long ago and how soon. A server that does not say is taken
/// to have the time of this machine.
pub(crate) fn now(server: Option<&str>) -> Time {
    if let Some(time) = server.and_then(|time| time.parse().ok()) {
        return time;
    }
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Time::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// What a verb would send, read from its command line.
#[cfg(test)]
fn parsed<T: clap::Args>(line: &[&str]) -> Result<T, clap::Error> {
    let command = T::augment_args(clap::Command::new("verb").no_binary_name(true));
    T::from_arg_matches(&command.try_get_matches_from(line)?)
}

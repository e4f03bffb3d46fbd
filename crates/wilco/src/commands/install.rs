//! `wilco install`: connect the client that an agent works in. What goes into its files is said by
//! `wilco-clients`; here they are read, shown and written.

pub(super) mod files;
mod tmux;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use wilco_clients::{AgentClient, DEFAULT_URL, Setup, next_steps, planned};
use wilco_language::render::fence::is_word;

use crate::caller::Caller;
use crate::failure::Usage;
use crate::output;
use crate::output::escape::visible;
use crate::values::expected;
use files::Change;

/// Connect an agent's client: hooks, MCP and instructions
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco install codex --as bob\n  \
    wilco install claude-code --dry-run\n  \
    wilco install gemini --user --yes\n  \
    wilco install codex --remove\n  \
    wilco install tmux --as bob\n\n\
    Clients: claude-code, codex, gemini, qwen, opencode; tmux registers the nudge of this session.\n\
    Without --as every session is an agent of its own. The change is shown first. Everything else\n\
    in the files stays as it is, and --remove gives back what was there.")]
pub(crate) struct Args {
    /// claude-code, codex, gemini, qwen, opencode or tmux
    #[arg(value_parser = target, hide_possible_values = true)]
    pub(crate) client: Target,
    /// The agent's name; else WILCO_AGENT at each start, else each session gets one
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The server that is written into the files; else WILCO_URL, else http://127.0.0.1:23000
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// For all projects of this user, instead of the current directory
    #[arg(long)]
    pub(crate) user: bool,
    /// Only show what would change
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Change it without asking
    #[arg(long)]
    pub(crate) yes: bool,
    /// Take out what was installed
    #[arg(long)]
    pub(crate) remove: bool,
}

/// What can be connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Client(AgentClient),
    Tmux,
}

const TMUX: &str = "tmux";

fn target(word: &str) -> Result<Target, String> {
    if word == TMUX {
        return Ok(Target::Tmux);
    }
    let words: Vec<_> = AgentClient::ALL.into_iter().map(AgentClient::word).chain([TMUX]).collect();
    AgentClient::from_word(word).map(Target::Client).ok_or_else(|| expected(word, &words))
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    if let Some(name) = args.name.as_deref().filter(|name| !is_name(name)) {
        let form = "expected a letter or digit, then letters, digits, `.`, `_` or `-`, 128 at most";
        return Err(Usage(format!("--as {name:?} is no name: {form}")).into());
    }
    match args.client {
        Target::Tmux => tmux::run(&args),
        Target::Client(client) => connect(&args, client),
    }
}

fn is_name(name: &str) -> bool {
    is_word(name) && name.len() <= 128
}

fn caller(args: &Args) -> Caller {
    Caller { name: args.name.clone(), url: args.url.clone(), json: false, new: true }
}

fn connect(args: &Args, client: AgentClient) -> anyhow::Result<ExitCode> {
    let setup = Setup { name: args.name.clone(), url: address(args)? };
    let base = files::base(client, args.user)?;
    let mut changes = Vec::new();
    for planned in planned(client, &setup, args.user) {
        let path = files::place(client, &base, planned.path, args.user);
        changes.push(Change::of(path, &planned.edit, args.remove)?);
    }
    changes.retain(Change::is_one);
    if changes.is_empty() {
        let state = if args.remove { "not installed here" } else { "installed already" };
        output::print(&format!("{} is {state}: nothing to change.", client.title()));
        return Ok(ExitCode::SUCCESS);
    }
    let shown: String = changes.iter().map(Change::diff).collect();
    output::print(&visible(&shown));
    if args.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes && !agreed()? {
        return Ok(ExitCode::FAILURE);
    }
    files::write(&changes)?;
    let paths: Vec<String> = changes.iter().map(|change| change.shown.clone()).collect();
    if args.remove {
        output::print(&format!("Removed from {}: {}.", client.title(), paths.join(", ")));
        return Ok(ExitCode::SUCCESS);
    }
    output::print(&format!("Installed for {}: {}.", client.title(), paths.join(", ")));
    output::print(&remaining(args, client, &setup).join("\n"));
    Ok(ExitCode::SUCCESS)
}

/// What is left to a person, one line each.
fn remaining(args: &Args, client: AgentClient, setup: &Setup) -> Vec<String> {
    let mut steps = Vec::new();
    let is_there = |program: &str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
    };
    if !is_there("wilco") {
        steps.push("wilco is not on your PATH, where the hooks look for it: put it there.".to_owned());
    }
    if !is_there(client.program()) {
        let (title, program) = (client.title(), client.program());
        steps
            .push(format!("{title} ({program}) is not on your PATH: this takes effect when you install it."));
    }
    if caller(args).client().ready().is_err() {
        let url = setup.url.as_deref().unwrap_or(DEFAULT_URL);
        steps.push(format!(
            "No server answers at {url}: start it with wilco serve. Until then the hooks are silent."
        ));
    }
    steps.extend(next_steps(client, setup, args.user));
    steps.into_iter().map(|step| format!("- {step}")).collect()
}

/// The address, when it is not the default one.
fn address(args: &Args) -> anyhow::Result<Option<String>> {
    let given =
        args.url.clone().or_else(|| std::env::var("WILCO_URL").ok().filter(|url| !url.trim().is_empty()));
    let Some(url) = given.map(|url| url.trim_end_matches('/').to_owned()).filter(|url| url != DEFAULT_URL)
    else {
        return Ok(None);
    };
    let wrong = |what: &str| Usage(format!("the address {url:?} {what}: expected one such as {DEFAULT_URL}"));
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let rest = rest.ok_or_else(|| wrong("is neither http:// nor https://"))?;
    if rest.contains('@') {
        return Err(wrong("holds a user or a password, which no file gets").into());
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-:/[]~%".contains(c);
    match rest.is_empty() || !rest.chars().all(is_plain) {
        true => Err(wrong("is no address of a server").into()),
        false => Ok(Some(url)),
    }
}

/// Asks at the terminal. Only y agrees.
fn agreed() -> anyhow::Result<bool> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        eprintln!("wilco: nothing is written without your word: run it again with --yes");
        return Ok(false);
    }
    eprint!("Write this? [y/N] ");
    std::io::stderr().flush()?;
    let mut answer = String::new();
    stdin.read_line(&mut answer)?;
    let agreed = matches!(answer.trim(), "y" | "Y");
    if !agreed {
        eprintln!("wilco: nothing is written");
    }
    Ok(agreed)
}

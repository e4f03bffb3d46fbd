//! `wilco doctor`: what is wrong, and the next command to run.

mod agent;
mod answers;
mod authority;
mod build;
mod client;
mod configuration;
mod database;
mod disk;
mod exchange;
mod finding;
mod github;
mod judge;
mod nodes;
mod reach;
mod rescue;
mod server;

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;
use wilco_client::Client;
use wilco_clients::AgentClient;
use wilco_protocol::Time;
use wilco_wire::Exchange;

use crate::caller::Caller;
use crate::failure::Usage;
use crate::output::{self, Screen};
use crate::place::Place;
use crate::task::{self, Role};

use finding::Finding;

/// Find what is wrong with the server, an agent or an exchange
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco doctor\n  \
    wilco doctor bob\n  \
    wilco doctor GH-42\n  \
    wilco doctor codex\n  \
    wilco doctor --store postgres://wilco@db.example/wilco\n  \
    wilco doctor --rescue ./wilco-data --to rescued.jsonl\n\n\
    Each finding names the next command to run. It exits with 1 when something is wrong.\n\
    --rescue reads a stopped, damaged data directory and changes nothing in it.")]
pub(crate) struct Args {
    /// An agent, an exchange, a task or a client such as codex; without one, everything
    #[arg(value_name = "AGENT|EXCHANGE|CLIENT", conflicts_with = "rescue")]
    pub(crate) about: Option<String>,
    /// Export everything that is whole in this data directory, or in the database with --store, as JSON lines
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    pub(crate) rescue: Option<Option<PathBuf>>,
    /// Where --rescue writes to; else to stdout
    #[arg(long, value_name = "FILE", requires = "rescue")]
    pub(crate) to: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) place: Place,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

/// What the examination needs to ask, and what it found.
pub(super) struct Exam<'a> {
    caller: &'a Caller,
    client: &'a Client,
    now: Time,
    found: Vec<Finding>,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let from = match &args.rescue {
        None => None,
        Some(Some(directory)) => Some(rescue::Damaged::Directory(directory)),
        Some(None) => match args.place.store()? {
            Some(target) => Some(rescue::Damaged::Schema(Box::new(target))),
            None => return Err(Usage("--rescue: name the data directory, or --store URL".to_owned()).into()),
        },
    };
    if let Some(from) = from {
        return rescue::run(&from, args.to.as_deref(), args.caller.json);
    }
    let client = args.caller.client();
    let mut exam = Exam { caller: &args.caller, client: &client, now: super::now(None), found: Vec::new() };
    let about_client = args.about.as_deref().and_then(AgentClient::from_word);
    let answers = server::examine(&mut exam, &args.place)?;
    if args.about.is_none() {
        database::examine(&mut exam, &args.place);
    }
    if let Some(client) = about_client {
        client::examine(&mut exam, client, answers)?;
        // The agent of that name, if there is one.
        if answers && let Some(known) = agent::find(&exam, client.word())? {
            agent::examine(&mut exam, &known)?;
        }
    } else if answers {
        match &args.about {
            Some(about) => exam.one(about, &args.place)?,
            None => {
                exam.everything()?;
                nodes::examine(&mut exam)?;
                authority::examine(&mut exam, &args.place)?;
                build::examine(&mut exam);
                disk::examine(&mut exam, &args.place);
                github::examine(&mut exam, &args.place);
                judge::examine(&mut exam, &args.place);
            }
        }
    } else {
        configuration::examine(&mut exam, &args.place);
        judge::examine(&mut exam, &args.place);
    }
    let wrong = exam.found.iter().any(Finding::is_wrong);
    if args.caller.json {
        let found: Vec<_> = exam.found.iter().map(Finding::json).collect();
        output::print_json(&json!({"ok": !wrong, "findings": found}).to_string());
    } else {
        output::print(&finding::words(&exam.found, &Screen::of_stdout()));
    }
    Ok(if wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

impl Exam<'_> {
    /// A name may be an agent's, a task's or an exchange's.
    fn one(&mut self, about: &str, place: &Place) -> anyhow::Result<()> {
        match task::by_id(self.client, about) {
            Some(Ok(found)) => return self.exchange(&found, place),
            Some(Err(error)) if error.status() != Some(404) => return self.caller.checked(Err(error)),
            Some(Err(_)) | None => {}
        }
        if let Some(known) = agent::find(self, about)? {
            return agent::examine(self, &known);
        }
        match task::find(self.caller, self.client, None, about, Role::Initiator) {
            Ok(found) => self.exchange(&found, place),
            Err(_) => {
                let text = format!("there is no agent, exchange or task {about}");
                self.found.push(Finding::wrong(about, text).next("wilco agents; wilco exchanges"));
                Ok(())
            }
        }
    }

    fn exchange(&mut self, found: &Exchange, place: &Place) -> anyhow::Result<()> {
        github::examine_issues(self, found, place);
        exchange::examine(self, found)
    }

    fn everything(&mut self) -> anyhow::Result<()> {
        exchange::examine_all(self)?;
        agent::examine_all(self)
    }
}

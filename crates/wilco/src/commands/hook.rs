//! `wilco hook`: what a client's hook tells its agent. It never disturbs the client: whatever goes wrong, it ends
//! soon, with 0 and without a word.

mod session;
mod telling;

pub(crate) use telling::random;

use std::io::{Read, Write};
use std::panic;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use wilco_client::{Client, InboxParameters};
use wilco_clients::{AgentClient, DEFAULT_URL, Moment};
use wilco_protocol::directory::Interface;
use wilco_wire::AgentSpec;

use crate::token;
use session::{Session, made_name};
use telling::Telling;

/// Answer a hook of an agent's client; `wilco install` sets it up
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    echo '{\"session_id\": \"s1\", \"cwd\": \"/src\"}' | wilco hook codex SessionStart --as bob\n\n\
    It reads the client's JSON on stdin and prints what that client expects, or nothing. Whatever\n\
    goes wrong, it ends within 0.3 s with 0 and prints nothing.")]
pub(crate) struct Args {
    /// claude-code, codex, gemini, qwen or opencode
    pub(crate) client: String,
    /// The event, by the client's own name
    pub(crate) event: String,
    /// Act as this agent; else WILCO_AGENT, else the session gets a name of its own
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The server; else WILCO_URL, else http://127.0.0.1:23000
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
}

/// A client waits 300 ms at most, starting and ending the process included.
const PATIENCE: Duration = Duration::from_millis(250);
/// More than a prompt of a person holds.
const MOST_INPUT: u64 = 64 << 20;
/// As many messages are looked at; the rest is counted by the inbox.
const PAGE: u32 = 100;
/// Stops that are held up one after the other.
const MOST_BLOCKS: u32 = 5;

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    thread::spawn(|| {
        thread::sleep(PATIENCE);
        std::process::exit(0);
    });
    panic::set_hook(Box::new(|_| {}));
    // Nobody is there to be told of a failure.
    let _ = panic::catch_unwind(|| answer(&args));
    Ok(ExitCode::SUCCESS)
}

/// Nothing where there is nothing to say, or something failed.
fn answer(args: &Args) -> Option<()> {
    let client = AgentClient::from_word(&args.client)?;
    let moment = client.moment(&args.event)?;
    let mut input = Vec::new();
    std::io::stdin().take(MOST_INPUT).read_to_end(&mut input).ok()?;
    let input: Value = serde_json::from_slice(&input).ok()?;
    let id = input["session_id"].as_str().filter(|id| !id.is_empty())?;
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let given = args.name.clone().or_else(|| variable("WILCO_AGENT"));
    let is_made = given.is_none();
    let agent = given.unwrap_or_else(|| made_name(input["cwd"].as_str().unwrap_or_default(), id));
    let url = args.url.clone().or_else(|| variable("WILCO_URL")).unwrap_or_else(|| DEFAULT_URL.to_owned());
    let server = Client::new(&url).speaking(Interface::Cli.word()).named(Some(agent.clone()));
    let server = server.with_token(token::find(variable).ok().flatten());
    let mut session = Session::open(client.word(), id, &agent)?;
    if matches!(moment, Moment::SessionEnd) {
        return None;
    }
    register(&server, client, id, &agent, &mut session, moment)?;
    if matches!(moment, Moment::SessionStart) && matches!(input["source"].as_str(), Some("compact" | "clear"))
    {
        session.forget();
    }
    if matches!(moment, Moment::Prompt) && is_prompt(client, &input) {
        session.row = 0;
    }
    let mut telling = Telling::new(&agent, &url);
    match moment {
        Moment::SessionStart | Moment::Prompt => {
            if is_made && !session.is_named {
                telling.name();
                session.is_named = true;
            }
            unread(&server, &agent, &session, &mut telling)?;
            owed(&server, &agent, &mut telling, |key| !session.has_told(key))?;
        }
        Moment::AfterTool => unread(&server, &agent, &session, &mut telling)?,
        Moment::Stop => {
            let again = input["stop_hook_active"].as_bool() == Some(true);
            if session.row < MOST_BLOCKS {
                owed(&server, &agent, &mut telling, |key| {
                    !(session.has_blocked(key) || again && session.has_told(key))
                })?;
            }
            session.row = if telling.is_empty() { 0 } else { session.row + 1 };
        }
        Moment::SessionEnd => {}
    }
    if telling.is_empty() {
        return session.save();
    }
    print(&said(client, moment, &args.event, &telling.text()))?;
    let blocks = matches!(moment, Moment::Stop);
    telling.keys.iter().for_each(|key| session.told(key, blocks));
    session.save();
    telling.messages.iter().for_each(|id| drop(server.mark_injected(id)));
    Some(())
}

/// Hooks of prompts run more often than people write one: also with what a stop was answered.
fn is_prompt(client: AgentClient, input: &Value) -> bool {
    match client {
        AgentClient::Qwen => input.get("submitted_prompt").is_some(),
        AgentClient::ClaudeCode | AgentClient::Codex | AgentClient::Gemini | AgentClient::Opencode => {
            !input["prompt"].as_str().is_some_and(|prompt| prompt.starts_with(telling::BEGIN))
        }
    }
}

/// Says who works where, once for a session and at each of its starts.
fn register(
    server: &Client,
    client: AgentClient,
    id: &str,
    agent: &str,
    session: &mut Session,
    moment: Moment,
) -> Option<()> {
    if session.is_registered && !matches!(moment, Moment::SessionStart) {
        return Some(());
    }
    let known = match server.agent(agent) {
        Ok(known) => Some(known.value),
        Err(error) if error.status() == Some(404) => None,
        Err(_) => return None,
    };
    let mut labels = known.as_ref().map(|known| known.labels.clone()).unwrap_or_default();
    labels.insert("client_session".to_owned(), id.to_owned());
    if known.as_ref().is_none_or(|known| known.labels != labels) {
        let spec = AgentSpec {
            program: Some(client.word().to_owned()),
            labels: Some(labels),
            ..AgentSpec::default()
        };
        server.register(agent, &spec).ok()?;
    }
    session.is_registered = true;
    Some(())
}

/// Messages that this session has not been told.
fn unread(server: &Client, agent: &str, session: &Session, telling: &mut Telling) -> Option<()> {
    let query =
        InboxParameters { status: Some("unread".to_owned()), after: None, limit: Some(PAGE), wait: None };
    for message in server.inbox(agent, &query).ok()?.value.items {
        if !session.has_told(&message.id) {
            telling.message(&message);
        }
    }
    Some(())
}

/// What waits for the agent's answer.
fn owed(server: &Client, agent: &str, telling: &mut Telling, wants: impl Fn(&str) -> bool) -> Option<()> {
    for entry in server.todo(agent).ok()?.value.items {
        let key = session::key(&entry);
        if wants(&key) {
            telling.owed(&entry, key);
        }
    }
    Some(())
}

/// Exactly what the client reads: one key more, and Codex drops it all.
fn said(client: AgentClient, moment: Moment, event: &str, text: &str) -> String {
    match (client, moment) {
        (AgentClient::Opencode, _) => text.to_owned(),
        (_, Moment::Stop) => json!({"decision": "block", "reason": text}).to_string(),
        (_, Moment::SessionStart | Moment::Prompt | Moment::AfterTool | Moment::SessionEnd) => {
            json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}).to_string()
        }
    }
}

fn print(text: &str) -> Option<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).ok()
}

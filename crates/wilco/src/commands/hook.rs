//! `wilco hook`: what a client's hook tells its agent. It never disturbs the client: whatever goes wrong, it ends
//! soon, with 0 and without a word.

mod news;
mod place;
pub(super) mod session;
mod telling;
mod waiter;

pub(crate) use telling::random;

use std::io::{Read, Write};
use std::panic;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use wilco_clients::{AgentClient, Moment};

use place::SessionPlace;
use session::Session;
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
    /// Act as this agent; else WILCO_AGENT, else whose the token is, else the session gets a name of its own
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The server; else WILCO_URL, else http://127.0.0.1:23000
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Stay until there is news for a session that rests, and end with 2 then: it wakes Claude Code
    #[arg(long)]
    pub(crate) wait: bool,
}

/// A client waits 300 ms at most, starting and ending the process included.
const PATIENCE: Duration = Duration::from_millis(250);
/// More than a prompt of a person holds.
const MOST_INPUT: u64 = 64 << 20;
/// Stops that are held up one after the other.
const MOST_BLOCKS: u32 = 5;

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    panic::set_hook(Box::new(|_| {}));
    if args.wait {
        let woken = panic::catch_unwind(|| input(&args).and_then(|input| waiter::wait(&args, &input)));
        return Ok(woken.ok().flatten().map_or(ExitCode::SUCCESS, ExitCode::from));
    }
    thread::spawn(|| {
        thread::sleep(PATIENCE);
        std::process::exit(0);
    });
    // Nobody is there to be told of a failure.
    let _ = panic::catch_unwind(|| input(&args).and_then(|input| answer(&args, &input)));
    Ok(ExitCode::SUCCESS)
}

/// What the client says, if it is one that is known and the event is too.
fn input(args: &Args) -> Option<Value> {
    AgentClient::from_word(&args.client)?.moment(&args.event)?;
    let mut input = Vec::new();
    std::io::stdin().take(MOST_INPUT).read_to_end(&mut input).ok()?;
    serde_json::from_slice(&input).ok()
}

/// Nothing where there is nothing to say, or something failed.
fn answer(args: &Args, input: &Value) -> Option<()> {
    let place = SessionPlace::of(args, input)?;
    let moment = place.client.moment(&args.event)?;
    let mut session = Session::open(place.client.word(), &place.id, &place.agent)?;
    if moment == Moment::SessionEnd {
        session.rests = false;
        session.save();
        return place.report("ends", moment, false);
    }
    if moment == Moment::SessionStart && matches!(input["source"].as_str(), Some("compact" | "clear")) {
        session.forget();
    }
    if moment == Moment::Prompt && is_prompt(place.client, input) {
        session.row = 0;
    }
    // A stop that is let through says that the session rests, and then needs to say nothing before.
    if moment != Moment::Stop || !session.is_registered {
        place.report("works", moment, !session.is_registered)?;
    }
    (session.is_registered, session.rests) = (true, false);
    let telling = gathered(&place, moment, input, &mut session)?;
    if telling.is_empty() {
        if moment == Moment::Stop {
            session.rests = true;
            session.save();
            return place.report("rests", moment, false);
        }
        return session.save();
    }
    print(&said(place.client, moment, &args.event, &telling.text()))?;
    telling.keys.iter().for_each(|key| session.told(key, moment == Moment::Stop));
    session.save();
    telling.messages.iter().for_each(|id| drop(place.server.mark_injected(id)));
    Some(())
}

/// What there is to tell at this moment.
fn gathered(place: &SessionPlace, moment: Moment, input: &Value, session: &mut Session) -> Option<Telling> {
    let mut telling = Telling::new(place, moment);
    match moment {
        Moment::SessionStart | Moment::Prompt => {
            if place.is_made && !session.is_named {
                telling.name();
                session.is_named = true;
            }
            news::all(place, session, &mut telling)?;
        }
        Moment::AfterTool => news::since(place, session, &mut telling)?,
        Moment::Stop => {
            let again = input["stop_hook_active"].as_bool() == Some(true);
            if session.row < MOST_BLOCKS {
                news::owed(place, session, again, &mut telling)?;
            }
            session.row = if telling.is_empty() { 0 } else { session.row + 1 };
        }
        Moment::SessionEnd => {}
    }
    Some(telling)
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

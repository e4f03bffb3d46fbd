//! Can an agent be reached, does it look, and what does it owe?

use std::process::{Command, Stdio};

use wilco_client::{ExchangeParameters, InboxParameters};
use wilco_protocol::{Span, Time};
use wilco_wire::{Agent, Exchange};

use super::Exam;
use super::finding::Finding;
use crate::output::age::{ago, rough};
use crate::output::board::waits_for;

/// An agent that looks into its inbox does not leave a message longer than this.
const UNREAD: Span = Span::minutes(10);
/// More unread messages are not counted.
const COUNTED: u32 = 50;
/// More agents than this are not examined one by one.
const AGENTS: usize = 100;

pub(super) fn find(exam: &Exam<'_>, name: &str) -> anyhow::Result<Option<Agent>> {
    match exam.client.agent(name) {
        Ok(answer) => Ok(Some(answer.value)),
        Err(error) if error.status() == Some(404) => Ok(None),
        Err(error) => exam.caller.checked(Err(error)),
    }
}

/// Everything about one agent.
pub(super) fn examine(exam: &mut Exam<'_>, agent: &Agent) -> anyhow::Result<()> {
    let open = open_of(exam, &agent.name)?;
    let owes = open.iter().any(|exchange| waits_for(exchange).contains(&agent.name.as_str()));
    exam.found.push(presence(agent, owes, exam.now));
    exam.found.push(session(agent));
    super::reach::nudge(exam, &agent.name)?;
    unread(exam, agent)?;
    if open.is_empty() {
        exam.found.push(Finding::fine(&agent.name, "has no open tasks"));
    }
    for exchange in &open {
        let waits = if waits_for(exchange).contains(&agent.name.as_str()) {
            ", and it is this agent's turn"
        } else {
            ""
        };
        let text = format!("takes part in {}, {}{waits}", named(exchange), exchange.state);
        exam.found.push(Finding::note(&agent.name, text).next(format!("wilco doctor {}", exchange.id)));
        if !waits.is_empty() {
            super::reach::stage(exam, exchange, &agent.name)?;
        }
        super::answers::examine(exam, exchange, &agent.name)?;
    }
    Ok(())
}

/// Only what is wrong, of everybody.
pub(super) fn examine_all(exam: &mut Exam<'_>) -> anyhow::Result<()> {
    let agents = exam.caller.checked(exam.client.agents())?.value.items;
    let before = exam.found.len();
    for agent in agents.iter().take(AGENTS) {
        let owes = open_of(exam, &agent.name)?
            .iter()
            .any(|exchange| waits_for(exchange).contains(&agent.name.as_str()));
        let presence = presence(agent, owes, exam.now);
        if presence.is_wrong() {
            exam.found.push(presence.next(format!("wilco doctor {}", agent.name)));
        }
        unread(exam, agent)?;
    }
    super::reach::nudge_all(exam)?;
    if exam.found.len() == before {
        exam.found.push(Finding::fine("agents", format!("{} known, none of them is late", agents.len())));
    }
    Ok(())
}

fn open_of(exam: &Exam<'_>, agent: &str) -> anyhow::Result<Vec<Exchange>> {
    let query = ExchangeParameters {
        agent: Some(agent.to_owned()),
        open: Some(true),
        ..ExchangeParameters::default()
    };
    Ok(exam.caller.checked(exam.client.exchanges(&query))?.value.items)
}

/// `del-5 GH-1`, or the id alone.
fn named(exchange: &Exchange) -> String {
    let task = exchange.data["task_id"].as_str();
    task.map_or_else(|| exchange.id.to_string(), |task| format!("{} {task}", exchange.id))
}

pub(super) fn presence(agent: &Agent, owes: bool, now: Time) -> Finding {
    let look = format!("wilco inbox --as {} --wait, in its session", agent.name);
    let Some(seen) = &agent.last_seen else {
        let marked = match agent.status.as_str() {
            status @ ("unresponsive" | "hibernated" | "inactive") => format!("is {status}, and"),
            _ => "is known, but".to_owned(),
        };
        let text = format!("{marked} has never called: it has not seen what was sent to it");
        return if owes || agent.status == "unresponsive" {
            Finding::wrong(&agent.name, text).next(look)
        } else {
            Finding::note(&agent.name, text)
        };
    };
    let text = format!("is {}, last seen {}", agent.status, ago(now, seen));
    match agent.status.as_str() {
        "unresponsive" => Finding::wrong(&agent.name, text).next(look),
        "offline" | "hibernated" | "inactive" if owes => Finding::wrong(&agent.name, text).next(look),
        "offline" | "hibernated" | "inactive" => Finding::note(&agent.name, text),
        _ => Finding::fine(&agent.name, text),
    }
}

/// Whether the terminal session is there, as far as this machine can tell.
fn session(agent: &Agent) -> Finding {
    let (about, session) = (&agent.name, &agent.session);
    if let Some(host) = &agent.host {
        return Finding::note(about, format!("runs on {host}; its session is looked for there"));
    }
    let asked = Command::new("tmux")
        .args(["has-session", "-t", &format!("={session}")])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match asked {
        Ok(status) if status.success() => {
            Finding::fine(about, format!("its tmux session {session} is there"))
        }
        Ok(_) => Finding::note(about, format!("there is no tmux session {session} on this machine"))
            .next(format!("tmux new-session -s {session}")),
        Err(_) => Finding::note(about, "there is no tmux on this machine, so its session is not looked for"),
    }
}

fn unread(exam: &mut Exam<'_>, agent: &Agent) -> anyhow::Result<()> {
    let query = InboxParameters {
        status: Some("unread".to_owned()),
        limit: Some(COUNTED),
        ..InboxParameters::default()
    };
    let page = match exam.client.inbox(&agent.name, &query) {
        // The inboxes of others are not there for whoever has an agent's token.
        Err(error) if error.status() == Some(404) => return Ok(()),
        answer => exam.caller.checked(answer)?.value,
    };
    let Some(oldest) = page.items.first() else { return Ok(()) };
    let Ok(since) = oldest.timestamp.parse::<Time>() else { return Ok(()) };
    let (age, count) = (exam.now.since(since), page.items.len());
    if age < UNREAD {
        return Ok(());
    }
    let more = if count == COUNTED as usize { " or more" } else { "" };
    let text = format!("has {count}{more} unread, the oldest for {}", rough(age));
    exam.found.push(Finding::wrong(&agent.name, text).next(format!("wilco inbox --as {}", agent.name)));
    Ok(())
}

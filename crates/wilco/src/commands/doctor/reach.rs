//! How agents are told of their messages, and how far the one that is to be answered got.

use wilco_client::MessageQuery;
use wilco_wire::{Exchange, Message, Nudge};

use super::Exam;
use super::finding::Finding;
use crate::output::age::left;
use crate::output::escape::one_line;

/// The newest messages to an agent that are looked at.
const NEWEST: u32 = 50;

/// How the nudges of one agent stand.
pub(super) fn nudge(exam: &mut Exam<'_>, agent: &str) -> anyhow::Result<()> {
    let nudges = exam.caller.checked(exam.client.nudges())?.value.items;
    let finding = match nudges.iter().find(|nudge| nudge.agent == agent) {
        Some(nudge) => stands(exam, nudge),
        None => Finding::note(agent, "is not nudged, so it hears of messages only when it looks")
            .next(format!("wilco agent register {agent} --nudge '{{\"kind\": \"tmux\"}}'")),
    };
    exam.found.push(finding);
    Ok(())
}

/// Only nudges that fail, of everybody.
pub(super) fn nudge_all(exam: &mut Exam<'_>) -> anyhow::Result<()> {
    let nudges = exam.caller.checked(exam.client.nudges())?.value.items;
    let failing: Vec<_> = nudges.iter().map(|nudge| stands(exam, nudge)).filter(Finding::is_wrong).collect();
    exam.found.extend(failing);
    Ok(())
}

fn stands(exam: &Exam<'_>, nudge: &Nudge) -> Finding {
    let (agent, kind, tries) = (&nudge.agent, &nudge.kind, nudge.attempts);
    let why = one_line(nudge.reason.as_deref().unwrap_or("no reason is known"));
    let test = format!("wilco nudge-test {agent}");
    match nudge.state.as_str() {
        "dead" => {
            let text = format!("its nudge by {kind} was given up after {tries} tries: {why}");
            Finding::wrong(agent, text).next(test)
        }
        "retrying" => {
            let next = nudge.next_attempt.as_deref().map_or(String::new(), |due| left(exam.now, due));
            let text = format!("its nudge by {kind} failed {tries} times, and is tried again {next}: {why}");
            Finding::wrong(agent, text).next(test)
        }
        "waiting" => {
            let node = nudge.node.as_deref().unwrap_or("its host");
            let text = format!("its nudge by {kind} waits for node {node}, which is gone");
            Finding::wrong(agent, text).next(format!("wilco serve --node {node}, on its machine"))
        }
        "pending" => Finding::fine(agent, format!("is being nudged by {kind}")),
        _ => Finding::fine(agent, format!("is nudged by {kind}, and was told of everything")),
    }
}

/// How far the last message of an exchange got to somebody who is to answer it.
pub(super) fn stage(exam: &mut Exam<'_>, exchange: &Exchange, agent: &str) -> anyhow::Result<()> {
    let query = MessageQuery { to: Some(agent.to_owned()), limit: Some(NEWEST), ..MessageQuery::default() };
    let newest = exam.caller.checked(exam.client.messages(&query))?.value.items;
    let Some(last) = newest.iter().find(|message| message.exchange.as_ref() == Some(&exchange.id)) else {
        return Ok(());
    };
    let message = exam.caller.checked(exam.client.message(&last.id))?.value;
    exam.found.push(got(exchange, agent, &message));
    Ok(())
}

fn got(exchange: &Exchange, agent: &str, message: &Message) -> Finding {
    let stage = message.delivery.as_deref().unwrap_or("stored");
    let nudge = message.nudge.as_deref().map_or(String::new(), |nudge| format!(", its nudge is {nudge}"));
    let meaning = match stage {
        "stored" => "it lies in the inbox",
        "nudged" => "its agent was told of it, and has not read it",
        "injected" => "it entered the agent's context",
        "read" => "it was read, and not answered",
        "acknowledged" => "it was answered",
        _ => "it was acted on",
    };
    let text = format!("the last message to {agent}, {}, is {stage}: {meaning}{nudge}", message.id);
    match stage {
        "stored" | "nudged" => {
            Finding::note(&exchange.id, text).next(format!("wilco inbox --as {agent}, in its session"))
        }
        "injected" | "read" => Finding::note(&exchange.id, text),
        _ => Finding::fine(&exchange.id, text),
    }
}

//! Commands that check a phase of a validation: what they are run with, and what comes of it.
//!
//! A command is a specialist without an inbox: what it found becomes a message of its own, and is heard like an
//! agent's.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value, json};
use wilco_language::interpret::{InContext, Names, interpret};
use wilco_language::parse;
use wilco_language::render;
use wilco_protocol::decision::Report;
use wilco_protocol::validation::State;
use wilco_protocol::{Exchange, Meaning, Name};
use wilco_store::{Message, Priority, Reading, StoreError};

use crate::command::Refused;
use crate::digest::Announcement;
use crate::execute::{Cause, citing, decide, execute, refused, store_message};
use crate::layer::Live;
use crate::workspace::Workspace;

/// The order to run the command of a phase. Its time limit is that of its part.
pub(crate) fn check(state: &State, place: usize) -> Option<Value> {
    let phase = state.phases.get(place)?;
    let (command, awaited) = (phase.command()?, phase.awaited.as_ref()?);
    Some(json!({
        "command": command,
        "arguments": phase.arguments,
        "problem": null,
        "time_limit": awaited.timeout,
        "environment": {
            "WILCO_ISSUE": state.issue,
            "WILCO_PHASE": phase.name,
            "WILCO_ITERATION": phase.iteration.to_string(),
        },
    }))
}

/// What a command found. A run that nobody waits for any more says nothing.
pub(crate) fn checked(workspace: &mut Workspace<'_>, mut live: Live, report: &Report) -> Result<(), Refused> {
    let Exchange::Validation(state) = &*live.exchange else { return Ok(()) };
    let (place, run, end) = match report {
        Report::CheckEnded { phase, run, end } => (*phase, *run, Some(end)),
        Report::CheckInterrupted { phase, run } => (*phase, *run, None),
        _ => return Ok(()),
    };
    let Some(phase) = state.phases.get(place).filter(|phase| phase.runs_now(run)) else { return Ok(()) };
    let (specialist, voice) = (phase.specialist.clone(), live.exchange.voice());
    let content = Arc::new(render::checked(state, phase, end, workspace.now()));
    let id = workspace.new_id();
    let subject = content.get("message_id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let raw = serde_json::value::to_raw_value(&content);
    let raw = raw.map_err(|error| StoreError::NotStored(Box::new(error)))?;
    let body = json!({"from": specialist, "to": voice, "content": content});
    let incoming = parse::message(body.to_string().as_bytes());
    let incoming =
        incoming.map_err(|error| Refused::Conflict { detail: error.to_string(), exchange: None })?;
    let to = [voice.clone()];
    let heard = InContext {
        incoming: &incoming,
        id: id.clone(),
        by: specialist.clone(),
        to: &to,
        operator: false,
        parent: None,
        amends: false,
        again: false,
        other_tasks: &[],
        resolve: &AsWritten,
    };
    let cited = citing(workspace, &live.exchange, None)?;
    let (said, exchange, now) =
        (interpret(&live.exchange, &heard, &cited), live.exchange.clone(), workspace.now());
    let decided = decide(workspace, |facts| exchange.said(said, facts, now))?;
    let decision = decided.map_err(|refusal| refused(&refusal, Some(exchange.id())))?;
    let position = workspace.reserve();
    live.seq += 1;
    let (seq, before) = (live.seq, exchange.state_name());
    let cause = Cause { id: &id, subject: &subject, content: &content, raw: None };
    let after = execute(workspace, live, decision, &specialist, Some(&cause))?;
    let message = Message {
        id: id.clone(),
        from: specialist,
        from_verified: true,
        from_unknown: false,
        sent_by: None,
        to: voice,
        subject: subject.clone(),
        priority: Priority::High,
        content: raw,
        delivered: None,
        in_reply_to: None,
        exchange: Some(after.id()),
        broadcast_id: None,
        timestamp: now,
        reading: Some(Reading {
            exchange: Some(after.id()),
            rule: Some("command".into()),
            meaning: Meaning::Result.into(),
            effect: format!("{before} -> {}", after.state_name()).into(),
        }),
        parsed: OnceLock::from(content.clone()),
    };
    let kind = kind(&content);
    store_message(workspace, position, Some(seq), message, Vec::new(), kind, Announcement::Now);
    Ok(())
}

fn kind(content: &Map<String, Value>) -> String {
    content.get("type").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A command names nobody.
#[derive(Debug)]
struct AsWritten;

impl Names for AsWritten {
    fn resolve(&self, text: &str) -> Name {
        Name::new(text)
    }
}

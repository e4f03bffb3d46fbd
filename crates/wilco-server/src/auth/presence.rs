//! Whoever calls is there. The writer is told, but not at every call.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use wilco_engine::Command;
use wilco_protocol::{Name, Span, Time};

use super::Caller;
use crate::app::App;
use crate::forward;

/// Calls of one agent within this time are told once.
const TOLD_FOR: Span = Span::seconds(1);
/// Agents remembered; with more, all are told again.
const MAX_REMEMBERED: usize = 10_000;

#[derive(Debug, Default)]
pub(crate) struct Presence {
    /// Held only to look one agent up; never over an await.
    told: Mutex<BTreeMap<Name, Time>>,
}

impl Presence {
    /// Tells the writer that the caller's agent was here. A writer that is too busy need not know.
    pub(crate) async fn called(&self, app: &App, caller: &Caller) {
        let handle = &app.handle;
        let (Some(agent), proven) = (&caller.agent, caller.is_proven()) else { return };
        let returns = proven && handle.is_marked(agent);
        if !self.is_due(agent, handle.now()) && !returns {
            return;
        }
        if handle.node().is_some_and(|node| !node.known().is_here) {
            // Beside the call: its answer does not depend on it.
            let (app, caller) = (app.clone(), caller.clone());
            let path = format!("/v1/agents/{}", forward::escaped(agent.as_str()));
            tokio::spawn(async move { forward::told(&app, &caller, &path).await });
            return;
        }
        let _ = handle.send(Command::Called { agent: agent.clone(), proven }).await;
    }

    fn is_due(&self, agent: &Name, now: Time) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.get(agent).is_some_and(|before| now.since(*before) < TOLD_FOR) {
            return false;
        }
        if told.len() >= MAX_REMEMBERED {
            told.clear();
        }
        told.insert(agent.clone(), now);
        true
    }
}

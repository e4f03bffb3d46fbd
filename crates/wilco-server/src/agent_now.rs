//! Agents and when they were last there. The node that writes knows it; the others ask it, and as long as it cannot be
//! asked they say what is stored.

use std::time::Duration;

use wilco_protocol::directory::Agent;
use wilco_protocol::{Name, Time};
use wilco_runtime::{Overloaded, Seen};

use crate::app::App;
use crate::forward::node_call::{NodeCall, ask_writer};

/// An agent and when it was last seen.
#[derive(Debug, Clone)]
pub(crate) struct AgentNow {
    pub(crate) agent: Agent,
    pub(crate) last_seen: Option<Time>,
    /// Its client said that its last session ended.
    pub(crate) has_left: bool,
}

/// Nobody waits longer for a writer that may be gone.
const ANSWERS_WITHIN: Duration = Duration::from_millis(500);

impl App {
    /// These agents as they are now.
    pub(crate) async fn agents_now(&self, agents: Vec<Agent>) -> Result<Vec<AgentNow>, Overloaded> {
        let seen = self.seen(agents.iter().map(|agent| agent.name.clone()).collect()).await?;
        let now =
            |(agent, seen): (Agent, Seen)| AgentNow { agent, last_seen: seen.at, has_left: seen.has_left };
        Ok(agents.into_iter().zip(seen).map(now).collect())
    }

    /// The agent of this name, as it is now.
    pub(crate) async fn agent_now(&self, name: &Name) -> Result<Option<AgentNow>, Overloaded> {
        let found = self.handle.ask_directory(|all| all.get(name).cloned());
        Ok(self.agents_now(found.into_iter().collect()).await?.pop())
    }

    async fn seen(&self, agents: Vec<Name>) -> Result<Vec<Seen>, Overloaded> {
        if agents.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(seen) = self.handle.seen(agents.clone()).await? {
            return Ok(seen);
        }
        let asked = NodeCall::Seen(agents.clone());
        match tokio::time::timeout(ANSWERS_WITHIN, ask_writer(self, &asked)).await {
            Ok(Some(seen)) => Ok(seen),
            Ok(None) | Err(_) => self.handle.seen_as_stored(agents).await,
        }
    }
}

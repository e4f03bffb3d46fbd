//! Putting agents to sleep and waking them, by configured programs.

use serde_json::json;
use wilco_protocol::directory::Agent;

use crate::Outside;
use crate::command::run_for;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sleep {
    Hibernate,
    Wake,
}

impl Outside {
    /// Runs the program for one agent; none when none is configured.
    pub async fn sleep(&self, what: Sleep, agent: &Agent) -> Option<Result<String, String>> {
        let program = match what {
            Sleep::Hibernate => self.hibernate.as_ref(),
            Sleep::Wake => self.wake.as_ref(),
        }?;
        let fill = [("agent", agent.name.as_str()), ("session", agent.session())];
        let input = json!({"agent": agent.name, "agent_id": agent.id, "session": agent.session()});
        Some(run_for(program, &fill, &input.to_string()).await)
    }
}

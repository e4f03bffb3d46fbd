//! Telling an agent that something lies in its inbox.

use serde_json::json;
use wilco_engine::{How, NudgeJob};
use wilco_protocol::Time;

use crate::command::{Program, run_for};
use crate::webhook::Hook;
use crate::{Outside, codex, tmux};

/// Messages that a nudge names; there may be more.
const NAMED: usize = 100;

impl Outside {
    /// Nudges an agent once.
    pub async fn nudge(&self, job: &NudgeJob, now: Time) -> Result<(), String> {
        let body = json!({
            "type": "inbox.unread",
            "timestamp": now,
            "data": {
                "agent": job.agent,
                "session": job.session,
                "unread": job.messages.len(),
                "priority": job.priority,
                "messages": &job.messages[..job.messages.len().min(NAMED)],
            },
        });
        match &job.how {
            How::Tmux { target } => tmux::type_line(target, &job.line, &job.id).await,
            How::Webhook { url } => {
                let timestamp = now.millis() / 1000;
                self.webhooks.call(&Hook { url, id: &job.id, timestamp, body: body.to_string() }).await
            }
            How::Command { name } => {
                let Some(program) = self.nudges.get(name) else {
                    return Err(format!("there is no command {name:?} in nudge.commands"));
                };
                self.run_nudge(program, job, &body.to_string()).await
            }
            How::Codex { thread } => codex::queue(thread.as_deref(), &job.line).await,
        }
    }

    async fn run_nudge(&self, program: &Program, job: &NudgeJob, input: &str) -> Result<(), String> {
        let fill = [("agent", job.agent.as_str()), ("session", job.session.as_str())];
        run_for(program, &fill, input).await.map(drop)
    }
}

//! What the courier does to the world outside: one file per effect.
//!
//! Nothing here decides anything. An order comes in, a report or a "not yet" comes out.

mod audit_file;
mod call;
mod codex;
mod command;
mod disk;
mod document;
mod github;
mod handoff;
mod human;
mod judge;
mod left_running;
mod nudge;
mod place;
mod sleep;
mod stamp;
mod state_file;
mod step;
mod tables;
mod tls;
mod tmux;
mod webhook;
mod yaml;

#[doc(hidden)]
pub use audit_file::replacements_in;
pub use audit_file::{RecentReplacement, Replacements, Unread};
pub use command::Program;
pub use document::Template;
pub use github::Github;
pub use handoff::Handoffs;
pub use judge::{JudgeAnswer, JudgeClient, JudgeLimits, JudgeSource, ModelEndpoint, ModelKey, ModelProvider};
pub use left_running::phase;
pub use sleep::Sleep;
#[doc(hidden)]
pub use state_file::edited;
pub use state_file::{Changed, StateFileError, replace, verify};
pub use step::StepProgram;
pub use tls::Tls;
pub use webhook::{Secret, Webhooks};

use std::collections::BTreeMap;
use std::sync::Arc;

use wilco_engine::Order;
use wilco_protocol::decision::{Effect, Report};
use wilco_protocol::{Span, Time};

/// The programs that orders may run, from the configuration.
#[derive(Debug, Clone, Default)]
pub struct Outside {
    /// The data directory, which tells this server from others.
    pub home: String,
    /// Judges acknowledgements.
    pub judge: Option<Arc<JudgeClient>>,
    /// Reaches a person about an escalation.
    pub human: Option<Program>,
    /// What operations may run.
    pub commands: BTreeMap<String, StepProgram>,
    /// What checks phases of validations.
    pub checks: BTreeMap<String, StepProgram>,
    /// Called for the same purpose.
    pub human_webhook: Option<String>,
    /// Put agents to sleep, and wake them.
    pub hibernate: Option<Program>,
    pub wake: Option<Program>,
    /// Programs that nudge, by name.
    pub nudges: BTreeMap<String, Program>,
    pub webhooks: Webhooks,
    pub handoffs: Handoffs,
}

/// What became of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EffectResult {
    Reported(Report),
    /// It failed in a way that may pass; worth another try.
    NotYet {
        reason: String,
        /// Not before this time has passed.
        after: Option<Span>,
        /// What is reported when no try works.
        otherwise: Option<Report>,
    },
}

impl Outside {
    /// Carries out an order.
    pub async fn carry_out(&self, order: &Order, now: Time) -> EffectResult {
        match &order.effect {
            Effect::Judge { ack, .. } => judge::judge(self.judge.as_deref(), ack, &order.payload, now).await,
            Effect::CallHuman { escalation, .. } => human::call(self, *escalation, &order.payload, now).await,
            Effect::RunStep { exchange, agent, run } => {
                let tag = self.tagging(*exchange, agent, *run);
                let end = step::run(&self.commands, &order.payload, &tag).await;
                EffectResult::Reported(Report::StepEnded { agent: agent.clone(), run: *run, end })
            }
            Effect::RunCheck { exchange, phase, run } => {
                let tag = self.tagging(*exchange, &left_running::phase(*phase), *run);
                let end = step::run(&self.checks, &order.payload, &tag).await;
                EffectResult::Reported(Report::CheckEnded { phase: *phase, run: *run, end })
            }
            Effect::Handoff { order: effect, .. } => {
                self.handoffs.carry_out(effect, &order.payload, now).await
            }
        }
    }

    /// What is reported when an order failed too often.
    pub fn given_up(order: &Order, reason: String) -> Report {
        match &order.effect {
            Effect::Judge { ack, .. } => Report::JudgeFailed { ack: ack.clone(), reason },
            Effect::CallHuman { escalation, .. } => {
                Report::HumanCalled { escalation: *escalation, reached: false }
            }
            Effect::RunStep { agent, run, .. } => Report::StepInterrupted { agent: agent.clone(), run: *run },
            Effect::RunCheck { phase, run, .. } => Report::CheckInterrupted { phase: *phase, run: *run },
            Effect::Handoff { order, .. } => Report::Handoff(order.failed(reason)),
        }
    }
}

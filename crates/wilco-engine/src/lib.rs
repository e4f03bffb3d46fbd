//! Correlate, read, decide, render, commit: synchronous and deterministic.
//!
//! `Engine::step` takes a batch of commands and an instant, decides each on the state left by the one
//! before, commits once and answers all. No clock, no threads, no I/O but the store's.

mod accept;
mod agents;
mod authority;
mod cache;
mod checks;
mod command;
mod command_rule;
mod derived;
mod digest;
mod engine;
mod exact;
mod execute;
mod facts;
mod gather;
mod handoff;
mod hooks;
mod host;
mod how;
mod ids;
mod layer;
mod lookup;
mod nudge;
mod other_tasks;
mod policy;
mod presence;
pub mod reads;
mod rebuild;
mod settings;
mod steps;
mod wake;
mod workspace;

pub use accept::examine::examine;
pub use agents::check_name;
pub use authority::{Authority, Holder, Right};
pub use command::{
    Accepted, AgentChanged, Answer, Api, Command, Done, MarkAs, Order, PatchAgent, Post, PutAgent, Refused,
    Summary, Viewer,
};
pub use command_rule::{CommandRule, FixedCommand};
pub use derived::differs;
pub use digest::Digest;
pub use engine::{Committed, Engine, Stepped, status};
pub use hooks::{HookMoment, HookReport};
pub use host::{is_begun, runs_once};
pub use how::How;
pub use nudge::{NEVER, Nudge, NudgeJob, NudgeOutcome, NudgeTurn, NudgedMessage, StoredEffect, WAKE_TAKES};
pub use rebuild::rebuild;
pub use settings::{
    AutoRegister, EscalationSettings, HandoffSettings, JudgeSettings, NudgeSettings, PolicySettings, Settings,
};

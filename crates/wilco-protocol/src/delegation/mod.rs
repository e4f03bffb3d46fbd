//! Delegation: a task is assigned only when its agent has shown that it understood it.
//!
//! An initiator delegates one task to one assignee. `decide` has the chart.

mod apply;
mod decide;
mod describe;
mod event;
mod input;
mod policy;
mod say;
mod state;
mod timers;
mod view;
mod words;

pub use crate::machine::decide;
pub use apply::{apply, born};
pub use decide::{Decision, begin, options, untried};
pub use event::{Assigned, Event, Resend, Why};
pub use input::{Ack, AgentError, Assign, Choice, ErrorCode, Input, Ruling, Said, Scored, Signal, Statement};
pub use policy::{Judge, KEYS, OnBusy, Policy};
pub use say::{CancelReason, Notice, Owed, Say, ToInitiator};
pub use state::{
    Checkpoint, FirstAck, Handed, Held, LastWord, MAX_CHECKPOINTS, Outcome, Phase, Questions, State, Stop,
    Unconfirmed, Understanding,
};
pub use timers::timers;
pub use view::{awaits, planned_name, unnamed_key, view};
pub use words::{AckStatus, Sign, Verdict};

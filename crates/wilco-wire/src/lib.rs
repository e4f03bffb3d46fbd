//! Request and answer types shared by server, client and command line.
//!
//! They are what stands on the wire, field by field; what the values mean is said elsewhere.

mod agent;
mod exchange;
mod message;
mod node;
mod nudge;
mod page;
mod path;
mod problem;
mod todo;

pub use agent::{Agent, AgentSpec, HookCall};
pub use exchange::{
    ChecklistItem, DelegationRow, Escalation, Event, Exchange, FrequentFailure, Incident, JudgementRow,
    OperationRow, Participant, ReplacementRow, Replacements, Timer, ValidationRow,
};
pub use message::{BroadcastCopy, Message, NewMessage, Posted, Reading, Summary};
pub use node::Node;
pub use nudge::{Nudge, NudgeTest};
pub use page::{Advance, Clock, Page, Ready, Verified};
pub use path::segment;
pub use problem::{FieldProblem, Problem};
pub use todo::{TodoEntry, TodoList};

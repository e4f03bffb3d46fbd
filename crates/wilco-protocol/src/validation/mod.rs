//! Validation: failures go round until they pass, and never for ever.
//!
//! Specialists check, the main agent fixes, Wilco carries the failures and the fixes between them.
//! `decide` has the chart.

mod apply;
mod decide;
mod describe;
mod event;
mod ids;
mod input;
mod policy;
mod say;
mod state;
mod timers;
mod view;
mod words;

pub use crate::machine::decide;
pub use apply::{apply, born};
pub use decide::{Decision, begin, options};
pub use event::{Asked, Clock, Event, Started};
pub use ids::{Label, error_id, escalation_id, id, is_id, log_id, named, stamp, timeout_id};
pub use input::{COMMAND, Choice, Fingerprint, Input, Named, Planned, Said, Signal, Statement, Validate};
pub use policy::{KEYS, MAX_ITERATIONS, Policy};
pub use say::{Cause, Notice, Say};
pub use state::{Awaited, Open, Outcome, Phase, Round, State};
pub use timers::timers;
pub use view::{awaits, view};
pub use words::{Duty, Finding, Relief, Status, Trouble};

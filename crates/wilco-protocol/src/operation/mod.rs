//! Operation: no agent is interrupted unprepared.
//!
//! An initiator announces an operation to one or more agents, waits for their "ok", reminds them, and
//! goes on, aborts or cancels. Each agent has a track. `decide` has the chart.

mod apply;
mod decide;
mod describe;
mod event;
mod execute;
mod input;
mod policy;
mod quorum;
mod say;
mod state;
mod timers;
mod view;
mod words;

pub use crate::machine::decide;
pub use apply::{apply, born};
pub use decide::{Decision, begin, options};
pub use event::{Announced, Begun, Event, Why};
pub use execute::{Command, Execute, PLACEHOLDERS, Step, StepEnd, StepState, placeholders};
pub use input::{Choice, Input, Operate, OwnStep, Said, Statement};
pub use policy::{ALIASES, KEYS, OnCancel, OnInterrupted, Policy};
pub use quorum::{Quorum, Tally, Verdict, weigh};
pub use say::{Notice, Say, ToInitiator};
pub use state::{Outcome, Phase, State, Track, TrackState};
pub use timers::timers;
pub use view::{LogRow, awaits, log, view};
pub use words::{Answer, Kind, Tone};

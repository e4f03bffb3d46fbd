//! What an operation does with what it is told.
//!
//! ```text
//!  pre-operation
//!       │
//!       ▼           handshake                all ready, quorum, silence
//!  (notifying) ──────────────────► waiting ─────────────────────────────► authorized ──result──► done
//!                                   │ │ ▲                                     │                 failed
//!                          reminder │ │ │ wait: once                          │ command
//!                                   └─┼─┘                                     ▼
//!                                     │                                   executing ──steps──► done
//!                                     ├── an agent cancels ──► cancelled, aborted              failed
//!                                     └── too few can be ready ──► aborted
//!
//!             any state before executing ──operation-cancelled──► cancelled
//! ```
//!
//! `table` says who may say what; the other files carry it out.

mod answer;
mod begin;
mod choice;
mod draft;
mod own;
mod perform;
mod run;
mod settle;
mod silence;
mod table;

pub use begin::begin;
pub use choice::options;

use super::event::Event;
use super::input::Input;
use super::say::Say;
use super::state::State;
use crate::decision::{Facts, Refusal};
use crate::time::Time;
use draft::Draft;

pub type Decision = crate::decision::Decision<Event, Say>;

/// Decides on one input. Nothing is changed here: folding the events of the decision does that.
pub fn decide(state: &State, input: Input, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
    let mut draft = Draft::new(state, facts, now);
    match input {
        Input::Said(said) => table::said(&mut draft, said)?,
        Input::Wake => silence::wake(&mut draft),
        Input::Report(report) => run::reported(&mut draft, report),
    }
    Ok(draft.finish())
}

//! What a validation does with what it is told.
//!
//! ```text
//!  validation-start
//!       │
//!       ▼
//!    pending ──request──► in-progress ──PASS──► pass ──► the next phase, or completed
//!                              │                  ▲
//!                            FAIL               PASS
//!                              ▼                  │
//!                        awaiting-fix ──ack──► fixing ──done──► re-checking
//!                              ▲                                     │
//!                              └────────────────FAIL─────────────────┘
//!
//!    the last iteration failed · the same failures again and again · silence · an error twice
//!       ──► escalated ──manual-fix──► re-checking
//!                     ──extend──────► where it stopped
//!                     ──skip────────► skipped ──► the next phase, or completed
//!                     ──abort───────► the loop is aborted
//! ```
//!
//! `table` says who may say what; the other files carry it out.

mod begin;
mod check;
mod choice;
mod draft;
mod fix;
mod silence;
mod table;
mod turn;

pub use begin::begin;
pub use choice::options;

use super::event::Event;
use super::input::{Input, Signal};
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
        // What a command found comes as its message; whether a person was reached changes nothing.
        Input::Report(_) => {}
        Input::Signal(Signal::Unreached { agent }) => silence::unreached(&mut draft, &agent),
    }
    Ok(draft.finish())
}

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

use super::apply::{apply, born};
use super::event::Event;
use super::input::{Input, Said, Signal, Statement, Validate};
use super::say::Say;
use super::state::State;
use crate::decision::{Facts, Refusal};
use crate::machine::{Decided, Machine};
use crate::time::Time;
use crate::unread::{UnreadKind, UnreadWords};
use draft::Draft;

pub type Decision = Decided<State>;

impl Machine for State {
    type Start = Validate;
    type Statement = Statement;
    type Signal = Signal;
    type Event = Event;
    type Say = Say;

    fn begin(start: Validate, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
        begin(start, facts, now)
    }

    fn born(event: &Event, at: Time) -> Option<State> {
        born(event, at)
    }

    fn apply(&mut self, event: &Event, at: Time) {
        apply(self, event, at);
    }

    fn unread_kind(&self, said: &Said) -> Option<UnreadKind> {
        table::unread(self, said)
    }

    fn unread_event(unread: UnreadWords) -> Event {
        Event::NotUnderstood(unread)
    }

    fn unread_say(unread: UnreadWords) -> Say {
        Say::NotUnderstood(unread)
    }

    fn decide(draft: &mut Draft<'_>, input: Input) -> Result<(), Refusal> {
        match input {
            Input::Said(said) => table::said(draft, said)?,
            Input::Wake => silence::wake(draft),
            // What a command found comes as its message; whether a person was reached changes nothing.
            Input::Report(_) => {}
            Input::Signal(Signal::Unreached { agent }) => silence::unreached(draft, &agent),
        }
        Ok(())
    }

    fn record(draft: &mut Draft<'_>, event: Event) {
        draft::record(draft, event);
    }
}

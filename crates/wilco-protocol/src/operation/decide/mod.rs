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

use std::convert::Infallible;

use super::apply::{apply, born};
use super::event::Event;
use super::input::{Input, Operate, Said, Statement};
use super::say::Say;
use super::state::State;
use crate::decision::{Facts, Refusal};
use crate::machine::{Decided, Machine};
use crate::time::Time;
use crate::unread::{UnreadKind, UnreadWords};
use draft::Draft;

pub type Decision = Decided<State>;

impl Machine for State {
    type Start = Operate;
    type Statement = Statement;
    type Signal = Infallible;
    type Event = Event;
    type Say = Say;

    fn begin(start: Operate, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
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
            Input::Report(report) => run::reported(draft, report),
            Input::Signal(never) => match never {},
        }
        Ok(())
    }

    fn settle(draft: &mut Draft<'_>) {
        // An exchange that went on by itself closes its escalation.
        let open = draft.state.escalation().is_some();
        if open && !choice::still_asks(&draft.state) {
            draft.event(Event::EscalationClosed { option: None, by: None });
        }
    }
}

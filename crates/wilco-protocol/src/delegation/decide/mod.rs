//! What a delegation does with what it is told.
//!
//! ```text
//!             task-assignment
//!                   │
//!                   ▼
//!    ┌──────► awaiting-ack ──silence──► next attempt … ──► next agent, or escalated
//!    │              │
//!    │   ┌──────────┼──────────────┬───────────────┬───────────────┐
//!    │   ▼          ▼              ▼               ▼               ▼
//!    │ queued   clarifying     in-review      (rejected)     (agent error)
//!    │   │          │ answers      │ verdict       │               │
//!    │   └────┬─────┴──────────────┘               └─► next agent · waiting · returned · escalated
//!    │        ▼
//!    │     working ──checkpoint-ack──► working ──task-complete──► completed
//!    │      │   ▲
//!    └amend─┘   └─ paused              any open state ──task-cancel──► cancelled
//! ```
//!
//! `table` says which input means what in which phase; the other files carry it out.

mod ack;
mod begin;
mod choice;
mod draft;
mod handover;
mod initiator;
mod silence;
mod succession;
mod table;
mod trouble;
mod work;

pub use begin::begin;
pub use choice::{options, untried};

use super::event::Event;
use super::input::{Input, Signal};
use super::say::{CancelReason, Say};
use super::state::{Outcome, State};
use crate::decision::{Facts, Refusal};
use crate::escalation::Reason;
use crate::time::Time;
use draft::Draft;

pub type Decision = crate::decision::Decision<Event, Say>;

/// Decides on one input. Nothing is changed here: folding the events of the decision does that.
pub fn decide(state: &State, input: Input, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
    let mut draft = Draft::new(state, facts, now);
    match input {
        Input::Said(said) => {
            draft.said = Some(said.message.clone()).filter(|_| said.by == state.assignee);
            table::said(&mut draft, said)?;
        }
        Input::Wake => silence::wake(&mut draft),
        Input::Report(report) => ack::reported(&mut draft, report),
        Input::Signal(signal) => self::signal(&mut draft, signal),
    }
    Ok(draft.finish())
}

fn signal(draft: &mut Draft<'_>, signal: Signal) {
    if !draft.state.is_open() {
        return;
    }
    match signal {
        Signal::Superseded { by } => {
            draft.say_to_assignee(Say::Cancel { because: CancelReason::Superseded { by } });
            draft.event(Event::Superseded { by });
            draft.end(Outcome::Cancelled);
        }
        Signal::AgentReturned { agent } if agent == draft.state.assignee && draft.state.held.is_none() => {
            silence::check_on_assignee(draft);
        }
        Signal::AgentReturned { .. } => {}
        Signal::HandoffBegan { by, initiator } => handover::hold(draft, by, initiator),
        Signal::HandedOver { by, to, initiator, state_file } => {
            handover::hand_over(draft, by, to, &initiator, state_file);
        }
        Signal::HandoffFailed { by } => handover::release(draft, by),
        Signal::AgentReplaced { agent } => {
            if agent == draft.state.assignee {
                draft.escalate(Reason::AgentReplaced);
            }
        }
    }
}

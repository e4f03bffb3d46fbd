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

use super::apply::{apply, born};
use super::event::Event;
use super::input::{Assign, Input, Said, Signal, Statement};
use super::say::{CancelReason, Say};
use super::state::{Outcome, Phase, State};
use crate::decision::{Facts, Refusal};
use crate::escalation::Reason;
use crate::machine::{Decided, Machine};
use crate::time::Time;
use crate::unread::{UnreadKind, UnreadWords};
use draft::Draft;

pub type Decision = Decided<State>;

impl Machine for State {
    type Start = Assign;
    type Statement = Statement;
    type Signal = Signal;
    type Event = Event;
    type Say = Say;

    fn begin(start: Assign, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
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
            Input::Said(said) => {
                draft.said = Some(said.message.clone()).filter(|_| said.by == draft.state.assignee);
                let before = draft.state.phase.clone();
                table::said(draft, said)?;
                work::heard(draft, &before);
            }
            Input::Wake => silence::wake(draft),
            Input::Report(report) => ack::reported(draft, report),
            Input::Signal(signal) => self::signal(draft, signal),
        }
        Ok(())
    }

    fn settle(draft: &mut Draft<'_>) {
        // An exchange that left `escalated` by itself closes its escalation.
        let open = draft.state.escalation().is_some();
        if open && !matches!(draft.state.phase, Phase::Escalated { .. }) {
            draft.event(Event::EscalationClosed { option: None, by: None });
        }
        handover::repeated(draft);
    }
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

//! What a handoff does with what it is told.
//!
//! ```text
//!  replacement-request                         replacement_handoff
//!         │                                            │
//!         ▼          document published                ▼
//!     preparing ───────────────────────────────► awaiting-ack ──silence──► reminder, final one, escalated
//!         ▲                                            │  ▲
//!         │ next candidate, alternative agent          │  │ a new ACK, answers
//!         │              ┌──────────┬──────────┬───────┴──┴──┬───────────┐
//!         └─ (rejected) ─┤          ▼          ▼             ▼           ▼
//!                        │     in-review   clarifying    correcting   blocked
//!                        ▼          │ verdict
//!                    escalated      │                         override
//!                        │          ▼                            │
//!                        │      confirming ◄── verified ACK ─────┘
//!                        │          │ state file, registry and delegations, issues
//!                        ▼          ▼
//!                     failed    complete · partial · failed
//! ```
//!
//! `table` says who may say what; the other files carry it out.

mod ack;
mod begin;
mod choice;
mod confirm;
mod delivery;
mod draft;
mod silence;
mod table;

pub use begin::begin;
pub use choice::{options, untried};

use super::event::Event;
use super::input::Input;
use super::say::Say;
use super::state::State;
use crate::decision::{Facts, Refusal, Report};
use crate::time::Time;
use draft::Draft;

pub type Decision = crate::decision::Decision<Event, Say>;

/// Decides on one input. Nothing is changed here: folding the events of the decision does that.
pub fn decide(state: &State, input: Input, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
    let mut draft = Draft::new(state, facts, now);
    match input {
        Input::Said(said) => table::said(&mut draft, said)?,
        Input::Wake => silence::wake(&mut draft),
        Input::Report(report) => reported(&mut draft, report),
    }
    Ok(draft.finish())
}

fn reported(draft: &mut Draft<'_>, report: Report) {
    match report {
        Report::Handoff(report) => confirm::reported(draft, report),
        Report::Judged { ack, verdict, correction, missing } => {
            ack::by_command(draft, &ack, verdict, correction, missing);
        }
        Report::JudgeFailed { ack, reason } => ack::judge_failed(draft, &ack, reason),
        Report::HumanCalled { .. }
        | Report::StepEnded { .. }
        | Report::StepInterrupted { .. }
        | Report::CheckEnded { .. }
        | Report::CheckInterrupted { .. } => {}
    }
}

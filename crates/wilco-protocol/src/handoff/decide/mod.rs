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

use std::convert::Infallible;

use super::apply::{apply, born};
use super::event::Event;
use super::input::{Input, Replace, Said, Statement};
use super::say::Say;
use super::state::{Phase, State};
use crate::decision::{Facts, Refusal, Report};
use crate::machine::{Decided, Machine};
use crate::time::Time;
use crate::unread::{UnreadKind, UnreadWords};
use draft::Draft;

pub type Decision = Decided<State>;

impl Machine for State {
    type Start = Replace;
    type Statement = Statement;
    type Signal = Infallible;
    type Event = Event;
    type Say = Say;

    fn begin(start: Replace, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
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
            Input::Report(report) => reported(draft, report),
            Input::Signal(never) => match never {},
        }
        Ok(())
    }

    fn settle(draft: &mut Draft<'_>) {
        // An exchange that left `escalated` by itself closes its escalation.
        let open = draft.state.escalation().is_some();
        if open && !matches!(draft.state.phase, Phase::Escalated { .. }) {
            draft.event(Event::EscalationClosed { option: None, by: None });
        }
    }
}

fn reported(draft: &mut Draft<'_>, report: Report) {
    match report {
        Report::Handoff(report) => confirm::reported(draft, report),
        Report::Judged { ack, verdict, correction, missing, judge } if ack::is_asked(draft, &ack) => {
            ack::by_judge(draft, verdict, correction, missing, judge);
        }
        Report::JudgeDeferred { ack, judge, why } if ack::is_asked(draft, &ack) => {
            ack::judge_defers(draft, judge, why);
        }
        Report::JudgeFailed { ack, reason } if ack::is_asked(draft, &ack) => ack::judge_failed(draft, reason),
        Report::JudgeDeferred { ack, judge, .. } if judge.shadow && ack::is_newest(draft, &ack) => {
            ack::judge_compares(draft, judge);
        }
        Report::JudgeFailed { ack, reason }
            if draft.facts.judge_in_shadow() && ack::is_newest(draft, &ack) =>
        {
            draft.event(Event::JudgeFailed { reason });
        }
        Report::Judged { .. } | Report::JudgeDeferred { .. } | Report::JudgeFailed { .. } => {}
        Report::HumanCalled { .. }
        | Report::StepBegins { .. }
        | Report::StepWaits { .. }
        | Report::StepEnded { .. }
        | Report::StepInterrupted { .. }
        | Report::CheckEnded { .. }
        | Report::CheckInterrupted { .. } => {}
    }
}

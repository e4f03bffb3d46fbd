//! What laws and model of an operation look at: two agents, and what holds in every state.

use wilco_protocol::decision::{Facts, Stage};
use wilco_protocol::operation::{
    Command, Execute, Input, Kind, OnCancel, OnInterrupted, Operate, Policy, Quorum, State, StepState, apply,
    decide, timers,
};
use wilco_protocol::{ExchangeId, Name, Protocol, Span, Time};

pub(crate) const BOSS: &str = "boss";
pub(crate) const AGENTS: [&str; 2] = ["ann", "bob"];

/// A world in which the server may have been down and agents may not have seen anything.
#[derive(Debug, Clone, Copy)]
pub(crate) struct World {
    pub(crate) down: bool,
    pub(crate) seen: bool,
}

impl Facts for World {
    fn down_across(&self, _: Time) -> bool {
        self.down
    }

    fn delivery(&self, _: ExchangeId, _: &Name) -> Stage {
        if self.seen { Stage::Read } else { Stage::Stored }
    }
}

/// How an operation begins: the choices that change what may follow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choices {
    pub(crate) agents: usize,
    pub(crate) execute: u8,
    pub(crate) exclude: bool,
    pub(crate) proceed: bool,
    pub(crate) retry: bool,
    pub(crate) majority: bool,
    pub(crate) pre_notice: bool,
    pub(crate) asks: bool,
}

impl Choices {
    pub(crate) fn operate(self) -> Operate {
        let command = Command {
            argv: vec!["restart-agent".to_owned()],
            max_parallel: 1,
            time_limit: Span::minutes(1),
            keep_going: false,
        };
        let policy = Policy {
            acknowledgment_reminder_intervals: vec![Span::seconds(60)],
            proceed_on_timeout: self.proceed,
            on_cancel: if self.exclude { OnCancel::Exclude } else { OnCancel::Abort },
            on_interrupted: if self.retry { OnInterrupted::Retry } else { OnInterrupted::Ask },
            quorum: if self.majority { Quorum::Majority } else { Quorum::All },
            ..Policy::default()
        };
        Operate {
            id: ExchangeId { protocol: Protocol::Operation, number: 1 },
            by: BOSS.into(),
            to: AGENTS[..self.agents].iter().map(Name::new).collect(),
            message: "opening".into(),
            operation: "restart".to_owned(),
            kind: Kind::Disruptive,
            broadcast_id: None,
            requires_acknowledgment: self.asks,
            silence_foreseen: false,
            pre_notice: self.pre_notice.then_some(Span::minutes(5)),
            policy,
            execute: match self.execute {
                0 => Execute::Manual,
                1 => Execute::None,
                _ => Execute::Command(command),
            },
        }
    }
}

/// G6: an open operation has a timer, an open escalation included, or a command that runs.
pub(crate) fn never_stuck(state: &State) -> bool {
    !state.is_open() || !timers(state).is_empty() || state.steps_in(StepState::Running) > 0
}

/// G6 in full: left alone, it comes to an end, to somebody's decision, or to a command that runs.
pub(crate) fn silence_leads_somewhere(state: &State) -> bool {
    const MOST_STEPS: usize = 40;
    let world = World { down: false, seen: true };
    let mut state = state.clone();
    for _ in 0..MOST_STEPS {
        let settled = !state.is_open() || state.escalation().is_some();
        if settled || state.steps_in(StepState::Running) > 0 {
            return true;
        }
        let Some(timer) = timers(&state).first().copied() else { return false };
        let now = timer.due.max(state.updated);
        let Ok(decision) = decide(&state, Input::Wake, &world, now) else { return false };
        decision.events.iter().for_each(|event| apply(&mut state, event, now));
    }
    false
}

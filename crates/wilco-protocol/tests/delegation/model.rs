//! Every interleaving of a small delegation: two agents, an initiator, a few messages and a few timeouts,
//! in every order, over the very code that runs. What must hold is checked in each state there is.

use super::invariants;
mod says;

use std::collections::BTreeSet;

use stateright::{Checker, Model, Property};
use wilco_protocol::decision::Routing;
use wilco_protocol::delegation::{
    Assign, Decision, Input, Policy, Said, Say, Signal, State, Statement, apply, begin, born, decide, timers,
};
use wilco_protocol::{ExchangeId, MessageId, Name, Protocol, Span, Time};

use says::{AGENTS, BOSS};
use wilco_testkit::delegation::World;

/// How much may happen: messages by anybody, and timeouts.
struct Bounds {
    messages: u8,
    timeouts: u8,
}

/// A delegation, and what those outside know of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Moment {
    state: State,
    now: Time,
    messages: u8,
    timeouts: u8,
    /// Agents that were given the task and not told to stop.
    live: BTreeSet<Name>,
    /// The name of the state in which it ended first.
    ended: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq)]
enum Act {
    Say { by: &'static str, what: Statement },
    Timeout,
    Supersede,
    AgentReturns(&'static str),
}

impl Model for Bounds {
    type State = Moment;
    type Action = Act;

    fn init_states(&self) -> Vec<Moment> {
        [true, false].into_iter().map(Moment::first).collect()
    }

    fn actions(&self, moment: &Moment, acts: &mut Vec<Act>) {
        if moment.messages < self.messages {
            for by in AGENTS {
                acts.extend(
                    says::of_agent(moment.state.revision).into_iter().map(|what| Act::Say { by, what }),
                );
                acts.push(Act::AgentReturns(by));
            }
            acts.extend(says::of_boss().into_iter().map(|what| Act::Say { by: BOSS, what }));
            acts.push(Act::Supersede);
        }
        if moment.timeouts < self.timeouts && !timers(&moment.state).is_empty() {
            acts.push(Act::Timeout);
        }
    }

    fn next_state(&self, moment: &Moment, act: Act) -> Option<Moment> {
        let mut next = moment.clone();
        let input = match act {
            Act::Timeout => {
                next.timeouts += 1;
                next.now = next.now.max(timers(&next.state).first()?.due);
                Input::Wake
            }
            Act::Say { by, what } => {
                next.messages += 1;
                let message = MessageId::new(what.meaning().word());
                Input::Said(Said { by: by.into(), operator: false, message, to_notice: false, what })
            }
            Act::Supersede => {
                next.messages += 1;
                Input::Signal(Signal::Superseded { by: id(2) })
            }
            Act::AgentReturns(agent) => {
                next.messages += 1;
                Input::Signal(Signal::AgentReturned { agent: agent.into() })
            }
        };
        let decision = decide(&next.state, input, &world(), next.now).ok()?;
        next.follow(decision).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("G5 one assignee", |_, moment: &Moment| {
                let live: BTreeSet<_> = [moment.state.assignee.clone()].into();
                let right =
                    if moment.state.is_open() { moment.live == live } else { moment.live.is_subset(&live) };
                right && invariants::one_assignee(&moment.state)
            }),
            Property::always("G6 never stuck", |_, moment: &Moment| {
                invariants::never_stuck(&moment.state) && invariants::silence_leads_somewhere(&moment.state)
            }),
            Property::always("ended stays ended", |_, moment: &Moment| {
                moment.ended.is_none_or(|name| name == moment.state.name())
            }),
            Property::always("escalated with an escalation", |_, moment: &Moment| {
                invariants::escalation_fits_the_phase(&moment.state)
            }),
            Property::always("keys", |_, moment: &Moment| {
                invariants::keys_are_sorted_and_unique(&moment.state)
            }),
            Property::sometimes("completed", |_, moment: &Moment| moment.state.name() == "completed"),
            Property::sometimes("cancelled", |_, moment: &Moment| moment.state.name() == "cancelled"),
            Property::sometimes("failed", |_, moment: &Moment| moment.state.name() == "failed"),
            Property::sometimes("escalated", |_, moment: &Moment| moment.state.name() == "escalated"),
            Property::sometimes("paused", |_, moment: &Moment| moment.state.name() == "paused"),
            Property::sometimes("reassigned", |_, moment: &Moment| moment.state.assignee == *"helper"),
            Property::sometimes("given back", |_, moment: &Moment| {
                moment.state.assignee == *"worker" && !moment.state.former_assignees.is_empty()
            }),
        ]
    }
}

impl Moment {
    fn first(requires_ack: bool) -> Moment {
        let assign = Assign {
            id: id(1),
            by: BOSS.into(),
            to: AGENTS[0].into(),
            message: "assignment".into(),
            task_id: "GH-1".to_owned(),
            task_uuid: "u-1".to_owned(),
            title: "Task".to_owned(),
            sign: None,
            requires_ack,
            supersede: false,
            candidates: vec![AGENTS[1].into()],
            capabilities: Vec::new(),
            policy: policy(),
        };
        let decision = begin(assign, &world(), Time::ZERO).expect("a delegation");
        let state = born(&decision.events[0], Time::ZERO).expect("the first event");
        let live = [state.assignee.clone()].into();
        Moment { state, now: Time::ZERO, messages: 0, timeouts: 0, live, ended: None }
    }

    /// Does what was decided; false when only something was said and nobody's standing changed, for then
    /// nothing can follow that could not have followed before.
    fn follow(&mut self, decision: Decision) -> bool {
        let before = self.live.clone();
        decision.events.iter().for_each(|event| apply(&mut self.state, event, self.now));
        for spoken in decision.says {
            match spoken.say {
                Say::Assignment { .. } => _ = self.live.insert(spoken.to),
                Say::Cancel { .. } => _ = self.live.remove(&spoken.to),
                _ => {}
            }
        }
        if !self.state.is_open() && self.ended.is_none() {
            self.ended = Some(self.state.name());
            if let Routing::Reach { agents, .. } = decision.routing {
                agents.iter().for_each(|agent| _ = self.live.remove(agent));
            }
        }
        !decision.events.is_empty() || self.live != before
    }
}

/// One correction, one retry, the work is checked.
fn policy() -> Policy {
    Policy {
        max_corrections: 1,
        checkpoint_timeout: Some(Span::minutes(10)),
        base_wait: Span::seconds(30),
        ..Policy::default()
    }
}

fn world() -> World {
    World { down: None, away: Vec::new() }
}

fn id(number: u64) -> ExchangeId {
    ExchangeId { protocol: Protocol::Delegation, number }
}

/// Looks at every state within these bounds and says how many there are.
fn check(bounds: Bounds) {
    let checker = bounds.checker().spawn_bfs().join();
    println!("{} states, {} of them different", checker.state_count(), checker.unique_state_count());
    checker.assert_properties();
}

#[test]
fn g5_g6_every_interleaving_of_many_messages() {
    check(Bounds { messages: 4, timeouts: 2 });
}

#[test]
fn g5_g6_every_interleaving_of_many_timeouts() {
    check(Bounds { messages: 3, timeouts: 5 });
}

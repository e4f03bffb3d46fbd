//! Every interleaving of a small validation: two phases, a main agent, an initiator, a few messages and timeouts, in
//! every order, over the very code that runs.

use super::invariants::{World, never_stuck, planned, silence_leads_somewhere, validate};
use stateright::{Checker, Model, Property};
use wilco_protocol::validation::{
    Choice, Decision, Event, Finding, Fingerprint, Input, Named, Said, State, Statement, Status, apply,
    begin, born, decide, timers,
};
use wilco_protocol::{MessageId, Time};

/// How much may happen.
struct Bounds {
    messages: u8,
    timeouts: u8,
    openings: Vec<&'static str>,
}

/// A validation, and what those outside know of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Moment {
    state: State,
    now: Time,
    messages: u8,
    timeouts: u8,
    /// How often each phase ended, and how often somebody decided that it goes on.
    ends: Vec<u8>,
    granted: Vec<u32>,
    /// A change of status that the chart does not have.
    odd: Option<(Status, Status)>,
    ended: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq)]
enum Act {
    Say { by: &'static str, what: Statement },
    Timeout,
}

fn found(finding: Finding, failures: &str) -> Statement {
    Statement::Result { named: Named::Nothing, finding, failures: Fingerprint(failures.to_owned()) }
}

impl Model for Bounds {
    type State = Moment;
    type Action = Act;

    fn init_states(&self) -> Vec<Moment> {
        self.openings.iter().map(|phases| Moment::first(phases)).collect()
    }

    fn actions(&self, moment: &Moment, acts: &mut Vec<Act>) {
        if moment.messages < self.messages {
            for by in ["alice", "bob"] {
                let whats = [found(Finding::Pass, ""), found(Finding::Fail, "a"), found(Finding::Error, "")];
                acts.extend(whats.map(|what| Act::Say { by, what }));
            }
            let named = Named::Nothing;
            let main = [
                Statement::Acknowledged { named },
                Statement::Fixed { named },
                Statement::CannotFix { named },
            ];
            acts.extend(main.map(|what| Act::Say { by: "main", what }));
            for option in ["manual-fix", "skip", "abort", "extend"] {
                let open = moment.state.escalation().map(|open| open.number);
                let iterations = (option == "extend").then_some(1);
                let choice =
                    Choice { option: option.to_owned(), escalation: open, iterations, ..Choice::default() };
                acts.push(Act::Say { by: "boss", what: Statement::Decide(choice) });
            }
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
        };
        let decision = decide(&next.state, input, &World, next.now).ok()?;
        let quiet = decision.events.is_empty();
        next.follow(&decision);
        (!quiet).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("VAL-6 only the changes of the chart", |_, moment: &Moment| {
                moment.odd.is_none()
            }),
            Property::always("VAL-10 no iteration above the cap without a decision", |_, moment: &Moment| {
                let within = |(phase, granted): (&wilco_protocol::validation::Phase, &u32)| {
                    phase.iteration <= 2 + granted
                };
                moment.state.phases.iter().zip(&moment.granted).all(within)
            }),
            Property::always("each phase ends exactly once", |_, moment: &Moment| {
                let most_once = moment.ends.iter().all(|ends| *ends <= 1);
                let all = moment.ends.iter().all(|ends| *ends == 1);
                most_once && (moment.state.status() != Status::Completed || all)
            }),
            Property::always("G6 no loop is stuck or runs for ever", |_, moment: &Moment| {
                never_stuck(&moment.state) && silence_leads_somewhere(&moment.state)
            }),
            Property::always("an escalation and its phase stand together", |_, moment: &Moment| {
                let state_line = |phase: &wilco_protocol::validation::Phase| {
                    phase.escalation.is_some() == (phase.status == Status::Escalated)
                };
                !moment.state.is_open() || moment.state.phases.iter().all(state_line)
            }),
            Property::always("ended stays ended", |_, moment: &Moment| {
                moment.ended.is_none_or(|name| name == moment.state.name())
            }),
            Property::sometimes("completed", |_, moment: &Moment| moment.state.name() == "completed"),
            Property::sometimes("aborted", |_, moment: &Moment| moment.state.name() == "aborted"),
            Property::sometimes("escalated", |_, moment: &Moment| moment.state.name() == "escalated"),
            Property::sometimes("a third iteration", |_, moment: &Moment| {
                moment.state.phases.iter().any(|phase| phase.iteration > 2)
            }),
        ]
    }
}

/// The changes of status that there are.
fn known(before: Status, after: Status) -> bool {
    use Status::*;
    match (before, after) {
        (Pending, InProgress)
        | (InProgress | ReChecking, Pass | Fail)
        | (Fail, AwaitingFix)
        | (AwaitingFix, Fixing)
        | (Fixing, ReChecking)
        | (Escalated, AwaitingFix | ReChecking | InProgress | Skipped)
        | (InProgress | AwaitingFix | Fixing | ReChecking | Fail, Escalated) => true,
        (before, after) => before == after,
    }
}

impl Moment {
    fn first(phases: &str) -> Moment {
        let decision = begin(validate(planned(phases)), &World, Time::ZERO).expect("a validation");
        let state = born(&decision.events[0], Time::ZERO).expect("the first event");
        let phases = state.phases.len();
        let mut moment = Moment {
            state,
            now: Time::ZERO,
            messages: 0,
            timeouts: 0,
            ends: vec![0; phases],
            granted: vec![0; phases],
            odd: None,
            ended: None,
        };
        moment.follow(&decision);
        moment
    }

    fn follow(&mut self, decision: &Decision) {
        for event in &decision.events {
            let before: Vec<_> = self.state.phases.iter().map(|phase| phase.status).collect();
            let stopped: Vec<_> = self.state.phases.iter().map(|phase| phase.escalation).collect();
            apply(&mut self.state, event, self.now);
            let after = self.state.phases.iter().map(|phase| phase.status);
            self.odd = self.odd.or(before.iter().copied().zip(after).find(|(a, b)| !known(*a, *b)));
            match event {
                Event::Passed { phase, .. } | Event::Skipped { phase } => self.ends[*phase] += 1,
                Event::EscalationClosed { number, .. } => {
                    let about = stopped.iter().position(|open| *open == Some(*number));
                    about.into_iter().for_each(|place| self.granted[place] += 1);
                }
                _ => {}
            }
        }
        if !self.state.is_open() && self.ended.is_none() {
            self.ended = Some(self.state.name());
        }
    }
}

#[test]
fn val_6_val_10_g6_every_interleaving() {
    let openings = vec!["unit=alice, lint=bob", "unit=alice+, lint=bob+"];
    let checker = Bounds { messages: 5, timeouts: 3, openings }.checker().threads(2).spawn_bfs().join();
    println!("{} states, {} of them different", checker.state_count(), checker.unique_state_count());
    checker.assert_properties();
}

//! Every interleaving of a small operation: two agents, an initiator, a few messages, timeouts and reports,
//! in every order, over the very code that runs.

use std::collections::BTreeMap;

use super::invariants::{AGENTS, BOSS, Choices, World, never_stuck, silence_leads_somewhere};
use stateright::{Checker, Model, Property};
use wilco_protocol::decision::{Effect, Report};
use wilco_protocol::operation::{
    Answer, Choice, Decision, Event, Execute, Input, Outcome, Phase, Said, Say, State, Statement, StepEnd,
    apply, begin, born, decide, timers,
};
use wilco_protocol::{MessageId, Name, Time};

/// How much may happen.
struct Bounds {
    messages: u8,
    timeouts: u8,
    openings: Vec<Choices>,
}

/// An operation, and what those outside know of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Moment {
    state: State,
    now: Time,
    messages: u8,
    timeouts: u8,
    /// How often each agent was told how it ended.
    signal: BTreeMap<Name, u8>,
    /// Whether it was ever authorized, and whether anything ran before that.
    authorized: bool,
    ran_unauthorized: bool,
    /// Runs that nobody asked to repeat, by agent.
    runs: BTreeMap<Name, u8>,
    repeats: u8,
    running: Vec<(Name, u32)>,
    ended: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq)]
enum Act {
    Say { by: &'static str, what: Statement },
    Timeout,
    Ended { place: usize, well: bool },
    Interrupted { place: usize },
    Waits { place: usize },
    Begins { place: usize },
}

impl Model for Bounds {
    type State = Moment;
    type Action = Act;

    fn init_states(&self) -> Vec<Moment> {
        self.openings.iter().copied().map(Moment::first).collect()
    }

    fn actions(&self, moment: &Moment, acts: &mut Vec<Act>) {
        if moment.messages < self.messages {
            for by in AGENTS {
                for answer in [Answer::Ready, Answer::Wait, Answer::Refuse, Answer::Cancel] {
                    acts.push(Act::Say { by, what: Statement::Answer { answer } });
                }
            }
            acts.push(Act::Say { by: BOSS, what: Statement::Withdraw });
            acts.push(Act::Say { by: BOSS, what: Statement::Result { done: true, results: Vec::new() } });
            for option in ["proceed", "retry", "abort"] {
                let choice = Choice { option: option.to_owned(), escalation: None };
                acts.push(Act::Say { by: BOSS, what: Statement::Decide(choice) });
            }
        }
        if moment.timeouts < self.timeouts && !timers(&moment.state).is_empty() {
            acts.push(Act::Timeout);
        }
        for place in 0..moment.running.len() {
            acts.extend([true, false].map(|well| Act::Ended { place, well }));
            if moment.messages < self.messages {
                acts.extend([Act::Interrupted { place }, Act::Waits { place }, Act::Begins { place }]);
            }
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
                next.repeats +=
                    u8::from(matches!(&what, Statement::Decide(choice) if choice.option == "retry"));
                let message = MessageId::new(what.meaning().word());
                Input::Said(Said { by: by.into(), operator: false, message, to_notice: false, what })
            }
            Act::Ended { place, well } => {
                let (agent, run) = next.running.remove(place);
                let exit_code = Some(i32::from(!well));
                let end = StepEnd { exit_code, stdout: String::new(), stderr: String::new(), failure: None };
                Input::Report(Report::StepEnded { agent, run, end })
            }
            Act::Interrupted { place } => {
                next.messages += 1;
                next.repeats += u8::from(
                    next.state.policy.on_interrupted == wilco_protocol::operation::OnInterrupted::Retry,
                );
                let (agent, run) = next.running.remove(place);
                Input::Report(Report::StepInterrupted { agent, run })
            }
            Act::Waits { place } => {
                next.messages += 1;
                let (agent, run) = next.running[place].clone();
                Input::Report(Report::StepWaits { agent, run })
            }
            Act::Begins { place } => {
                let (agent, run) = next.running[place].clone();
                Input::Report(Report::StepBegins { agent, run })
            }
        };
        let decision = decide(&next.state, input, &world(), next.now).ok()?;
        let quiet = decision.events.is_empty();
        next.follow(decision);
        (!quiet).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("OP-7 nothing runs without authorization", |_, moment: &Moment| {
                !moment.ran_unauthorized
            }),
            Property::always("OP-11 every agent is told the result exactly once", |_, moment: &Moment| {
                let most_once = moment.signal.values().all(|times| *times <= 1);
                let silent = matches!(moment.state.phase, Phase::Ended { outcome: Outcome::Done })
                    && moment.state.execute == Execute::None;
                let everybody =
                    moment.state.tracks.iter().all(|track| moment.signal.contains_key(&track.agent));
                most_once && (moment.state.is_open() || silent || everybody)
            }),
            Property::always("OP-14 a step runs once unless somebody says retry", |_, moment: &Moment| {
                moment.runs.values().all(|runs| *runs <= 1 + moment.repeats)
            }),
            Property::always("G6 never stuck", |_, moment: &Moment| {
                never_stuck(&moment.state) && silence_leads_somewhere(&moment.state)
            }),
            Property::always("ended stays ended", |_, moment: &Moment| {
                moment.ended.is_none_or(|name| name == moment.state.name())
            }),
            Property::sometimes("done", |_, moment: &Moment| moment.state.name() == "done"),
            Property::sometimes("failed", |_, moment: &Moment| moment.state.name() == "failed"),
            Property::sometimes("cancelled", |_, moment: &Moment| moment.state.name() == "cancelled"),
            Property::sometimes("aborted", |_, moment: &Moment| moment.state.name() == "aborted"),
            Property::sometimes("escalated", |_, moment: &Moment| moment.state.escalation().is_some()),
            Property::sometimes("run twice", |_, moment: &Moment| moment.runs.values().any(|runs| *runs > 1)),
        ]
    }
}

impl Moment {
    fn first(choices: Choices) -> Moment {
        let decision = begin(choices.operate(), &world(), Time::ZERO).expect("an operation");
        let mut moment = Moment {
            state: born(&decision.events[0], Time::ZERO).expect("the first event"),
            now: Time::ZERO,
            messages: 0,
            timeouts: 0,
            signal: BTreeMap::new(),
            authorized: false,
            ran_unauthorized: false,
            runs: BTreeMap::new(),
            repeats: 0,
            running: Vec::new(),
            ended: None,
        };
        moment.follow(decision);
        moment
    }

    fn follow(&mut self, decision: Decision) {
        for event in &decision.events {
            apply(&mut self.state, event, self.now);
            self.authorized |= matches!(event, Event::Authorized { .. });
        }
        for spoken in decision.says {
            if matches!(spoken.say, Say::Performed { .. } | Say::Cancelled { .. } | Say::Aborted { .. })
                && spoken.to != *BOSS
            {
                *self.signal.entry(spoken.to).or_default() += 1;
            }
        }
        for effect in decision.effects {
            if let Effect::RunStep { agent, run, .. } = effect {
                self.ran_unauthorized |= !self.authorized;
                *self.runs.entry(agent.clone()).or_default() += 1;
                self.running.push((agent, run));
            }
        }
        if !self.state.is_open() && self.ended.is_none() {
            self.ended = Some(self.state.name());
        }
    }
}

fn world() -> World {
    World { down: false, seen: false }
}

const PLAIN: Choices = Choices {
    agents: 2,
    execute: 2,
    exclude: false,
    proceed: true,
    retry: false,
    majority: false,
    pre_notice: false,
    asks: true,
};

/// Looks at every state within these bounds and says how many there are.
fn check(bounds: Bounds) {
    let checker = bounds.checker().spawn_bfs().join();
    println!("{} states, {} of them different", checker.state_count(), checker.unique_state_count());
    checker.assert_properties();
}

#[test]
fn op_7_op_11_op_14_g6_every_interleaving() {
    let openings = vec![
        PLAIN,
        Choices { retry: true, exclude: true, ..PLAIN },
        Choices { proceed: false, majority: true, exclude: true, ..PLAIN },
        Choices { agents: 1, ..PLAIN },
        Choices { execute: 0, ..PLAIN },
        Choices { execute: 1, proceed: false, ..PLAIN },
        Choices { pre_notice: true, agents: 1, ..PLAIN },
        Choices { asks: false, ..PLAIN },
    ];
    check(Bounds { messages: 5, timeouts: 4, openings });
}

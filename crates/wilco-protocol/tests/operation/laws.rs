//! Laws of an operation, whatever is said to it and whenever: replay, wakes, ends, never stuck (G6), timers
//! that survive (G7).

use super::invariants::{AGENTS, BOSS, Choices, World, never_stuck, silence_leads_somewhere};
use proptest::prelude::*;
use wilco_protocol::decision::Report;
use wilco_protocol::exchange::Describe;
use wilco_protocol::journal::{Entry, Fact};
use wilco_protocol::operation::{
    Answer, Choice, Event, Input, OwnStep, Said, State, Statement, StepEnd, apply, begin, born, decide,
    timers,
};
use wilco_protocol::{Name, Span, Time, exchange};

#[derive(Debug, Clone)]
enum Step {
    Say(&'static str, Statement),
    /// Time passes, and what became due is done when somebody looks.
    Pass(u64),
    Report(usize, u8),
}

fn choices() -> impl Strategy<Value = Choices> {
    (1..=2usize, 0..3u8, any::<[bool; 6]>()).prop_map(
        |(agents, execute, [exclude, proceed, retry, majority, pre_notice, asks])| Choices {
            agents,
            execute,
            exclude,
            proceed,
            retry,
            majority,
            pre_notice,
            asks,
        },
    )
}

fn what() -> impl Strategy<Value = Statement> {
    let answer = prop_oneof![
        Just(Answer::Ready),
        Just(Answer::Wait),
        Just(Answer::Refuse),
        Just(Answer::Cancel),
        Just(Answer::Information)
    ];
    let own = prop_oneof![Just(OwnStep::Reminder), Just(OwnStep::Timeout), Just(OwnStep::Extension)];
    let option = prop_oneof![Just("proceed"), Just("retry"), Just("abort"), Just("nonsense")];
    prop_oneof![
        6 => answer.prop_map(|answer| Statement::Answer { answer }),
        1 => any::<bool>().prop_map(|done| Statement::Result { done, results: Vec::new() }),
        1 => Just(Statement::Withdraw),
        1 => own.prop_map(|step| Statement::Own { step, agents: vec![AGENTS[0].into()] }),
        1 => option.prop_map(|option| Statement::Decide(Choice { option: option.to_owned(), escalation: None })),
        1 => Just(Statement::Remark),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let who = prop_oneof![Just(BOSS), Just(AGENTS[0]), Just(AGENTS[1])];
    let step = prop_oneof![
        4 => (who, what()).prop_map(|(who, what)| Step::Say(who, what)),
        3 => (0..400u64).prop_map(Step::Pass),
        2 => (0..2usize, 0..5u8).prop_map(|(place, what)| Step::Report(place, what)),
    ];
    prop::collection::vec(step, 0..25)
}

struct Run {
    state: State,
    history: Vec<(Time, Event)>,
    now: Time,
    world: World,
}

impl Run {
    fn begin(choices: Choices, world: World) -> Run {
        let decision = begin(choices.operate(), &world, Time::ZERO).expect("an operation");
        let state = born(&decision.events[0], Time::ZERO).expect("the first event");
        let mut run = Run { state, history: Vec::new(), now: Time::ZERO, world };
        run.follow(decision.events);
        run
    }

    fn follow(&mut self, events: Vec<Event>) {
        for event in events {
            apply(&mut self.state, &event, self.now);
            self.history.push((self.now, through_the_journal(&self.state, self.now, &event)));
        }
        assert!(never_stuck(&self.state) && silence_leads_somewhere(&self.state), "{:?}", self.state);
        assert!(self.state.keys().is_sorted_by(|a, b| a < b));
    }

    fn decide(&mut self, input: Input) {
        let (open, name) = (self.state.is_open(), self.state.name());
        if let Ok(decision) = decide(&self.state, input, &self.world, self.now) {
            self.follow(decision.events);
        }
        assert!(open || self.state.name() == name, "an end is an end");
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Say(by, what) => {
                let said =
                    Said { by: by.into(), operator: false, message: "said".into(), to_notice: false, what };
                self.decide(Input::Said(said));
            }
            Step::Pass(seconds) => {
                self.spurious_wake();
                self.now = self.now.plus(Span::seconds(seconds));
                self.wake();
            }
            Step::Report(place, what) => {
                let Some(step) = self.state.steps.get(place) else { return };
                let (agent, run): (Name, u32) = (step.agent.clone(), step.runs);
                let end = StepEnd {
                    exit_code: Some(i32::from(what == 1)),
                    stdout: String::new(),
                    stderr: String::new(),
                    failure: None,
                };
                self.decide(Input::Report(match what {
                    2 => Report::StepInterrupted { agent, run },
                    3 => Report::StepWaits { agent, run },
                    4 => Report::StepBegins { agent, run },
                    _ => Report::StepEnded { agent, run, end },
                }));
            }
        }
    }

    /// Everything that is due, and no wake leaves its timer where it was.
    fn wake(&mut self) {
        const MOST_WAKES: usize = 64;
        for _ in 0..MOST_WAKES {
            let due = timers(&self.state).into_iter().filter(|timer| timer.due <= self.now).count();
            if due == 0 {
                return;
            }
            let before = self.state.clone();
            self.decide(Input::Wake);
            assert_ne!(before, self.state, "a wake that was due did nothing");
        }
        panic!("it is woken for ever: {:?}", self.state);
    }

    /// A wake before anything is due changes nothing.
    fn spurious_wake(&self) {
        if timers(&self.state).first().is_none_or(|timer| timer.due > self.now) {
            let decision = decide(&self.state, Input::Wake, &self.world, self.now).expect("a decision");
            assert!(decision.events.is_empty() && decision.says.is_empty() && decision.effects.is_empty());
        }
    }
}

/// As it stands in the journal and is read again.
fn through_the_journal(state: &State, at: Time, event: &Event) -> Event {
    let fact = Fact::Exchange(exchange::Event::Operation(event.clone()));
    let entry = Entry { exchange: Some(state.id), seq: Some(1), at, by: "wilco".into(), fact };
    let read = Entry::from_bytes(&entry.to_bytes()).expect("a readable entry");
    assert_eq!(read, entry);
    match read.fact {
        Fact::Exchange(exchange::Event::Operation(event)) => event,
        other => panic!("another fact came back: {other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]

    /// G6, G7: what `Run` asserts after every decision; and the state is the fold of its events.
    #[test]
    fn g6_g7_op_14_every_decision_is_sound_and_a_state_is_the_fold_of_its_events(
        choices in choices(), steps in steps(), down in any::<bool>(), seen in any::<bool>(),
    ) {
        let mut run = Run::begin(choices, World { down, seen });
        steps.into_iter().for_each(|step| run.step(step));
        let (at, first) = &run.history[0];
        let mut replayed = born(first, *at).expect("a first event");
        run.history.iter().for_each(|(at, event)| apply(&mut replayed, event, *at));
        prop_assert_eq!(&replayed, &run.state);
        let written = serde_json::to_string(&run.state).expect("a text");
        prop_assert_eq!(&serde_json::from_str::<State>(&written).expect("a state"), &run.state);
    }
}

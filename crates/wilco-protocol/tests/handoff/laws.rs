//! Laws of a handoff, whatever is said to it and whenever: replay, wakes, ends, reports that come twice, never
//! stuck (G6), timers that survive (G7).

use super::invariants::{
    Answer, Choices, Order, World, escalation_fits_the_phase, never_stuck, silence_leads_somewhere,
};
use proptest::prelude::*;
use wilco_protocol::delegation::{Judge, Verdict};
use wilco_protocol::exchange::Describe;
use wilco_protocol::handoff::{
    Choice, Decision, Effect, Event, Input, Said, State, Statement, apply, begin, born, decide, timers,
};
use wilco_protocol::journal::{Entry, Fact};
use wilco_protocol::{MessageId, Span, Time, exchange};

#[derive(Debug, Clone)]
enum Step {
    Say(&'static str, Statement),
    /// Time passes, and what became due is done when somebody looks.
    Pass(u64),
    /// The courier reports on one of its orders, in one of the ways there are, maybe twice.
    Report {
        order: usize,
        way: usize,
        twice: bool,
    },
}

fn choices() -> impl Strategy<Value = Choices> {
    let judges = vec![Judge::Auto, Judge::Initiator, Judge::Command, Judge::Accept, Judge::Objection];
    (any::<[bool; 4]>(), prop::sample::select(judges)).prop_map(
        |([direct, candidate, state_file, issues], judge)| Choices {
            direct,
            candidate,
            state_file,
            issues,
            judge,
        },
    )
}

fn what() -> impl Strategy<Value = Statement> {
    let verdicts = vec![Verdict::Correct, Verdict::WrongTask, Verdict::WrongSummary, Verdict::Partial];
    let options = vec!["provide_alternative_agent", "retry", "override", "abort", "nonsense"];
    let agents = vec![None, Some("carol"), Some("helper"), Some("worker"), Some("boss")];
    let decision = (
        prop::sample::select(options),
        prop::option::of(0..3u32),
        prop::sample::select(agents),
        any::<bool>(),
    )
        .prop_map(|(option, escalation, agent, note)| {
            Statement::Decide(Choice {
                option: option.to_owned(),
                escalation,
                agent: agent.map(Into::into),
                note,
            })
        });
    prop_oneof![
        8 => prop::sample::select(Answer::ALL.to_vec()).prop_map(Answer::what),
        2 => (any::<bool>(), prop::option::of(0..3u32))
            .prop_map(|(document, answered)| Statement::Clarify { document, answered }),
        2 => prop::sample::select(verdicts).prop_map(|verdict| Statement::Verdict { verdict }),
        3 => decision,
        1 => Just(Statement::UnclearVerdict),
        1 => Just(Statement::Override),
        1 => Just(Statement::OwnReminder),
        1 => Just(Statement::Remark),
    ]
}

/// Mostly by whom it may be said.
fn said() -> impl Strategy<Value = (&'static str, Statement)> {
    let anybody = vec!["boss", "helper", "carol", "worker", "ecos", "operator", "eve"];
    (what(), any::<bool>(), prop::sample::select(anybody), 0..6u8).prop_map(|(what, first, other, odd)| {
        let fitting = match what {
            Statement::Ack(_) | Statement::Malformed if first => "helper",
            Statement::Ack(_) | Statement::Malformed => "carol",
            Statement::Decide(_) if first => "ecos",
            _ => "boss",
        };
        (if odd == 0 { other } else { fitting }, what)
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let report = (0..4usize, 0..3usize, any::<bool>());
    let step = prop_oneof![
        5 => said().prop_map(|(who, what)| Step::Say(who, what)),
        2 => (0..1000u64).prop_map(Step::Pass),
        4 => report.prop_map(|(order, way, twice)| Step::Report { order, way, twice }),
    ];
    prop::collection::vec(step, 0..40)
}

struct Run {
    state: State,
    history: Vec<(Time, Event)>,
    orders: Vec<Order>,
    now: Time,
    world: World,
}

impl Run {
    fn begin(choices: Choices, world: World) -> Run {
        let decision = begin(choices.replace(), &world, Time::ZERO).expect("a handoff");
        let state = born(&decision.events[0], Time::ZERO).expect("the first event");
        let mut run = Run { state, history: Vec::new(), orders: Vec::new(), now: Time::ZERO, world };
        run.follow(decision);
        run
    }

    fn follow(&mut self, decision: Decision) {
        self.orders.extend(Order::of(&decision));
        for event in decision.events {
            apply(&mut self.state, &event, self.now);
            self.history.push((self.now, through_the_journal(&self.state, self.now, &event)));
        }
        let (state, orders) = (&self.state, &self.orders);
        assert!(never_stuck(state, orders) && silence_leads_somewhere(state, orders), "stuck: {state:?}");
        assert!(escalation_fits_the_phase(state), "{state:?}");
        assert!(state.keys().is_sorted_by(|a, b| a < b));
        assert_eq!(state.is_open(), state.confirmation.is_none(), "an end is confirmed");
        assert!(
            state.moved_at.is_none() || state.accepted_at.is_some(),
            "nothing moves before it is accepted"
        );
    }

    fn decide(&mut self, input: Input) {
        let before = self.state.clone();
        if let Ok(decision) = decide(&self.state, input, &self.world, self.now) {
            self.follow(decision);
        }
        if !before.is_open() {
            let late = State { audited: self.state.audited, updated: self.state.updated, ..before };
            assert_eq!(late, self.state, "an end is an end");
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Say(by, what) => {
                let message = MessageId::new(format!("m-{}", self.history.len()));
                let operator = by == "operator";
                self.decide(Input::Said(Said { by: by.into(), operator, message, to_notice: false, what }));
            }
            Step::Pass(seconds) => {
                self.spurious_wake();
                self.now = self.now.plus(Span::seconds(seconds));
                self.wake();
            }
            Step::Report { order, way, twice } => {
                if self.orders.is_empty() {
                    return;
                }
                let order = self.orders.remove(order % self.orders.len());
                let reports = order.reports(self.now);
                let report = reports[way % reports.len()].clone();
                self.decide(Input::Report(report.clone()));
                if twice {
                    let before = self.state.clone();
                    self.decide(Input::Report(report));
                    assert_eq!(before, self.state, "a report that came twice did something twice");
                }
            }
        }
    }

    /// Everything that is due, and no wake leaves its timer where it was.
    fn wake(&mut self) {
        const MOST_WAKES: usize = 64;
        for _ in 0..MOST_WAKES {
            if timers(&self.state).first().is_none_or(|timer| timer.due > self.now) {
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
            assert_eq!(decision, Decision::default());
        }
    }
}

/// As it stands in the journal and is read again.
fn through_the_journal(state: &State, at: Time, event: &Event) -> Event {
    let fact = Fact::Exchange(exchange::Event::Handoff(event.clone()));
    let entry = Entry { exchange: Some(state.id), seq: Some(1), at, by: "wilco".into(), fact };
    let read = Entry::from_bytes(&entry.to_bytes()).expect("a readable entry");
    assert_eq!(read, entry);
    match read.fact {
        Fact::Exchange(exchange::Event::Handoff(event)) => event,
        other => panic!("another fact came back: {other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]

    /// G6, G7: what `Run` asserts after every decision; and the state is the fold of its events.
    #[test]
    fn g6_g7_g8_ho_13_every_decision_is_sound_and_a_state_is_the_fold_of_its_events(
        choices in choices(), steps in steps(), down in any::<bool>(),
    ) {
        let mut run = Run::begin(choices, World { down });
        steps.into_iter().for_each(|step| run.step(step));
        let audits = run.orders.iter().filter(|order| **order == Order::Courier(Effect::AppendAudit)).count();
        prop_assert!(audits <= usize::from(!run.state.is_open()), "one entry in the audit, and at the end");
        let (at, first) = &run.history[0];
        let mut replayed = born(first, *at).expect("a first event");
        run.history.iter().for_each(|(at, event)| apply(&mut replayed, event, *at));
        prop_assert_eq!(&replayed, &run.state);
        let written = serde_json::to_string(&run.state).expect("a text");
        prop_assert_eq!(&serde_json::from_str::<State>(&written).expect("a state"), &run.state);
    }
}

//! Laws of a validation: whatever is said in whatever order, decisions are sound and the state is the fold of its
//! events.

use super::invariants::{World, never_stuck, planned, silence_leads_somewhere, validate};
use proptest::prelude::*;
use wilco_protocol::exchange::Describe;
use wilco_protocol::validation::{
    Choice, Event, Finding, Fingerprint, Input, Named, Said, Signal, State, Statement, Status, apply, begin,
    born, decide, timers,
};
use wilco_protocol::{MessageId, Time};

#[derive(Debug, Clone)]
enum Step {
    Say(&'static str, Statement),
    Wake,
    Unreached(&'static str),
}

fn named() -> impl Strategy<Value = Named> {
    prop_oneof![
        6 => Just(Named::Nothing),
        1 => (0..3usize, 1..4u32).prop_map(|(place, iteration)| Named::Round { phase: Some(place), iteration }),
        1 => (1..4u32).prop_map(|iteration| Named::Round { phase: None, iteration }),
        1 => Just(Named::Elsewhere),
    ]
}

fn what() -> impl Strategy<Value = Statement> {
    let finding = prop_oneof![2 => Just(Finding::Pass), 4 => Just(Finding::Fail), 1 => Just(Finding::Error)];
    let result = (named(), finding, "[ab]").prop_map(|(named, finding, failures)| Statement::Result {
        named,
        finding,
        failures: Fingerprint(failures),
    });
    let option = prop::sample::select(vec!["manual-fix", "skip", "abort", "extend", "extend", "begin"]);
    let decision = (option, prop::option::of(1..4u32), prop::option::of(0..3u32)).prop_map(
        |(option, escalation, iterations)| {
            Statement::Decide(Choice {
                option: option.to_owned(),
                escalation,
                iterations,
                ..Choice::default()
            })
        },
    );
    prop_oneof![
        6 => result,
        2 => named().prop_map(|named| Statement::Acknowledged { named }),
        5 => named().prop_map(|named| Statement::Fixed { named }),
        1 => named().prop_map(|named| Statement::CannotFix { named }),
        1 => named().prop_map(|named| Statement::Unreadable { named }),
        3 => decision,
        1 => Just(Statement::Remark),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let who = || prop::sample::select(vec!["alice", "bob", "cmd:docs", "main", "boss", "eve"]);
    prop_oneof![
        8 => (who(), what()).prop_map(|(by, what)| Step::Say(by, what)),
        2 => Just(Step::Wake),
        1 => who().prop_map(Step::Unreached),
    ]
}

/// What holds in every state.
fn sound(state: &State) {
    assert!(never_stuck(state) && silence_leads_somewhere(state), "stuck: {state:?}");
    assert!(state.keys().is_sorted_by(|a, b| a < b));
    for phase in &state.phases {
        assert!(phase.rounds.len() as u32 == phase.iteration, "a round for each iteration");
        assert_eq!(phase.status == Status::Pending, phase.iteration == 0);
        let runs = matches!(
            phase.status,
            Status::InProgress | Status::AwaitingFix | Status::Fixing | Status::ReChecking
        );
        assert_eq!(runs && state.is_open(), phase.awaited.is_some(), "{phase:?}");
        assert!(phase.status != Status::Fail, "FAIL is left in the same commit");
    }
}

proptest! {
    #[test]
    fn g6_g8_val_6_every_decision_is_sound_and_a_state_is_the_fold_of_its_events(
        together in any::<bool>(),
        steps in prop::collection::vec((step(), 0..4000u64), 1..60),
    ) {
        let phases = if together { "unit=alice+, lint=bob+, docs=cmd:docs" } else { "unit=alice, lint=bob, docs=cmd:docs" };
        let mut now = Time::ZERO;
        let decision = begin(validate(planned(phases)), &World, now).expect("a validation");
        let mut log: Vec<(Time, Event)> = decision.events.into_iter().map(|event| (now, event)).collect();
        let mut state = fold(&log);
        sound(&state);
        for (step, seconds) in steps {
            now = now.plus(wilco_protocol::Span::seconds(seconds));
            let input = match step {
                Step::Wake => Input::Wake,
                Step::Unreached(agent) => Input::Signal(Signal::Unreached { agent: agent.into() }),
                Step::Say(by, what) => {
                    let message = MessageId::new(format!("m-{}", log.len()));
                    Input::Said(Said { by: by.into(), operator: false, message, to_notice: false, what })
                }
            };
            let due = timers(&state).first().map(|timer| timer.due);
            let woken = matches!(input, Input::Wake) && due.is_some_and(|due| due <= now);
            let Ok(decision) = decide(&state, input, &World, now) else { continue };
            prop_assert!(!woken || !decision.events.is_empty(), "a wake that was due did nothing");
            for event in decision.events {
                apply(&mut state, &event, now);
                let written = serde_json::to_string(&event).expect("an event is written");
                log.push((now, serde_json::from_str(&written).expect("and read")));
            }
            sound(&state);
        }
        prop_assert_eq!(fold(&log), state);
    }
}

fn fold(log: &[(Time, Event)]) -> State {
    let (at, first) = &log[0];
    let mut state = born(first, *at).expect("the first event");
    log[1..].iter().for_each(|(at, event)| apply(&mut state, event, *at));
    state
}

//! Laws of a delegation, whatever is said to it and whenever: replay, wakes, ends, one assignee (G5), never
//! stuck (G6), timers that survive (G7). `run` looks at every decision on the way, this file at the whole.

mod run;

use proptest::prelude::*;
use wilco_protocol::delegation::{Event, State};
use wilco_protocol::journal::{Entry, Fact};
use wilco_protocol::{Time, exchange};

use run::{Run, replay};
use wilco_testkit::delegation::{Opening, Step, opening, steps};

fn ran(opening: Opening, steps: Vec<Step>) -> Option<Run> {
    let mut run = Run::begin(opening)?;
    steps.into_iter().for_each(|step| run.step(step));
    Some(run)
}

/// As it stands in the journal and is read again.
fn through_the_journal(state: &State, at: Time, event: &Event) -> Event {
    let fact = Fact::Exchange(exchange::Event::Delegation(event.clone()));
    let entry = Entry { exchange: Some(state.id), seq: Some(1), at, by: "wilco".into(), fact };
    let read = Entry::from_bytes(&entry.to_bytes()).expect("a readable entry");
    assert_eq!(read, entry);
    match read.fact {
        Fact::Exchange(exchange::Event::Delegation(event)) => event,
        other => panic!("another fact came back: {other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    /// G5, G6, G7: what `run` asserts after every single decision.
    #[test]
    fn g5_g6_g7_every_decision_is_sound(opening in opening(), steps in steps()) {
        ran(opening, steps);
    }

    #[test]
    fn a_state_is_the_fold_of_its_events(opening in opening(), steps in steps()) {
        if let Some(run) = ran(opening, steps) {
            prop_assert_eq!(replay(&run.history), run.state);
        }
    }

    #[test]
    fn events_and_states_survive_being_written_down(opening in opening(), steps in steps()) {
        if let Some(Run { state, history, .. }) = ran(opening, steps) {
            let read: Vec<_> =
                history.iter().map(|(at, event)| (*at, through_the_journal(&state, *at, event))).collect();
            prop_assert_eq!(&read, &history);
            prop_assert_eq!(&replay(&read), &state);
            let json = serde_json::to_string(&state).expect("a state as JSON");
            prop_assert_eq!(serde_json::from_str::<State>(&json).expect("a state from JSON"), state);
        }
    }
}

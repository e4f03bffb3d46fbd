//! What the laws and the model of validations look at: a small world, and what holds in every state.

use wilco_protocol::decision::Facts;
use wilco_protocol::validation::{Input, Planned, Policy, State, Validate, apply, decide, timers};
use wilco_protocol::{ExchangeId, MessageId, Protocol};

/// Nobody is anywhere else, and the server is always up.
pub(crate) struct World;

/// `unit=alice, lint=bob+`.
pub(crate) fn planned(text: &str) -> Vec<Planned> {
    let of = |one: &str| {
        let (name, specialist) = one.trim().split_once('=').expect("phase=specialist");
        let parallel = specialist.ends_with('+');
        let specialist = specialist.trim_end_matches('+').into();
        Planned { name: name.to_owned(), specialist, parallel, arguments: Vec::new() }
    };
    text.split(',').map(of).collect()
}

/// Two iterations at most, and the same failures twice are a deadlock.
pub(crate) fn validate(phases: Vec<Planned>) -> Validate {
    Validate {
        id: ExchangeId { protocol: Protocol::Validation, number: 1 },
        by: "boss".into(),
        message: MessageId::new("start"),
        issue: "42".to_owned(),
        feature: None,
        phases,
        main_agent: "main".into(),
        watchers: Vec::new(),
        policy: Policy { max_iterations: 2, deadlock_after: 3, ..Policy::default() },
    }
}

/// G6: an open exchange has a timer, an open escalation included.
pub(crate) fn never_stuck(state: &State) -> bool {
    !state.is_open() || !timers(state).is_empty()
}

/// G6 in full: left alone, every phase that runs comes to somebody's decision.
pub(crate) fn silence_leads_somewhere(state: &State) -> bool {
    const MOST_STEPS: usize = 40;
    let mut state = state.clone();
    for _ in 0..MOST_STEPS {
        let running = state.phases.iter().any(|phase| phase.awaited.is_some());
        if !state.is_open() || !running {
            return true;
        }
        let Some(timer) = timers(&state).first().copied() else { return false };
        let now = timer.due.max(state.updated);
        let Ok(decision) = decide(&state, Input::Wake, &World, now) else { return false };
        decision.events.iter().for_each(|event| apply(&mut state, event, now));
    }
    false
}

impl Facts for World {}

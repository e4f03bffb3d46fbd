//! Lets steps happen to one delegation and looks at every decision on the way.

use wilco_protocol::decision::Timer;
use wilco_protocol::delegation::{
    Assign, Decision, Event, Input, Say, State, apply, begin, born, decide, timers,
};
use wilco_protocol::{ExchangeId, Name, Protocol, Span, Time};

use crate::delegation::invariants;
use wilco_testkit::delegation::{Opening, Step, World};

/// More wakes than this without anybody speaking would be a loop.
const MOST_WAKES: usize = 1000;

pub(crate) struct Run {
    pub(crate) state: State,
    pub(crate) history: Vec<(Time, Event)>,
    world: World,
    now: Time,
}

impl Run {
    pub(crate) fn begin(opening: Opening) -> Option<Run> {
        let now = Time::ZERO;
        let world = World { down: None, away: opening.away };
        let assign = Assign {
            id: ExchangeId { protocol: Protocol::Delegation, number: 1 },
            by: "boss".into(),
            to: "worker".into(),
            message: "msg-0".into(),
            task_id: "GH-1".to_owned(),
            task_uuid: "u-1".to_owned(),
            title: "Task".to_owned(),
            sign: opening.sign,
            requires_ack: opening.requires_ack,
            supersede: false,
            candidates: opening.candidates,
            capabilities: opening.capabilities,
            policy: opening.policy,
        };
        let decision = begin(assign, &world, now).ok()?;
        let state = born(&decision.events[0], now).expect("the first event");
        let history = decision.events.into_iter().map(|event| (now, event)).collect();
        Some(Run { state, history, world, now })
    }

    pub(crate) fn step(&mut self, step: Step) {
        match step {
            Step::Say(mut said) => {
                if said.by == *"assignee" {
                    said.by = self.state.assignee.clone();
                }
                self.take(Input::Said(said));
            }
            Step::Signal(signal) => self.take(Input::Signal(signal)),
            Step::Report(report) => self.take(Input::Report(report)),
            Step::Wake => self.take(Input::Wake),
            Step::Wait(span) => self.wait(span),
            Step::Down(span) => {
                let until = self.now.plus(span);
                self.world.down = Some((self.now, until));
                self.now = until;
                self.wait(Span::ZERO);
            }
        }
    }

    fn wait(&mut self, span: Span) {
        let until = self.now.plus(span);
        for _ in 0..MOST_WAKES {
            let Some(due) = self.due().filter(|timer| timer.due <= until) else {
                self.now = until;
                return;
            };
            self.now = self.now.max(due.due);
            self.take(Input::Wake);
        }
        panic!("woken for ever at {}", self.now);
    }

    fn due(&self) -> Option<Timer> {
        timers(&self.state).first().copied()
    }

    fn take(&mut self, input: Input) {
        let (before, due, woken) = (self.state.clone(), self.due(), input == Input::Wake);
        let decided = decide(&self.state, input.clone(), &self.world, self.now);
        assert_eq!(decided, decide(&before, input, &self.world, self.now), "the same is decided twice");
        let decision = match decided {
            Ok(decision) => decision,
            Err(refusal) => return assert!(!woken, "a wake is never refused: {refusal:?}"),
        };
        for event in &decision.events {
            apply(&mut self.state, event, self.now);
            self.history.push((self.now, event.clone()));
        }
        if woken {
            self.wake_did_its_work(due, &decision);
        }
        self.ended_stays_ended(&before);
        self.one_assignee_is_told(&before, &decision);
        self.every_state_is_sound();
    }

    fn wake_did_its_work(&self, due: Option<Timer>, decision: &Decision) {
        match due.filter(|timer| timer.due <= self.now) {
            None => assert_eq!(*decision, Decision::default(), "nothing was due"),
            Some(timer) => {
                let left = timers(&self.state);
                assert!(!left.contains(&timer), "{timer:?} is neither gone nor later");
                assert!(!decision.events.is_empty(), "{timer:?} was due and nothing happened");
            }
        }
    }

    fn ended_stays_ended(&self, before: &State) {
        if !before.is_open() {
            assert_eq!(before.name(), self.state.name(), "an ended exchange went on");
        }
    }

    fn one_assignee_is_told(&self, before: &State, decision: &Decision) {
        let signal = |agent: &Name, test: fn(&Say) -> bool| {
            decision.says.iter().any(|spoken| spoken.to == *agent && test(&spoken.say))
        };
        for spoken in &decision.says {
            if let Say::Assignment { .. } | Say::AckRequest | Say::BeginNow = spoken.say {
                assert_eq!(spoken.to, self.state.assignee, "{spoken:?} to somebody else");
            }
        }
        if before.assignee != self.state.assignee {
            assert!(
                signal(&before.assignee, |say| matches!(say, Say::Cancel { .. })),
                "no cancel for the old agent"
            );
            assert!(signal(&self.state.assignee, |say| matches!(say, Say::Assignment { sole: true, .. })));
            assert!(self.state.former_assignees.contains(&before.assignee));
        }
    }

    fn every_state_is_sound(&self) {
        let state = &self.state;
        assert!(invariants::one_assignee(state), "G5: {state:?}");
        assert!(invariants::never_stuck(state), "G6: {state:?}");
        assert!(invariants::silence_leads_somewhere(state), "G6: {state:?}");
        assert!(invariants::escalation_fits_the_phase(state), "{state:?}");
        assert!(invariants::keys_are_sorted_and_unique(state), "{state:?}");
    }
}

/// The state that a history gives.
pub(crate) fn replay(history: &[(Time, Event)]) -> State {
    let ((at, first), rest) = history.split_first().expect("a history");
    let mut state = born(first, *at).expect("the first event");
    rest.iter().for_each(|(at, event)| apply(&mut state, event, *at));
    state
}

//! A small world around a validation: it folds events and wakes what is due, and no more.

use wilco_protocol::decision::{Effect, Facts};
use wilco_protocol::validation::{
    Choice, Decision, Event, Finding, Fingerprint, Input, Named, Planned, Policy, Said, Signal, State,
    Statement, Validate, apply, begin, born, decide, named, timers,
};
use wilco_protocol::{ExchangeId, MessageId, Name, Protocol, Time};

use super::output;
use crate::harness::{Harness, Timeline, arrow, state_line};

pub(crate) struct World {
    timeline: Timeline,
    phases: Vec<Planned>,
    watchers: Vec<Name>,
    /// Another loop of the initiator is about this issue.
    open: Option<String>,
    state: Option<State>,
}

impl Harness for World {
    fn set(scene: &[(String, String)]) -> World {
        World::new(scene)
    }

    /// Lets time pass: every wake at its own instant, or when the server is up again.
    fn run_until(&mut self, at: Time) -> String {
        assert!(self.timeline.now <= at, "time goes on");
        while let Some(due) = self.next_wake().filter(|due| self.timeline.served_at(*due) <= at) {
            self.timeline.now = self.timeline.served_at(due);
            let before = self.state.clone();
            self.decide(Input::Wake);
            assert_ne!(before, self.state, "a wake that was due did nothing");
        }
        self.timeline.now = at;
        self.timeline.take()
    }

    /// Plays one step.
    fn play(&mut self, _: Time, text: &str) -> String {
        match text.split_once(": ") {
            Some((who, rest)) => self.say(who, rest),
            None if text == "end" => {}
            None => match text.strip_suffix(" is not reached") {
                Some(agent) => self.decide(Input::Signal(Signal::Unreached { agent: agent.into() })),
                None => {
                    self.timeline.out +=
                        &output::shown(self.timeline.now, text, self.state.as_ref().expect("a validation"))
                }
            },
        }
        self.timeline.take()
    }
}

impl World {
    fn new(scene: &[(String, String)]) -> World {
        let mut world = World {
            timeline: Timeline::default(),
            phases: planned("unit=alice"),
            watchers: Vec::new(),
            open: None,
            state: None,
        };
        for (key, value) in scene {
            world.set(key, value);
        }
        world
    }

    fn set(&mut self, key: &str, value: &str) {
        match key {
            "phases" => self.phases = planned(value),
            "watchers" => self.watchers = value.split(' ').map(Name::new).collect(),
            "open" => self.open = Some(value.to_owned()),
            shared => self.timeline.set(shared, value),
        }
    }

    fn next_wake(&self) -> Option<Time> {
        self.state.as_ref().and_then(|state| timers(state).first().map(|timer| timer.due))
    }

    fn say(&mut self, who: &str, text: &str) {
        let message = self.timeline.next_message();
        if let Some(issue) = text.strip_prefix("validate ") {
            return self.begin(who, message, issue);
        }
        let state = self.state.as_ref().expect("a validation");
        let what = what(state, text);
        self.decide(Input::Said(Said {
            by: who.into(),
            operator: who == "operator",
            message,
            to_notice: false,
            what,
        }));
    }

    fn begin(&mut self, by: &str, message: MessageId, issue: &str) {
        let mut policy = Policy::default();
        policy.set_all(&self.timeline.policy).expect("a good policy");
        let validate = Validate {
            id: ExchangeId { protocol: Protocol::Validation, number: 1 },
            by: by.into(),
            message,
            issue: issue.to_owned(),
            feature: None,
            phases: self.phases.clone(),
            main_agent: "main".into(),
            watchers: self.watchers.clone(),
            policy,
        };
        match begin(validate, self, self.timeline.now) {
            Err(refusal) => self.timeline.out += &output::refused(self.timeline.now, &refusal),
            Ok(decision) => {
                self.state = decision.events.first().and_then(|event| born(event, self.timeline.now));
                self.carry_out(decision, "");
            }
        }
    }

    fn decide(&mut self, input: Input) {
        let state = self.state.clone().expect("a validation");
        let before = output::standing(&state);
        match decide(&state, input, self, self.timeline.now) {
            Err(refusal) => self.timeline.out += &output::refused(self.timeline.now, &refusal),
            Ok(decision) => {
                let length = self.timeline.out.len();
                self.carry_out(decision, &before);
                if self.timeline.out.len() == length {
                    self.timeline.out += &arrow(self.timeline.now, "nothing");
                }
            }
        }
    }

    fn carry_out(&mut self, decision: Decision, before: &str) {
        let state = self.state.as_mut().expect("a validation");
        for event in &decision.events {
            apply(state, event, self.timeline.now);
        }
        self.timeline.out += &output::decided(self.timeline.now, state, &decision);
        for event in &decision.events {
            if let Event::Recorded { incident } = event {
                self.timeline.out += &output::incident(self.timeline.now, incident);
            }
        }
        for effect in &decision.effects {
            if let Effect::RunCheck { phase, run, .. } = effect {
                self.timeline.out += &output::runs(self.timeline.now, &state.phases[*phase], *run);
            }
        }
        let standing = output::standing(state);
        if standing != before {
            self.timeline.out += &state_line(self.timeline.now, &standing);
        }
    }
}

/// `unit=alice, lint=bob+`.
fn planned(text: &str) -> Vec<Planned> {
    let of = |one: &str| {
        let (name, specialist) = one.trim().split_once('=').expect("phase=specialist");
        let parallel = specialist.ends_with('+');
        let specialist = specialist.trim_end_matches('+').into();
        Planned { name: name.to_owned(), specialist, parallel, arguments: Vec::new() }
    };
    text.split(',').filter(|one| !one.trim().is_empty()).map(of).collect()
}

/// `FAIL a b (VALRES-42-alice-1)`: the failures a and b, with this id.
fn what(state: &State, text: &str) -> Statement {
    let (text, id) = match text.split_once(" (") {
        Some((text, id)) => (text, Some(id.trim_end_matches(')'))),
        None => (text, None),
    };
    let named = id.map_or(Named::Nothing, |id| named(state, id));
    let (head, rest) = text.split_once(' ').unwrap_or((text, ""));
    let result =
        |finding, rest: &str| Statement::Result { named, finding, failures: Fingerprint(rest.to_owned()) };
    match head {
        "PASS" => result(Finding::Pass, ""),
        "FAIL" => result(Finding::Fail, rest),
        "ERROR" => result(Finding::Error, ""),
        "ack" => Statement::Acknowledged { named },
        "fixed" => Statement::Fixed { named },
        "cannot-fix" => Statement::CannotFix { named },
        "garbled" => Statement::Unreadable { named },
        "remark" => Statement::Remark,
        "courtesy" => Statement::Courtesy,
        "decide" => Statement::Decide(choice(rest)),
        unknown => panic!("nobody says {unknown}"),
    }
}

/// `extend phase=unit iterations=2 time=10m escalation=1`.
fn choice(text: &str) -> Choice {
    let mut words = text.split(' ');
    let mut choice = Choice { option: words.next().unwrap_or("").to_owned(), ..Choice::default() };
    for word in words {
        match word.split_once('=').expect("key=value") {
            ("phase", name) => choice.phase = Some(name.to_owned()),
            ("iterations", number) => choice.iterations = number.parse().ok(),
            ("time", span) => choice.time = span.parse().ok(),
            ("escalation", number) => choice.escalation = number.parse().ok(),
            (key, _) => panic!("a decision has no {key}"),
        }
    }
    choice
}

impl Facts for World {
    fn down_across(&self, due: Time) -> bool {
        self.timeline.down_across(due)
    }

    fn validation_of(&self, _: &Name, issue: &str) -> Option<ExchangeId> {
        let other = ExchangeId { protocol: Protocol::Validation, number: 7 };
        self.open.as_ref().filter(|open| *open == issue).map(|_| other)
    }
}

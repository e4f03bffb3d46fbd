//! A small world around an operation: it folds events and wakes what is due, and no more.

use wilco_protocol::decision::{Effect, Facts, Report, Stage};
use wilco_protocol::operation::{
    Answer, Choice, Command, Decision, Event, Execute, Input, Kind, Operate, OwnStep, Policy, Said, State,
    Statement, StepEnd, apply, begin, born, decide, timers,
};
use wilco_protocol::{ExchangeId, MessageId, Name, Protocol, Span, Time};

use super::output;
use crate::harness::{Harness, Timeline, arrow, state_line};

pub(crate) struct World {
    timeline: Timeline,
    kind: Option<Kind>,
    execute: Execute,
    unreached: Vec<Name>,
    unread: Vec<Name>,
    state: Option<State>,
    /// Steps that were ordered and not reported.
    running: Vec<(Name, u32)>,
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
            Some(("courier", rest)) => self.report(rest),
            Some((who, rest)) => self.say(who, rest),
            None if text == "end" => {}
            None => {
                self.timeline.out +=
                    &output::shown(self.timeline.now, text, self.state.as_ref().expect("an operation"))
            }
        }
        self.timeline.take()
    }
}

impl World {
    fn new(scene: &[(String, String)]) -> World {
        let mut world = World {
            timeline: Timeline::default(),
            kind: None,
            execute: Execute::Manual,
            unreached: Vec::new(),
            unread: Vec::new(),
            state: None,
            running: Vec::new(),
        };
        for (key, value) in scene {
            world.set(key, value);
        }
        world
    }

    fn set(&mut self, key: &str, value: &str) {
        let names = || value.split(' ').map(Name::new).collect();
        match key {
            "kind" => self.kind = Kind::ALL.into_iter().find(|kind| kind.word() == value),
            "execute" => self.execute = execute(value),
            "unreached" => self.unreached = names(),
            "unread" => self.unread = names(),
            shared => self.timeline.set(shared, value),
        }
    }

    fn next_wake(&self) -> Option<Time> {
        self.state.as_ref().and_then(|state| timers(state).first().map(|timer| timer.due))
    }

    fn report(&mut self, text: &str) {
        let (agent, what) = text.split_once(' ').expect("AGENT came to");
        let place = self.running.iter().position(|(name, _)| name.as_str() == agent);
        let place = place.expect("a step that runs");
        let (agent, run) = match what {
            "waits" | "begins" => self.running[place].clone(),
            _ => self.running.remove(place),
        };
        let end =
            |exit_code| StepEnd { exit_code, stdout: String::new(), stderr: String::new(), failure: None };
        self.decide(Input::Report(match what {
            "begins" => Report::StepBegins { agent, run },
            "waits" => Report::StepWaits { agent, run },
            "interrupted" => Report::StepInterrupted { agent, run },
            code => Report::StepEnded {
                agent,
                run,
                end: end(code.strip_prefix("exit ").and_then(|code| code.parse().ok())),
            },
        }));
    }

    fn say(&mut self, who: &str, text: &str) {
        let message = self.timeline.next_message();
        if text.starts_with("operate ") {
            return self.begin(who, message, text);
        }
        let said =
            Said { by: who.into(), operator: who == "operator", message, to_notice: false, what: what(text) };
        self.decide(Input::Said(said));
    }

    /// `operate restart on a b, notice only, foreseen, pre-notice 5m`.
    fn begin(&mut self, by: &str, message: MessageId, text: &str) {
        let mut parts = text.split(", ");
        let head = parts.next().and_then(|head| head.strip_prefix("operate ")?.split_once(" on "));
        let (operation, agents) = head.expect("operate WHAT on AGENTS");
        let more: Vec<_> = parts.collect();
        let to: Vec<Name> = agents.split(' ').map(Name::new).collect();
        let default = if to.len() > 1 { Kind::Coordinated } else { Kind::Disruptive };
        let kind = self.kind.unwrap_or(default);
        let mut policy = Policy::default();
        let preset = Policy::built_in().into_iter().find(|(name, _)| *name == kind.word());
        policy.set_all(&preset.expect("a preset").1).expect("a good preset");
        policy.set_all(&self.timeline.policy).expect("a good policy");
        let pre_notice = more.iter().find_map(|part| part.strip_prefix("pre-notice "));
        let operate = Operate {
            id: ExchangeId { protocol: Protocol::Operation, number: 1 },
            by: by.into(),
            broadcast_id: (to.len() > 1).then(|| "broadcast-1".to_owned()),
            to,
            message,
            operation: operation.to_owned(),
            kind,
            requires_acknowledgment: !more.contains(&"notice only"),
            silence_foreseen: more.contains(&"foreseen"),
            pre_notice: pre_notice.map(|span| span.parse().expect("a duration")),
            policy,
            execute: self.execute.clone(),
        };
        match begin(operate, self, self.timeline.now) {
            Err(refusal) => self.timeline.out += &output::refused(self.timeline.now, &refusal),
            Ok(decision) => {
                self.state = decision.events.first().and_then(|event| born(event, self.timeline.now));
                self.carry_out(decision, "");
            }
        }
    }

    fn decide(&mut self, input: Input) {
        let state = self.state.clone().expect("an operation");
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
        let state = self.state.as_mut().expect("an operation");
        for event in &decision.events {
            apply(state, event, self.timeline.now);
        }
        self.timeline.out += &output::decided(self.timeline.now, &decision);
        for event in &decision.events {
            if let Event::Recorded { incident } = event {
                self.timeline.out += &output::incident(self.timeline.now, incident);
            }
        }
        for effect in &decision.effects {
            if let Effect::RunStep { agent, run, .. } = effect {
                self.running.push((agent.clone(), *run));
            }
        }
        let standing = output::standing(state);
        if standing != before {
            self.timeline.out += &state_line(self.timeline.now, &standing);
        }
    }
}

/// `command`, `command, 2 at a time, keep going`.
fn execute(text: &str) -> Execute {
    let parts: Vec<_> = text.split(", ").collect();
    match parts[0] {
        "manual" => Execute::Manual,
        "none" => Execute::None,
        _ => Execute::Command(Command {
            argv: vec!["restart-agent".to_owned()],
            max_parallel: if parts.contains(&"2 at a time") { 2 } else { 1 },
            time_limit: Span::minutes(10),
            keep_going: parts.contains(&"keep going"),
        }),
    }
}

fn what(text: &str) -> Statement {
    let answer = |answer| Statement::Answer { answer };
    let (head, rest) = text.split_once(' ').unwrap_or((text, ""));
    let agents = || rest.split(' ').map(Name::new).collect();
    match head {
        "ok" => answer(Answer::Ready),
        "wait" => answer(Answer::Wait),
        "no" => answer(Answer::Refuse),
        "cancel" => answer(Answer::Cancel),
        "talk" => answer(Answer::Information),
        "result" => {
            let mut words = rest.split(", ");
            let done = words.next() == Some("done");
            let of = |one: &str| {
                let (agent, status) = one.split_once(' ').expect("AGENT done");
                (Name::new(agent), status == "done")
            };
            Statement::Result { done, results: words.map(of).collect() }
        }
        "withdraw" => Statement::Withdraw,
        "remind" => Statement::Own { step: OwnStep::Reminder, agents: agents() },
        "timeout" => Statement::Own { step: OwnStep::Timeout, agents: agents() },
        "extend" => Statement::Own { step: OwnStep::Extension, agents: agents() },
        "decide" => {
            let (option, number) = rest.split_once(' ').unwrap_or((rest, ""));
            Statement::Decide(Choice { option: option.to_owned(), escalation: number.parse().ok() })
        }
        "remark" => Statement::Remark,
        unknown => panic!("nobody says {unknown}"),
    }
}

impl Facts for World {
    fn down_across(&self, due: Time) -> bool {
        self.timeline.down_across(due)
    }

    fn delivery(&self, _: ExchangeId, agent: &Name) -> Stage {
        if self.unread.contains(agent) { Stage::Stored } else { Stage::Read }
    }

    fn unreached(&self, _: ExchangeId, agent: &Name, _: Time) -> bool {
        self.unreached.contains(agent)
    }
}

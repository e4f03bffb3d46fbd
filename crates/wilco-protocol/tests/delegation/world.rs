//! A small world around the protocol: exchanges, a directory, a clock that somebody moves.
//!
//! It does what the engine does with a decision and no more: folds events, passes tells on, and at each
//! instant wakes whatever is due, the earliest first, before anybody speaks.

use wilco_protocol::decision::{Effect, Facts, Report, Stage, Tell};
use wilco_protocol::delegation::{self, Event, Input, Policy, Said, Signal, State, born, timers};
use wilco_protocol::directory::{self, Directory};
use wilco_protocol::exchange;
use wilco_protocol::judgement::{JudgeRecord, JudgeWord};
use wilco_protocol::{ExchangeId, MessageId, Name, Protocol, Span, Time};

use super::output;
use super::scene::{self, Scene};
use super::speech::{Words, assign, what, word};
use crate::harness::{Harness, clock, state_line};

/// How often an open escalation is told again, as by default.
const REMINDER: Span = Span::minutes(30);

pub(crate) struct World {
    exchanges: Vec<State>,
    directory: Directory,
    policy: Policy,
    delivery: Stage,
    /// When the server was down: from, until.
    down: Vec<(Time, Time)>,
    messages: u32,
    /// What the judge command was asked last.
    judging: Option<(ExchangeId, MessageId)>,
    now: Time,
    out: String,
}

impl Harness for World {
    fn set(scene: &[(String, String)]) -> World {
        World::new(scene::set(scene))
    }

    /// Lets time pass: every wake at its own instant, or when the server is up again.
    fn run_until(&mut self, at: Time) -> String {
        assert!(self.now <= at, "time goes on: {} after {}", clock(at), clock(self.now));
        while let Some((due, number)) = self.next_wake().filter(|(due, _)| self.served_at(*due) <= at) {
            self.now = self.now.max(self.served_at(due));
            let woken = self.exchanges[number].clone();
            self.decide(number, Input::Wake);
            assert_ne!(woken, self.exchanges[number], "a wake that was due did nothing");
        }
        self.now = at;
        std::mem::take(&mut self.out)
    }

    /// Plays one step.
    fn play(&mut self, at: Time, text: &str) -> String {
        assert!(self.outage(at).is_none(), "the server is down at {}", clock(at));
        match text.split_once(": ") {
            Some(("server", rest)) => self.server(rest),
            Some(("judge", rest)) => self.judge(rest),
            Some((who, rest)) => self.say(who, rest),
            None => self.look(text),
        }
        std::mem::take(&mut self.out)
    }
}

impl World {
    fn new(scene: Scene) -> World {
        World {
            exchanges: Vec::new(),
            directory: scene.directory,
            policy: scene.policy,
            delivery: scene.delivery,
            down: Vec::new(),
            messages: 0,
            judging: None,
            now: Time::ZERO,
            out: String::new(),
        }
    }

    fn next_wake(&self) -> Option<(Time, usize)> {
        let due = |state: &State| timers(state).first().map(|timer| timer.due);
        self.exchanges.iter().enumerate().filter_map(|(number, state)| Some((due(state)?, number))).min()
    }

    fn served_at(&self, due: Time) -> Time {
        self.outage(due).map_or(due, |(_, until)| until)
    }

    fn outage(&self, due: Time) -> Option<(Time, Time)> {
        self.down.iter().copied().find(|(from, until)| *from < due && due < *until)
    }

    fn server(&mut self, text: &str) {
        let until = text.strip_prefix("down until ").expect("down until TIME").parse::<Span>();
        self.down.push((self.now, Time::ZERO.plus(until.expect("a duration"))));
    }

    fn judge(&mut self, text: &str) {
        let (id, ack) = self.judging.clone().expect("nothing is to be judged");
        let report = match text {
            "fails" => Report::JudgeFailed { ack, reason: "exit code 1".to_owned() },
            "unsure" => Report::JudgeDeferred {
                ack,
                judge: Box::new(unsure()),
                why: Some("it is not sure: it may mean the other page".to_owned()),
            },
            verdict => {
                let verdict = word(verdict);
                Report::Judged { ack, verdict, correction: None, missing: Vec::new(), judge: None }
            }
        };
        self.decide(self.number(id), Input::Report(report));
    }

    fn look(&mut self, text: &str) {
        if let Some(what) = text.strip_prefix("show ") {
            let words = Words::of(what);
            let state = &self.exchanges[self.addressed(&words)];
            self.out += &output::shown(self.now, words.head, state);
        } else {
            assert_eq!(text, "end", "a step is `who: what`, `show what` or `end`");
        }
    }

    fn say(&mut self, who: &str, text: &str) {
        let by = Name::new(who);
        self.alive(&by);
        if text == "heartbeat" {
            return;
        }
        let words = Words::of(text);
        self.messages += 1;
        let message = MessageId::new(format!("msg-{}", self.messages));
        if text.starts_with("assign ") && text != "assign again" {
            return self.begin(who, message, &words);
        }
        let said = Said {
            by,
            operator: who == "operator",
            message,
            to_notice: words.has("to a notice"),
            what: what(&words),
        };
        self.decide(self.addressed(&words), Input::Said(said));
    }

    /// Whoever speaks is active again.
    fn alive(&mut self, agent: &Name) {
        let input = directory::Input::SignOfLife { agent: agent.clone() };
        if self.change_directory(input) {
            let works = |state: &State| state.is_open() && state.assignee == *agent;
            let open: Vec<_> = (0..self.exchanges.len()).filter(|n| works(&self.exchanges[*n])).collect();
            for number in open {
                self.decide(number, Input::Signal(Signal::AgentReturned { agent: agent.clone() }));
            }
        }
    }

    fn change_directory(&mut self, input: directory::Input) -> bool {
        let Some(event) = directory::decide(&self.directory, input, self.now) else { return false };
        directory::apply(&mut self.directory, &event);
        self.out += &output::directory(self.now, &event);
        true
    }

    fn begin(&mut self, by: &str, message: MessageId, words: &Words<'_>) {
        let number = self.exchanges.len();
        let id = ExchangeId { protocol: Protocol::Delegation, number: number as u64 + 1 };
        let assign = assign(id, by, message, words, &self.policy);
        match delegation::begin(assign, self, self.now) {
            Err(refusal) => self.out += &output::refused(self.now, &refusal),
            Ok(decision) => {
                let first = decision.events.first().and_then(|event| born(event, self.now));
                self.exchanges.push(first.expect("a first event"));
                self.carry_out(number, decision, "");
            }
        }
    }

    fn decide(&mut self, number: usize, input: Input) {
        let before = output::standing(&self.exchanges[number]);
        let quiet = matches!(input, Input::Wake | Input::Signal(_));
        match delegation::decide(&self.exchanges[number], input, self, self.now) {
            Err(refusal) => self.out += &output::refused(self.now, &refusal),
            Ok(decision) => {
                let (length, recorded) = (self.out.len(), !decision.events.is_empty());
                for event in &decision.events {
                    delegation::apply(&mut self.exchanges[number], event, self.now);
                }
                self.carry_out(number, decision, &before);
                if self.out.len() == length && !quiet {
                    self.out += &output::nothing(self.now, recorded);
                }
            }
        }
    }

    /// Says, does and passes on what was decided, then shows where the exchange stands.
    fn carry_out(&mut self, number: usize, decision: delegation::Decision, before: &str) {
        let id = self.exchanges[number].id;
        self.out += &output::decided(self.now, id, &decision);
        for event in &decision.events {
            if let Event::Recorded { incident } = event {
                self.out += &output::incident(self.now, incident);
            }
        }
        for effect in &decision.effects {
            if let Effect::Judge { exchange, ack } = effect {
                self.judging = Some((*exchange, ack.clone()));
            }
        }
        let standing = output::standing(&self.exchanges[number]);
        if standing != before {
            self.out += &state_line(self.now, &standing);
        }
        for tell in decision.tells {
            match tell {
                Tell::Directory(input) => _ = self.change_directory(input),
                Tell::Exchange(other, exchange::Signal::Delegation(signal)) => {
                    self.decide(self.number(other), Input::Signal(signal));
                }
                Tell::Exchange(_, exchange::Signal::Validation(_)) => panic!("no delegation tells that"),
            }
        }
    }

    /// The exchange that a line speaks of: `in del-2`, else the first.
    fn addressed(&self, words: &Words<'_>) -> usize {
        words.after("in").map_or(0, |id| self.number(id.parse().expect("an exchange id")))
    }

    fn number(&self, id: ExchangeId) -> usize {
        self.exchanges.iter().position(|state| state.id == id).expect("an exchange")
    }

    fn open(&self) -> impl Iterator<Item = &State> {
        self.exchanges.iter().filter(|state| state.is_open())
    }
}

impl Facts for World {
    fn down_across(&self, due: Time) -> bool {
        self.outage(due).is_some()
    }

    fn can_take(&self, agent: &Name) -> bool {
        self.directory.get(agent).is_some_and(|agent| agent.mark.is_none())
    }

    fn is_registered(&self, agent: &Name) -> bool {
        self.directory.get(agent).is_some()
    }

    fn able(&self, capabilities: &[String]) -> Vec<Name> {
        let free = |agent: &Name| !self.open().any(|state| state.assignee == *agent);
        let able = self.directory.iter().filter(|agent| {
            let has = |capability| agent.profile.capabilities.contains(capability);
            agent.mark.is_none() && capabilities.iter().all(has) && free(&agent.name)
        });
        able.map(|agent| agent.name.clone()).collect()
    }

    fn open_tasks(&self, agent: &Name) -> Vec<(ExchangeId, String)> {
        let of_agent = self.open().filter(|state| state.assignee == *agent);
        of_agent.map(|state| (state.id, state.task_id.clone())).collect()
    }

    fn task_of(&self, initiator: &Name, task_id: &str) -> Option<ExchangeId> {
        self.open()
            .find(|state| state.initiator == *initiator && state.task_id.eq_ignore_ascii_case(task_id))
            .map(|state| state.id)
    }

    fn task_of_others(&self, initiator: &Name, task_id: &str) -> Vec<(ExchangeId, Name)> {
        self.open()
            .filter(|state| state.initiator != *initiator && state.task_id.eq_ignore_ascii_case(task_id))
            .map(|state| (state.id, state.initiator.clone()))
            .collect()
    }

    fn task_with_uuid(&self, task_uuid: &str) -> Option<ExchangeId> {
        self.open().find(|state| state.task_uuid == task_uuid).map(|state| state.id)
    }

    fn delivery(&self, _: ExchangeId, _: &Name) -> Stage {
        self.delivery
    }

    fn escalation_reminder(&self) -> Span {
        REMINDER
    }
}

fn unsure() -> JudgeRecord {
    JudgeRecord {
        provider: "openai".to_owned(),
        prompt: Some(1),
        model: Some("small".to_owned()),
        verdict: JudgeWord::Unsure,
        covered: Vec::new(),
        missing: Vec::new(),
        added: Vec::new(),
        reason: "it may mean the other page".to_owned(),
        took_ms: 900,
        tokens: None,
        shadow: false,
    }
}

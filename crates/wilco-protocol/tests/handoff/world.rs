//! A small world around a handoff: it folds events and wakes what is due, and no more.

use serde_json::Value;
use wilco_protocol::decision::{Facts, Report as Came};
use wilco_protocol::delegation::{Ruling, Scored, Understanding, Verdict};
use wilco_protocol::directory::Mark;
use wilco_protocol::handoff::{
    Ack, AckStatus, Choice, Decision, Delegated, Effect, Event, Input, IssueUpdate, Named, Party, Policy,
    Publish, Published, Replace, Report, Requested, Said, StartingFrom, State, Statement, Task, TaskUpdate,
    Updated, Urgency, apply, begin, born, decide, timers,
};
use wilco_protocol::{ExchangeId, MessageId, Name, Protocol, Time};

use super::output;
use crate::harness::{Harness, Timeline, arrow, state_line};

pub(crate) struct World {
    timeline: Timeline,
    urgency: Urgency,
    candidates: Vec<Name>,
    tasks: Vec<Task>,
    starting_from: Option<StartingFrom>,
    state_file: bool,
    issues: Vec<u64>,
    away: Vec<Name>,
    others: Vec<ExchangeId>,
    unknown: bool,
    /// Delegations that ended meanwhile.
    ended: Vec<ExchangeId>,
    strangers: Vec<Name>,
    keeps_failed: bool,
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
            Some(("courier", rest)) => self.report(rest),
            Some((task, "cancelled")) => self.ended.push(task.parse().expect("an exchange")),
            Some((who, rest)) => self.say(who, rest),
            None if text == "end" => {}
            None => {
                self.timeline.out +=
                    &output::shown(self.timeline.now, text, self.state.as_ref().expect("a handoff"))
            }
        }
        self.timeline.take()
    }
}

impl World {
    fn new(scene: &[(String, String)]) -> World {
        let mut world = World {
            timeline: Timeline::default(),
            urgency: Urgency::Immediate,
            candidates: Vec::new(),
            tasks: Vec::new(),
            starting_from: None,
            state_file: false,
            issues: Vec::new(),
            away: Vec::new(),
            others: Vec::new(),
            unknown: false,
            ended: Vec::new(),
            strangers: Vec::new(),
            keeps_failed: false,
            state: None,
        };
        for (key, value) in scene {
            world.set(key, value);
        }
        world
    }

    fn set(&mut self, key: &str, value: &str) {
        let names = || value.split(' ').map(Name::new).collect();
        match key {
            "urgency" => {
                self.urgency = Urgency::ALL.into_iter().find(|one| one.word() == value).expect("an urgency");
            }
            "candidates" => self.candidates = names(),
            "task" => {
                let mut words = value.split(' ');
                let (uuid, exchange, by) = (words.next().unwrap_or(""), words.next(), words.nth(1));
                let delegated = |id: &str| Delegated {
                    exchange: id.parse().expect("an exchange"),
                    task_id: uuid.replace("uuid", "task"),
                    initiator: by.map(Name::new),
                    messages: Vec::new(),
                };
                self.tasks.push(Task {
                    task: uuid.to_owned(),
                    delegation: exchange.map(delegated),
                    failure: None,
                });
            }
            "starting from" => {
                let number = value.rsplit_once('-').and_then(|(_, number)| number.parse().ok());
                self.starting_from = Some(StartingFrom { name: value.to_owned(), number });
            }
            "state file" => self.state_file = value == "yes",
            "issues" => self.issues = value.split(' ').map(|one| one.parse().expect("a number")).collect(),
            "away" => self.away = names(),
            "not registered" => self.strangers = names(),
            "others" => self.others = value.split(' ').map(|id| id.parse().expect("an exchange")).collect(),
            "failed stays" => self.keeps_failed = value == "yes",
            "nothing known" => self.unknown = value == "yes",
            shared => self.timeline.set(shared, value),
        }
    }

    fn next_wake(&self) -> Option<Time> {
        self.state.as_ref().and_then(|state| timers(state).first().map(|timer| timer.due))
    }

    /// `published`, `not published`, `file moved uuid-1, foreign uuid-2`, `file failed`, `issues 42 ok, 43 failed`, `audited`.
    fn report(&mut self, text: &str) {
        let number = self.state.as_ref().map_or(1, |state| state.documents);
        let (head, rest) = text.split_once(' ').unwrap_or((text, ""));
        let report = match (head, rest) {
            ("published", _) => {
                let url = format!("http://127.0.0.1/{number}");
                let published_as = Publish::Local;
                let published =
                    Published { url, bytes: 10, published_as, failures: Vec::new(), at: self.timeline.now };
                let name = self.state.as_ref().map(|state| state.document_name.clone()).unwrap_or_default();
                Report::DocumentPublished { number, name, published }
            }
            ("not", _) => Effect::PublishDocument { number }.failed("the disk is full".to_owned()),
            ("file", "failed") => Report::StateFileFailed { reason: "line 3: a tab".to_owned() },
            ("file", rest) => Report::StateFileUpdated { tasks: rest.split(", ").map(task).collect() },
            ("issues", rest) => {
                Report::IssuesUpdated { issues: rest.split(", ").map(issue).collect(), pulls: Vec::new() }
            }
            ("audited", _) => Report::AuditAppended,
            (unknown, _) => panic!("the courier does not report {unknown}"),
        };
        self.decide(Input::Report(Came::Handoff(report)));
    }

    fn say(&mut self, who: &str, text: &str) {
        let message = self.timeline.next_message();
        if text.starts_with("replace ") || text.starts_with("hand over ") {
            return self.begin(who, message, text);
        }
        let what = self.what(text);
        let said = Said { by: who.into(), operator: who == "operator", message, to_notice: false, what };
        self.decide(Input::Said(said));
    }

    /// `replace worker by helper`, `hand over from worker to helper`.
    fn begin(&mut self, by: &str, opening: MessageId, text: &str) {
        let direct = text.starts_with("hand over");
        let (failed, new) = match direct {
            true => text.strip_prefix("hand over from ").and_then(|rest| rest.split_once(" to ")),
            false => text.strip_prefix("replace ").and_then(|rest| rest.split_once(" by ")),
        }
        .expect("who by whom");
        let mut policy = Policy::default();
        policy.set_all(&self.timeline.policy).expect("a good policy");
        let party = |id: &str| Party { id: id.to_owned(), session: format!("{id}-session"), github: None };
        let first = Requested {
            id: ExchangeId { protocol: Protocol::Handoff, number: 1 },
            initiator: by.into(),
            controller: "ecos".into(),
            operators: "operator".into(),
            opening,
            given_url: direct.then(|| "https://example.test/42".to_owned()),
            own_document: false,
            notification_id: "n-1".to_owned(),
            failed: Some(party(failed)),
            urgency: self.urgency,
            policy,
            tasks: self.tasks.clone(),
            issues: self.issues.clone(),
            pulls: Vec::new(),
            candidates: self.candidates.clone(),
            starting_from: self.starting_from.clone(),
            progress: None,
            state_file: self.state_file,
            github: !self.issues.is_empty(),
            keeps_failed: self.keeps_failed,
            handoff_id: "h-1".to_owned(),
            replacement: party(new),
        };
        match begin(Replace { first, deliver: false }, self, self.timeline.now) {
            Err(refusal) => self.timeline.out += &output::refused(self.timeline.now, &refusal),
            Ok(decision) => {
                self.state = decision.events.first().and_then(|event| born(event, self.timeline.now));
                self.carry_out(decision, "");
            }
        }
    }

    fn decide(&mut self, input: Input) {
        let state = self.state.clone().expect("a handoff");
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
        let state = self.state.as_mut().expect("a handoff");
        for event in &decision.events {
            apply(state, event, self.timeline.now);
        }
        self.timeline.out += &output::decided(self.timeline.now, &decision);
        for event in &decision.events {
            if let Event::Recorded { incident } = event {
                self.timeline.out += &output::incident(self.timeline.now, incident);
            }
        }
        let standing = output::standing(state);
        if standing != before {
            self.timeline.out += &state_line(self.timeline.now, &standing);
        }
    }

    /// `ack`, `ack wrong id`, `ack unsure`, `ack empty`, `ack blank`, `ack elsewhere`, `ack 2 questions`, `ack environment`,
    /// `ack rejected`, `talk`, `clarify`, `clarify with a document`, `verdict correct`, `override`, `remind`,
    /// `decide retry`, `decide provide_alternative_agent carol`, `decide override because`.
    fn what(&self, text: &str) -> Statement {
        let (head, rest) = text.split_once(' ').unwrap_or((text, ""));
        match head {
            "ack" => Statement::Ack(self.ack(rest)),
            "talk" => Statement::Malformed,
            "clarify" => {
                let answered = rest.split(' ').find_map(|word| word.parse().ok());
                Statement::Clarify { document: rest.contains("document"), answered }
            }
            "verdict" => {
                Statement::Verdict { verdict: serde_json::from_value(Value::from(rest)).expect("a verdict") }
            }
            "override" => Statement::Override,
            "remind" => Statement::OwnReminder,
            "remark" => Statement::Remark,
            "decide" => {
                let mut words = rest.split(' ');
                let option = words.next().unwrap_or("").to_owned();
                let more = words.next();
                let agent = more.filter(|_| option.starts_with("provide")).map(Name::new);
                Statement::Decide(Choice { note: more.is_some(), option, escalation: None, agent })
            }
            unknown => panic!("nobody says {unknown}"),
        }
    }

    fn ack(&self, text: &str) -> Ack {
        let ruling = match text {
            "unsure" => Ruling::Unsure,
            "empty" => Ruling::Empty,
            "blank" => Ruling::Blank,
            _ => Ruling::Correct,
        };
        let questions = text.strip_suffix(" questions").and_then(|count| count.parse().ok()).unwrap_or(0);
        let status = match text {
            "environment" => AckStatus::EnvironmentIssue,
            "rejected" => AckStatus::Rejected,
            _ if questions > 0 => AckStatus::NeedsClarification,
            _ => AckStatus::ReadyToProceed,
        };
        let understanding = Understanding {
            score: if ruling == Ruling::Correct { 900 } else { 300 },
            verdict: None::<Verdict>,
            covered: Vec::new(),
            missing: Vec::new(),
            judged_by: None,
            said_missing: Vec::new(),
            by: None,
        };
        Ack {
            status,
            named: if text == "wrong id" { Named::Other } else { Named::This },
            scored: (!self.unknown).then_some(Scored { understanding, ruling }),
            states_understanding: ruling != Ruling::Blank,
            starting_from_matches: text != "elsewhere" || self.starting_from.is_none(),
            questions,
        }
    }
}

fn task(text: &str) -> TaskUpdate {
    let (word, task) = text.split_once(' ').expect("moved TASK");
    let updated = match word {
        "moved" => Updated::Moved,
        "absent" => Updated::Absent,
        _ => Updated::Foreign { agent: "mallory".to_owned() },
    };
    TaskUpdate { task: task.to_owned(), updated, issue: None, progress: Some(60) }
}

fn issue(text: &str) -> IssueUpdate {
    let (number, how) = text.split_once(' ').expect("NUMBER ok");
    let ok = how == "ok";
    IssueUpdate {
        number: number.parse().expect("a number"),
        assignee_changed: ok,
        labels_changed: ok,
        comment: ok.then(|| "#issuecomment-1".to_owned()),
        failure: (!ok).then(|| "rate limit".to_owned()),
    }
}

impl Facts for World {
    fn down_across(&self, due: Time) -> bool {
        self.timeline.down_across(due)
    }

    fn can_take(&self, agent: &Name) -> bool {
        self.is_registered(agent) && !self.away.contains(agent)
    }

    fn is_registered(&self, agent: &Name) -> bool {
        let known = ["boss", "worker", "helper", "carol", "dora", "ecos"].contains(&agent.as_str());
        known && !self.strangers.contains(agent)
    }

    fn mark(&self, agent: &Name) -> Option<Mark> {
        self.away.contains(agent).then_some(Mark::Inactive)
    }

    fn has_ended(&self, exchange: ExchangeId) -> bool {
        self.ended.contains(&exchange)
    }

    fn open_tasks(&self, _: &Name) -> Vec<(ExchangeId, String)> {
        let own = self.tasks.iter().filter_map(|task| task.delegation.as_ref()).map(|one| one.exchange);
        own.chain(self.others.iter().copied()).map(|id| (id, id.to_string())).collect()
    }

    fn handed_over(&self, task: &str) -> Option<ExchangeId> {
        (task == "taken").then_some(ExchangeId { protocol: Protocol::Handoff, number: 7 })
    }
}

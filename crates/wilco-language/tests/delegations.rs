//! Delegations at random, and everything that Wilco says in them, rendered.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use wilco_language::interpret::Cited;
use wilco_language::render::{Rendered, Setting, say};
use wilco_protocol::delegation::{Assign, Say};
use wilco_protocol::directory::Interface;
use wilco_protocol::exchange::{self, Decision, Exchange, Said, Signal, Start};
use wilco_protocol::{ExchangeId, Name, Protocol, Time};

use wilco_testkit::delegation::{Opening, Step, World, opening, steps};

/// One thing that was said, and how it reads.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) exchange: Exchange,
    pub(crate) to: Name,
    pub(crate) say: Say,
    pub(crate) rendered: Rendered,
}

impl Line {
    pub(crate) fn text(&self) -> &str {
        self.rendered.content["message"].as_str().unwrap_or("")
    }

    /// Whether it holds the task itself, which of course reads like a task.
    pub(crate) fn is_task(&self) -> bool {
        use Say::{Assignment, Correction, Judgement, Supplement};
        matches!(self.say, Assignment { .. } | Correction { .. } | Supplement { .. } | Judgement { .. })
    }

    /// How to answer it, which ends its text.
    pub(crate) fn teaching(&self) -> Option<&str> {
        let teaching = self.rendered.content.get("teaching")?.as_str()?;
        assert!(self.text().ends_with(teaching), "{}", self.text());
        Some(teaching)
    }
}

#[derive(Clone)]
pub(crate) struct Story {
    task_id: String,
    opening: Opening,
    steps: Vec<Step>,
    cited: Cited,
    speaks: Interface,
}

impl std::fmt::Debug for Story {
    /// Without the texts, which are many and in the failing line anyway.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Story")
            .field("task_id", &self.task_id)
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}

/// A delegation in which everybody writes such texts.
pub(crate) fn story(
    task_id: impl Strategy<Value = String>,
    text: impl Strategy<Value = String>,
) -> impl Strategy<Value = Story> {
    let all = vec![Interface::Text, Interface::Cli, Interface::Http, Interface::Api, Interface::Mcp];
    let texts = prop::collection::vec(text, 60);
    (task_id, opening(), steps(), texts, prop::sample::select(all)).prop_map(
        |(task_id, opening, steps, texts, speaks)| {
            let mut cited = Cited::default();
            for (number, texts) in texts.chunks(3).enumerate() {
                cited.add(
                    format!("msg-{number}").as_str().into(),
                    texts[0].clone(),
                    Arc::new(content(texts)),
                );
            }
            Story { task_id, opening, steps, cited, speaks }
        },
    )
}

fn content(texts: &[String]) -> Map<String, Value> {
    let [one, two, three] = texts else { panic!("three texts make a message") };
    let fields = json!({
        "title": one, "description": two, "acceptance_criteria": [two, three],
        "understanding": one, "questions": [two, three], "answers": [one], "correction": two,
        "missing": [one, three], "summary": one, "status": two, "reason": three,
    });
    fields.as_object().cloned().unwrap_or_default()
}

impl Story {
    /// The same, told to agents that speak by this.
    pub(crate) fn to(self, speaks: Interface) -> Story {
        Story { speaks, ..self }
    }

    /// Everything that is said, in order.
    pub(crate) fn told(self) -> Vec<Line> {
        let (opening, mut now) = (self.opening, Time::from_millis(1_767_150_000_000));
        let mut world = World { down: None, away: opening.away };
        let assign = Assign {
            id: ExchangeId { protocol: Protocol::Delegation, number: 1 },
            by: "boss".into(),
            to: "worker".into(),
            message: "msg-0".into(),
            task_id: self.task_id,
            task_uuid: "u-1".to_owned(),
            title: "Add a login page".to_owned(),
            sign: opening.sign,
            requires_ack: opening.requires_ack,
            supersede: false,
            candidates: opening.candidates,
            capabilities: opening.capabilities,
            policy: opening.policy,
        };
        let Ok(begun) = Exchange::begin(Start::Delegation(assign), &world, now) else { return Vec::new() };
        let mut exchange = Exchange::born(&begun.events[0], now).expect("the first event");
        let mut lines = Vec::new();
        let mut heard = |exchange: &Exchange, decision: &Decision, now| {
            let setting = Setting {
                url: "http://127.0.0.1:23000",
                requires_token: true,
                speaks: self.speaks,
                now,
                cited: &self.cited,
            };
            for spoken in &decision.says {
                let exchange::Say::Delegation(words) = &spoken.say else { continue };
                let rendered = say(exchange, &spoken.to, &spoken.say, &setting);
                let (exchange, to) = (exchange.clone(), spoken.to.clone());
                lines.push(Line { exchange, to, say: words.clone(), rendered });
            }
        };
        heard(&exchange, &begun, now);
        for step in self.steps {
            if let Step::Wait(span) | Step::Down(span) = &step {
                let from = now;
                now = now.plus(*span);
                world.down = matches!(step, Step::Down(_)).then_some((from, now));
            }
            let Ok(decision) = taken(&exchange, step, &world, now) else { continue };
            decision.events.iter().for_each(|event| exchange.apply(event, now));
            heard(&exchange, &decision, now);
        }
        lines
    }
}

fn taken(
    exchange: &Exchange,
    step: Step,
    world: &World,
    now: Time,
) -> Result<Decision, wilco_protocol::decision::Refusal> {
    let Exchange::Delegation(state) = exchange else { panic!("{exchange:?}") };
    match step {
        Step::Say(mut said) => {
            if said.by == *"assignee" {
                said.by = state.assignee.clone();
            }
            exchange.said(Said::Delegation(said), world, now)
        }
        Step::Signal(told) => exchange.signal(Signal::Delegation(told), world, now),
        Step::Report(report) => exchange.reported(report, world, now),
        Step::Wake | Step::Wait(_) | Step::Down(_) => exchange.wake(world, now),
    }
}

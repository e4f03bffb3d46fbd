//! One operation as its events tell it: who is waited for and until when, what ran, who heard the end.
//! Written down anew here, so that a mistake in the product's own fold does not hide itself.

use std::collections::BTreeMap;

use serde::Deserialize;
use wilco_protocol::{Name, Time};

use super::{Broken, Followed, broken};

#[derive(Debug)]
pub(crate) struct Asked {
    seq: u64,
    initiator: Name,
    state: String,
    agents: BTreeMap<Name, Part>,
    /// When the initiator's result is due, and when an open escalation is told again.
    result: Option<Time>,
    reminder: Option<Time>,
    authorized: bool,
    /// How often somebody or the policy said that a command is to be run again.
    repeats: u32,
    retries_by_itself: bool,
}

/// One agent's part.
#[derive(Debug, Default)]
struct Part {
    waiting: bool,
    deadline: Option<Time>,
    reminders: Vec<Time>,
    past: u32,
    running: bool,
    runs: u32,
    told: u32,
}

/// What an event may say, all kinds together.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Said {
    initiator: Option<Name>,
    agent: Option<Name>,
    agents: Vec<Name>,
    deadline: Option<Time>,
    reminders: Vec<Time>,
    reminder: Option<Time>,
    past: u32,
    until: Option<Time>,
    outcome: String,
    option: Option<String>,
    remind_at: Option<Time>,
    escalation: Escalation,
    policy: Policy,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Escalation {
    remind_at: Option<Time>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Policy {
    on_interrupted: String,
}

const ENDS: [&str; 3] = ["post-operation", "operation-cancelled", "operation-aborted"];

impl Followed for Asked {
    fn initiator(&self) -> &Name {
        &self.initiator
    }

    fn state(&self) -> &str {
        &self.state
    }

    fn seq(&self) -> u64 {
        self.seq
    }

    fn counts(&mut self) {
        self.seq += 1;
    }

    fn is_open(&self) -> bool {
        !matches!(self.state.as_str(), "done" | "failed" | "cancelled" | "aborted")
    }

    fn wake(&self) -> Option<Time> {
        let waiting = self.agents.values().filter(|part| part.waiting && self.state == "waiting");
        let parts = waiting.flat_map(|part| part.reminders.first().copied().into_iter().chain(part.deadline));
        parts.chain(self.result).chain(self.reminder).min().filter(|_| self.is_open())
    }

    /// Whether nothing more will happen by itself but reminders or the end of a command.
    fn is_settled(&self) -> bool {
        !self.is_open() || self.reminder.is_some() || self.agents.values().any(|part| part.running)
    }

    fn is_stuck(&self) -> bool {
        self.is_open() && self.wake().is_none() && !self.is_settled()
    }
}

impl Asked {
    pub(super) fn born(said: Said) -> Result<Asked, Broken> {
        let Some(initiator) = said.initiator else { return broken("OP-1", "an operation of nobody's") };
        Ok(Asked {
            seq: 1,
            initiator,
            state: "waiting".to_owned(),
            agents: said.agents.into_iter().map(|agent| (agent, Part::default())).collect(),
            result: None,
            reminder: None,
            authorized: false,
            repeats: 0,
            retries_by_itself: said.policy.on_interrupted == "retry",
        })
    }

    /// Somebody got a message of Wilco's.
    pub(super) fn heard(&mut self, agent: &Name, kind: &str) -> Result<(), Broken> {
        let Some(part) = self.agents.get_mut(agent).filter(|_| ENDS.contains(&kind)) else { return Ok(()) };
        part.told += 1;
        if part.told > 1 {
            return broken("OP-11", format!("{agent} is told twice how it ended"));
        }
        Ok(())
    }

    pub(super) fn take(&mut self, kind: &str, said: &Said) -> Result<(), Broken> {
        if !self.is_open() && kind != "escalation-closed" {
            return broken("OP-13", format!("{kind}, though it is {}", self.state));
        }
        match kind {
            "authorized" => {
                self.state = "authorized".to_owned();
                (self.authorized, self.result) = (true, said.until);
            }
            "execution-begun" => self.state = "executing".to_owned(),
            "result-awaited" => self.result = said.until,
            "escalated" => (self.result, self.reminder) = (None, said.escalation.remind_at),
            "escalation-reminded" => self.reminder = said.remind_at,
            "escalation-closed" => {
                self.reminder = None;
                self.repeats += u32::from(said.option.as_deref() == Some("retry"));
            }
            "ended" => self.state.clone_from(&said.outcome),
            "asked" => said.agents.iter().for_each(|agent| {
                self.agents.entry(agent.clone()).or_default().ask(said.deadline, said.reminders.clone());
            }),
            _ => return self.tracked(kind, said),
        }
        Ok(())
    }

    fn tracked(&mut self, kind: &str, said: &Said) -> Result<(), Broken> {
        let (authorized, most) = (self.authorized, 1 + self.repeats);
        self.repeats += u32::from(kind == "step-interrupted" && self.retries_by_itself);
        let Some(agent) = &said.agent else { return Ok(()) };
        let Some(part) = self.agents.get_mut(agent) else {
            return broken("OP-1", format!("{kind} of {agent}, who takes no part"));
        };
        match kind {
            "ready" | "cancelled" | "excluded" | "timed-out" => part.waiting = false,
            "unready" => part.waiting = true,
            "reminded" => {
                let passed = (said.past - part.past) as usize;
                part.reminders.drain(..passed.min(part.reminders.len()));
                part.past = said.past;
            }
            "extended" => {
                (part.waiting, part.deadline) = (true, said.deadline);
                part.reminders = said.reminder.into_iter().collect();
            }
            "grace-given" => {
                part.past += 1;
                (part.deadline, part.reminders) = (said.deadline, Vec::new());
            }
            "step-started" => {
                (part.running, part.runs) = (true, part.runs + 1);
                if !authorized || part.runs > most {
                    let what = format!("run {} for {agent}, authorized: {authorized}", part.runs);
                    return broken("OP-14", what);
                }
            }
            "step-ended" | "step-interrupted" => part.running = false,
            _ => {}
        }
        if kind == "timed-out" {
            part.reminders.clear();
        }
        Ok(())
    }
}

impl Part {
    fn ask(&mut self, deadline: Option<Time>, reminders: Vec<Time>) {
        (self.waiting, self.deadline, self.reminders, self.past) = (true, deadline, reminders, 0);
    }
}

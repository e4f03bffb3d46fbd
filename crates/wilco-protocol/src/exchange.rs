//! One run of any protocol. Another protocol adds a folder and an arm to the enums of this file, and
//! whoever carries exchanges about (engine, store, doors) does not change.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::decision::{self, Facts, Passage, Refusal, Report, Spoken, Timer};
use crate::delegation;
use crate::escalation::{Escalation, Incident};
use crate::name::{ExchangeId, MessageId, Name, Protocol};
use crate::time::Time;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "protocol", rename_all = "kebab-case")]
pub enum Exchange {
    Delegation(delegation::State),
}

/// What begins an exchange.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    Delegation(delegation::Assign),
}

/// What is said to an exchange, read by its protocol.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    Delegation(delegation::Said),
}

/// What another exchange or the directory tells it.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    Delegation(delegation::Told),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Delegation(delegation::Event),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Say {
    Delegation(delegation::Say),
}

pub type Decision = decision::Decision<Event, Say>;

impl Exchange {
    pub fn begin(start: Start, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
        match start {
            Start::Delegation(assign) => delegation::begin(assign, facts, now).map(of_delegation),
        }
    }

    pub fn said(&self, said: Said, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
        match (self, said) {
            (Exchange::Delegation(state), Said::Delegation(said)) => {
                delegation::decide(state, delegation::Input::Said(said), facts, now).map(of_delegation)
            }
        }
    }

    pub fn wake(&self, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
        match self {
            Exchange::Delegation(state) => {
                delegation::decide(state, delegation::Input::Wake, facts, now).map(of_delegation)
            }
        }
    }

    pub fn reported(&self, report: Report, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
        match self {
            Exchange::Delegation(state) => {
                delegation::decide(state, delegation::Input::Report(report), facts, now).map(of_delegation)
            }
        }
    }

    pub fn told(&self, told: Told, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
        match (self, told) {
            (Exchange::Delegation(state), Told::Delegation(told)) => {
                delegation::decide(state, delegation::Input::Told(told), facts, now).map(of_delegation)
            }
        }
    }

    /// The exchange after its first event.
    pub fn born(event: &Event, at: Time) -> Option<Exchange> {
        match event {
            Event::Delegation(event) => delegation::born(event, at).map(Exchange::Delegation),
        }
    }

    pub fn apply(&mut self, event: &Event, at: Time) {
        match (self, event) {
            (Exchange::Delegation(state), Event::Delegation(event)) => delegation::apply(state, event, at),
        }
    }

    pub fn id(&self) -> ExchangeId {
        match self {
            Exchange::Delegation(state) => state.id,
        }
    }

    pub fn initiator(&self) -> &Name {
        match self {
            Exchange::Delegation(state) => &state.initiator,
        }
    }

    pub fn is_open(&self) -> bool {
        match self {
            Exchange::Delegation(state) => state.is_open(),
        }
    }

    pub fn state_name(&self) -> &'static str {
        match self {
            Exchange::Delegation(state) => state.name(),
        }
    }

    pub fn timers(&self) -> Vec<Timer> {
        match self {
            Exchange::Delegation(state) => delegation::timers(state),
        }
    }

    /// When it wants to be woken next.
    pub fn wake_at(&self) -> Option<Time> {
        self.timers().into_iter().map(|timer| timer.due).min()
    }

    pub fn keys(&self) -> Vec<String> {
        match self {
            Exchange::Delegation(state) => delegation::keys(state),
        }
    }

    /// Who owes an answer.
    pub fn awaits(&self) -> Option<&Name> {
        match self {
            Exchange::Delegation(state) => delegation::awaits(state),
        }
    }

    /// Messages whose texts the view and the reading of answers need.
    pub fn cites(&self) -> Vec<MessageId> {
        match self {
            Exchange::Delegation(state) => state.cites(),
        }
    }

    pub fn participants(&self) -> Vec<Name> {
        match self {
            Exchange::Delegation(state) => {
                let mut list = vec![state.initiator.clone(), state.assignee.clone()];
                list.extend(state.former_assignees.iter().cloned());
                list
            }
        }
    }

    pub fn escalations(&self) -> &[Escalation] {
        match self {
            Exchange::Delegation(state) => &state.escalations,
        }
    }

    /// What may be decided now.
    pub fn options(&self) -> Vec<&'static str> {
        match self {
            Exchange::Delegation(state) => delegation::options(state),
        }
    }

    /// A candidate that was not asked yet, for whoever decides.
    pub fn next_choice(&self) -> Option<&Name> {
        match self {
            Exchange::Delegation(state) => delegation::untried(state),
        }
    }

    pub fn incidents(&self) -> &[Incident] {
        match self {
            Exchange::Delegation(state) => &state.incidents,
        }
    }

    /// Open, with nothing that would ever move it by itself, and rightly so.
    pub fn rests(&self) -> bool {
        match self {
            Exchange::Delegation(state) => matches!(
                state.phase,
                delegation::Phase::Working { check: None, .. }
                    | delegation::Phase::Paused { until: None, .. }
            ),
        }
    }

    pub fn view(&self, texts: &dyn Texts) -> View {
        match self {
            Exchange::Delegation(state) => delegation::view(state, texts),
        }
    }
}

impl Event {
    /// The event's name and what it holds, as they stand in the journal.
    pub fn to_json(&self) -> Value {
        let json = match self {
            Event::Delegation(event) => serde_json::to_value(event),
        };
        json.unwrap_or(Value::Null)
    }

    /// The same as text.
    pub(crate) fn to_text(&self) -> Result<String, serde_json::Error> {
        match self {
            Event::Delegation(event) => serde_json::to_string(event),
        }
    }

    /// Reads an event of a protocol from its `{type, data}`.
    pub fn from_json(protocol: Protocol, json: Value) -> Result<Event, serde_json::Error> {
        match protocol {
            Protocol::Delegation => serde_json::from_value(json).map(Event::Delegation),
        }
    }
}

fn of_delegation(decision: delegation::Decision) -> Decision {
    map(decision, Event::Delegation, Say::Delegation)
}

fn map<E, S>(decision: decision::Decision<E, S>, event: fn(E) -> Event, say: fn(S) -> Say) -> Decision {
    let says = decision.says.into_iter().map(|spoken| Spoken { to: spoken.to, say: say(spoken.say) });
    decision::Decision {
        events: decision.events.into_iter().map(event).collect(),
        says: says.collect(),
        effects: decision.effects,
        tells: decision.tells,
        passage: match decision.passage {
            passage @ (Passage::AsAddressed | Passage::Reach { .. } | Passage::Withheld) => passage,
        },
    }
}

/// A key by which an exchange is found: `task:gh-42`, `party:alice`.
pub fn key(kind: &str, value: &str) -> String {
    format!("{kind}:{value}")
}

/// An exchange as the API shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct View {
    pub id: ExchangeId,
    pub state: &'static str,
    pub outcome: Option<&'static str>,
    pub initiator: Name,
    pub participants: Vec<Participant>,
    pub subject: String,
    pub policy: Value,
    pub timers: Vec<Timer>,
    pub checklist: Vec<ChecklistItem>,
    pub created: Time,
    pub updated: Time,
    pub data: Value,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Participant {
    pub agent: Name,
    pub role: &'static str,
}

/// `done`: true, false, or null when it is not needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChecklistItem {
    pub item: &'static str,
    pub done: Option<bool>,
    pub at: Option<Time>,
}

/// The texts that a state only cites. Missing messages give nothing.
pub trait Texts {
    /// The subject of the message that began it; none when it had none.
    fn subject(&self, opening: &MessageId) -> Option<String>;
    /// The title as the newest amendment has it.
    fn title(&self, assignment: &MessageId, amendment: Option<&MessageId>) -> Option<String>;
    fn criteria(&self, assignment: &MessageId, amendment: Option<&MessageId>) -> Vec<String>;
    fn questions(&self, ack: &MessageId) -> Vec<String>;
    fn missing(&self, verdict: &MessageId) -> Vec<String>;
    fn planned(&self, ack: &MessageId, number: u32) -> Option<String>;
    fn checkpoint(&self, message: &MessageId) -> CheckpointText;
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckpointText {
    pub name: Option<String>,
    pub status: Option<String>,
    pub summary: Option<String>,
}

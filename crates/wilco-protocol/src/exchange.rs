//! One run of any protocol. Another protocol adds a folder with its `Machine`, a variant to each enum of this
//! file, and its line in `protocols!`; whoever carries exchanges about (engine, store, doors) does not change.

use std::convert::Infallible;
use std::ops::Deref;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::decision::{self, Facts, Refusal, Report, Spoken, Timer};
use crate::escalation::{Escalation, Incident};
use crate::judgement::Compared;
use crate::machine::{self, Decided, Machine};
use crate::name::{ExchangeId, MessageId, Name, Protocol};
use crate::time::Time;
use crate::todo::{Todo, Wanted};
use crate::unread::UnreadLog;
use crate::{delegation, handoff, operation, validation};

#[expect(clippy::large_enum_variant, reason = "one is held at a time, and seldom moved")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "protocol", rename_all = "kebab-case")]
pub enum Exchange {
    Delegation(delegation::State),
    Operation(operation::State),
    Validation(validation::State),
    /// By far the largest and the rarest: the others need not have its room.
    Handoff(Box<handoff::State>),
}

/// What begins an exchange.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    Delegation(delegation::Assign),
    Operation(operation::Operate),
    Validation(validation::Validate),
    Handoff(handoff::Replace),
}

/// What is said to an exchange, read by its protocol.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    Delegation(delegation::Said),
    Operation(operation::Said),
    Validation(validation::Said),
    Handoff(handoff::Said),
}

/// What another exchange or the directory tells it; to some protocols there is nothing to tell.
#[derive(Debug, Clone, PartialEq)]
pub enum Signal {
    Delegation(delegation::Signal),
    Operation(Infallible),
    Validation(validation::Signal),
    Handoff(Infallible),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Delegation(delegation::Event),
    Operation(operation::Event),
    Validation(validation::Event),
    Handoff(handoff::Event),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Say {
    Delegation(delegation::Say),
    Operation(operation::Say),
    Validation(validation::Say),
    Handoff(handoff::Say),
}

pub type Decision = decision::Decision<Exchange, Event, Say>;

/// Something to decide on, for whichever protocol it is.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    Said(Said),
    /// A timer is due. Early, late and double wakes are harmless.
    Wake,
    Report(Report),
    Signal(Signal),
}

/// The values of a protocol among those of all.
trait Member: Machine {
    fn exchange(self) -> Exchange;
    fn event(event: Self::Event) -> Event;
    fn say(say: Self::Say) -> Say;
    /// None: it is for another protocol, and says nothing to this one.
    fn input(input: Input) -> Option<machine::Input<Self>>;

    fn describe(&self) -> &(dyn Describe + 'static) {
        self
    }

    fn decide_on(&self, input: Input, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
        match Self::input(input) {
            Some(input) => machine::decide(self, input, facts, now).map(Self::decision),
            None => Ok(Decision::default()),
        }
    }

    fn decision(decided: Decided<Self>) -> Decision {
        let say = |spoken: Spoken<Self::Say>| Spoken { to: spoken.to, say: Self::say(spoken.say) };
        decision::Decision {
            next: decided.next.map(Self::exchange),
            events: decided.events.into_iter().map(Self::event).collect(),
            says: decided.says.into_iter().map(say).collect(),
            effects: decided.effects,
            tells: decided.tells,
            routing: decided.routing,
            unread: decided.unread,
        }
    }
}

/// All that tells the protocols apart here. Each is a folder and the variant that holds its values.
macro_rules! protocols {
    ($($variant:ident in $folder:ident),+) => {
        $(impl Member for $folder::State {
            fn exchange(self) -> Exchange {
                Exchange::$variant(self.into())
            }

            fn event(event: $folder::Event) -> Event {
                Event::$variant(event)
            }

            fn say(say: $folder::Say) -> Say {
                Say::$variant(say)
            }

            fn input(input: Input) -> Option<machine::Input<Self>> {
                match input {
                    Input::Said(Said::$variant(said)) => Some(machine::Input::Said(said)),
                    Input::Signal(Signal::$variant(signal)) => Some(machine::Input::Signal(signal)),
                    Input::Wake => Some(machine::Input::Wake),
                    Input::Report(report) => Some(machine::Input::Report(report)),
                    Input::Said(_) | Input::Signal(_) => None,
                }
            }
        })+

        impl Exchange {
            pub fn begin(start: Start, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
                match start {
                    $(Start::$variant(start) => $folder::begin(start, facts, now).map(Member::decision),)+
                }
            }

            pub fn decide(&self, input: Input, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
                match self {
                    $(Exchange::$variant(state) => state.decide_on(input, facts, now),)+
                }
            }

            /// The exchange after its first event.
            pub fn born(event: &Event, at: Time) -> Option<Exchange> {
                match event {
                    $(Event::$variant(event) => $folder::born(event, at).map(Member::exchange),)+
                }
            }

            pub fn apply(&mut self, event: &Event, at: Time) {
                match (self, event) {
                    $((Exchange::$variant(state), Event::$variant(event)) => $folder::apply(state, event, at),)+
                    // No log mixes protocols: the id of its exchange names the one of an event.
                    _ => {}
                }
            }
        }

        /// An exchange reads as the state that it holds.
        impl Deref for Exchange {
            type Target = dyn Describe;

            fn deref(&self) -> &(dyn Describe + 'static) {
                match self {
                    $(Exchange::$variant(state) => state.describe(),)+
                }
            }
        }

        impl Event {
            /// The event's name and what it holds, as they stand in the journal.
            pub fn to_json(&self) -> Value {
                let json = match self {
                    $(Event::$variant(event) => serde_json::to_value(event),)+
                };
                json.unwrap_or(Value::Null)
            }

            /// The same as text.
            pub(crate) fn write(&self, text: &mut Vec<u8>) -> Result<(), serde_json::Error> {
                match self {
                    $(Event::$variant(event) => serde_json::to_writer(text, event),)+
                }
            }

            /// Reads an event of a protocol from an object with its `type` and `data`; what else it has does
            /// not count.
            pub(crate) fn from_bytes(protocol: Protocol, json: &[u8]) -> Result<Event, serde_json::Error> {
                match protocol {
                    $(Protocol::$variant => serde_json::from_slice(json).map(Event::$variant),)+
                }
            }
        }
    };
}

protocols!(Delegation in delegation, Operation in operation, Validation in validation, Handoff in handoff);

impl Exchange {
    pub fn said(&self, said: Said, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
        self.decide(Input::Said(said), facts, now)
    }

    pub fn wake(&self, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
        self.decide(Input::Wake, facts, now)
    }

    pub fn reported(&self, report: Report, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
        self.decide(Input::Report(report), facts, now)
    }

    pub fn signal(&self, signal: Signal, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
        self.decide(Input::Signal(signal), facts, now)
    }

    /// What these events make of it; without one before them, what they begin.
    pub fn folded(before: Option<&Exchange>, events: &[Event], at: Time) -> Option<Exchange> {
        events.iter().fold(before.cloned(), |state, event| match state {
            Some(mut state) => {
                state.apply(event, at);
                Some(state)
            }
            None => Exchange::born(event, at),
        })
    }

    /// When it wants to be woken next.
    pub fn wake_at(&self) -> Option<Time> {
        self.timers().into_iter().map(|timer| timer.due).min()
    }
}

/// What every protocol's state shows of itself. Each protocol says it in its `describe.rs`.
pub trait Describe {
    fn id(&self) -> ExchangeId;
    fn initiator(&self) -> &Name;
    fn participants(&self) -> Vec<Name>;
    fn is_open(&self) -> bool;
    fn state_name(&self) -> &'static str;
    fn timers(&self) -> Vec<Timer>;
    /// By which keys it is found besides those that all have.
    fn own_keys(&self) -> Vec<String>;
    /// Who owes an answer.
    fn awaits(&self) -> Vec<&Name>;
    /// The message that began it.
    fn opening(&self) -> &MessageId;
    /// What it is shown under when the message that began it had no subject.
    fn title(&self) -> &str;
    /// What people call what it is about: a task id, an operation.
    fn called(&self) -> &str;
    /// Whether it waits for an answer of this agent now. Others that it awaits may say something, or not.
    fn is_owed_by(&self, agent: &Name) -> bool {
        self.awaits().contains(&agent)
    }
    /// Whether this agent takes part now: not only once, and not only to watch.
    fn is_party(&self, agent: &Name) -> bool;
    /// What could not be read so far.
    fn unread(&self) -> &UnreadLog;
    /// The state as whoever speaks in it sees it.
    fn conversation_state(&self) -> &'static str {
        self.state_name()
    }
    /// What waits for this agent, besides decisions.
    fn own_todo(&self, agent: &Name) -> Vec<Todo>;
    /// Everything that waits for this agent.
    fn todo(&self, agent: &Name) -> Vec<Todo> {
        let open = self.escalations().iter().filter(|one| one.closed.is_none() && self.is_open());
        let to_decide = open.filter(|one| one.addressee == *agent);
        let decision = |one: &Escalation| Wanted::Decision { escalation: one.number }.due(one.remind_at);
        to_decide.map(decision).chain(self.own_todo(agent)).collect()
    }
    /// Messages whose texts the view and the reading of answers need.
    fn cites(&self) -> Vec<MessageId>;
    fn escalations(&self) -> &[Escalation];
    /// What may be decided now.
    fn options(&self) -> Vec<&'static str>;
    fn incidents(&self) -> &[Incident];
    /// What judges said of its ACKs, beside what the initiator said.
    fn compared(&self) -> &[Compared] {
        &[]
    }
    /// Open, with nothing that would ever move it by itself, and rightly so.
    fn rests(&self) -> bool;
    fn view(&self, texts: &dyn Texts) -> View;

    /// By which keys it is found, each once.
    fn keys(&self) -> Vec<String> {
        let mut keys = self.own_keys();
        keys.extend(self.participants().iter().map(|agent| key("party", agent.as_str())));
        let marks = [
            ("escalated:ever", !self.escalations().is_empty()),
            ("escalated:open", self.escalations().iter().any(|one| one.closed.is_none())),
            ("incident:ever", !self.incidents().is_empty()),
            ("judge:ever", !self.compared().is_empty()),
        ];
        keys.extend(marks.into_iter().filter(|(_, holds)| *holds).map(|(key, _)| key.to_owned()));
        keys.sort();
        keys.dedup();
        keys
    }

    /// What its messages have in common when they go to several agents.
    fn broadcast_id(&self) -> Option<&str> {
        None
    }

    /// The name that Wilco's messages in it carry.
    fn voice(&self) -> Name {
        Name::wilco()
    }

    /// A candidate that was not asked yet, for whoever decides.
    fn next_choice(&self) -> Option<&Name> {
        None
    }
}

/// What the states of all protocols show of themselves alike, from their fields and functions of these names.
macro_rules! describe_alike {
    () => {
        fn id(&self) -> $crate::ExchangeId {
            self.id
        }

        fn initiator(&self) -> &$crate::Name {
            &self.initiator
        }

        fn is_open(&self) -> bool {
            State::is_open(self)
        }

        fn state_name(&self) -> &'static str {
            self.name()
        }

        fn timers(&self) -> Vec<$crate::decision::Timer> {
            timers(self)
        }

        fn own_keys(&self) -> Vec<String> {
            keys(self)
        }

        fn cites(&self) -> Vec<$crate::MessageId> {
            State::cites(self)
        }

        fn escalations(&self) -> &[$crate::escalation::Escalation] {
            &self.escalations
        }

        fn options(&self) -> Vec<&'static str> {
            options(self)
        }

        fn unread(&self) -> &$crate::unread::UnreadLog {
            &self.unread
        }

        fn incidents(&self) -> &[$crate::escalation::Incident] {
            &self.incidents
        }

        fn view(&self, texts: &dyn $crate::exchange::Texts) -> $crate::exchange::View {
            view(self, texts)
        }
    };
}
pub(crate) use describe_alike;

impl Say {
    /// A message that it is about and that the state, as it is then, may no longer cite.
    pub fn cites(&self) -> Option<&MessageId> {
        match self {
            Say::Validation(validation::Say::Error { message, .. }) => message.as_ref(),
            _ => None,
        }
    }
}

/// A key by which an exchange is found: `task:gh-42`, `party:alice`.
pub fn key(kind: &str, value: &str) -> String {
    [kind, ":", value].concat()
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<&'static str>,
    pub item: &'static str,
    pub done: Option<bool>,
    pub at: Option<Time>,
    /// What shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

impl ChecklistItem {
    /// One of a list without sections.
    pub fn new(item: &'static str, done: Option<bool>, at: Option<Time>) -> ChecklistItem {
        ChecklistItem { section: None, item, done, at, evidence: None }
    }
}

/// The texts that a state only cites. Missing messages give nothing.
pub trait Texts {
    /// The subject of the message that began it; none when it had none.
    fn subject(&self, opening: &MessageId) -> Option<String>;
    /// The title as the amendments changed it.
    fn title(&self, assignment: &MessageId, amendments: &[MessageId]) -> Option<String>;
    fn criteria(&self, assignment: &MessageId, amendments: &[MessageId]) -> Vec<String>;
    fn questions(&self, ack: &MessageId) -> Vec<String>;
    fn missing(&self, verdict: &MessageId) -> Vec<String>;
    fn planned(&self, ack: &MessageId, number: u32) -> Option<String>;
    fn checkpoint(&self, message: &MessageId) -> CheckpointText;
    /// The failures that a result lists.
    fn failures(&self, _result: &MessageId) -> Vec<Failure> {
        Vec::new()
    }
    /// A text field of a message.
    fn said(&self, _message: &MessageId, _key: &str) -> Option<String> {
        None
    }
    /// What an acknowledgement states as its understanding, and where it begins.
    fn understanding(&self, _ack: &MessageId) -> Option<String> {
        None
    }
    fn starting_from(&self, _ack: &MessageId) -> Option<String> {
        None
    }
    /// What the command printed when it was run for this agent last.
    fn printed(&self, _agent: &Name) -> Printed {
        Printed::default()
    }
}

/// What a specialist found wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    pub location: String,
    pub error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// What a command printed, and why it failed if its exit code does not say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Printed {
    pub stdout: Option<String>,
    pub stderr: Option<String>,
    pub failure: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckpointText {
    pub name: Option<String>,
    pub status: Option<String>,
    pub summary: Option<String>,
}

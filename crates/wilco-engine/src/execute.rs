//! Carrying out a decision: its events, what it says, what it orders, whom it tells, all in one
//! transaction.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use wilco_language::interpret::Cited;
use wilco_language::render::{self, Rendered, Setting};
use wilco_protocol::decision::{Effect, Refusal, Spoken, Tell};
use wilco_protocol::directory;
use wilco_protocol::exchange::{Decision, Event, Exchange, Say, Signal};
use wilco_protocol::journal::{Entry, Fact, MessageEvent};
use wilco_protocol::{EscalationId, ExchangeId, MessageId, Name};
use wilco_store::{EffectChange, EffectRow, InboxRow, InboxStatus, Message, Priority, StoreError};

use crate::command::{Order, Refused};
use crate::exact;
use crate::facts::World;
use crate::layer::Live;
use crate::nudge::QUIET;
use crate::workspace::Workspace;

/// A chain of tells longer than this is a mistake, and is refused whole.
const MAX_TELLS: usize = 10_000;

/// What somebody said that is about to be stored, so that it can be cited already.
pub(crate) struct Cause<'a> {
    pub(crate) id: &'a MessageId,
    pub(crate) subject: &'a str,
    pub(crate) content: &'a Arc<Map<String, Value>>,
    /// The content as it was given; none when Wilco made it.
    pub(crate) raw: Option<&'a RawValue>,
}

impl Workspace<'_> {
    /// Asks an exchange to decide, with the working set as its facts.
    pub(crate) fn decide(
        &mut self,
        ask: impl FnOnce(&World<'_, '_>) -> Result<Decision, Refusal>,
    ) -> Result<Result<Decision, Refusal>, StoreError> {
        let world = World::new(self);
        let decided = ask(&world);
        world.finish()?;
        Ok(decided)
    }

    /// Carries out a decision of an exchange, and everything that follows from it.
    pub(crate) fn execute(
        &mut self,
        mut live: Live,
        decision: Decision,
        by: &Name,
        cause: Option<&Cause<'_>>,
    ) -> Result<Arc<Exchange>, Refused> {
        let exchange = self.advance(&mut live, decision.next, decision.events, by);
        self.keep(live);
        // What others hear of it comes first: of a task that replaces another, the last word is its own.
        self.tell_all(decision.tells, by)?;
        self.speak(&exchange, decision.says, cause)?;
        self.order(&exchange, decision.effects, cause)?;
        Ok(exchange)
    }

    /// The exchange goes on to its next state, and what happened is recorded.
    fn advance(
        &mut self,
        live: &mut Live,
        next: Option<Exchange>,
        events: Vec<Event>,
        by: &Name,
    ) -> Arc<Exchange> {
        if let Some(next) = next {
            debug_assert_eq!(
                Exchange::folded(Some(&live.exchange), &events, self.now).as_ref(),
                Some(&next),
                "what is decided is what its events say"
            );
            live.exchange = Arc::new(next);
        }
        let id = live.exchange.id();
        for event in events {
            live.seq += 1;
            self.record(Some((id, live.seq)), by.clone(), Fact::Exchange(event));
        }
        live.exchange.clone()
    }

    /// Works off one tell; returns those that follow from it.
    fn tell(&mut self, tell: Tell, by: &Name) -> Result<Vec<Tell>, Refused> {
        match tell {
            Tell::Directory(input) => self.change_directory(input, by),
            Tell::Exchange(id, told) => {
                let Some(mut live) = self.live(id.number)? else { return Ok(Vec::new()) };
                let now = self.now;
                let exchange = live.exchange.clone();
                let decided = self.decide(|facts| exchange.signal(told, facts, now))?;
                let decision = decided.map_err(|refusal| refused(&refusal, Some(id)))?;
                let exchange = self.advance(&mut live, decision.next, decision.events, by);
                self.keep(live);
                self.speak(&exchange, decision.says, None)?;
                self.order(&exchange, decision.effects, None)?;
                Ok(decision.tells)
            }
        }
    }

    /// Changes the directory. An agent that returns is asked how its open tasks go.
    pub(crate) fn change_directory(
        &mut self,
        input: directory::Input,
        by: &Name,
    ) -> Result<Vec<Tell>, Refused> {
        let Some(event) = directory::decide(self.directory(), input, self.now) else { return Ok(Vec::new()) };
        let returned = match &event {
            directory::Event::AgentReturned { name, .. } => Some(name.clone()),
            directory::Event::AgentRegistered { .. }
            | directory::Event::AgentChanged { .. }
            | directory::Event::AgentRemoved { .. }
            | directory::Event::AgentUnresponsive { .. }
            | directory::Event::AgentReplaced { .. } => None,
        };
        self.change_agent(event, by.clone());
        let Some(agent) = returned else { return Ok(Vec::new()) };
        let open = self.find(&wilco_protocol::exchange::key("works", agent.as_str()))?;
        let mut tells = Vec::new();
        for number in open {
            if let Some(live) = self.live(number)? {
                let told = Signal::Delegation(wilco_protocol::delegation::Signal::AgentReturned {
                    agent: agent.clone(),
                });
                tells.push(Tell::Exchange(live.exchange.id(), told));
            }
        }
        Ok(tells)
    }

    /// Changes the directory and works off what follows.
    pub(crate) fn change_directory_fully(
        &mut self,
        input: directory::Input,
        by: &Name,
    ) -> Result<(), Refused> {
        let tells = self.change_directory(input, by)?;
        self.tell_all(tells, by)
    }

    /// Works off tells, and what follows from them.
    pub(crate) fn tell_all(&mut self, tells: Vec<Tell>, by: &Name) -> Result<(), Refused> {
        let (mut tells, mut count) = (VecDeque::from(tells), 0);
        while let Some(tell) = tells.pop_front() {
            count += 1;
            if count > MAX_TELLS {
                let detail = "too many exchanges are affected".to_owned();
                return Err(Refused::Conflict { detail, exchange: None });
            }
            tells.extend(self.tell(tell, by)?);
        }
        Ok(())
    }

    fn speak(
        &mut self,
        exchange: &Exchange,
        says: Vec<Spoken<Say>>,
        cause: Option<&Cause<'_>>,
    ) -> Result<(), Refused> {
        if says.is_empty() {
            return Ok(());
        }
        let mut cited = self.citing(exchange, cause)?;
        for id in says.iter().filter_map(|spoken| spoken.say.cites()) {
            self.cite(id, &mut cited)?;
        }
        let url = self.settings.url.clone();
        for spoken in says {
            let setting = Setting { url: &url, now: self.now, cited: &cited };
            let rendered = render::say(exchange, &spoken.to, &spoken.say, &setting);
            if let Some(controller) = self.copied_to(exchange, &spoken.to, &rendered) {
                // Its own copy: what it teaches is for the one who reads it.
                let copy = render::say(exchange, &controller, &spoken.say, &setting);
                self.send(exchange, &controller, copy, &[])?;
            }
            let given = match exact::is_needed(&rendered.content) {
                true => self.given(exchange, &spoken.say, cause)?,
                false => Vec::new(),
            };
            let given: Vec<_> = given.iter().map(Box::as_ref).collect();
            self.send(exchange, &spoken.to, rendered, &given)?;
        }
        Ok(())
    }

    /// The contents that a message may repeat, as they were given.
    fn given(
        &mut self,
        exchange: &Exchange,
        say: &Say,
        cause: Option<&Cause<'_>>,
    ) -> Result<Vec<Box<RawValue>>, StoreError> {
        let mut given: Vec<_> =
            cause.and_then(|cause| cause.raw).map(ToOwned::to_owned).into_iter().collect();
        for id in exchange.cites().iter().chain(say.cites()) {
            given.extend(self.message(id)?.map(|(_, message)| message.content.clone()));
        }
        Ok(given)
    }

    /// The controller gets a copy of an escalation that its addressee may not be able to decide.
    fn copied_to(&self, exchange: &Exchange, to: &Name, rendered: &Rendered) -> Option<Name> {
        let controller = self.settings.escalation.controller.clone()?;
        let is = |key: &str, value: &str| rendered.content.get(key).and_then(Value::as_str) == Some(value);
        let away = !self.state.is_active(exchange.initiator(), self.now);
        let copied = is("type", "escalation") && (away || is("reason", "capability-mismatch"));
        (copied && controller != *to && self.directory().get(&controller).is_some()).then_some(controller)
    }

    /// The messages that an exchange cites, and the one that is about to be stored.
    pub(crate) fn citing(
        &mut self,
        exchange: &Exchange,
        cause: Option<&Cause<'_>>,
    ) -> Result<Cited, StoreError> {
        let mut cited = Cited::default();
        if let Some(cause) = cause {
            cited.add(cause.id.clone(), cause.subject.to_owned(), cause.content.clone());
        }
        for id in exchange.cites() {
            self.cite(&id, &mut cited)?;
        }
        Ok(cited)
    }

    /// Sends a message of Wilco's own.
    pub(crate) fn send(
        &mut self,
        exchange: &Exchange,
        to: &Name,
        rendered: Rendered,
        given: &[&RawValue],
    ) -> Result<(), StoreError> {
        self.send_from_wilco(Some(exchange), to, rendered, given)
    }

    pub(crate) fn send_from_wilco(
        &mut self,
        exchange: Option<&Exchange>,
        to: &Name,
        rendered: Rendered,
        given: &[&RawValue],
    ) -> Result<(), StoreError> {
        let id = self.new_id();
        let broadcast_id = exchange.and_then(|exchange| exchange.broadcast_id()).map(str::to_owned);
        let voice = exchange.map_or_else(Name::wilco, |exchange| exchange.voice());
        let exchange = exchange.map(|exchange| exchange.id());
        let content = exact::written(&rendered.content, given);
        let content = content.map_err(|error| StoreError::Failed(Box::new(error)))?;
        let message = Message {
            id,
            from: voice,
            from_verified: true,
            to: to.clone(),
            subject: rendered.subject,
            priority: priority(rendered.priority),
            content,
            delivered: None,
            in_reply_to: None,
            exchange,
            broadcast_id,
            timestamp: self.now,
            reading: None,
            parsed: OnceLock::new(),
        };
        let position = self.reserve();
        let seq = self.count(exchange)?;
        let kind = rendered.content.get("type").and_then(Value::as_str).unwrap_or("").to_owned();
        // A command has no inbox.
        let inboxes = Some(to.clone()).filter(|to| !to.is_reserved()).into_iter().collect();
        self.store_message(position, seq, message, inboxes, kind);
        Ok(())
    }

    /// Stores a message at its reserved position and place in its exchange, and puts it into inboxes.
    pub(crate) fn store_message(
        &mut self,
        position: u64,
        seq: Option<u64>,
        message: Message,
        inboxes: Vec<Name>,
        kind: String,
    ) -> Arc<Message> {
        let (id, by, exchange) = (message.id.clone(), message.from.clone(), message.exchange);
        let to = vec![message.to.clone()];
        let stored = self.add_message(position, message);
        let body = self.changes.messages.last().map(|new| blake3::hash(&new.body).to_hex().to_string());
        let hash = body.unwrap_or_default();
        for agent in &inboxes {
            *self.changes.unread.entry(agent.clone()).or_default() += 1;
            self.changes.inbox.push(InboxRow { agent: agent.clone(), position, status: InboxStatus::Unread });
        }
        if kind != QUIET {
            for agent in inboxes.iter().filter(|agent| **agent != by) {
                self.nudge(agent, position);
            }
        }
        let fact = Fact::Message(MessageEvent::MessageAccepted { id, to, inboxes, kind, hash });
        self.fill(
            position,
            &Entry { exchange: exchange.filter(|_| seq.is_some()), seq, at: self.now, by, fact },
        );
        stored
    }

    /// The next seq of an exchange, for a message that belongs to it.
    pub(crate) fn count(&mut self, exchange: Option<ExchangeId>) -> Result<Option<u64>, StoreError> {
        let Some(exchange) = exchange else { return Ok(None) };
        let Some(mut live) = self.live(exchange.number)? else { return Ok(None) };
        live.seq += 1;
        let seq = live.seq;
        // Its state is the same, and so are its keys.
        self.changes.exchanges.insert(exchange.number, live);
        Ok(Some(seq))
    }

    fn order(
        &mut self,
        exchange: &Exchange,
        effects: Vec<Effect>,
        cause: Option<&Cause<'_>>,
    ) -> Result<(), StoreError> {
        for effect in effects {
            let Some(payload) = self.payload(exchange, &effect, cause)? else { continue };
            let body = serde_json::to_vec(&Order { effect, payload });
            let body = body.map_err(|error| StoreError::Failed(Box::new(error)))?;
            let position = self.next_position() - 1;
            let index = self.changes.effects.len() as u32;
            let row = EffectRow { position, index, due: self.now, attempts: 0, body };
            self.changes.effects.push(EffectChange::Put(row));
        }
        Ok(())
    }

    /// What the courier needs to know; none when nobody is configured to do it.
    fn payload(
        &mut self,
        exchange: &Exchange,
        effect: &Effect,
        cause: Option<&Cause<'_>>,
    ) -> Result<Option<Value>, StoreError> {
        match effect {
            Effect::Judge { ack, .. } => {
                let cited = self.citing(exchange, cause)?;
                if let Exchange::Handoff(state) = exchange {
                    return Ok(Some(render::handoff_to_judge(state, ack, &cited)));
                }
                let Exchange::Delegation(state) = exchange else { return Ok(None) };
                Ok(Some(render::delegation_to_judge(state, ack, &cited)))
            }
            Effect::RunStep { agent, .. } => {
                let Exchange::Operation(state) = exchange else { return Ok(None) };
                Ok(Some(self.step(state, agent)))
            }
            Effect::Handoff { order, .. } => self.handoff_order(exchange, order, cause),
            Effect::RunCheck { phase, .. } => {
                let Exchange::Validation(state) = exchange else { return Ok(None) };
                Ok(self.check(state, *phase))
            }
            Effect::CallHuman { .. } if !self.settings.escalation.reaches_human => Ok(None),
            Effect::CallHuman { exchange: id, escalation } => {
                let cited = self.citing(exchange, cause)?;
                let opened = exchange.escalations().iter().find(|one| one.number == *escalation);
                Ok(opened.map(|one| {
                    json!({
                        "escalation": EscalationId { exchange: *id, number: *escalation }.to_string(),
                        "exchange": id,
                        "reason": one.reason,
                        "text": render::escalation_text(exchange, one, &cited),
                        "evidence": render::escalation_evidence(one, &cited),
                        "addressee": one.addressee,
                        "opened": one.opened,
                        "options": exchange.options(),
                    })
                }))
            }
        }
    }

    /// The content of a message as it stands in the store.
    pub(crate) fn content(&mut self, id: &MessageId) -> Result<Option<Arc<Map<String, Value>>>, StoreError> {
        Ok(self.message(id)?.map(|(_, message)| message.values().clone()))
    }
}

pub(crate) fn priority(word: &str) -> Priority {
    match word {
        "low" => Priority::Low,
        "high" => Priority::High,
        "urgent" => Priority::Urgent,
        _ => Priority::Normal,
    }
}

/// A protocol's refusal as the door answers it.
pub(crate) fn refused(refusal: &Refusal, exchange: Option<ExchangeId>) -> Refused {
    let detail = render::refusal(refusal);
    match refusal {
        Refusal::Role { .. } | Refusal::Barred { .. } => Refused::Forbidden { detail },
        Refusal::State { .. } => Refused::Conflict { detail, exchange },
        Refusal::AlreadyOpen { exchange, .. } => Refused::Conflict { detail, exchange: Some(*exchange) },
        Refusal::Field { pointer, .. } => Refused::invalid(pointer, detail),
    }
}

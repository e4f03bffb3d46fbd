//! Makes batches that continue a journal, as an engine would.

use wilco_protocol::directory::{Agent, Profile};
use wilco_protocol::{ExchangeId, MessageId, Name, Protocol, Time};

use crate::batch::{
    AgentChange, Batch, EffectChange, EffectRow, ExchangeRow, IdempotencyRow, InboxMark, InboxRow,
    InboxStatus, JournalRow, KeyChange, MessageRow, Reach, ReachRow,
};
use crate::chain::{Hash, genesis, link};

/// Knows where the journal ends, and what comes into the next batch.
#[derive(Debug, Clone)]
pub struct Author {
    pub position: u64,
    pub hash: Hash,
    pub batch: Batch,
}

impl Default for Author {
    fn default() -> Author {
        Author::at(0, genesis())
    }
}

impl Author {
    /// Continues a journal that ends there.
    pub fn at(position: u64, hash: Hash) -> Author {
        Author { position, hash, batch: Batch::default() }
    }

    /// The batch so far; a new one begins.
    pub fn take(&mut self, at: i64) -> Batch {
        Batch { at: Time::from_millis(at), ..std::mem::take(&mut self.batch) }
    }

    /// An event; gives its position.
    pub fn event(&mut self, of: Option<(u64, u64)>, bytes: &str) -> u64 {
        self.position += 1;
        let (exchange, seq) = of.unzip();
        self.hash = link(&self.hash, self.position, bytes.as_bytes());
        let (position, hash, bytes) = (self.position, self.hash, bytes.as_bytes().to_vec());
        self.batch.journal.push(JournalRow { position, exchange, seq, bytes, hash });
        self.position
    }

    /// A message with its `message-accepted` event, not yet in any inbox; gives its position.
    pub fn message(&mut self, id: &str, exchange: Option<u64>, body: &str) -> u64 {
        let hash = blake3::hash(body.as_bytes()).to_hex();
        let event = format!(r#"{{"type":"message-accepted","data":{{"id":"{id}","hash":"{hash}"}}}}"#);
        let position = self.event(None, &event);
        let (id, body) = (MessageId::new(id), body.as_bytes().to_vec());
        self.batch.messages.push(MessageRow { position, id, exchange, body });
        position
    }

    /// A message with everything that can be looked for; gives its position.
    pub fn letter(
        &mut self,
        from: &str,
        to: &str,
        exchange: Option<u64>,
        subject: &str,
        content: &str,
    ) -> u64 {
        let id = format!("m{}", self.position + 1);
        let subject = serde_json::Value::from(subject);
        let body = format!(r#"{{"from":"{from}","to":"{to}","subject":{subject},"content":{content}}}"#);
        self.message(&id, exchange, &body)
    }

    /// A message in an agent's inbox; gives its position.
    pub fn deliver(&mut self, agent: &str, status: InboxStatus) -> u64 {
        let id = format!("m{}", self.position + 1);
        let position = self.message(&id, None, &format!(r#"{{"to":"{agent}"}}"#));
        self.batch.inbox.push(InboxRow { agent: Name::new(agent), position, status });
        position
    }

    pub fn mark(&mut self, agent: &str, position: u64, status: InboxStatus) {
        self.batch.marks.push(InboxMark { agent: Name::new(agent), position, status });
    }

    pub fn reach(&mut self, agent: &str, position: u64, reach: Reach) {
        self.batch.reaches.push(ReachRow { agent: Name::new(agent), position, reach });
    }

    pub fn exchange(&mut self, number: u64, state: &str, open: bool, wake_at: Option<i64>) {
        let id = ExchangeId { protocol: Protocol::Delegation, number };
        let body = format!(r#"{{"state":"{state}"}}"#).into_bytes();
        let (state, wake_at) = (state.to_owned(), wake_at.map(Time::from_millis));
        self.batch.exchanges.push(ExchangeRow { id, state, open, seq: self.position, wake_at, body });
    }

    pub fn key(&mut self, key: &str, exchange: u64, added: bool) {
        self.batch.keys.push(KeyChange { key: key.to_owned(), exchange, added });
    }

    pub fn agent(&mut self, name: &str, program: &str) {
        let profile = Profile { program: Some(program.to_owned()), ..Profile::default() };
        let (id, name) = (format!("id-{name}"), Name::new(name));
        let agent = Agent { id, name, profile, mark: None, registered: Time::from_millis(7) };
        self.batch.agents.push(AgentChange::Put(agent));
    }

    pub fn remove_agent(&mut self, name: &str) {
        self.batch.agents.push(AgentChange::Removed(Name::new(name)));
    }

    pub fn effect(&mut self, position: u64, index: u32, due: i64, attempts: u32) {
        let body = format!(r#"{{"try":{attempts}}}"#).into_bytes();
        let due = Time::from_millis(due);
        self.batch.effects.push(EffectChange::Put(EffectRow {
            position,
            index,
            due,
            attempts,
            body,
            node: None,
        }));
    }

    pub fn settle(&mut self, position: u64, index: u32) {
        self.batch.effects.push(EffectChange::Settled { position, index });
    }

    pub fn remember(&mut self, sender: &str, key: &str, at: i64, answer: &str) {
        self.batch.idempotency.push(IdempotencyRow {
            sender: Name::new(sender),
            key: key.to_owned(),
            request: *blake3::hash(answer.as_bytes()).as_bytes(),
            at: Time::from_millis(at),
            answer: answer.as_bytes().to_vec(),
        });
    }

    pub fn forget_before(&mut self, at: i64) {
        self.batch.forget_before = Some(Time::from_millis(at));
    }
}

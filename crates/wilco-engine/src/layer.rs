//! Changes that are not committed yet: those of the whole batch, and those of the command at hand.

use std::collections::BTreeMap;
use std::collections::HashMap; // order never observed: only looked up and summed
use std::sync::Arc;

use wilco_protocol::judgement::JudgedBy;
use wilco_protocol::{Exchange, MessageId, Name, Span, Time};
use wilco_store::{EffectChange, IdempotencyRow, InboxMark, InboxRow, InboxStatus, Message, ReachRow};

use crate::digest::OpenDigest;
use crate::nudge::OpenNudge;

/// An exchange with its place in the journal and the keys it is found under. It is shared by whoever looks at it,
/// and copied when something happens to it.
#[derive(Debug, Clone)]
pub(crate) struct Live {
    pub(crate) exchange: Arc<Exchange>,
    /// The seq of its newest event.
    pub(crate) seq: u64,
    pub(crate) keys: Arc<[String]>,
    /// When the alarm has it, as of the last commit.
    pub(crate) alarm: Option<Time>,
}

#[derive(Debug, Clone)]
pub(crate) struct NewMessage {
    pub(crate) position: u64,
    pub(crate) message: Arc<Message>,
    pub(crate) body: Vec<u8>,
}

/// An event as the journal will have it.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) exchange: Option<u64>,
    pub(crate) seq: Option<u64>,
    pub(crate) bytes: Vec<u8>,
}

/// Later entries win over earlier ones.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    /// One per position, in order; none while it is reserved.
    pub(crate) journal: Vec<Option<Written>>,
    pub(crate) messages: Vec<NewMessage>,
    /// Where in `messages` an id is. Those of the command at hand are few, and not among them.
    by_id: HashMap<MessageId, usize>,
    pub(crate) inbox: Vec<InboxRow>,
    pub(crate) marks: Vec<InboxMark>,
    pub(crate) reaches: Vec<ReachRow>,
    /// The nudges of agents, as they stand after this; none when it is over.
    pub(crate) nudges: BTreeMap<Name, Option<OpenNudge>>,
    /// What is gathered for agents, in the same way.
    pub(crate) digests: BTreeMap<Name, Option<OpenDigest>>,
    pub(crate) exchanges: BTreeMap<u64, Live>,
    /// Keys added (true) and removed, by key and exchange.
    pub(crate) keys: BTreeMap<String, BTreeMap<u64, bool>>,
    pub(crate) effects: Vec<EffectChange>,
    pub(crate) idempotency: BTreeMap<(Name, String), IdempotencyRow>,
    /// Agents touched, with what they were before.
    pub(crate) agents: Vec<(Name, Option<wilco_protocol::directory::Agent>)>,
    pub(crate) unread: HashMap<Name, i64>,
    /// How late each timer was that went off.
    pub(crate) woken: Vec<Span>,
    /// Who gave the verdicts on understandings.
    pub(crate) judged: Vec<JudgedBy>,
    /// Commit also when nothing happened: a sign of life of the server, with everybody's presence.
    pub(crate) alive: bool,
}

impl Layer {
    pub(crate) fn is_empty(&self) -> bool {
        self.journal.is_empty()
            && self.marks.is_empty()
            && self.reaches.is_empty()
            && self.effects.is_empty()
            && self.idempotency.is_empty()
            && self.exchanges.is_empty()
            && !self.alive
    }

    pub(crate) fn message(&self, id: &MessageId) -> Option<&NewMessage> {
        let at_hand = || self.messages[self.by_id.len()..].iter().find(|new| new.message.id == *id);
        self.by_id.get(id).map(|index| &self.messages[*index]).or_else(at_hand)
    }

    pub(crate) fn status(&self, agent: &Name, position: u64) -> Option<InboxStatus> {
        let marked = self.marks.iter().rev().find(|mark| mark.agent == *agent && mark.position == position);
        let placed = self.inbox.iter().find(|row| row.agent == *agent && row.position == position);
        marked.map(|mark| mark.status).or(placed.map(|row| row.status))
    }

    /// Takes over what a command changed.
    pub(crate) fn absorb(&mut self, changes: Layer) {
        self.journal.extend(changes.journal);
        for new in changes.messages {
            self.by_id.insert(new.message.id.clone(), self.messages.len());
            self.messages.push(new);
        }
        self.inbox.extend(changes.inbox);
        self.marks.extend(changes.marks);
        self.reaches.extend(changes.reaches);
        self.nudges.extend(changes.nudges);
        self.digests.extend(changes.digests);
        self.exchanges.extend(changes.exchanges);
        for (key, changes) in changes.keys {
            self.keys.entry(key).or_default().extend(changes);
        }
        self.effects.extend(changes.effects);
        self.idempotency.extend(changes.idempotency);
        self.agents.extend(changes.agents);
        self.alive |= changes.alive;
        self.woken.extend(changes.woken);
        self.judged.extend(changes.judged);
        for (agent, count) in changes.unread {
            *self.unread.entry(agent).or_default() += count;
        }
    }
}

//! Everything that one commit changes.

use wilco_protocol::directory::{Agent, Interface};
use wilco_protocol::{ExchangeId, MessageId, Name, Time};

use crate::chain::Hash;
use crate::error::StoreError;

/// The changes of one commit, in the order of their kinds. Empty kinds cost nothing.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// When it is committed: the newest sign of life.
    pub at: Time,
    pub journal: Vec<JournalRow>,
    pub messages: Vec<MessageRow>,
    pub inbox: Vec<InboxRow>,
    pub marks: Vec<InboxMark>,
    pub reaches: Vec<ReachRow>,
    pub exchanges: Vec<ExchangeRow>,
    pub keys: Vec<KeyChange>,
    pub agents: Vec<AgentChange>,
    pub effects: Vec<EffectChange>,
    pub idempotency: Vec<IdempotencyRow>,
    /// When agents were last seen, and what they spoke by: inserted or replaced.
    pub presence: Vec<PresenceRow>,
    /// Idempotency records older than this are forgotten.
    pub forget_before: Option<Time>,
}

/// When an agent was last seen, and what it spoke by last.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PresenceRow {
    pub name: Name,
    pub seen: Time,
    pub spoke: Option<Interface>,
}

impl Batch {
    /// Refuses a batch whose events do not continue a journal that ends at `head`: storing them would
    /// make a gap, or write history anew.
    pub(crate) fn follows(&self, head: u64) -> Result<(), StoreError> {
        for (expected, row) in (head + 1..).zip(&self.journal) {
            if row.position != expected {
                let reason = format!("expected an event at position {expected}, got {}", row.position);
                return Err(StoreError::NotStored(reason.into()));
            }
        }
        Ok(())
    }
}

/// Positions of a batch follow the head without a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalRow {
    pub position: u64,
    /// The number of the exchange it belongs to, and its place there.
    pub exchange: Option<u64>,
    pub seq: Option<u64>,
    pub bytes: Vec<u8>,
    pub hash: Hash,
}

/// `position` is that of its `message-accepted` event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow {
    pub position: u64,
    pub id: MessageId,
    /// The number of the exchange it belongs to.
    pub exchange: Option<u64>,
    /// The `Message` as JSON.
    pub body: Vec<u8>,
}

/// A message in somebody's inbox, found by the message's position. It is put there once; from then on
/// marks change its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxRow {
    pub agent: Name,
    pub position: u64,
    pub status: InboxStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InboxStatus {
    Unread,
    Read,
    Archived,
    /// Hidden from the inbox; journal and exchange keep the message.
    Deleted,
}

/// A change of the status of a message in an inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxMark {
    pub agent: Name,
    pub position: u64,
    pub status: InboxStatus,
}

/// One more way in which a message got nearer to an agent. Adding one that is there changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachRow {
    pub agent: Name,
    pub position: u64,
    pub reach: Reach,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// A nudge told the agent of it.
    Nudged,
    /// Every try to nudge the agent failed.
    NudgeFailed,
    /// It entered the agent's context.
    Injected,
    /// The agent answered it.
    Answered,
    /// No nearer: the agent put it away, archived or deleted, without reading it.
    PutAwayUnread,
}

/// All ways in which a message got nearer to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reached(u8);

impl Reached {
    pub fn has(self, reach: Reach) -> bool {
        self.0 & Reached::bit(reach) != 0
    }

    #[must_use]
    pub fn and(self, reach: Reach) -> Reached {
        Reached(self.0 | Reached::bit(reach))
    }

    /// As they stand in a database, for ever.
    pub(crate) fn bit(reach: Reach) -> u8 {
        match reach {
            Reach::Nudged => 1,
            Reach::NudgeFailed => 2,
            Reach::Injected => 4,
            Reach::Answered => 8,
            Reach::PutAwayUnread => 16,
        }
    }

    pub(crate) fn of_bits(bits: u8) -> Reached {
        Reached(bits)
    }
}

/// An exchange as it stands after the batch: inserted or replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeRow {
    pub id: ExchangeId,
    /// The name of its state.
    pub state: String,
    pub open: bool,
    /// The seq of its newest event.
    pub seq: u64,
    pub wake_at: Option<Time>,
    /// The protocol's state as JSON.
    pub body: Vec<u8>,
}

/// Adds (`added`) or removes a key of an exchange. Adding one that is there, or removing one that is
/// not, changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyChange {
    pub key: String,
    pub exchange: u64,
    pub added: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a batch has few of them, mostly none")]
pub enum AgentChange {
    Put(Agent),
    Removed(Name),
}

/// An order to the courier that has not been reported on yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectRow {
    /// The journal position of the decision that ordered it, and its place there.
    pub position: u64,
    pub index: u32,
    pub due: Time,
    pub attempts: u32,
    /// What to do, as JSON.
    pub body: Vec<u8>,
    /// The node that does it; none: whoever writes. An embedded store has one node, and does not keep it.
    pub node: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EffectChange {
    /// Inserted or replaced.
    Put(EffectRow),
    Settled {
        position: u64,
        index: u32,
    },
}

/// The first answer to a request, so that it can be given again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyRow {
    pub sender: Name,
    pub key: String,
    /// Of the parsed request.
    pub request: Hash,
    pub at: Time,
    /// The answer as JSON.
    pub answer: Vec<u8>,
}

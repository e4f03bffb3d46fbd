//! The reference: what must be true after every step, kept beside the engine and learnt only from what can
//! be read in the store.
//!
//! `track` follows single delegations and `asked` single operations (G5, G6, G7), `letters` messages and inboxes (G4), `nudges` that agents are told of them (MSG-21), `answers` what callers
//! were told (G4, MSG-12, MSG-13), `whole` compares everything with a rebuild (G8). This file has the journal
//! itself (G3).

mod answers;
mod asked;
mod letters;
mod nudges;
mod record;
mod track;
mod whole;

use std::collections::{BTreeMap, BTreeSet};

use wilco_engine::Engine;
use wilco_protocol::{ExchangeId, MessageId, Name, Protocol, Time};
use wilco_store::{Hash, InboxStatus, Reader, StoreError, genesis, link};

use crate::disk::Disk;
use asked::{Asked, Said};
use record::{Assigned, Particulars, Record};
use track::Track;

/// A law that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) law: &'static str,
    pub(crate) what: String,
}

pub(crate) fn broken<T>(law: &'static str, what: impl Into<String>) -> Result<T, Broken> {
    Err(Broken { law, what: what.into() })
}

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Broken {
        Broken { law: "G9", what: format!("a read failed: {error}") }
    }
}

impl From<serde_json::Error> for Broken {
    fn from(error: serde_json::Error) -> Broken {
        Broken { law: "G8", what: format!("something stored cannot be read: {error}") }
    }
}

#[derive(Debug)]
pub(crate) struct Model {
    head: u64,
    hash: Hash,
    tracks: BTreeMap<u64, Track>,
    operations: BTreeMap<u64, Asked>,
    /// Commands that were run: for which operation and agent, the how manieth time.
    performed: BTreeSet<(u64, Name, u32)>,
    wakes: BTreeSet<(Time, u64)>,
    /// The messages that were stored under each sender's mark, in order.
    stored: BTreeMap<String, Vec<(u64, MessageId)>>,
    /// What every inbox must hold.
    inboxes: BTreeMap<(Name, u64), InboxStatus>,
    /// Inbox rows that a reader asked to change, until the journal says so.
    asked: BTreeSet<(Name, MessageId)>,
    /// When the server was down.
    down: Vec<(Time, Time)>,
    /// Who was taken off the list once: what came meanwhile nobody was to be told of.
    left: BTreeSet<Name>,
    /// Orders that were reported on.
    reported: BTreeSet<(u64, u32)>,
    pub(crate) messages: u64,
}

/// What a step changed, before it is judged as a whole.
#[derive(Default)]
struct Change {
    tracks: BTreeSet<u64>,
    /// Who got something in which exchange, and who had to.
    reached: BTreeSet<(u64, Name)>,
    owed: BTreeSet<(u64, Name)>,
    /// Who got the first message of an exchange that is not born yet.
    first: BTreeMap<u64, BTreeSet<Name>>,
}

/// Rows read at once.
const PAGE: usize = 4096;

impl Model {
    pub(crate) fn new() -> Model {
        Model {
            head: 0,
            hash: genesis(),
            tracks: BTreeMap::new(),
            operations: BTreeMap::new(),
            performed: BTreeSet::new(),
            wakes: BTreeSet::new(),
            stored: BTreeMap::new(),
            inboxes: BTreeMap::new(),
            asked: BTreeSet::new(),
            down: Vec::new(),
            left: BTreeSet::new(),
            reported: BTreeSet::new(),
            messages: 0,
        }
    }

    pub(crate) fn exchanges(&self) -> usize {
        self.tracks.len() + self.operations.len()
    }

    /// A command is run.
    pub(crate) fn performs(&mut self, id: ExchangeId, agent: &Name, run: u32) -> Result<(), Broken> {
        if self.performed.insert((id.number, agent.clone(), run)) {
            return Ok(());
        }
        broken("OP-14", format!("run {run} of {id} for {agent} happens twice"))
    }

    fn initiator_of(&self, number: u64) -> Option<&Name> {
        let delegated = self.tracks.get(&number).map(|track| &track.initiator);
        delegated.or(self.operations.get(&number).map(|asked| &asked.initiator))
    }

    pub(crate) fn head(&self) -> (u64, Hash) {
        (self.head, self.hash)
    }

    /// The server did not run between these instants.
    pub(crate) fn was_down(&mut self, from: Time, to: Time) {
        self.down.push((from, to));
    }

    /// Exchanges that still wait for something that time alone will bring.
    pub(crate) fn unsettled(&self) -> Option<u64> {
        let delegated = self.tracks.iter().find(|(_, track)| !track.is_settled()).map(|(number, _)| *number);
        delegated.or(self.operations.iter().find(|(_, asked)| !asked.is_settled()).map(|(number, _)| *number))
    }

    /// Takes in what was stored since the last look, at this instant.
    pub(crate) fn observe(&mut self, disk: &Disk, now: Time) -> Result<(), Broken> {
        let mut change = Change::default();
        let rows = disk.journal(self.head, PAGE)?;
        for row in &rows {
            if row.position != self.head + 1 {
                return broken("G3", format!("position {} follows {}", row.position, self.head));
            }
            self.head = row.position;
            self.hash = link(&self.hash, row.position, &row.bytes);
            if self.hash != row.hash {
                return broken("G8", format!("the chain breaks at {}", row.position));
            }
            let record: Record<'_> = serde_json::from_slice(&row.bytes)?;
            if record.at != now {
                return broken("G7", format!("an event at {now} says {}", record.at));
            }
            if record.exchange.map(|id| id.number) != row.exchange || record.seq != row.seq {
                return broken(
                    "G3",
                    format!("position {} stands at another place than it says", row.position),
                );
            }
            self.event(disk, row.position, &record, &mut change)?;
        }
        let head = disk.head()?;
        if (head.position, head.hash) != (self.head, self.hash) {
            return broken("G3", format!("the head is {}, the journal ends at {}", head.position, self.head));
        }
        self.judge(disk, &change)
    }

    fn event(
        &mut self,
        disk: &Disk,
        position: u64,
        record: &Record<'_>,
        change: &mut Change,
    ) -> Result<(), Broken> {
        let exchange = record.exchange.map(|id| id.number);
        match (&*record.kind, exchange) {
            ("message-accepted", _) => self.accepted(disk, position, record, change)?,
            (kind, None) if kind.starts_with("message-") => self.marked(disk, record)?,
            ("agent-removed", None) => self.left(record)?,
            (_, None) => {}
            (kind, Some(number)) if record.exchange.is_some_and(|id| id.protocol == Protocol::Operation) => {
                let said: Said = serde_json::from_str(record.data.get())?;
                if kind == "announced" {
                    change.first.remove(&number);
                    self.operations.insert(number, Asked::born(said)?);
                } else if let Some(asked) = self.operations.get_mut(&number) {
                    asked.take(kind, &said)?;
                } else {
                    return broken("G3", format!("{kind} comes before operation {number} began"));
                }
            }
            ("assigned", Some(number)) => {
                let assigned: Assigned = serde_json::from_str(record.data.get())?;
                let first = change.first.remove(&number).unwrap_or_default();
                let mut track = Track::born(assigned, record.at, &first)?;
                track.seq = 1;
                if self.tracks.insert(number, track).is_some() {
                    return broken("G3", format!("exchange {number} begins twice"));
                }
            }
            (kind, Some(number)) => {
                let Some(track) = self.tracks.get_mut(&number) else {
                    return broken("G3", format!("{kind} comes before exchange {number} began"));
                };
                let said: Particulars = serde_json::from_str(record.data.get())?;
                track.take(kind, &said, record.at, &self.down)?;
            }
        }
        let Some(number) = exchange else { return Ok(()) };
        change.tracks.insert(number);
        let asked = self.operations.get_mut(&number).map(|asked| &mut asked.seq);
        let Some(seq) = self.tracks.get_mut(&number).map(|track| &mut track.seq).or(asked) else {
            return Ok(());
        };
        let first_message = &*record.kind == "message-accepted" && record.seq == Some(1);
        if first_message {
            return Ok(());
        }
        *seq += 1;
        if record.seq != Some(*seq) {
            return broken("G3", format!("{number} is at seq {:?}, not {seq}", record.seq));
        }
        Ok(())
    }

    /// What must be true of everything that was touched.
    fn judge(&mut self, disk: &Disk, change: &Change) -> Result<(), Broken> {
        for number in &change.tracks {
            if let Some(asked) = self.operations.get(number) {
                judge_operation(asked, disk, *number)?;
                self.wakes.retain(|(_, other)| other != number);
                self.wakes.extend(asked.wake().map(|due| (due, *number)));
                continue;
            }
            let Some(track) = self.tracks.get(number) else {
                return broken("G3", format!("exchange {number} never began"));
            };
            let Some(row) = disk.exchange(*number)? else {
                return broken("G8", format!("exchange {number} is not stored"));
            };
            let (stored, told) =
                ((&*row.state, row.open, row.seq), (&*track.state, track.is_open(), track.seq));
            if stored != told {
                return broken("G8", format!("{} is stored as {stored:?}, its events say {told:?}", row.id));
            }
            if row.wake_at != track.wake() {
                let what = format!("{} wakes {:?}, its events say {:?}", row.id, row.wake_at, track.wake());
                return broken("G7", what);
            }
            if !track.is_undecided() {
                return broken("G6", format!("{} is {}, against its escalation", row.id, track.state));
            }
            if track.is_stuck() {
                return broken("G6", format!("{} is {} and nothing will move it", row.id, track.state));
            }
            if track.is_open() && track.holders.iter().any(|holder| *holder != track.assignee) {
                let what = format!("{} is {}'s, but {:?} hold it", row.id, track.assignee, track.holders);
                return broken("G5", what);
            }
            self.wakes.retain(|(_, other)| other != number);
            self.wakes.extend(row.wake_at.map(|due| (due, *number)));
            self.is_the_only_one(*number, track)?;
        }
        match change.owed.iter().find(|owed| !change.reached.contains(owed)) {
            Some((number, agent)) => broken("G4", format!("{agent} was not reached in exchange {number}")),
            None => Ok(()),
        }
    }

    /// G5: no other open exchange is about the same task.
    fn is_the_only_one(&self, number: u64, track: &Track) -> Result<(), Broken> {
        let same = |other: &Track| {
            let task = other.initiator == track.initiator && other.task_id == track.task_id;
            other.is_open() && (task || other.task_uuid == track.task_uuid)
        };
        let mut others = self.tracks.iter().filter(|(other, _)| **other != number);
        match others.find(|(_, other)| track.is_open() && same(other)) {
            Some((other, _)) => broken("G5", format!("{} is open as {number} and {other}", track.task_id)),
            None => Ok(()),
        }
    }

    /// What the engine remembers is what is stored.
    pub(crate) fn compare(&self, engine: &Engine, disk: &Disk) -> Result<(), Broken> {
        let next = self.wakes.first().map(|(due, _)| *due);
        if engine.next_wake() != next {
            return broken("G7", format!("the engine wakes {:?}, the store {next:?}", engine.next_wake()));
        }
        if !engine.directory().iter().eq(disk.agents()?.iter()) {
            return broken("G8", "the engine knows other agents than the store");
        }
        Ok(())
    }

    /// After a wake nothing is left due.
    pub(crate) fn nothing_due(&self, now: Time) -> Result<(), Broken> {
        match self.wakes.first() {
            Some((due, number)) if *due <= now => {
                broken("G7", format!("exchange {number} was due {due} and is not moved at {now}"))
            }
            _ => Ok(()),
        }
    }
}

/// What must be true of an operation that was touched.
fn judge_operation(asked: &Asked, disk: &Disk, number: u64) -> Result<(), Broken> {
    let Some(row) = disk.exchange(number)? else {
        return broken("G8", format!("operation {number} is not stored"));
    };
    let (stored, told) = ((&*row.state, row.open, row.seq), (&*asked.state, asked.is_open(), asked.seq));
    if stored != told {
        return broken("G8", format!("{} is stored as {stored:?}, its events say {told:?}", row.id));
    }
    if row.wake_at != asked.wake() {
        let what = format!("{} wakes {:?}, its events say {:?}", row.id, row.wake_at, asked.wake());
        return broken("G7", what);
    }
    if asked.is_stuck() {
        return broken("G6", format!("{} is {} and nothing will move it", row.id, asked.state));
    }
    Ok(())
}

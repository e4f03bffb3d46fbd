//! The reference: what must be true after every step, kept beside the engine and learnt only from what can
//! be read in the store.
//!
//! `track` follows single delegations, `asked` operations, `rounds` validations and `handover` handoffs; `judge` says
//! what must be true of each after a step (G5, G6, G7), `told` that whoever is to hear something does so once,
//! `letters` has messages and inboxes (G4), `nudges` that agents are told of them (MSG-21), `answers` what callers
//! were told (G4, MSG-12, MSG-13), `whole` compares everything with a rebuild (G8). This file has the journal
//! itself (G3).

mod answers;
mod asked;
mod handover;
mod judge;
mod letters;
mod nudges;
mod record;
mod rounds;
mod told;
mod track;
mod unread;
mod whole;

use std::collections::{BTreeMap, BTreeSet};

use wilco_engine::Engine;
use wilco_protocol::{ExchangeId, MessageId, Name, Protocol, Time};
use wilco_store::{Hash, InboxStatus, Reader, StoreError, genesis, link};

use crate::disk::Disk;
use asked::Asked;
use handover::Handover;
use record::{Assigned, Particulars, Record};
use rounds::Loop;
use told::{Debts, Told};
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
    loops: BTreeMap<u64, Loop>,
    handoffs: BTreeMap<u64, Handover>,
    /// Commands that were run: for which operation and agent, the how manieth time.
    performed: BTreeSet<(u64, Name, u32)>,
    /// Commands that checked a phase.
    checked: BTreeSet<(u64, usize, u32)>,
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
    /// Who was replaced, and has not been registered anew since.
    replaced: BTreeSet<Name>,
    /// Whether the list of agents may have changed since it was last compared.
    agents_touched: bool,
    /// Messages that nobody is nudged for.
    quiet: BTreeSet<u64>,
    /// Orders that were reported on.
    reported: BTreeSet<(u64, u32)>,
    /// Who said something that could not be read, in which exchange and state.
    told_unread: BTreeSet<(u64, Name, String)>,
    pub(crate) messages: u64,
}

/// What a step changed, before it is judged as a whole.
#[derive(Default)]
struct Change {
    tracks: BTreeSet<u64>,
    /// Who got something in which exchange, and who had to.
    reached: BTreeSet<(u64, Name)>,
    owed: BTreeSet<(u64, Name)>,
    /// Who got the first message of an exchange that is not born yet, and whom it was for.
    first: BTreeMap<u64, BTreeSet<Name>>,
    addressed: BTreeMap<u64, Name>,
    /// Who sent a message, and where it lies.
    lies: BTreeMap<MessageId, (Name, Vec<Name>)>,
    /// What was posted last, as far as it was stored.
    post: Option<letters::Post>,
    /// What was to be said in this step, and was.
    debts: Debts,
}

/// What is asked of every exchange that is followed.
trait Followed {
    fn initiator(&self) -> &Name;
    fn state(&self) -> &str;
    fn is_open(&self) -> bool;
    fn seq(&self) -> u64;
    /// One more event of it.
    fn counts(&mut self);
    /// When it must be woken next.
    fn wake(&self) -> Option<Time>;
    /// Whether nothing more will happen by itself but reminders, or what the courier brings.
    fn is_settled(&self) -> bool;
    /// Against G6.
    fn is_stuck(&self) -> bool;
    /// Whether it waits for the courier alone.
    fn rests(&self) -> bool {
        false
    }
}

impl Model {
    pub(crate) fn new() -> Model {
        Model {
            head: 0,
            hash: genesis(),
            tracks: BTreeMap::new(),
            operations: BTreeMap::new(),
            loops: BTreeMap::new(),
            handoffs: BTreeMap::new(),
            performed: BTreeSet::new(),
            checked: BTreeSet::new(),
            wakes: BTreeSet::new(),
            stored: BTreeMap::new(),
            inboxes: BTreeMap::new(),
            asked: BTreeSet::new(),
            down: Vec::new(),
            left: BTreeSet::new(),
            replaced: BTreeSet::new(),
            agents_touched: true,
            quiet: BTreeSet::new(),
            reported: BTreeSet::new(),
            told_unread: BTreeSet::new(),
            messages: 0,
        }
    }

    pub(crate) fn exchanges(&self) -> usize {
        self.tracks.len() + self.operations.len() + self.loops.len() + self.handoffs.len()
    }

    /// The numbers of all of them.
    fn numbers(&self) -> impl Iterator<Item = u64> {
        let delegated = self.tracks.keys().chain(self.operations.keys());
        delegated.chain(self.loops.keys()).chain(self.handoffs.keys()).copied()
    }

    fn followed(&self, number: u64) -> Option<&dyn Followed> {
        let track = self.tracks.get(&number).map(|one| one as &dyn Followed);
        track
            .or_else(|| self.operations.get(&number).map(|one| one as &dyn Followed))
            .or_else(|| self.loops.get(&number).map(|one| one as &dyn Followed))
            .or_else(|| self.handoffs.get(&number).map(|one| one as &dyn Followed))
    }

    fn followed_mut(&mut self, number: u64) -> Option<&mut dyn Followed> {
        if let Some(track) = self.tracks.get_mut(&number) {
            return Some(track);
        }
        if let Some(asked) = self.operations.get_mut(&number) {
            return Some(asked);
        }
        if let Some(looped) = self.loops.get_mut(&number) {
            return Some(looped);
        }
        self.handoffs.get_mut(&number).map(|one| one as &mut dyn Followed)
    }

    /// A command checks a phase.
    pub(crate) fn checks(&mut self, id: ExchangeId, phase: usize, run: u32) -> Result<(), Broken> {
        if self.checked.insert((id.number, phase, run)) {
            return Ok(());
        }
        broken("VAL-1", format!("run {run} of phase {phase} of {id} happens twice"))
    }

    /// A command is run.
    pub(crate) fn performs(&mut self, id: ExchangeId, agent: &Name, run: u32) -> Result<(), Broken> {
        if self.performed.insert((id.number, agent.clone(), run)) {
            return Ok(());
        }
        broken("OP-14", format!("run {run} of {id} for {agent} happens twice"))
    }

    fn initiator_of(&self, number: u64) -> Option<&Name> {
        self.followed(number).map(|one| one.initiator())
    }

    pub(crate) fn head(&self) -> (u64, Hash) {
        (self.head, self.hash)
    }

    /// The server did not run between these instants.
    pub(crate) fn was_down(&mut self, from: Time, to: Time) {
        self.down.push((from, to));
        self.agents_touched = true;
    }

    /// Exchanges that still wait for something that time alone will bring.
    pub(crate) fn unsettled(&self) -> Option<u64> {
        self.numbers().find(|number| self.followed(*number).is_some_and(|one| !one.is_settled()))
    }

    /// A commit was refused: nothing of it may be left in what the engine remembers.
    pub(crate) fn was_refused(&mut self) {
        self.agents_touched = true;
    }

    /// Takes in what was stored since the last look, at this instant.
    pub(crate) fn observe(&mut self, disk: &Disk, now: Time) -> Result<(), Broken> {
        let mut change = Change::default();
        for row in disk.events(self.head) {
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
        match (&*record.kind, record.exchange) {
            ("message-accepted", _) => self.accepted(disk, position, record, change)?,
            (kind, None) if kind.starts_with("message-") => self.marked(disk, record)?,
            (kind, None) if kind.starts_with("agent-") => self.agent_changed(record)?,
            (_, None) => {}
            ("not-understood", Some(id)) => self.not_understood(id.number, record)?,
            (_, Some(id)) => match id.protocol {
                Protocol::Delegation => self.delegated(id.number, record, change)?,
                Protocol::Operation => self.operated(id.number, record, change)?,
                Protocol::Validation => self.validated(id.number, record, change)?,
                Protocol::Handoff => self.handed_over(id.number, record, change)?,
            },
        }
        let Some(number) = record.exchange.map(|id| id.number) else { return Ok(()) };
        change.tracks.insert(number);
        let first_message = &*record.kind == "message-accepted" && record.seq == Some(1);
        let Some(followed) = self.followed_mut(number).filter(|_| !first_message) else { return Ok(()) };
        followed.counts();
        if record.seq != Some(followed.seq()) {
            return broken("G3", format!("{number} is at seq {:?}, not {}", record.seq, followed.seq()));
        }
        Ok(())
    }

    fn delegated(&mut self, number: u64, record: &Record<'_>, change: &mut Change) -> Result<(), Broken> {
        if &*record.kind == "assigned" {
            let assigned: Assigned = serde_json::from_str(record.data.get())?;
            let first = change.first.remove(&number).unwrap_or_default();
            let track = Track::born(assigned, record.at, &first)?;
            return self.is_new(number, |model| model.tracks.insert(number, track).is_some());
        }
        let said: Particulars = serde_json::from_str(record.data.get())?;
        self.has_taken_over(&record.kind, &said)?;
        if &*record.kind == "acknowledged" {
            self.has_heard(number, record, change)?;
        }
        let Some(track) = self.tracks.get_mut(&number) else { return unborn(number, &record.kind) };
        track.take(&record.kind, &said, (record.at, &record.by), &self.down)
    }

    fn operated(&mut self, number: u64, record: &Record<'_>, change: &mut Change) -> Result<(), Broken> {
        let said: asked::Said = serde_json::from_str(record.data.get())?;
        if &*record.kind == "announced" {
            change.first.remove(&number);
            let asked = Asked::born(said)?;
            return self.is_new(number, |model| model.operations.insert(number, asked).is_some());
        }
        let Some(asked) = self.operations.get_mut(&number) else { return unborn(number, &record.kind) };
        asked.take(&record.kind, &said)
    }

    fn validated(&mut self, number: u64, record: &Record<'_>, change: &mut Change) -> Result<(), Broken> {
        let said: rounds::Said = serde_json::from_str(record.data.get())?;
        if &*record.kind == "started" {
            change.first.remove(&number);
            let looped = Loop::born(said)?;
            return self.is_new(number, |model| model.loops.insert(number, looped).is_some());
        }
        let Some(looped) = self.loops.get_mut(&number) else { return unborn(number, &record.kind) };
        let mut told = Told { number, debts: &mut change.debts };
        looped.take(&record.kind, &said, record.at, &self.down, &mut told)
    }

    fn handed_over(&mut self, number: u64, record: &Record<'_>, change: &mut Change) -> Result<(), Broken> {
        let said: handover::Said = serde_json::from_str(record.data.get())?;
        if &*record.kind == "requested" {
            self.is_addressed_right(number, record, change)?;
            let handoff = Handover::born(said)?;
            return self.is_new(number, |model| model.handoffs.insert(number, handoff).is_some());
        }
        let Some(handoff) = self.handoffs.get_mut(&number) else { return unborn(number, &record.kind) };
        let mut told = Told { number, debts: &mut change.debts };
        handoff.take(&record.kind, &said, record.at, &self.down, &mut told)
    }

    fn is_new(&mut self, number: u64, keep: impl FnOnce(&mut Model) -> bool) -> Result<(), Broken> {
        match keep(self) {
            false => Ok(()),
            true => broken("G3", format!("exchange {number} begins twice")),
        }
    }

    /// What the engine remembers is what is stored.
    pub(crate) fn compare(&mut self, engine: &Engine, disk: &Disk) -> Result<(), Broken> {
        let next = self.wakes.first().map(|(due, _)| *due);
        if engine.next_wake() != next {
            return broken("G7", format!("the engine wakes {:?}, the store {next:?}", engine.next_wake()));
        }
        if !std::mem::take(&mut self.agents_touched) {
            return Ok(());
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

fn unborn(number: u64, kind: &str) -> Result<(), Broken> {
    broken("G3", format!("{kind} comes before exchange {number} began"))
}

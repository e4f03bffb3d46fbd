//! Several nodes on one database. What each decides is the product's own (`wilco_store`'s `NodeLease`, `Fence`, `Tenure`,
//! `KnownWriter`, `Forwarding`); here are the database's row, clocks that differ, and everything that comes between.
//!
//! `database` has the row that every commit demands, `office` who writes, `trouble` the faults, `calls` what callers send
//! to any node.

mod calls;
mod database;
mod office;
mod trouble;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use wilco_engine::{Answer, Engine};
use wilco_protocol::{Span, Time};
use wilco_store::{
    Batch, CarriedClock, Fence, KnownWriter, NodeLease, Tenure, Term, Tried, WriterRow, lasts,
};

use crate::rng::Rng;
use crate::world::START;

pub(crate) use calls::SimCall;
pub(crate) use database::Database;
pub(crate) use trouble::Mend;

/// As `store.lease` is by default.
pub(super) const LEASE: Span = Span::seconds(6);
/// How often a node looks at the row, in milliseconds.
const TICK: u64 = 200;
/// Between two looks at the row nothing else can have happened when all is well; so few are played.
const LEAP: Span = Span::millis(500);

#[derive(Debug)]
pub(crate) struct Realm {
    pub(super) nodes: Vec<SimNode>,
    pub(super) rates: NodeRates,
    /// The node whose engine the world has in its hands: the writer, or one that takes itself for it.
    pub(super) acting: Option<usize>,
    /// Ways between nodes that are cut, and until when.
    pub(super) cut: BTreeMap<(usize, usize), Time>,
    /// Until then the database takes no writes: it fails over.
    pub(super) promoted_at: Option<Time>,
    /// Since when nobody writes.
    pub(super) vacant: Option<Time>,
    /// When something last went wrong, was mended, or changed.
    pub(super) troubled: Time,
    pub(super) is_calm: bool,
    pub(super) leapt: Time,
    /// What became of the last step that was not done.
    pub(super) tried: Tried<()>,
    /// Calls whose answer is awaited at the node that took them.
    pub(super) waiting: BTreeMap<u64, SimCall>,
    pub(super) called: u64,
    /// The last position that somebody was told of.
    pub(super) acknowledged: u64,
    pub(crate) takeovers: u64,
}

#[derive(Debug)]
pub(super) struct SimNode {
    pub(super) name: String,
    pub(super) address: String,
    pub(super) is_alive: bool,
    /// Stopped, and when it goes on.
    pub(super) stopped: Option<Time>,
    pub(super) view: View,
    /// What its boot-time clock said at the start, and how it runs wrong, in millionths.
    boot: i64,
    drift: i64,
    /// What its calendar is ahead of the database's, in milliseconds.
    pub(super) calendar: i64,
    /// The realm's time, as far as it knows.
    time: CarriedClock,
    pub(super) lease: NodeLease,
    pub(super) known: KnownWriter,
    pub(super) term: Option<SimTerm>,
    /// Until its first term.
    pub(super) is_first: bool,
    pub(super) next_tick: Time,
    /// The row as it was when it decided to take over, a moment ago.
    pub(super) racing: Option<WriterRow>,
    /// Calls that arrived while it was stopped, and their requests.
    pub(super) inbox: VecDeque<(u64, usize)>,
}

/// The database as a node sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum View {
    /// As it is.
    Whole,
    Cut,
    /// A server that was the primary until then: it can be read, and takes no commit any more.
    Former(WriterRow),
}

#[derive(Debug)]
pub(super) struct SimTerm {
    pub(super) term: Term,
    /// When everything is loaded; it takes no calls before.
    pub(super) loads_at: Time,
    pub(super) begun: bool,
    /// Of one that does not act just now.
    pub(super) engine: Option<Engine>,
    pub(super) fence: Fence,
    pub(super) tenure: Tenure,
    pub(super) held: Option<HeldCommit>,
}

/// What was decided and not committed yet when the node was stopped.
#[derive(Debug)]
pub(super) struct HeldCommit {
    /// Who waits, if somebody does, and for which request.
    pub(super) asked: Vec<(Option<u64>, usize)>,
    pub(super) answers: Vec<Answer>,
    pub(super) batch: Option<Batch>,
    pub(super) at: Time,
}

/// How often what befalls a node, per mille of all that happens.
#[derive(Debug)]
pub(super) struct NodeRates {
    pub(super) kills: u64,
    pub(super) stops: u64,
    pub(super) cuts: u64,
    pub(super) links: u64,
    pub(super) failovers: u64,
    pub(super) handovers: u64,
    pub(super) calendars: u64,
    /// Of commits: whether they took place is not known; the node is stopped right before.
    pub(super) doubts: u64,
    pub(super) holds: u64,
    /// Of forwarded calls: they or their answers are lost.
    pub(super) lost: u64,
}

impl Realm {
    /// The nodes of this seed's world; none in every second, which is one process with a disk of its own.
    pub(crate) fn of(seed: u64, alone: bool) -> Realm {
        let mut rng = Rng::of(seed ^ 0x5EED_0F2E_A1F5);
        let number = match rng.below(10) {
            _ if alone => 0,
            0..5 => 0,
            5 => 1,
            6 | 7 => 2,
            _ => 3,
        };
        let now = Time::from_millis(START);
        let nodes = ["one", "two", "three"].iter().take(number).map(|name| SimNode::new(name, &mut rng, now));
        Realm {
            nodes: nodes.collect(),
            rates: NodeRates::of(&mut rng),
            acting: None,
            cut: BTreeMap::new(),
            promoted_at: None,
            vacant: Some(now),
            troubled: now,
            is_calm: false,
            leapt: now,
            tried: Tried::NotTaken,
            waiting: BTreeMap::new(),
            called: 0,
            acknowledged: 0,
            takeovers: 0,
        }
    }

    /// Whether nothing can come of looking at the row: everybody sees the same, and somebody writes.
    pub(super) fn settles(&self, now: Time, epoch: u64) -> bool {
        let well = |node: &SimNode| {
            let has_begun = node.term.as_ref().is_none_or(|term| term.begun);
            !node.is_alive || node.is_well() && node.known.epoch == epoch && has_begun
        };
        self.promoted_at.is_none()
            && self.waiting.is_empty()
            && self.nodes.iter().all(well)
            && self.nodes.iter().filter(|node| node.term.is_some()).count() <= 1
            && self.is_held(now, epoch)
    }

    /// Whether somebody writes who may.
    pub(super) fn is_held(&self, now: Time, epoch: u64) -> bool {
        self.acting.is_some_and(|acting| {
            let node = &self.nodes[acting];
            let term = node.term.as_ref().filter(|term| term.begun && term.term.epoch == epoch);
            node.is_well() && node.leases(now) && term.is_some_and(|term| !term.tenure.is_over())
        })
    }

    /// Whether this is one process with a disk of its own.
    pub(crate) fn is_alone(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(crate) fn acting(&self) -> Option<usize> {
        self.acting
    }

    pub(crate) fn nodes(&self) -> u64 {
        self.nodes.len() as u64
    }

    pub(super) fn is_linked(&self, one: usize, other: usize) -> bool {
        !self.cut.contains_key(&(one, other))
    }

    pub(super) fn at_address(&self, address: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.address == address)
    }

    /// When a node looks at the row next, unless all is well.
    pub(crate) fn next_tick(&self) -> Option<Time> {
        if self.is_calm {
            return None;
        }
        let awake = self.nodes.iter().filter(|node| node.is_alive && node.stopped.is_none());
        awake.map(|node| node.next_tick).min()
    }
}

impl SimNode {
    fn new(name: &str, rng: &mut Rng, now: Time) -> SimNode {
        let calendar = if rng.percent(50) { rng.below(600_000) as i64 - 300_000 } else { 0 };
        let mut node = SimNode {
            name: name.to_owned(),
            address: format!("http://{name}"),
            is_alive: true,
            stopped: None,
            view: View::Whole,
            boot: 0,
            drift: 0,
            calendar,
            time: CarriedClock::new(now, None, 0, 0),
            lease: NodeLease::new(name, Duration::from_millis(LEASE.as_millis())),
            known: KnownWriter::default(),
            term: None,
            is_first: true,
            next_tick: now,
            racing: None,
            inbox: VecDeque::new(),
        };
        node.starts(rng, now);
        node
    }

    /// The process begins: nothing is known, and its machine has been up for some time.
    pub(super) fn starts(&mut self, rng: &mut Rng, now: Time) {
        self.lease = NodeLease::new(&self.name, Duration::from_millis(LEASE.as_millis()));
        self.boot = rng.below(10_000_000_000) as i64;
        self.drift = rng.below(101) as i64 - 50;
        self.time = CarriedClock::new(now, None, self.clock(now), self.wall(now));
        (self.known, self.term, self.is_first) = (KnownWriter::default(), None, true);
        (self.is_alive, self.stopped, self.next_tick, self.racing) = (true, None, now, None);
    }

    /// What its boot-time clock says.
    pub(super) fn clock(&self, now: Time) -> i64 {
        let passed = now.millis() - START;
        self.boot + passed + passed * self.drift / 1_000_000
    }

    fn wall(&self, now: Time) -> i64 {
        now.millis() + self.calendar
    }

    /// What it takes for the realm's time.
    pub(super) fn time(&self, now: Time) -> Time {
        self.time.now(self.clock(now), self.wall(now))
    }

    /// It gave a sign of life, that was sent then, and learns what time it is.
    pub(super) fn beaten(&mut self, sent: i64, now: Time) {
        self.lease.beaten(sent);
        self.time.follow(now, self.clock(now), self.wall(now));
    }

    pub(super) fn not_before(&self, last: Option<Time>) {
        last.into_iter().for_each(|last| self.time.not_before(last));
    }

    /// Whether nothing is wrong with it or with its way to the database.
    pub(super) fn is_well(&self) -> bool {
        self.is_alive && self.stopped.is_none() && self.view == View::Whole
    }

    /// Whether it believes that nobody else can write.
    pub(super) fn leases(&self, now: Time) -> bool {
        lasts(self.lease.writes_until(), self.clock(now))
    }

    pub(super) fn may_read(&self, now: Time) -> bool {
        lasts(self.lease.reads_until(), self.clock(now)) && self.known.serves_nothing.is_none()
    }
}

impl NodeRates {
    fn of(rng: &mut Rng) -> NodeRates {
        use crate::fault_rates::some;
        NodeRates {
            kills: some(rng, 3, 15),
            stops: some(rng, 3, 20),
            cuts: some(rng, 3, 20),
            links: some(rng, 5, 30),
            failovers: some(rng, 1, 6),
            handovers: some(rng, 2, 10),
            calendars: some(rng, 3, 20),
            doubts: some(rng, 5, 40),
            holds: some(rng, 5, 40),
            lost: some(rng, 20, 200),
        }
    }
}

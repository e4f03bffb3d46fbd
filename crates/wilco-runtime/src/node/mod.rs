//! One of several nodes on one PostgreSQL: writer or follower, as the database says.
//!
//! A follower reads, hears of commits, and takes over when the writer gives no sign of life. The writer renews its lease
//! beside its commits. Clocks of machines are never compared: each counts by its own how long a row has not changed.

mod supervisor;

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use wilco_engine::Settings;
use wilco_outside::Outside;
use wilco_store::{NodeSession, Postgres, PostgresTarget, Reader};

use crate::agent_index::AgentIndex;
use crate::clock::{Clock, boot};
use crate::handle::Handle;
use crate::meters::Meters;
use crate::readers::Readers;
use crate::test_clock::TestClock;
use crate::waiters::Waiters;
use crate::writer::{Queue, Shared, StartError};

use supervisor::Supervisor;

/// What a node starts from.
#[derive(Debug)]
pub struct NodeStart {
    pub target: PostgresTarget,
    pub name: String,
    /// Where the other nodes reach this one.
    pub address: String,
    pub settings: Settings,
    pub outside: Outside,
    pub clock: Clock,
    pub test_clock: Option<TestClock>,
    pub version: String,
    pub secret: ClusterSecret,
}

/// What is known here of this node and of the writer.
#[derive(Debug)]
pub struct Node {
    pub name: String,
    pub address: String,
    /// Held only to look or to change a few words; never over an await.
    known: RwLock<KnownWriter>,
    /// By the boot-time clock: until then what is read here is what is true.
    reads_until: AtomicI64,
    elections: AtomicU64,
    tokens: RwLock<Vec<u8>>,
    /// What nodes prove their calls to each other with.
    secret: ClusterSecret,
    forwarded: AtomicU64,
}

/// Known to all nodes of a realm, and shown to nobody.
#[derive(Clone)]
pub struct ClusterSecret(pub Vec<u8>);

impl std::fmt::Debug for ClusterSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClusterSecret")
    }
}

/// Who writes, as far as is known here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KnownWriter {
    /// Whether it is this node, and takes calls.
    pub is_here: bool,
    pub epoch: u64,
    pub node: String,
    pub address: String,
    pub position: u64,
    /// Why this node serves nothing, if it found that the database lost what it had.
    pub went_back: Option<String>,
}

impl Node {
    pub fn known(&self) -> KnownWriter {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut KnownWriter)) {
        change(&mut self.known.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// Whether this node heard of the database lately enough to read for others.
    pub fn may_read(&self) -> bool {
        boot() < self.reads_until.load(Ordering::SeqCst) && self.known().went_back.is_none()
    }

    /// How often this node became the writer.
    pub fn elections(&self) -> u64 {
        self.elections.load(Ordering::Relaxed)
    }

    /// Calls that were taken to the writer.
    pub fn forwarded_total(&self) -> u64 {
        self.forwarded.load(Ordering::Relaxed)
    }

    /// One more.
    pub fn forwarded(&self) {
        self.forwarded.fetch_add(1, Ordering::Relaxed);
    }

    /// What calls between nodes are proven with.
    pub fn secret(&self) -> Vec<u8> {
        self.secret.0.clone()
    }

    /// The tokens as the schema has them, at most a second old.
    pub fn tokens(&self) -> Vec<u8> {
        self.tokens.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Joins the nodes of a realm. Blocks until this node is the writer or has found who is; call it on a thread where that
/// is fine, inside a tokio runtime.
pub fn join(start: NodeStart) -> Result<Handle, StartError> {
    let NodeStart { target, name, address, settings, outside, clock, test_clock, version, secret } = start;
    let session = NodeSession::open(&target, &name)?;
    let head = Postgres::reader(&target).head()?;
    let readers = target.clone();
    let shared = Shared {
        queue: Queue::default(),
        readers: Readers::new(Box::new(move || Ok(Box::new(Postgres::reader(&readers))))),
        waiters: Waiters::new(head.position),
        clock,
        agents: AgentIndex::default(),
        meters: Meters::default(),
        outside: Arc::new(outside),
        settings: Arc::new(settings),
        test_clock,
        version,
    };
    let node = Arc::new(Node {
        name,
        address,
        known: RwLock::default(),
        reads_until: AtomicI64::new(0),
        elections: AtomicU64::new(0),
        tokens: RwLock::default(),
        secret,
        forwarded: AtomicU64::new(0),
    });
    let handle = Handle::new(&shared, None, Some(node.clone()));
    let mut supervisor = Supervisor::new(shared, target, session, node, handle.leaving());
    supervisor.first()?;
    std::thread::Builder::new().name("wilco-node".to_owned()).spawn(move || supervisor.run())?;
    Ok(handle)
}

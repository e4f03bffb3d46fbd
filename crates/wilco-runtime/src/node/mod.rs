//! One of several nodes on one PostgreSQL: writer or follower, as the database says.
//!
//! A follower reads, hears of commits, and takes over when the writer gives no sign of life. The writer renews its lease
//! beside its commits. Clocks of machines are never compared: each counts by its own how long a row has not changed.

mod others;
mod supervisor;

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use wilco_engine::Settings;
use wilco_outside::Outside;
use wilco_store::{KnownWriter, NodeSession, Postgres, PostgresTarget, Reader, lasts};

use crate::agent_index::AgentIndex;
use crate::clock::{Clock, boot};
use crate::handle::{Handle, ReadError};
use crate::host::HostEffects;
use crate::meters::Meters;
use crate::readers::Readers;
use crate::search::{Follower, Taken};
use crate::test_clock::TestClock;
use crate::waiters::Waiters;
use crate::writer::{Queue, Shared, StartError};

use supervisor::Supervisor;

pub use others::{NodeNow, NodeRole, nodes};

/// How often it is looked whether this node is cut off.
const LOOK: Duration = Duration::from_millis(100);

/// The document with the tokens.
const TOKENS: &str = "tokens.json";
/// Milliseconds between two readings of the tokens for somebody whose token is not known.
const TOKENS_AGAIN: i64 = 100;

/// Connections that read for callers at the same time. A database has a hundred by default, for all nodes.
const MAX_READERS: usize = 16;

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
    tokens: RwLock<TokensRead>,
    /// When they were last read because somebody came with one that was not known, by the boot-time clock.
    tokens_asked: tokio::sync::Mutex<i64>,
    /// What nodes prove their calls to each other with.
    secret: ClusterSecret,
    target: PostgresTarget,
    /// By the boot-time clock: until then this node writes; 0 when it does not.
    writes_until: AtomicI64,
    /// How late this node heard of the last commit of another one, in milliseconds by the database's clock.
    heard_after: AtomicU64,
    /// Milliseconds by which this machine's clock is ahead of the database's.
    clock_off: AtomicI64,
    /// The effects that name this node.
    pub(crate) host: HostEffects,
}

/// The document with the tokens, as it was read last.
#[derive(Debug, Default)]
struct TokensRead {
    /// When the reading began, by the boot-time clock.
    at: i64,
    bytes: Arc<Vec<u8>>,
}

/// Known to all nodes of a realm, and shown to nobody.
#[derive(Clone)]
pub struct ClusterSecret(pub Vec<u8>);

impl ClusterSecret {
    /// Tells two secrets apart and nothing else of them.
    pub fn mark(&self) -> String {
        wilco_store::hex(&blake3::derive_key("wilco cluster secret: are two the same?", &self.0))
    }
}

impl std::fmt::Debug for ClusterSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClusterSecret")
    }
}

impl Node {
    pub fn known(&self) -> KnownWriter {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change<T>(&self, change: impl FnOnce(&mut KnownWriter) -> T) -> T {
        change(&mut self.known.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether this node heard of the database lately enough to read for others.
    pub fn may_read(&self) -> bool {
        lasts(self.reads_until.load(Ordering::SeqCst), boot()) && self.known().serves_nothing.is_none()
    }

    /// Why it may not read for others.
    pub fn cut_off(&self) -> ReadError {
        let silent =
            "this node has not heard of its database for too long; ask another node, or again in a moment";
        let reason = match self.known().serves_nothing {
            Some(reason) => format!("this node serves nothing: {reason}; look at both, then restart it"),
            None => silent.to_owned(),
        };
        ReadError::CutOff { reason }
    }

    /// Returns when it may not read any more.
    pub async fn is_cut_off(&self) {
        while self.may_read() {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// How often this node became the writer.
    pub fn elections(&self) -> u64 {
        self.elections.load(Ordering::Relaxed)
    }

    /// How long its lease lasts without another renewal; zero where another node writes.
    pub fn lease_margin(&self) -> Duration {
        let left = self.writes_until.load(Ordering::SeqCst) - boot();
        Duration::from_millis(u64::try_from(left).unwrap_or(0))
    }

    /// Seconds by which this machine's clock is ahead of the database's.
    pub fn clock_offset(&self) -> f64 {
        self.clock_off.load(Ordering::Relaxed) as f64 / 1e3
    }

    /// How late it heard of the last commit of another node.
    pub fn listen_lag(&self) -> Duration {
        Duration::from_millis(self.heard_after.load(Ordering::Relaxed))
    }

    /// What calls between nodes are proven with.
    pub fn secret(&self) -> Vec<u8> {
        self.secret.0.clone()
    }

    /// The tokens as the schema has them, at most a second old. The same as before as long as nothing changed.
    pub fn tokens(&self) -> Arc<Vec<u8>> {
        self.tokens.read().unwrap_or_else(PoisonError::into_inner).bytes.clone()
    }

    /// Takes in the tokens, unless what is known was read later.
    fn take_in_tokens(&self, at: i64, bytes: Vec<u8>) {
        let mut read = self.tokens.write().unwrap_or_else(PoisonError::into_inner);
        if at < read.at {
            return;
        }
        read.at = at;
        if *read.bytes != bytes {
            read.bytes = Arc::new(bytes);
        }
    }

    /// Reads the tokens now: the one that somebody came with may have been made a moment ago. Whoever comes with wrong
    /// ones waits, and the database is not asked more often.
    pub async fn read_tokens_again(&self) {
        let came = boot();
        let mut asked = self.tokens_asked.lock().await;
        if *asked > came {
            return;
        }
        let wait = (*asked + TOKENS_AGAIN - came).clamp(0, TOKENS_AGAIN);
        tokio::time::sleep(Duration::from_millis(wait.unsigned_abs())).await;
        *asked = boot();
        let (at, target) = (*asked, self.target.clone());
        let reading = tokio::task::spawn_blocking(move || Postgres::reader(&target).document(TOKENS));
        tokio::select! {
            read = reading => {
                if let Ok(Ok(found)) = read {
                    self.take_in_tokens(at, found.unwrap_or_default());
                }
            }
            () = self.is_cut_off() => {}
        }
    }
}

/// Joins the nodes of a realm. Blocks until this node is the writer or has found who is; call it on a thread where that
/// is fine, inside a tokio runtime.
pub fn join(start: NodeStart) -> Result<Handle, StartError> {
    let NodeStart { target, name, address, settings, outside, clock, test_clock, version, secret } = start;
    let session = NodeSession::open(&target, &name)?;
    // Whoever took over meanwhile called them interrupted: they must not run beside a second run.
    outside.end_all_left_running();
    let head = Postgres::reader(&target).head()?;
    let readers = target.clone();
    let shared = Shared {
        queue: Queue::default(),
        readers: Readers::at_most(MAX_READERS, Box::new(move || Ok(Box::new(Postgres::reader(&readers))))),
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
        tokens_asked: tokio::sync::Mutex::default(),
        secret,
        target: target.clone(),
        writes_until: AtomicI64::new(0),
        heard_after: AtomicU64::new(0),
        clock_off: AtomicI64::new(0),
        host: HostEffects::new(),
    });
    let (index, writer) = (Postgres::reader(&target), node.clone());
    let take_in = move || {
        // One node is enough: the one that writes.
        let (position, more) = if writer.known().is_here { index.follow_index()? } else { (0, false) };
        Ok(Taken { position, more })
    };
    let search = Follower::start(Box::new(take_in), shared.waiters.head());
    let handle = Handle::new(&shared, Some(search), Some(node.clone()));
    let mut supervisor = Supervisor::new(shared, target, session, node, &handle);
    supervisor.first()?;
    std::thread::Builder::new().name("wilco-node".to_owned()).spawn(move || supervisor.run())?;
    Ok(handle)
}

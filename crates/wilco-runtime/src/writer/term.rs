//! How a writer begins: what it shares with everything else in the process, and what it makes anew for each term.

use std::collections::VecDeque;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::watch;
use wilco_engine::{Command, Engine, Settings};
use wilco_outside::Outside;
use wilco_protocol::Time;
use wilco_store::{SearchIndex, Store, StoreError, Tenure};

use super::{Job, Writer};
use crate::agent_index::AgentIndex;
use crate::clock::Clock;
use crate::committer::Committer;
use crate::complaint::Complaint;
use crate::courier::recover;
use crate::handle::Handle;
use crate::lease::Lease;
use crate::meters::Meters;
use crate::places::Places;
use crate::readers::{OpenReader, Readers};
use crate::search::{Follower, Taken};
use crate::test_clock::TestClock;
use crate::waiters::Waiters;

/// Jobs that wait for the writer; more are refused.
const QUEUE: usize = 4096;

/// What a writer starts from.
pub struct WriterStart<S> {
    pub store: S,
    pub readers: OpenReader,
    /// Makes searching quick; without it every message is looked at.
    pub search: Option<SearchIndex>,
    pub settings: Settings,
    pub outside: Outside,
    pub clock: Clock,
    /// The last sign of life before this start, as far as is known.
    pub last_alive: Option<Time>,
    /// Where the test clock is kept, if it is one.
    pub test_clock: Option<TestClock>,
    pub version: String,
}

impl<S> std::fmt::Debug for WriterStart<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WriterStart").field("settings", &self.settings).finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Connect(#[from] wilco_store::ConnectError),
    #[error("cannot start the writer: {0}")]
    Thread(#[from] std::io::Error),
}

/// The way to the writer of this process; none while there is none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Queue {
    /// Held only to look at it or to exchange it.
    current: Arc<RwLock<Option<SyncSender<Job>>>>,
}

impl Queue {
    pub(crate) fn current(&self) -> Option<SyncSender<Job>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn replace(&self, next: Option<SyncSender<Job>>) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = next;
    }
}

/// What all terms of a process have in common.
pub(crate) struct Shared {
    pub(crate) queue: Queue,
    pub(crate) readers: Readers,
    pub(crate) waiters: Waiters,
    pub(crate) clock: Clock,
    pub(crate) agents: AgentIndex,
    pub(crate) meters: Meters,
    pub(crate) outside: Arc<Outside>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) test_clock: Option<TestClock>,
    pub(crate) version: String,
}

/// Starts the writer on a thread of its own. Call it inside a tokio runtime: the courier runs there.
pub fn start<S: Store + Send + 'static>(start: WriterStart<S>) -> Result<Handle, StartError> {
    let WriterStart { store, readers, search, settings, outside, clock, last_alive, test_clock, version } =
        start;
    let shared = Shared {
        queue: Queue::default(),
        readers: Readers::new(readers),
        waiters: Waiters::new(store.head()?.position),
        clock,
        agents: AgentIndex::default(),
        meters: Meters::default(),
        outside: Arc::new(outside),
        settings: Arc::new(settings),
        test_clock,
        version,
    };
    let beginning = Beginning { started: true, taken_over: None, last_alive, lease: None, gone: Vec::new() };
    begin(&shared, store, beginning)?;
    let search = search.map(|mut index| {
        let readers = shared.readers.clone();
        let take_in = move || {
            let more = readers.read(|reader| index.follow(reader))?;
            Ok(Taken { position: index.position(), more })
        };
        Follower::start(Box::new(take_in), shared.waiters.head())
    });
    Ok(Handle::new(&shared, search, None))
}

/// How a term comes about.
pub(crate) struct Beginning {
    /// Whether the process began with it.
    pub(crate) started: bool,
    /// The epoch and the node, where there are several.
    pub(crate) taken_over: Option<(u64, String)>,
    /// The last sign of life before, as far as is known.
    pub(crate) last_alive: Option<Time>,
    pub(crate) lease: Option<Lease>,
    /// The nodes that give no sign of life: what they had begun was interrupted.
    pub(crate) gone: Vec<String>,
}

/// Begins a term: loads everything from the store, says so in the journal, does what became due, and then takes jobs.
pub(crate) fn begin<S: Store + Send + 'static>(
    shared: &Shared,
    store: S,
    beginning: Beginning,
) -> Result<(), StartError> {
    let Beginning { started, taken_over, last_alive, lease, gone } = beginning;
    let (queue, jobs) = sync_channel(QUEUE);
    let clock = shared.clock.clone();
    let engine = Engine::load((*shared.settings).clone(), &store)?;
    let head = store.head()?;
    shared.agents.replace(head.position, engine.directory());
    let (interrupted, pending) = recover(store.effects()?, &shared.outside, &gone);
    let reader = shared.readers.open()?;
    let look = queue.clone();
    let blocking = tokio::runtime::Handle::current();
    let committer = Committer::start(
        store,
        lease.is_some(),
        shared.meters.clone(),
        // A full queue has the writer awake, and it looks by itself.
        move || drop(look.try_send(Job::Look)),
        move |work| drop(blocking.spawn_blocking(work)),
    )?;
    shared.meters.begin_queue();
    let mut writer = Writer {
        engine,
        lease,
        tenure: Tenure::default(),
        reader,
        committer,
        decided: Vec::new(),
        commands: 0,
        woke: false,
        committing: None,
        clock: clock.clone(),
        test_clock: shared.test_clock.clone(),
        waiters: shared.waiters.clone(),
        agents: shared.agents.clone(),
        meters: shared.meters.clone(),
        jobs,
        queue: queue.clone(),
        outside: shared.outside.clone(),
        courier: tokio::runtime::Handle::current(),
        places: Places::new(pending),
        ending: watch::channel(()).0,
        alive_at: clock.now(),
        complaint: Complaint::default(),
        advancing: VecDeque::new(),
    };
    let now = clock.now();
    let down_from = head.at.max(last_alive).map(|last| last.min(now));
    let downtime = down_from.map(|last| now.since(last));
    if started {
        writer.decide_own(Command::Started { version: shared.version.clone(), down_from, downtime });
    }
    if let Some((epoch, node)) = taken_over {
        writer.decide_own(Command::TookOver { epoch, node, down_from, downtime });
    }
    // What was under way when the server stopped is not done again by itself.
    interrupted.into_iter().for_each(|report| writer.decide_own(report));
    writer.commit_now()?;
    // What became due while the server was down happens before anybody can ask about it.
    writer.wake_due();
    writer.commit_now()?;
    let current = shared.queue.clone();
    current.replace(Some(queue));
    std::thread::Builder::new().name("wilco-writer".to_owned()).spawn(move || {
        writer.run();
        current.replace(None);
    })?;
    Ok(())
}

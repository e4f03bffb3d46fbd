//! Where batches become durable: here, or on a thread of its own while the writer decides the next.

use std::io;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;

use crate::meters::Meters;
use wilco_store::{Batch, Store, StoreError, Upkeep};

/// A batch of at most so many events is committed sooner than another thread could be woken for it and wake the
/// writer again.
const SMALL: usize = 64;

pub(crate) struct Committer {
    /// Whether every batch goes to the thread: a store across a network lets the writer wait too long.
    is_far: bool,
    store: Arc<SharedStore>,
    batches: Sender<Batch>,
    outcomes: Receiver<CommitResult>,
    thread: JoinHandle<()>,
}

/// What became of a batch.
pub(crate) struct CommitResult {
    pub(crate) batch: Batch,
    pub(crate) result: Result<(), StoreError>,
}

/// The store, for one batch at a time.
struct SharedStore {
    store: Mutex<Box<dyn Store + Send>>,
    meters: Meters,
    beside: Box<dyn Fn(Upkeep) + Send + Sync>,
}

impl SharedStore {
    fn commit(&self, batch: Batch) -> Result<CommitResult, Gone> {
        // A store whose thread panicked is nobody's any more.
        let mut store = self.store.lock().map_err(|_| Gone)?;
        let begun = Instant::now();
        let result = store.commit(&batch);
        self.meters.committed(&batch, begun.elapsed(), &result);
        Ok(CommitResult { batch, result })
    }

    fn upkeep(&self) -> Result<(), Gone> {
        let work = self.store.lock().map_err(|_| Gone)?.upkeep();
        work.into_iter().for_each(&self.beside);
        Ok(())
    }
}

impl Committer {
    /// `done` is called after each commit beside, when its outcome can be taken. `beside` takes work that the store asks
    /// for.
    pub(crate) fn start(
        store: impl Store + Send + 'static,
        is_far: bool,
        meters: Meters,
        done: impl Fn() + Send + 'static,
        beside: impl Fn(Upkeep) + Send + Sync + 'static,
    ) -> io::Result<Committer> {
        let store = SharedStore { store: Mutex::new(Box::new(store)), meters, beside: Box::new(beside) };
        let store = Arc::new(store);
        let (batches, submitted) = channel::<Batch>();
        let (report, outcomes) = channel();
        let there = store.clone();
        let thread = std::thread::Builder::new().name("wilco-committer".to_owned()).spawn(move || {
            for batch in submitted {
                let Ok(outcome) = there.commit(batch) else { return };
                if report.send(outcome).is_err() {
                    return;
                }
                done();
                let Ok(()) = there.upkeep() else { return };
            }
        })?;
        Ok(Committer { is_far, store, batches, outcomes, thread })
    }

    /// Whether a batch of so many events is committed here.
    pub(crate) fn is_small(&self, events: usize) -> bool {
        !self.is_far && events <= SMALL
    }

    /// Commits a batch, and has its outcome at once. Ask for the upkeep when everybody has been told.
    pub(crate) fn commit(&self, batch: Batch) -> Result<CommitResult, Gone> {
        self.store.commit(batch)
    }

    pub(crate) fn upkeep(&self) -> Result<(), Gone> {
        self.store.upkeep()
    }

    /// Hands a batch over. The writer has one committed at a time, so nothing piles up.
    pub(crate) fn commit_in_background(&self, batch: Batch) {
        // A thread that is gone is noticed when its outcome is asked for.
        let _ = self.batches.send(batch);
    }

    /// The outcome, if there is one by now.
    pub(crate) fn outcome(&self) -> Result<Option<CommitResult>, Gone> {
        match self.outcomes.try_recv() {
            Ok(outcome) => Ok(Some(outcome)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(Gone),
        }
    }

    /// Waits for the outcome of the batch that was handed over.
    pub(crate) fn wait(&self) -> Result<CommitResult, Gone> {
        self.outcomes.recv().map_err(|_| Gone)
    }

    /// Returns when the store is closed.
    pub(crate) fn stop(self) {
        drop(self.batches);
        // It has nothing left to say, even if it panicked.
        let _ = self.thread.join();
    }
}

/// The thread that commits has ended, though nobody asked it to.
#[derive(Debug)]
pub(crate) struct Gone;

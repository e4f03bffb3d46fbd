//! The thread that commits. It has the store; meanwhile the writer decides the next batch.

use std::io;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use crate::meters::Meters;
use wilco_store::{Batch, Store, StoreError, Upkeep};

pub(crate) struct Committer {
    batches: Sender<Batch>,
    outcomes: Receiver<Outcome>,
    thread: JoinHandle<()>,
}

/// What became of a batch.
pub(crate) struct Outcome {
    pub(crate) batch: Batch,
    pub(crate) result: Result<(), StoreError>,
}

impl Committer {
    /// `done` is called after each commit, when its outcome can be taken. `beside` takes work that the store asks for.
    pub(crate) fn start<S: Store + Send + 'static>(
        mut store: S,
        meters: Meters,
        done: impl Fn() + Send + 'static,
        beside: impl Fn(Upkeep) + Send + 'static,
    ) -> io::Result<Committer> {
        let (batches, submitted) = channel::<Batch>();
        let (report, outcomes) = channel();
        let thread = std::thread::Builder::new().name("wilco-committer".to_owned()).spawn(move || {
            for batch in submitted {
                let begun = Instant::now();
                let result = store.commit(&batch);
                meters.committed(&batch, begun.elapsed(), &result);
                if report.send(Outcome { batch, result }).is_err() {
                    return;
                }
                done();
                if let Some(work) = store.upkeep() {
                    beside(work);
                }
            }
        })?;
        Ok(Committer { batches, outcomes, thread })
    }

    /// Hands a batch over. The writer has one committed at a time, so nothing piles up.
    pub(crate) fn commit(&self, batch: Batch) {
        // A thread that is gone is noticed when its outcome is asked for.
        let _ = self.batches.send(batch);
    }

    /// The outcome, if there is one by now. An error means that the thread is gone.
    pub(crate) fn outcome(&self) -> Result<Option<Outcome>, Gone> {
        match self.outcomes.try_recv() {
            Ok(outcome) => Ok(Some(outcome)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(Gone),
        }
    }

    /// Waits for the outcome of the batch that was handed over.
    pub(crate) fn wait(&self) -> Result<Outcome, Gone> {
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

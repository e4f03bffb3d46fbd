//! Keeps the index for full text behind the commits, where nobody waits for it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use wilco_store::{SearchIndex, StoreError};

use crate::readers::Readers;

/// Messages gather for this long: taking in many at once is cheaper, and readers look at the newest
/// themselves.
const GATHER: Duration = Duration::from_millis(500);

/// Under load it rests so many times as long as it works.
const GIVES_WAY: u32 = 9;

/// The index, while it is open.
#[derive(Debug, Clone)]
pub(crate) struct Follower {
    /// Held by the one who takes messages in, a few hundred at a time, and to close it.
    index: Arc<Mutex<Option<SearchIndex>>>,
}

impl Follower {
    /// Follows until it is closed. Call it inside a tokio runtime.
    pub(crate) fn start(index: SearchIndex, readers: Readers, head: watch::Receiver<u64>) -> Follower {
        let follower = Follower { index: Arc::new(Mutex::new(Some(index))) };
        tokio::spawn(follower.clone().follow(readers, head));
        follower
    }

    async fn follow(self, readers: Readers, mut head: watch::Receiver<u64>) {
        loop {
            head.borrow_and_update();
            let begun = Instant::now();
            let (follower, readers) = (self.clone(), readers.clone());
            let taken = tokio::task::spawn_blocking(move || follower.take_in(&readers)).await;
            match taken {
                // While messages keep coming, those who send them go first.
                Ok(Ok(Some(true))) if head.has_changed().unwrap_or(false) => {
                    tokio::time::sleep(begun.elapsed() * GIVES_WAY).await;
                }
                Ok(Ok(Some(true))) => {}
                Ok(Ok(Some(false))) => {
                    if head.changed().await.is_err() {
                        return;
                    }
                    tokio::time::sleep(GATHER).await;
                }
                Ok(Ok(None)) | Err(_) => return,
                Ok(Err(error)) => {
                    tracing::error!(%error, "the search index no longer follows; searching gets slower until a restart");
                    return;
                }
            }
        }
    }

    /// Whether there is more to take in; none when it is closed.
    fn take_in(&self, readers: &Readers) -> Result<Option<bool>, StoreError> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *index {
            Some(index) => readers.read(|reader| index.follow(reader)).map(Some),
            None => Ok(None),
        }
    }

    /// Ends it, after what it is just taking in.
    pub(crate) async fn close(&self) {
        let index = self.index.clone();
        let close = move || drop(index.lock().unwrap_or_else(PoisonError::into_inner).take());
        // It can only fail when the process is ending anyway.
        let _ = tokio::task::spawn_blocking(close).await;
    }
}

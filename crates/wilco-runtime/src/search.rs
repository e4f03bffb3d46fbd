//! Keeps the index for full text behind the commits, where nobody waits for it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use wilco_store::StoreError;

use crate::complaint::Complaint;

/// Those who send messages go first. The index waits until none came for this long; readers look at the
/// newest messages themselves.
const PAUSE: Duration = Duration::from_millis(500);

/// A rush that does not end: with so many events behind, it works beside those who send.
const FAR_BEHIND: u64 = 100_000;

/// Then it rests so many times as long as it works.
const GIVES_WAY: u32 = 9;

/// After trouble it tries again.
const AGAIN: Duration = Duration::from_secs(5);

/// Takes the next messages into an index.
pub(crate) type TakeIn = Box<dyn FnMut() -> Result<Taken, StoreError> + Send>;

/// The index, while it is open.
#[derive(Clone)]
pub(crate) struct Follower {
    /// Held by the one who takes messages in, a few hundred at a time, and to close it.
    index: Arc<Mutex<Option<TakeIn>>>,
}

impl Follower {
    /// Follows until it is closed. Call it inside a tokio runtime.
    pub(crate) fn start(index: TakeIn, head: watch::Receiver<u64>) -> Follower {
        let follower = Follower { index: Arc::new(Mutex::new(Some(index))) };
        tokio::spawn(follower.clone().follow(head));
        follower
    }

    async fn follow(self, mut head: watch::Receiver<u64>) {
        let mut complaint = Complaint::default();
        loop {
            let newest = *head.borrow_and_update();
            let begun = Instant::now();
            let follower = self.clone();
            let taken = tokio::task::spawn_blocking(move || follower.take_in()).await;
            match taken {
                Ok(Ok(Some(Taken { more: false, .. }))) => {
                    if head.changed().await.is_err() {
                        return;
                    }
                    pause(&mut head).await;
                }
                Ok(Ok(Some(Taken { position, .. }))) if head.has_changed().unwrap_or(false) => {
                    if newest.saturating_sub(position) > FAR_BEHIND {
                        tokio::time::sleep(begun.elapsed() * GIVES_WAY).await;
                    } else {
                        pause(&mut head).await;
                    }
                }
                Ok(Ok(Some(_))) => {}
                Ok(Ok(None)) | Err(_) => return,
                Ok(Err(error)) => {
                    let error = error.to_string();
                    if let Some(again) = complaint.is_due(&error, Instant::now()) {
                        tracing::error!(
                            error,
                            again,
                            "the search index does not follow; searching gets slower"
                        );
                    }
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }

    /// Takes in the next messages; none when it is closed.
    fn take_in(&self) -> Result<Option<Taken>, StoreError> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        index.as_mut().map(|take_in| take_in()).transpose()
    }

    /// Ends it, after what it is just taking in.
    pub(crate) async fn close(&self) {
        let index = self.index.clone();
        let close = move || drop(index.lock().unwrap_or_else(PoisonError::into_inner).take());
        // It can only fail when the process is ending anyway.
        let _ = tokio::task::spawn_blocking(close).await;
    }
}

/// How far it has come.
pub(crate) struct Taken {
    pub(crate) position: u64,
    pub(crate) more: bool,
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Follower")
    }
}

/// Until nothing was committed for a while, or so much that it must not wait longer.
async fn pause(head: &mut watch::Receiver<u64>) {
    let first = *head.borrow_and_update();
    loop {
        tokio::time::sleep(PAUSE).await;
        let quiet = !head.has_changed().unwrap_or(false);
        if quiet || head.borrow_and_update().saturating_sub(first) > FAR_BEHIND {
            return;
        }
    }
}

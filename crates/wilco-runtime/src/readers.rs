//! A few read connections, shared by everybody who reads.

use std::sync::{Arc, Mutex, PoisonError};

use wilco_store::{Reader, StoreError};

pub type OpenReader = Box<dyn Fn() -> Result<Box<dyn Reader + Send>, StoreError> + Send + Sync>;

/// Connections at rest are kept; when all are in use another is opened.
#[derive(Clone)]
pub(crate) struct Readers {
    open: Arc<OpenReader>,
    /// Held only to take or give back a connection.
    resting: Arc<Mutex<Vec<Box<dyn Reader + Send>>>>,
}

/// More connections than this are not kept.
const KEPT: usize = 8;

impl Readers {
    pub(crate) fn new(open: OpenReader) -> Readers {
        Readers { open: Arc::new(open), resting: Arc::default() }
    }

    /// A connection of its own, for somebody who keeps it.
    pub(crate) fn open(&self) -> Result<Box<dyn Reader + Send>, StoreError> {
        (self.open)()
    }

    /// Closes the connections at rest.
    pub(crate) fn close(&self) {
        self.resting.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(crate) fn read<T>(
        &self,
        ask: impl FnOnce(&dyn Reader) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let resting = self.resting.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let reader = match resting {
            Some(reader) => reader,
            None => (self.open)()?,
        };
        let answer = ask(&*reader);
        let mut resting = self.resting.lock().unwrap_or_else(PoisonError::into_inner);
        if resting.len() < KEPT {
            resting.push(reader);
        }
        answer
    }
}

impl std::fmt::Debug for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Readers")
    }
}

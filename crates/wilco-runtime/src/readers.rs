//! A few read connections, shared by everybody who reads.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use wilco_store::{Reader, StoreError};

pub type OpenReader = Box<dyn Fn() -> Result<Box<dyn Reader + Send>, StoreError> + Send + Sync>;

/// Connections at rest are kept; when all are in use another is opened, up to a bound.
#[derive(Clone)]
pub(crate) struct Readers {
    open: Arc<OpenReader>,
    most: usize,
    /// Held only to take or give back a connection.
    pool: Arc<(Mutex<Pool>, Condvar)>,
}

#[derive(Default)]
struct Pool {
    resting: Vec<Box<dyn Reader + Send>>,
    in_use: usize,
}

/// More connections than this are not kept.
const KEPT: usize = 8;
/// A connection that is not free by then is not waited for.
const WAITS: Duration = Duration::from_secs(5);

impl Readers {
    pub(crate) fn new(open: OpenReader) -> Readers {
        Readers::at_most(usize::MAX, open)
    }

    /// With so many connections at the same time, where they are dear.
    pub(crate) fn at_most(most: usize, open: OpenReader) -> Readers {
        Readers { open: Arc::new(open), most, pool: Arc::default() }
    }

    /// A connection of its own, for somebody who keeps it.
    pub(crate) fn open(&self) -> Result<Box<dyn Reader + Send>, StoreError> {
        (self.open)()
    }

    /// How many connections are in use.
    pub(crate) fn in_use(&self) -> usize {
        self.pool.0.lock().unwrap_or_else(PoisonError::into_inner).in_use
    }

    /// Closes the connections at rest.
    pub(crate) fn close(&self) {
        self.pool.0.lock().unwrap_or_else(PoisonError::into_inner).resting.clear();
    }

    pub(crate) fn read<T>(
        &self,
        ask: impl FnOnce(&dyn Reader) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut taken = self.take()?;
        let reader = match taken.reader.take() {
            Some(reader) => reader,
            None => (self.open)()?,
        };
        let answer = ask(&*reader);
        taken.reader = Some(reader);
        answer
    }

    /// A connection at rest, or the right to open one.
    fn take(&self) -> Result<Taken<'_>, StoreError> {
        let (pool, freed) = &*self.pool;
        let pool = pool.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |pool: &mut Pool| pool.in_use >= self.most;
        let waited = freed.wait_timeout_while(pool, WAITS, full).unwrap_or_else(PoisonError::into_inner);
        let mut pool = waited.0;
        if full(&mut pool) {
            return Err(StoreError::NotStored("no connection to the database is free".into()));
        }
        pool.in_use += 1;
        Ok(Taken { pool: &self.pool, reader: pool.resting.pop() })
    }
}

/// Given back when it is dropped, whatever became of the question.
struct Taken<'a> {
    pool: &'a (Mutex<Pool>, Condvar),
    reader: Option<Box<dyn Reader + Send>>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut pool = self.pool.0.lock().unwrap_or_else(PoisonError::into_inner);
        pool.in_use -= 1;
        if pool.resting.len() < KEPT {
            pool.resting.extend(self.reader.take());
        }
        drop(pool);
        self.pool.1.notify_one();
    }
}

impl std::fmt::Debug for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Readers")
    }
}

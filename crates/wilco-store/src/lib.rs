//! Where everything is kept: the `Reader` and `Store` traits, in memory, on SQLite and on PostgreSQL.
//!
//! Three kinds of table. *Record*, never rebuilt: journal and message. *Derived*, dropped and refolded
//! from the record: exchange, key, run, inbox, agent, search. *Operational*, durable but not history: effect,
//! idempotency, presence. What rows mean is the engine's business; who may see them is the doors'.

mod batch;
mod chain;
pub mod conformance;
mod error;
mod export;
mod generation;
mod memory;
mod message;
mod moving;
mod postgres;
mod reader;
mod realm;
mod salvage;
mod search;
mod sqlite;
pub mod tampering;
mod verify;

pub use batch::{
    AgentChange, Batch, EffectChange, EffectRow, ExchangeRow, IdempotencyRow, InboxMark, InboxRow,
    InboxStatus, JournalRow, KeyChange, MessageRow, PresenceRow, Reach, ReachRow, Reached,
};
pub use chain::{Hash, genesis, hex, link};
pub use error::{BackupError, ConnectError, OpenError, Source, StoreError};
pub use export::{Export, ExportError, Exported, verify_export};
pub use generation::{LEAP, follows};
pub use memory::Memory;
pub use message::{Message, Priority, Reading, StoredMeaning, content_kind};
pub use moving::{Refold, RestoredSchema, backup_postgres, restore_postgres};
pub use postgres::{
    Beat, Maintenance, NodeRow, NodeSession, Others, Postgres, PostgresHealth, PostgresOptions,
    PostgresTarget, SchemaState, Term, WriterRow, examine_postgres, has_password, rescue_postgres,
    with_password_of,
};
pub use reader::{ExchangeFilter, Head, InboxFilter, PAGE_BYTES, Reader, Room, Walk};
pub use realm::{
    CarriedClock, Fence, Forwarding, GivenUp, KnownWriter, LeaseTurn, NextTry, NodeLease, Tenure, Tried,
    WayToWriter, lasts,
};
pub use salvage::{EachEvent, Salvaged};
pub use search::{Found, SearchFilter, kind_word, words};
pub use sqlite::{
    Restored, SearchIndex, Sqlite, SqliteReader, backup, check_writers, has_build_flags, rescue, restore,
};
pub use verify::{verify, verify_counting};

/// A piece of work that a store asks to have done.
pub type Upkeep = Box<dyn FnOnce() + Send>;

/// What the one writer needs besides reading.
pub trait Store: Reader {
    /// Makes all of it durable, or none of it. After `Ok` it survives a power cut. After `Failed` the caller
    /// may go on as if nothing was stored: if that is not sure, the store takes no other commit.
    fn commit(&mut self, batch: &Batch) -> Result<(), StoreError>;

    /// Keeps the store in good order. Asked for after each commit, when those who wait for it have been told, because
    /// it may take a moment itself. Returns work that may be done beside commits, on a thread where blocking is fine;
    /// mostly there is none.
    fn upkeep(&mut self) -> Option<Upkeep> {
        None
    }

    /// Empties the derived tables and remembers that they are incomplete until `finish_rebuild`.
    fn begin_rebuild(&mut self) -> Result<(), StoreError>;

    fn finish_rebuild(&mut self) -> Result<(), StoreError>;
}

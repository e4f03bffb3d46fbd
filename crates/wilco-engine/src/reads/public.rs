//! What anybody may know who may ask at all: how far the journal goes, and what it was answered. So these take no viewer.

use wilco_protocol::Name;
use wilco_store::{Head, IdempotencyRow, Reader, StoreError};

/// The newest event.
pub fn head(reader: &dyn Reader) -> Result<Head, StoreError> {
    reader.head()
}

/// What a sender was answered under a key of its own.
pub fn kept_answer(
    reader: &dyn Reader,
    sender: &Name,
    key: &str,
) -> Result<Option<IdempotencyRow>, StoreError> {
    reader.idempotent(sender, key)
}

//! What is done to a data directory while no server uses it.

use std::path::Path;

use wilco_store::{Sqlite, StoreError};
use wilco_wire::Verified;

/// Checks every event of the journal.
pub(crate) fn verify(directory: &Path) -> anyhow::Result<Verified> {
    let store = Sqlite::open_for_rebuild(existing(directory)?)?;
    match wilco_store::verify(&store, None) {
        Ok(head) => Ok(Verified {
            ok: true,
            events: Some(head.position),
            head: Some(head.hash.iter().map(|byte| format!("{byte:02x}")).collect()),
            position: None,
            reason: None,
        }),
        Err(StoreError::Damaged { position, reason }) => Ok(Verified {
            ok: false,
            events: None,
            head: None,
            position: Some(position),
            reason: Some(reason),
        }),
        Err(error) => Err(error.into()),
    }
}

/// Folds the journal again; returns how many events there were.
pub(crate) fn rebuild(directory: &Path) -> anyhow::Result<u64> {
    let mut store = Sqlite::open_for_rebuild(existing(directory)?)?;
    Ok(wilco_engine::rebuild(&mut store)?)
}

/// Opening would make a missing directory, and an empty journal is whole: both hide a mistyped path.
fn existing(directory: &Path) -> anyhow::Result<&Path> {
    if !directory.is_dir() {
        anyhow::bail!(
            "there is no data directory {}; name the one that wilco serve uses",
            directory.display()
        );
    }
    Ok(directory)
}

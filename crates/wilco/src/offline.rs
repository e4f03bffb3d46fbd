//! What is done to a data directory while no server uses it.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::Context;
use wilco_store::{
    Export, ExportError, Maintenance, OpenError, Postgres, PostgresTarget, Sqlite, StoreError, hex,
    verify_export,
};
use wilco_wire::Verified;

/// Checks every event of the journal, and every page of the database; if `deep`, also every row that is derived
/// from the journal.
pub(crate) fn verify(directory: &Path, deep: bool) -> anyhow::Result<Verified> {
    let store = Sqlite::open_for_rebuild(existing(directory)?);
    let walked = store.and_then(|store| {
        let (head, events) = wilco_store::verify_counting(&store, None)?;
        store.reader()?.check_pages()?;
        let differs = if deep { wilco_engine::differs(&store)? } else { None };
        Ok((head, events, differs))
    });
    match walked {
        Ok((head, _, Some(difference))) => Ok(Verified {
            ok: false,
            events: None,
            head: None,
            position: None,
            reason: Some(format!(
                "The journal is whole up to position {}, but {difference}; make the tables anew with: wilco rebuild --data {}",
                head.position,
                directory.display()
            )),
        }),
        Ok((head, events, None)) => Ok(Verified {
            ok: true,
            events: Some(events),
            head: Some(hex(&head.hash)),
            position: None,
            reason: None,
        }),
        Err(OpenError::Store(damage @ StoreError::Damaged { .. })) => match located(directory, damage) {
            StoreError::Damaged { position, reason } => Ok(Verified {
                ok: false,
                events: None,
                head: None,
                position: Some(position),
                reason: Some(reason),
            }),
            other => Err(other.into()),
        },
        Err(error) => Err(error.into()),
    }
}

/// The same of a schema of PostgreSQL; nodes may run.
pub(crate) fn verify_schema(target: &PostgresTarget, deep: bool) -> anyhow::Result<Verified> {
    let store = Postgres::reader(target);
    let damaged =
        |position, reason| Verified { ok: false, events: None, head: None, position, reason: Some(reason) };
    let (head, events) = match wilco_store::verify_counting(&store, None) {
        Ok(walked) => walked,
        Err(StoreError::Damaged { position, reason }) => return Ok(damaged(Some(position), reason)),
        Err(other) => return Err(other.into()),
    };
    match if deep { wilco_engine::differs(&store)? } else { None } {
        Some(difference) => Ok(damaged(
            None,
            format!(
                "The journal is whole up to position {}, but {difference}; make the tables anew with: wilco rebuild --store URL",
                head.position
            ),
        )),
        None => Ok(Verified {
            ok: true,
            events: Some(events),
            head: Some(hex(&head.hash)),
            position: None,
            reason: None,
        }),
    }
}

/// Folds the journal of a schema again, while no node runs; returns how many events there were.
pub(crate) fn rebuild_schema(target: &PostgresTarget) -> anyhow::Result<u64> {
    let mut maintenance = Maintenance::begin(target)?;
    wilco_store::verify(maintenance.store(), None)?;
    let events = wilco_engine::rebuild(maintenance.store())?;
    maintenance.finish()?;
    Ok(events)
}

/// Checks every event of an exported file. Events may be missing between them only if it is `partial`.
pub(crate) fn verify_file(file: &Path, partial: bool) -> anyhow::Result<Verified> {
    let opened = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    let (ok, events, head, position, reason) = match verify_export(BufReader::new(opened)) {
        Ok(Export { events: 0, .. }) => {
            (false, None, None, None, Some("The file holds no events.".to_owned()))
        }
        Ok(Export { gap: Some(missing), .. }) if !partial => {
            let reason = "the event is missing; --partial takes a file that leaves events out";
            (false, None, None, Some(missing), Some(reason.to_owned()))
        }
        Ok(export) => (true, Some(export.events), Some(hex(&export.head)), None, None),
        Err(ExportError::Damaged { position, reason }) => (false, None, None, Some(position), Some(reason)),
        Err(error) => return Err(error.into()),
    };
    Ok(Verified { ok, events, head, position, reason })
}

/// Damage that was met on the way in, with the position up to which everything is whole.
pub(crate) fn located(directory: &Path, damage: StoreError) -> StoreError {
    match &damage {
        StoreError::Damaged { position: 0, .. } => {
            let walked = wilco_store::rescue(directory, &mut |_, _| Ok(()));
            walked.ok().and_then(|rescued| rescued.damage).unwrap_or(damage)
        }
        _ => damage,
    }
}

/// Folds the journal again; returns how many events there were.
pub(crate) fn rebuild(directory: &Path) -> anyhow::Result<u64> {
    let mut store = Sqlite::open_for_rebuild(existing(directory)?)?;
    // What is damaged is no source of truth.
    wilco_store::verify(&store, None)?;
    Ok(wilco_engine::rebuild(&mut store)?)
}

/// Folds the journal again if what was derived from it is not as it says; whether that was so.
pub(crate) fn mend(directory: &Path) -> anyhow::Result<bool> {
    let mut store = Sqlite::open_for_rebuild(existing(directory)?)?;
    let differs = wilco_engine::differs(&store)?.is_some();
    if differs {
        wilco_engine::rebuild(&mut store)?;
    }
    Ok(differs)
}

/// Opening would make a missing directory, and an empty journal is whole: both hide a mistyped path.
pub(crate) fn existing(directory: &Path) -> anyhow::Result<&Path> {
    if !directory.is_dir() {
        anyhow::bail!(
            "there is no data directory {}; name the one that wilco serve uses",
            directory.display()
        );
    }
    Ok(directory)
}

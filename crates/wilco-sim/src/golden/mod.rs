//! Golden journals: data directories of a released version that every later one must open, fold and show alike.
//!
//! A release writes its own beside those of the versions before, with `cargo xtask golden`; none is ever written
//! again. The histories come from the simulation, each cut off when it has given what was missing, and from a
//! script for what no simulated agent does. The test is `tests/golden.rs`.

mod choose;
mod held;
mod record;
mod script;
mod tags;

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::Context;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;
use wilco_store::{Batch, Sqlite, Store};

pub use held::lost;
pub use record::record;
pub use tags::{all_tags, tag};

/// The database of a data directory; everything else in it is made from this file.
const DATABASE: &str = "wilco.db";
const STORE: &str = "db.gz";
const RECORD: &str = "json.gz";

/// One history with what was read from it when it was written.
#[derive(Debug)]
pub struct Golden {
    pub name: String,
    database: Vec<u8>,
    pub record: Value,
}

impl Golden {
    /// Puts the database into a directory that is free.
    pub fn unpack(&self, directory: &Path) -> anyhow::Result<()> {
        Ok(fs::write(directory.join(DATABASE), &self.database)?)
    }
}

/// Every history of a release, in the order of their names.
pub fn read(release: &Path) -> anyhow::Result<Vec<Golden>> {
    let mut names: Vec<String> = fs::read_dir(release)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|file| Some(file.strip_suffix(STORE)?.strip_suffix('.')?.to_owned()))
        .collect();
    names.sort();
    let read = |name: String| {
        let database = unzip(&release.join(format!("{name}.{STORE}")))?;
        let record = serde_json::from_slice(&unzip(&release.join(format!("{name}.{RECORD}")))?)?;
        Ok(Golden { name, database, record })
    };
    names.into_iter().map(read).collect()
}

/// Writes the histories of this version into a directory that must not be there yet.
pub fn write(release: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(!release.exists(), "{} is there already; none is ever written again", release.display());
    let mut wanted: BTreeSet<String> = all_tags();
    // No engine writes it: it comes with the history that is restored.
    wanted.remove("server server-restored");
    let scripted = script::history()?;
    let (chosen, missing) = choose::histories(&wanted, &scripted)?;
    anyhow::ensure!(missing.is_empty(), "no history has {missing:?}; add them to the script");
    fs::create_dir_all(release)?;
    keep(release, "script", &scripted)?;
    keep_restored(release, "script-restored", &scripted)?;
    chosen.iter().try_for_each(|(seed, batches)| keep(release, &format!("seed-{seed}"), batches))
}

/// The same commits on SQLite, and what is read from there.
fn keep(release: &Path, name: &str, batches: &[Batch]) -> anyhow::Result<()> {
    let directory = std::env::temp_dir().join(format!("wilco-golden-{}-{name}", std::process::id()));
    fs::create_dir(&directory)?;
    let data = directory.join("data");
    let mut store = Sqlite::open(&data)?;
    batches.iter().try_for_each(|batch| store.commit(batch))?;
    let record = record(&store)?;
    wilco_store::backup(&data, &directory.join("copy.db"), false)?;
    drop(store);
    zip(&release.join(format!("{name}.{STORE}")), &fs::read(directory.join("copy.db"))?)?;
    zip(&release.join(format!("{name}.{RECORD}")), &serde_json::to_vec(&record)?)?;
    Ok(fs::remove_dir_all(&directory)?)
}

/// The same in a generation of its own, which only a restore begins.
fn keep_restored(release: &Path, name: &str, batches: &[Batch]) -> anyhow::Result<()> {
    let directory = std::env::temp_dir().join(format!("wilco-golden-{}-{name}", std::process::id()));
    fs::create_dir(&directory)?;
    let (data, again) = (directory.join("data"), directory.join("again"));
    let mut store = Sqlite::open(&data)?;
    batches.iter().try_for_each(|batch| store.commit(batch))?;
    drop(store);
    wilco_store::backup(&data, &directory.join("first.db"), false)?;
    wilco_store::restore(&directory.join("first.db"), &again, false)?;
    let record = record(&Sqlite::open(&again)?)?;
    wilco_store::backup(&again, &directory.join("copy.db"), false)?;
    zip(&release.join(format!("{name}.{STORE}")), &fs::read(directory.join("copy.db"))?)?;
    zip(&release.join(format!("{name}.{RECORD}")), &serde_json::to_vec(&record)?)?;
    Ok(fs::remove_dir_all(&directory)?)
}

fn zip(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut zipped = GzEncoder::new(Vec::new(), Compression::best());
    zipped.write_all(bytes)?;
    Ok(fs::write(path, zipped.finish()?)?)
}

fn unzip(path: &Path) -> anyhow::Result<Vec<u8>> {
    let file = fs::File::open(path).with_context(|| path.display().to_string())?;
    let mut bytes = Vec::new();
    GzDecoder::new(file).read_to_end(&mut bytes)?;
    Ok(bytes)
}

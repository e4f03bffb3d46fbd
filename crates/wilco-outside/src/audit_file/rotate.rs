//! Rotation: the file gets a name with the time, then it is compressed.
//!
//! ```text
//! audit.yaml ──rename──▶ audit.yaml.T ──compress──▶ audit.yaml.T + .gz ──remove──▶ audit.yaml.T.gz
//! ```
//! A process may die between any two of these. Whoever comes next finishes what was begun; whoever reads
//! takes a file that is there in both forms once.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use wilco_protocol::Time;

use super::contains;
use crate::disk::{Disk, beside, directory, free};
use crate::stamp::rotated;

const COMPRESSED: &str = ".gz";
const UNFINISHED: &str = ".gz.wilco-new";

/// A rotated file in one or both of its forms, the oldest first by its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rotated {
    /// `YYYYMMDD-hhmmss`.
    time: String,
    number: u32,
    pub(super) plain: Option<PathBuf>,
    pub(super) compressed: Option<PathBuf>,
}

/// The rotated files of an audit file.
pub(super) fn list(path: &Path) -> io::Result<Vec<Rotated>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned() + ".";
    let mut all: Vec<Rotated> = Vec::new();
    for entry in fs::read_dir(directory(path))? {
        let entry = entry?;
        let file = entry.file_name().to_string_lossy().into_owned();
        let Some(rest) = file.strip_prefix(&name) else { continue };
        let (stem, is_compressed) = match rest.strip_suffix(COMPRESSED) {
            Some(stem) => (stem, true),
            None => (rest, false),
        };
        let Some((time, number)) = named(stem) else { continue };
        let at = all.iter().position(|known| (known.time.as_str(), known.number) == (time, number));
        let at = at.unwrap_or_else(|| {
            all.push(Rotated { time: time.to_owned(), number, plain: None, compressed: None });
            all.len() - 1
        });
        let form = if is_compressed { &mut all[at].compressed } else { &mut all[at].plain };
        *form = Some(entry.path());
    }
    all.sort();
    Ok(all)
}

/// `YYYYMMDD-hhmmss` or the same with `-n`.
fn named(stem: &str) -> Option<(&str, u32)> {
    let (time, rest) = stem.split_at_checked(15)?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (day, hour) = time.split_once('-')?;
    if day.len() != 8 || !digits(day) || !digits(hour) {
        return None;
    }
    match rest {
        "" => Some((time, 1)),
        _ => {
            rest.strip_prefix('-').filter(|number| digits(number))?.parse().ok().map(|number| (time, number))
        }
    }
}

/// Gives the file a name with the time and compresses it.
pub(super) fn rotate(disk: &Disk, path: &Path, now: Time) -> io::Result<()> {
    let time = rotated(now);
    let taken = list(path)?;
    let target = free(|suffix| {
        let name = beside(path, &format!(".{time}{suffix}"));
        // A name is also taken by its compressed form.
        let compressed = beside(&name, COMPRESSED);
        if taken.iter().any(|one| one.compressed.as_ref() == Some(&compressed)) { compressed } else { name }
    })?;
    disk.rename(path, &target)?;
    compress(disk, &target)
}

/// Finishes what an earlier process began.
pub(super) fn settle(disk: &Disk, path: &Path) -> io::Result<()> {
    for one in list(path)? {
        if let Some(plain) = &one.plain {
            compress(disk, plain)?;
        }
    }
    Ok(())
}

/// The compressed form is whole before the plain one goes.
fn compress(disk: &Disk, plain: &Path) -> io::Result<()> {
    let Some(found) = disk.read(plain)? else { return Ok(()) };
    let (compressed, unfinished) = (beside(plain, COMPRESSED), beside(plain, UNFINISHED));
    match disk.read(&compressed)? {
        Some(there) if unpacked(&there.bytes).is_ok_and(|bytes| bytes == found.bytes) => {}
        // Another file under this name: both stay.
        Some(_) => return Ok(()),
        None => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&found.bytes)?;
            let packed = encoder.finish()?;
            disk.remove(&unfinished)?;
            disk.write_new(&unfinished, Some(&found), &packed)?;
            disk.rename(&unfinished, &compressed)?;
        }
    }
    disk.remove(plain)
}

fn unpacked(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut plain)?;
    Ok(plain)
}

impl Rotated {
    /// What it holds, once; twice only if its two forms are different files.
    pub(super) fn contents(&self, disk: &Disk) -> io::Result<Vec<Vec<u8>>> {
        let read = |path: &Option<PathBuf>| match path {
            Some(path) => disk.read(path).map(|found| found.map(|found| found.bytes)),
            None => Ok(None),
        };
        let plain = read(&self.plain)?;
        let compressed = read(&self.compressed)?.map(|bytes| unpacked(&bytes)).transpose()?;
        Ok(match (plain, compressed) {
            (Some(plain), Some(compressed)) if plain == compressed => vec![plain],
            (plain, compressed) => [plain, compressed].into_iter().flatten().collect(),
        })
    }

    pub(super) fn path(&self) -> Option<&Path> {
        self.plain.as_deref().or(self.compressed.as_deref())
    }
}

/// Whether a rotated file holds this entry. It cannot be in one that was rotated before the entry was made.
pub(super) fn holds(disk: &Disk, path: &Path, entry: &str, since: Time) -> io::Result<bool> {
    let since = rotated(since);
    for one in list(path)?.into_iter().filter(|one| one.time >= since) {
        match one.contents(disk) {
            Ok(contents) if contents.iter().any(|bytes| contains(bytes, entry)) => return Ok(true),
            Ok(_) => {}
            // What cannot be unpacked was not written here.
            Err(error)
                if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

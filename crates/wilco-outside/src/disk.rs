//! Files that others rely on: private, never reached through a symlink, whole or not there.
//!
//! Every step that changes something goes through a `Disk`. One of them can be told to stop working after a
//! number of steps: so tests see what a process leaves that dies at any moment.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};

const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_DIRECTORY: u32 = 0o700;
/// Names that are tried before giving up.
const MAX_NAMES: u32 = 1000;

/// The disk; `Some` steps are left before it stops.
#[derive(Debug, Default)]
pub(crate) struct Disk {
    left: Option<AtomicU32>,
}

/// A file as it was read.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) bytes: Vec<u8>,
    mode: u32,
    owner: (u32, u32),
}

impl Disk {
    /// A disk that stops after this many steps.
    #[cfg(test)]
    pub(crate) fn stopping_after(steps: u32) -> Disk {
        Disk { left: Some(AtomicU32::new(steps)) }
    }

    /// Whether it has stopped.
    #[cfg(test)]
    pub(crate) fn has_stopped(&self) -> bool {
        self.left.as_ref().is_some_and(|left| left.load(Ordering::Relaxed) == 0)
    }

    fn step(&self) -> io::Result<()> {
        let Some(left) = &self.left else { return Ok(()) };
        let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        taken.map(drop).map_err(|_| io::Error::other("the disk has stopped"))
    }

    /// A plain file, if there is one; anything else under its name is an error.
    pub(crate) fn read(&self, path: &Path) -> io::Result<Option<Found>> {
        let mut file = match OpenOptions::new().read(true).custom_flags(no_follow()).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
                return Err(io::Error::other("it is a symbolic link; name the file itself"));
            }
            Err(error) => return Err(error),
        };
        let metadata = plain(&file)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let owner = (metadata.uid(), metadata.gid());
        Ok(Some(Found { bytes, mode: metadata.mode() & 0o7777, owner }))
    }

    /// Makes the directory of a file, private, if it is missing.
    pub(crate) fn prepare(&self, path: &Path) -> io::Result<()> {
        if path.file_name().is_none() {
            return Err(io::Error::other(format!("{path:?} names no file")));
        }
        let directory = directory(path);
        if !directory.exists() {
            self.step()?;
            DirBuilder::new().recursive(true).mode(PRIVATE_DIRECTORY).create(directory)?;
            if let Some(parent) = directory.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                File::open(parent)?.sync_all()?;
            }
        }
        Ok(())
    }

    /// Puts a new file in place of what was found, or of nothing: owner and mode stay. False: the file is
    /// not what was found any more, and nothing was changed.
    pub(crate) fn put(&self, path: &Path, found: Option<&Found>, bytes: &[u8]) -> io::Result<bool> {
        let fresh = beside(path, ".wilco-new");
        self.remove(&fresh)?;
        self.write_new(&fresh, found, bytes)?;
        let now = self.read(path)?;
        if now.as_ref().map(|now| &now.bytes) != found.map(|found| &found.bytes) {
            self.remove(&fresh)?;
            return Ok(false);
        }
        self.step()?;
        match found {
            Some(_) => fs::rename(&fresh, path)?,
            None => renameat_with(CWD, &fresh, CWD, path, RenameFlags::NOREPLACE)?,
        }
        self.sync_directory(path)?;
        Ok(true)
    }

    /// Writes a file that is not there yet, under the first free one of these names.
    pub(crate) fn keep(
        &self,
        named: impl Fn(&str) -> PathBuf,
        like: Option<&Found>,
        bytes: &[u8],
    ) -> io::Result<PathBuf> {
        let path = free(named)?;
        self.write_new(&path, like, bytes)?;
        self.sync_directory(&path)?;
        Ok(path)
    }

    /// Renames a file, never over another.
    pub(crate) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step()?;
        renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?;
        self.sync_directory(to)
    }

    pub(crate) fn remove(&self, path: &Path) -> io::Result<()> {
        if fs::symlink_metadata(path).is_err() {
            return Ok(());
        }
        self.step()?;
        fs::remove_file(path)
    }

    pub(crate) fn write_new(&self, path: &Path, like: Option<&Found>, bytes: &[u8]) -> io::Result<()> {
        self.step()?;
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(PRIVATE_FILE)
            .custom_flags(no_follow())
            .open(path)?;
        if let Err(stopped) = self.step() {
            file.write_all(&bytes[..bytes.len() / 2])?;
            return Err(stopped);
        }
        file.write_all(bytes)?;
        if let Some(like) = like {
            let own = plain(&file)?;
            if (own.uid(), own.gid()) != like.owner {
                std::os::unix::fs::fchown(&file, Some(like.owner.0), Some(like.owner.1)).map_err(
                    |error| io::Error::new(error.kind(), format!("its owner cannot be kept: {error}")),
                )?;
            }
            file.set_permissions(fs::Permissions::from_mode(like.mode))?;
        }
        self.step()?;
        file.sync_all()
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        File::open(directory(path))?.sync_all()
    }
}

/// What tells names apart that would be the same: nothing, then `-2`, `-3` and so on.
pub(crate) fn suffixes() -> impl Iterator<Item = String> {
    (1..MAX_NAMES).map(|n| if n == 1 { String::new() } else { format!("-{n}") })
}

/// The first of these names that is free: without a suffix, `-2`, `-3`, ….
pub(crate) fn free(named: impl Fn(&str) -> PathBuf) -> io::Result<PathBuf> {
    let mut names = suffixes().map(|suffix| named(&suffix));
    names.find(|path| fs::symlink_metadata(path).is_err()).ok_or_else(|| io::ErrorKind::AlreadyExists.into())
}

/// A name beside a file.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

pub(crate) fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn no_follow() -> i32 {
    (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32
}

fn plain(file: &File) -> io::Result<Metadata> {
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok(metadata) } else { Err(io::Error::other("it is not a plain file")) }
}

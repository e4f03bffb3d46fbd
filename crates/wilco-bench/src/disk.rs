//! The disk under the data directory: F, and whether it is a disk at all.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::statistics::Distribution;

const BLOCK: [u8; 4096] = [0x57; 4096];
/// Blocks of the file that is written in place.
const BLOCKS: u64 = 1000;

/// What statfs says of file systems that lose everything with the power.
const IN_MEMORY: [(u32, &str); 2] = [(0x0102_1994, "tmpfs"), (0x8584_58f6, "ramfs")];

/// Refuses a directory that lies in memory: syncing costs nothing there, so no figure would mean anything.
pub(crate) fn refuse_memory(directory: &Path) -> anyhow::Result<()> {
    let found = rustix::fs::statfs(directory)
        .with_context(|| format!("cannot look at the file system of {}", directory.display()))?;
    let kind = IN_MEMORY.iter().find(|(magic, _)| *magic == found.f_type as u32);
    if let Some((_, name)) = kind {
        bail!(
            "{} lies on {name}, in memory: nothing is durable there; choose a directory on a real disk with --directory",
            directory.display()
        );
    }
    Ok(())
}

/// F: appends of 4 KiB, each followed by fdatasync, in microseconds.
pub(crate) fn appends(directory: &Path, duration: Duration) -> anyhow::Result<Distribution> {
    let path = directory.join("appended");
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    let times = timed(duration, || {
        file.write_all(&BLOCK)?;
        file.sync_data()
    });
    std::fs::remove_file(&path)?;
    times
}

/// The same in place, as a log does that is used again from its beginning: the file does not grow, so its
/// length need not be made durable too. Often much cheaper than F, and never dearer.
pub(crate) fn overwrites(directory: &Path, duration: Duration) -> anyhow::Result<Distribution> {
    let path = directory.join("overwritten");
    let file = OpenOptions::new().create(true).truncate(true).write(true).open(&path)?;
    (0..BLOCKS).try_for_each(|block| file.write_all_at(&BLOCK, block * BLOCK.len() as u64))?;
    file.sync_all()?;
    let mut blocks = (0..BLOCKS).cycle();
    let times = timed(duration, || {
        let block = blocks.next().unwrap_or(0);
        file.write_all_at(&BLOCK, block * BLOCK.len() as u64)?;
        file.sync_data()
    });
    std::fs::remove_file(&path)?;
    times
}

fn timed(duration: Duration, mut write: impl FnMut() -> std::io::Result<()>) -> anyhow::Result<Distribution> {
    let (until, mut times) = (Instant::now() + duration, Vec::new());
    while Instant::now() < until {
        let begun = Instant::now();
        write().context("the disk does not take a write")?;
        times.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    Distribution::of(times).context("not one write was done in time")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_in_memory_is_refused_by_name() {
        let shared = Path::new("/dev/shm");
        let refused = refuse_memory(shared).expect_err("/dev/shm is a tmpfs");
        assert!(refused.to_string().contains("tmpfs") && refused.to_string().contains("--directory"));
    }
}

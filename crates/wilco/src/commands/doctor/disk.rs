//! Is there room for more?

use super::Exam;
use super::finding::Finding;
use crate::place::Place;

const MIB: u64 = 1 << 20;
/// Below this a server will soon refuse to write.
const LITTLE: u64 = 100 * MIB;
const ENOUGH: u64 = 1024 * MIB;

/// Looks at the data directory, if it is on this machine.
pub(super) fn examine(exam: &mut Exam<'_>, place: &Place) {
    let Ok(data) = place.data() else { return };
    let Ok(disk) = rustix::fs::statvfs(&data) else { return };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let (about, text) = (format!("disk of {}", data.display()), format!("{} MiB are free", free / MIB));
    exam.found.push(match free {
        free if free < LITTLE => Finding::wrong(&about, text).next(format!("du -sh {}", data.display())),
        free if free < ENOUGH => Finding::note(&about, text).next(format!("du -sh {}", data.display())),
        _ => Finding::fine(&about, text),
    });
}

//! A disk that can forget, fail and be full, between a server and the real one (`disk.c`).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::server::{Server, Setup};

#[derive(Debug)]
pub(crate) struct Disk {
    image: TempDir,
    orders: TempDir,
}

/// How it misbehaves.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Order {
    /// Syncs succeed and do nothing.
    Deaf,
    /// Syncs fail with EIO.
    Eio,
    /// Writes fail with ENOSPC.
    Full,
    /// The index over the log cannot grow; the log itself is written and synced before.
    Index,
}

impl Disk {
    pub(crate) fn new() -> Disk {
        Disk { image: tempfile::tempdir().unwrap(), orders: tempfile::tempdir().unwrap() }
    }

    /// A server on a directory of its own, on this disk.
    pub(crate) fn start(&self, setup: Setup) -> Server {
        let data = tempfile::tempdir().unwrap();
        let path = |path: &Path| path.canonicalize().unwrap().to_str().unwrap().to_owned();
        setup
            .environment("LD_PRELOAD", &path(library()))
            .environment("DISK_DATA", &path(data.path()))
            .environment("DISK_IMAGE", &path(self.image.path()))
            .environment("DISK_ORDERS", &path(self.orders.path()))
            .start_on(data)
    }

    pub(crate) fn order(&self, order: Order) {
        std::fs::write(self.place(order), "").unwrap();
    }

    pub(crate) fn obey_again(&self, order: Order) {
        std::fs::remove_file(self.place(order)).unwrap();
    }

    fn place(&self, order: Order) -> PathBuf {
        self.orders.path().join(match order {
            Order::Deaf => "deaf",
            Order::Eio => "eio",
            Order::Full => "full",
            Order::Index => "index",
        })
    }

    /// What a power cut leaves: what was synced, and nothing else.
    pub(crate) fn after_a_power_cut(self) -> TempDir {
        self.image
    }
}

/// Built once for a test program, with the C compiler that the store's SQLite needs anyway.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/disk/disk.c");
        let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("disk-{}.so", std::process::id()));
        let compiler =
            Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&built).arg(source).status();
        assert!(compiler.unwrap().success(), "cc cannot build the disk");
        built
    })
}

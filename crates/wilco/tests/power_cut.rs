//! A power cut loses what was not synced. `kill -9` cannot show that, because the system keeps what a dead
//! process wrote; here a disk stands between that keeps only what was synced.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::disk::{Disk, Order};
use crate::ledger::{chance, check, ledgers, load_and_kill, settle};
use crate::server::Setup;

const ROUNDS: usize = 3;

/// Everybody sends until the power is cut; then a server starts on what the disk kept.
fn cut(disk: Disk, round: usize) {
    let mut server = disk.start(Setup::new());
    let mut ledgers = ledgers(round);
    load_and_kill(&mut server, &mut ledgers, 20 + chance() % 200);
    let server = Setup::new().start_on(disk.after_a_power_cut());
    settle(&server, &mut ledgers);
    check(&server, &ledgers);
    server.verify();
}

#[test]
fn g1_a_power_cut_loses_nothing_that_was_acknowledged() {
    for round in 0..ROUNDS {
        cut(Disk::new(), round);
    }
}

/// The control: were the server not to sync, or not to wait for it, the test above would fail.
#[test]
fn g1_without_syncs_the_same_test_fails() {
    let disk = Disk::new();
    disk.order(Order::Deaf);
    let lost = catch_unwind(AssertUnwindSafe(|| cut(disk, 0)));
    assert!(lost.is_err(), "a server that never syncs lost nothing: the test shows nothing");
}

//! A power cut loses what was not synced. `kill -9` cannot show that, because the system keeps what a dead
//! process wrote; here a disk stands between that keeps only what was synced.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::disk::{Disk, Order};
use crate::ledger::{chance, check, ledgers, load_and_kill, settle};
use crate::server::Setup;

const ROUNDS: usize = 3;

/// Everybody sends until the power is cut; then a server starts on what the disk kept.
fn cut(disk: Disk, setup: Setup, round: usize) {
    let mut server = disk.start(setup);
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
        cut(Disk::new(), Setup::new(), round);
    }
}

/// The control: a server that does not sync, and one that syncs in vain, fail the test above.
#[test]
fn g1_without_syncs_the_same_test_fails() {
    let fails = |disk, setup| catch_unwind(AssertUnwindSafe(|| cut(disk, setup, 0))).is_err();
    let undurable = Setup::new().environment("WILCO_TEST_UNDURABLE", "1");
    assert!(fails(Disk::new(), undurable), "a server that never syncs lost nothing: the test shows nothing");
    let deaf = Disk::new();
    deaf.order(Order::Deaf);
    assert!(fails(deaf, Setup::new()), "a disk that never syncs lost nothing: the test shows nothing");
}

//! Inputs that once broke a reader, and the tables' texts, against everything that must hold for any input.

use wilco_testkit::checks::CHECKS;
use wilco_testkit::replay;

#[test]
fn found_inputs_hold() {
    replay::found(&CHECKS);
}

#[test]
fn seeds_hold() {
    replay::first(&CHECKS);
}

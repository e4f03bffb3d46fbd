//! Inputs that once broke something that reads requests or files, and the first inputs of each target, against all that
//! must hold for any input. The same for the language is in its own tests.

use wilco_testkit::{checks, outer, replay};

#[test]
fn found_inputs_hold() {
    replay::found(&outer::CHECKS);
}

#[test]
fn seeds_hold() {
    replay::first(&outer::CHECKS);
}

/// A target without a check would never be replayed.
#[test]
fn every_target_has_its_check() {
    let files = std::fs::read_dir(replay::root().join("fuzz/fuzz_targets")).unwrap();
    let mut targets: Vec<_> =
        files.map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    targets.sort();
    let mut names: Vec<_> = checks::CHECKS.iter().chain(&outer::CHECKS).map(|(name, _)| *name).collect();
    names.sort_unstable();
    assert_eq!(targets, names);
}

//! A few hundred runs, the seeds that once failed, and that a seed is a run.

use wilco_sim::{Options, simulate};

/// Enough to meet every kind of fault, few enough for every test run.
const QUICK: u64 = 200;

#[test]
fn g3_g4_g5_g6_g7_g8_pg_11_pg_12_pg_13_pg_16_hold_in_a_few_hundred_runs() {
    for seed in 0..QUICK {
        if let Err(failure) = simulate(seed, Options::default()) {
            let traced = simulate(seed, Options { trace: true, ..Options::default() });
            panic!("{}", traced.err().unwrap_or(failure));
        }
    }
}

#[test]
fn seeds_that_once_failed_hold() {
    let lines = include_str!("../regressions.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let seed = line.split_whitespace().next().and_then(|word| word.parse().ok());
        let seed = seed.unwrap_or_else(|| panic!("expected a seed at the start of {line:?}"));
        // Those of one process were found before there were several nodes.
        for alone in [true, false] {
            if let Err(failure) = simulate(seed, Options { alone, ..Options::default() }) {
                panic!("{failure}");
            }
        }
    }
}

#[test]
fn one_seed_is_one_run_to_the_byte() {
    for seed in 0..20 {
        let first = simulate(seed, Options { trace: true, ..Options::default() });
        let second = simulate(seed, Options { trace: true, ..Options::default() });
        assert_eq!(first, second);
    }
}

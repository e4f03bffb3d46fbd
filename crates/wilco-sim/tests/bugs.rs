//! The simulation finds bugs: every planted one, within a bounded number of seeds. One of them runs a
//! command twice (OP-14).

use wilco_sim::{Bug, Options, simulate};

const MOST_SEEDS: u64 = 1000;

/// OP-14: a command that runs twice is one of them.
#[test]
fn every_planted_bug_is_found() {
    for bug in Bug::ALL {
        let found = (0..MOST_SEEDS).find_map(|seed| {
            let options = Options { bug: Some(bug), alone: !bug.is_of_nodes(), ..Options::default() };
            simulate(seed, options).err()
        });
        match found {
            Some(failure) => println!("{bug:?}: {failure}"),
            None => panic!("{bug:?} was not found in {MOST_SEEDS} runs"),
        }
    }
}

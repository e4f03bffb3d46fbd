//! Inputs that once broke a reader, and the tables' texts, against everything that must hold for any input.

use std::path::{Path, PathBuf};

use crate::checks;
use crate::seeds;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What `cargo xtask fuzz` found lies in `fuzz/found/TARGET`.
#[test]
fn found_inputs_hold() {
    for (target, check) in checks::CHECKS {
        let folder = root().join("fuzz/found").join(target);
        for file in std::fs::read_dir(folder).into_iter().flatten() {
            let path = file.unwrap().path();
            println!("{}", path.display());
            check(&std::fs::read(path).unwrap());
        }
    }
}

#[test]
fn seeds_hold() {
    for (target, check) in checks::CHECKS {
        let seeds = seeds::seeds(&root(), target);
        assert!(!seeds.is_empty(), "{target} has no seeds");
        for seed in seeds {
            println!("{target}: {}", String::from_utf8_lossy(&seed));
            check(&seed);
        }
    }
}

//! Inputs that once broke something that reads requests or files, and the first inputs of each target, against all that
//! must hold for any input. The same for the language is in its own tests.

use std::path::{Path, PathBuf};

use crate::{checks, outer, seeds};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What `cargo xtask fuzz` found lies in `fuzz/found/TARGET`.
#[test]
fn found_inputs_hold() {
    for (target, check) in outer::CHECKS {
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
    for (target, check) in outer::CHECKS {
        let seeds = seeds::seeds(&root(), target);
        assert!(!seeds.is_empty(), "{target} has no seeds");
        for seed in seeds {
            println!("{target}: {}", String::from_utf8_lossy(&seed));
            check(&seed);
        }
    }
}

/// A target without a check would never be replayed.
#[test]
fn every_target_has_its_check() {
    let files = std::fs::read_dir(root().join("fuzz/fuzz_targets")).unwrap();
    let mut targets: Vec<_> =
        files.map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    targets.sort();
    let mut names: Vec<_> = checks::CHECKS.iter().chain(&outer::CHECKS).map(|(name, _)| *name).collect();
    names.sort_unstable();
    assert_eq!(targets, names);
}

//! Runs checks on what is kept for their targets. The tests of the language and those of `wilco` each replay theirs.

use std::path::{Path, PathBuf};

use crate::seeds::seeds;

/// A check and the name of its target.
pub type Check = (&'static str, fn(&[u8]));

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Inputs that once broke a check: what `cargo xtask fuzz` found lies in `fuzz/found/TARGET`.
pub fn found(checks: &[Check]) {
    for (target, check) in checks {
        let folder = root().join("fuzz/found").join(target);
        for file in std::fs::read_dir(folder).into_iter().flatten() {
            let path = file.unwrap().path();
            println!("{}", path.display());
            check(&std::fs::read(path).unwrap());
        }
    }
}

/// The first inputs of each target.
pub fn first(checks: &[Check]) {
    for (target, check) in checks {
        let seeds = seeds(&root(), target);
        assert!(!seeds.is_empty(), "{target} has no seeds");
        for seed in seeds {
            println!("{target}: {}", String::from_utf8_lossy(&seed));
            check(&seed);
        }
    }
}

//! What must hold for every input of a parser or reader. Each target of `fuzz_targets` calls one of these
//! checks with random bytes; ordinary tests call them with the inputs that were found to break one.

pub use wilco_testkit::checks;
#[cfg(feature = "outer")]
pub use wilco_testkit::outer;

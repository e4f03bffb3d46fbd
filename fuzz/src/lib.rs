//! What must hold for every input of a parser or reader. Each target of `fuzz_targets` calls one of these
//! checks with random bytes; an ordinary test calls them with the inputs that were found to break one.

pub mod checks;
#[cfg(feature = "outer")]
pub mod outer;

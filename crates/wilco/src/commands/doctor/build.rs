//! Was this binary built as it should be?

use super::Exam;
use super::finding::Finding;

/// Says nothing where all is well: most people did not build it.
pub(super) fn examine(exam: &mut Exam<'_>) {
    if !wilco_store::has_build_flags() {
        let text = "SQLite lacks the flags of .cargo/config.toml: commits are slower, and as safe";
        exam.found
            .push(Finding::note("build", text).next("cargo install --path crates/wilco, in a checkout"));
    }
}

//! Counting tests from what the test runners print.
//!
//! A count is told only when it is whole: every harness that began also closed, and the exit status agrees.

use std::fmt;
use std::ops::Add;

use anyhow::bail;

/// What a run of tests came to.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) tally: Tally,
    /// The slowest tests as lines, where the runner tells how long each took.
    pub(crate) slowest: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// Reads a runner's output line by line.
#[derive(Default)]
pub(crate) struct Count {
    begun: u64,
    closed: u64,
    tally: Tally,
}

impl Count {
    pub(crate) fn line(&mut self, line: &str) {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("running ") {
            // `running 3 tests`: one harness of cargo test begins.
            self.begun += u64::from(rest.ends_with(" tests") || rest.ends_with(" test"));
        } else if line.starts_with("test result: ")
            || (line.starts_with("Summary [") && line.contains("run:"))
        {
            self.closed += 1;
            // Nextest has one summary and announces no harness.
            self.begun += u64::from(line.starts_with("Summary ["));
            self.tally.passed += number_before(line, " passed");
            self.tally.failed += number_before(line, " failed") + number_before(line, " timed out");
        }
    }

    /// The tally, if the runner's exit status fits it.
    pub(crate) fn close(&self, success: bool) -> anyhow::Result<Tally> {
        if self.begun != self.closed {
            bail!("{} of {} test programs did not finish", self.begun.abs_diff(self.closed), self.begun);
        }
        if success != (self.tally.failed == 0) {
            bail!("the test runner failed, see above");
        }
        Ok(self.tally)
    }
}

/// The number that stands right before `word`, else 0.
fn number_before(line: &str, word: &str) -> u64 {
    let Some((before, _)) = line.split_once(word) else { return 0 };
    before.rsplit(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(output: &str, success: bool) -> Result<Tally, String> {
        let mut count = Count::default();
        output.lines().for_each(|line| count.line(line));
        count.close(success).map_err(|error| error.to_string())
    }

    #[test]
    fn harnesses_of_cargo_test_add_up() {
        let output = "running 2 tests\ntest a ... ok\n\
            test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
            running 1 test\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured\n";
        assert_eq!(count(output, false), Ok(Tally { passed: 2, failed: 1 }));
    }

    #[test]
    fn nextest_closes_with_one_summary() {
        let output = "     Summary [   0.125s] 14 tests run: 12 passed (1 slow), 2 failed, 0 skipped";
        assert_eq!(count(output, false), Ok(Tally { passed: 12, failed: 2 }));
    }

    #[test]
    fn a_killed_harness_leaves_no_count() {
        assert!(count("running 9 tests\ntest a ... ok\n", false).is_err());
    }

    #[test]
    fn a_failure_that_was_not_counted_is_not_hidden() {
        let output = "running 1 test\ntest result: ok. 1 passed; 0 failed; 0 ignored\n";
        assert!(count(output, false).is_err());
        assert!(count("error: could not compile", false).is_err());
    }
}

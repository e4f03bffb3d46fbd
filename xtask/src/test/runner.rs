//! Running the tests of the workspace and counting them while they pass by.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use anyhow::Context;

use super::slowest::Slowest;
use super::tally::{Count, Counted};
use crate::workspace::{build_tested, cargo, command_line, root, succeeds_quietly};

/// Everything but doctests; with nextest where it is installed, because it runs all crates side by side.
pub(crate) fn tests() -> anyhow::Result<Counted> {
    tests_of(&["--workspace"])
}

/// The same without what starts the program, fails disks or lives through many worlds.
pub(crate) fn inner_tests() -> anyhow::Result<Counted> {
    tests_of(&["--workspace", "--exclude", "wilco", "--exclude", "wilco-bench", "--exclude", "wilco-sim"])
}

/// Modules of black-box tests that say nothing of files, disks and data directories.
const ON_EITHER_STORE: [&str; 13] = [
    "delegation::",
    "operation",
    "validation::",
    "handoff::",
    "handoff_trouble::",
    "messages::",
    "cli::",
    "inbox::",
    "events::",
    "idempotency::",
    "decisions::",
    "verdicts::",
    "completion::",
];

/// The same assertions with every server on PostgreSQL. In one process, so that one database serves them all.
pub(crate) fn on_postgres() -> anyhow::Result<Counted> {
    let mut command = Command::new(build_tested()?);
    command.args(ON_EITHER_STORE).current_dir(root().join("crates/wilco"));
    counted(command.env("WILCO_TESTS_ON", "postgres"), Stream::Stdout)
}

fn tests_of(packages: &[&str]) -> anyhow::Result<Counted> {
    if succeeds_quietly(cargo().args(["nextest", "--version"])) {
        counted(cargo().args(["nextest", "run", "--no-fail-fast"]).args(packages), Stream::Stderr)
    } else {
        let kinds = ["test", "--lib", "--bins", "--tests", "--no-fail-fast"];
        counted(cargo().args(kinds).args(packages), Stream::Stdout)
    }
}

/// Nextest has no doctests, so they are a step of their own.
pub(crate) fn doctests() -> anyhow::Result<Counted> {
    counted(cargo().args(["test", "--workspace", "--doc", "--no-fail-fast"]), Stream::Stdout)
}

/// Where a runner prints its results; the other stream goes straight to the terminal.
enum Stream {
    Stdout,
    Stderr,
}

fn counted(command: &mut Command, results: Stream) -> anyhow::Result<Counted> {
    let line = command_line(command);
    match results {
        Stream::Stdout => command.stdout(Stdio::piped()),
        Stream::Stderr => command.stderr(Stdio::piped()),
    };
    let mut child = command.spawn().with_context(|| format!("could not start `{line}`"))?;
    let piped: Option<Box<dyn Read>> = match results {
        Stream::Stdout => child.stdout.take().map(|stream| Box::new(stream) as Box<dyn Read>),
        Stream::Stderr => child.stderr.take().map(|stream| Box::new(stream) as Box<dyn Read>),
    };
    let (mut count, mut slowest) = (Count::default(), Slowest::default());
    for line in BufReader::new(piped.context("the test runner has no output")?).split(b'\n') {
        // A test may print bytes that are no text; they must not end the run.
        let line = String::from_utf8_lossy(&line?).into_owned();
        println!("{line}");
        count.line(&line);
        slowest.line(&line);
    }
    let status = child.wait()?;
    let tally = count.close(status.success()).with_context(|| format!("`{line}`"))?;
    Ok(Counted { tally, slowest: slowest.shown() })
}

#[cfg(test)]
mod tests {
    use super::super::tally::Tally;
    use super::*;
    use crate::workspace::program;

    #[test]
    fn results_are_counted_on_either_stream() {
        let cargo = "echo running 2 tests; echo 'test result: ok. 2 passed; 0 failed; 0 ignored'";
        let tally = counted(program("sh").args(["-c", cargo]), Stream::Stdout).expect("a tally").tally;
        assert_eq!(tally, Tally { passed: 2, failed: 0 });
        let nextest = "echo ' Summary [ 0.1s] 2 tests run: 1 passed, 1 failed, 0 skipped' >&2; exit 100";
        let tally = counted(program("sh").args(["-c", nextest]), Stream::Stderr).expect("a tally").tally;
        assert_eq!(tally, Tally { passed: 1, failed: 1 });
    }

    #[test]
    fn a_runner_that_fails_before_any_test_is_an_error() {
        assert!(counted(program("sh").args(["-c", "exit 101"]), Stream::Stdout).is_err());
    }
}

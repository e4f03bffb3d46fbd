//! `cargo xtask test`: everything that must hold, from a fresh clone, in one command.
//!
//! The steps stand in one table. All of them build with the dev profile, so the binary that black-box tests
//! start is the one that was built with the tests. A failed step does not stop the later ones: one run shows
//! all that is wrong. `cargo xtask check` is the inner loop: the steps that need no server, in a minute or two.

mod browser;
mod conformance;
pub(crate) mod needs;
mod runner;
mod schemathesis;
mod server;
mod slowest;
mod tally;

use std::time::{Duration, Instant};

use anyhow::bail;

use needs::{Need, POSTGRES};
use tally::{Counted, Tally};

use crate::dist;
use crate::fuzz;
use crate::soak;
use crate::tidy;
use crate::workspace::{cargo, succeed};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Run only this step
    #[arg(long, value_name = "STEP")]
    only: Option<String>,
    /// List the steps and what each does
    #[arg(long)]
    list: bool,
}

struct Step {
    name: &'static str,
    about: &'static str,
    needs: Needs,
    work: Work,
}

enum Work {
    /// A check that passes or fails as a whole.
    Check(fn() -> anyhow::Result<()>),
    /// Tests that are counted; the tally is there only if every test was accounted for.
    Tests(fn() -> anyhow::Result<Counted>),
}

/// What is run, in this order. The bundled SQLite is compiled from C.
const STEPS: &[Step] = &[
    check("fmt", "cargo fmt --check", &[Need::Component("rustfmt")], fmt),
    check("clippy", "no warnings", &[Need::Component("clippy")], clippy),
    tests(
        "tests",
        "unit, transcript and black-box tests, the dashboard in a browser",
        &[CC, TMUX, FAKETIME, CHROMIUM, CHROMEDRIVER, NPM, POSTGRES, PGBOUNCER],
        all_tests,
    ),
    tests(
        "postgres",
        "the protocols, messages and the command line on PostgreSQL",
        &[CC, POSTGRES],
        runner::on_postgres,
    ),
    tests("doctests", "examples in the docs", &[CC], runner::doctests),
    check("api", "the API against its OpenAPI document", &[CC, PYTHON], schemathesis::run),
    check("mcp", "the MCP door against the official conformance suite", &[CC, NODE], conformance::run),
    check("package", "the Debian package: what is in it, and that it installs", &[CC, DPKG], dist::shortly),
    check("soak", "two minutes of steady load", &[CC], soak::shortly),
    check("tidy", "invariants of the architecture", &[], tidy::run),
    check("fuzz", "random inputs for every reader of messages, shortly", &[CC, CXX], fuzz::shortly),
];

/// What is run while somebody writes.
const INNER: &[Step] = &[
    check("fmt", "cargo fmt --check", &[Need::Component("rustfmt")], fmt),
    check("tidy", "invariants of the architecture", &[], tidy::run),
    check("clippy", "no warnings", &[Need::Component("clippy")], clippy),
    tests(
        "tests",
        "unit tests, transcripts, tables and laws",
        &[CC, POSTGRES, PGBOUNCER],
        runner::inner_tests,
    ),
];

const CC: Need = Need::Package { binary: "cc", debian: "gcc" };
/// Compiles libFuzzer.
const CXX: Need = Need::Package { binary: "c++", debian: "g++" };
/// Builds and installs packages.
const DPKG: Need = Need::Package { binary: "dpkg-deb", debian: "dpkg" };
/// Sets the clock of one process.
const FAKETIME: Need = Need::Package { binary: "faketime", debian: "faketime" };
/// A pooler, which doctor must know.
const PGBOUNCER: Need = Need::Directory { path: "/etc/pgbouncer", debian: "pgbouncer" };
/// Agents live in its sessions.
const TMUX: Need = Need::Package { binary: "tmux", debian: "tmux" };

/// Shows the dashboard, and what drives it.
const CHROMIUM: Need = Need::Package { binary: "chromium", debian: "chromium" };
const CHROMEDRIVER: Need = Need::Package { binary: "chromedriver", debian: "chromium-driver" };
/// Brings what looks whether everybody can use a page.
const NPM: Need = Need::Package { binary: "npm", debian: "npm" };

/// Runs schemathesis.
const PYTHON: Need = Need::Package { binary: "python3", debian: "python3-venv" };

/// Runs the conformance suite.
const NODE: Need = Need::Package { binary: "npx", debian: "npm" };

type Needs = &'static [Need];

const fn check(
    name: &'static str,
    about: &'static str,
    needs: Needs,
    run: fn() -> anyhow::Result<()>,
) -> Step {
    Step { name, about, needs, work: Work::Check(run) }
}

const fn tests(
    name: &'static str,
    about: &'static str,
    needs: Needs,
    run: fn() -> anyhow::Result<Counted>,
) -> Step {
    Step { name, about, needs, work: Work::Tests(run) }
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if options.list {
        for step in STEPS {
            println!("{:<10} {}", step.name, step.about);
        }
        return Ok(());
    }
    perform_all(choose(options.only.as_deref())?)
}

/// The inner loop.
pub(crate) fn check_shortly() -> anyhow::Result<()> {
    perform_all(INNER.iter().collect())
}

fn perform_all(steps: Vec<&'static Step>) -> anyhow::Result<()> {
    let reports: Vec<Report> = steps.into_iter().map(perform).collect();
    if !close(&reports) {
        // Not an error value: its text would come after the sum, which shall be the last line.
        std::process::exit(1);
    }
    Ok(())
}

fn choose(only: Option<&str>) -> anyhow::Result<Vec<&'static Step>> {
    let chosen: Vec<_> = STEPS.iter().filter(|step| only.is_none_or(|name| name == step.name)).collect();
    if chosen.is_empty() {
        let names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        bail!("no step is called `{}`; the steps are {}", only.unwrap_or_default(), names.join(", "));
    }
    Ok(chosen)
}

struct Report {
    name: &'static str,
    took: Duration,
    result: anyhow::Result<Option<Counted>>,
}

fn perform(step: &'static Step) -> Report {
    eprintln!("── {}: {}", step.name, step.about);
    let begun = Instant::now();
    let result = needs::meet(step.needs).and_then(|()| match step.work {
        Work::Check(check) => check().map(|()| None),
        Work::Tests(tests) => tests().map(Some),
    });
    Report { name: step.name, took: begun.elapsed(), result }
}

/// The slowest tests, durations, what failed, and last the sum of all tests if it is known to be the truth.
fn close(reports: &[Report]) -> bool {
    println!();
    for counted in reports.iter().filter_map(|report| report.result.as_ref().ok()?.as_ref()) {
        if !counted.slowest.is_empty() {
            println!("the slowest tests:\n{}\n", counted.slowest.join("\n"));
        }
    }
    let mut sum = Some(Tally::default());
    let mut failed = Vec::new();
    for report in reports {
        let verdict = match &report.result {
            Ok(None) => "ok".to_owned(),
            Ok(Some(Counted { tally, .. })) => {
                sum = sum.map(|sum| sum + *tally);
                tally.to_string()
            }
            Err(error) => {
                sum = None;
                format!("FAILED: {error:#}")
            }
        };
        if !matches!(&report.result, Ok(ran) if ran.as_ref().is_none_or(|ran| ran.tally.failed == 0)) {
            failed.push(report.name);
        }
        println!("{:<10} {:>7.1} s  {verdict}", report.name, report.took.as_secs_f64());
    }
    println!("{}", slowest_steps(reports));
    if !failed.is_empty() {
        println!("failed: {}", failed.join(", "));
    }
    // A run without counted tests has no sum to tell.
    if let Some(sum) = sum.filter(|sum| *sum != Tally::default()) {
        println!("{sum}");
    }
    failed.is_empty()
}

/// Where the time went.
fn slowest_steps(reports: &[Report]) -> String {
    const SHOWN: usize = 3;
    let mut steps: Vec<_> = reports.iter().map(|report| (report.took, report.name)).collect();
    steps.sort_by(|one, two| two.cmp(one));
    let steps = steps.iter().take(SHOWN).map(|(took, name)| format!("{name} {:.0} s", took.as_secs_f64()));
    format!("the slowest steps: {}", steps.collect::<Vec<_>>().join(", "))
}

fn all_tests() -> anyhow::Result<Counted> {
    browser::install_axe()?;
    runner::tests()
}

fn fmt() -> anyhow::Result<()> {
    succeed(cargo().args(["fmt", "--all", "--check"]))
}

fn clippy() -> anyhow::Result<()> {
    succeed(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_its_own_name() {
        let names: std::collections::BTreeSet<_> = STEPS.iter().map(|step| step.name).collect();
        assert_eq!(names.len(), STEPS.len());
    }

    #[test]
    fn an_unknown_step_is_refused_with_the_known_ones() {
        let refusal = choose(Some("fuz")).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refusal.contains("`fuz`") && refusal.contains("fmt, clippy, tests"), "{refusal}");
    }
}

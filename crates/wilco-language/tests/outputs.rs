//! What real tools print about the same small project: `first`, then `again` with the same failures (lines
//! moved, tests in another order, other addresses, durations and temporary folders), then `other`, where some
//! are mended and new ones came.

use std::collections::BTreeSet;

use wilco_language::read::failures::{Failure, printed};
use wilco_language::read::fingerprint::{Fingerprint, digest, fingerprints};

/// How a specialist tells the failures of its tool.
type Told = fn(&str) -> Vec<Failure>;

const TOOLS: [(&str, Told, [&str; 3]); 7] = [
    (
        "cargo-test",
        cargo_test,
        [
            include_str!("outputs/cargo-test-first.txt"),
            include_str!("outputs/cargo-test-again.txt"),
            include_str!("outputs/cargo-test-other.txt"),
        ],
    ),
    (
        "clippy",
        clippy,
        [
            include_str!("outputs/clippy-first.txt"),
            include_str!("outputs/clippy-again.txt"),
            include_str!("outputs/clippy-other.txt"),
        ],
    ),
    (
        "pytest",
        pytest,
        [
            include_str!("outputs/pytest-first.txt"),
            include_str!("outputs/pytest-again.txt"),
            include_str!("outputs/pytest-other.txt"),
        ],
    ),
    (
        "jest",
        jest,
        [
            include_str!("outputs/jest-first.txt"),
            include_str!("outputs/jest-again.txt"),
            include_str!("outputs/jest-other.txt"),
        ],
    ),
    (
        "tsc",
        tsc,
        [
            include_str!("outputs/tsc-first.txt"),
            include_str!("outputs/tsc-again.txt"),
            include_str!("outputs/tsc-other.txt"),
        ],
    ),
    (
        "eslint",
        eslint,
        [
            include_str!("outputs/eslint-first.txt"),
            include_str!("outputs/eslint-again.txt"),
            include_str!("outputs/eslint-other.txt"),
        ],
    ),
    (
        "go-test",
        go_test,
        [
            include_str!("outputs/go-test-first.txt"),
            include_str!("outputs/go-test-again.txt"),
            include_str!("outputs/go-test-other.txt"),
        ],
    ),
];

#[test]
fn val_12_the_same_failures_are_the_same_and_others_are_not() {
    for (tool, told, outputs) in TOOLS {
        let [first, again, other] = outputs.map(told);
        assert!(first.len() >= 2 && first.len() == again.len(), "{tool}: {first:#?} {again:#?}");
        assert_ne!(first, again, "{tool}: nothing moved, so nothing is shown");
        let (was, is, then) = (fingerprints(&first), fingerprints(&again), fingerprints(&other));
        assert_eq!(was, is, "{tool}");
        assert_eq!(digest(&first), digest(&again), "{tool}");
        assert!(!then.is_empty());
        assert_ne!(digest(&first), digest(&other), "{tool}");
        let shared: BTreeSet<&Fingerprint> = was.intersection(&then).collect();
        assert!(shared.len() < was.len() && shared.len() < first.len(), "{tool}: {shared:#?}");
    }
}

/// Each failure of one output differs from every other one.
#[test]
fn val_12_different_failures_of_one_run_stay_apart() {
    for (tool, told, outputs) in TOOLS {
        for output in outputs {
            let failures = told(output);
            let kinds: BTreeSet<_> =
                failures.iter().map(|failure| (&failure.error, place(failure))).collect();
            assert_eq!(fingerprints(&failures).len(), kinds.len(), "{tool}: {failures:#?}");
        }
    }
}

fn place(failure: &Failure) -> &str {
    failure.location.split([':', '(']).next().unwrap_or_default()
}

/// pytest's own summary is a list of failures already.
#[test]
fn val_1_the_summary_of_pytest_is_read_as_it_stands() {
    let outputs = [TOOLS[2].2[0], TOOLS[2].2[1]];
    let [first, again] = outputs.map(|output| printed("cmd:unit", output, "", 1));
    let places: Vec<_> = first.iter().map(|failure| failure.location.as_str()).collect();
    assert_eq!(
        places,
        [
            "test_prices.py::test_total",
            "test_prices.py::test_cart_is_found",
            "test_prices.py::test_report_is_written",
        ]
    );
    assert_eq!(digest(&first), digest(&again));
}

/// Of the others the end of the output is one failure, the same when the tests ran in the same order.
#[test]
fn val_1_the_end_of_an_output_is_one_failure() {
    for (tool, _, [first, again, other]) in TOOLS {
        let of = |output| printed("cmd:check", output, "", 1);
        if tool != "pytest" {
            assert_eq!((of(first).len(), of(first)[0].location.as_str()), (1, "cmd:check"), "{tool}");
        }
        if ["tsc", "eslint"].contains(&tool) {
            assert_eq!(digest(&of(first)), digest(&of(again)), "{tool}");
        }
        assert_ne!(digest(&of(first)), digest(&of(other)), "{tool}");
    }
}

fn failure(location: &str, error: &str) -> Failure {
    Failure { location: location.to_owned(), error: error.to_owned(), suggestion: None }
}

/// `thread 'name' (7) panicked at src/lib.rs:9:9:` and what follows up to the backtrace.
fn cargo_test(output: &str) -> Vec<Failure> {
    let panics = output.split("panicked at ").skip(1);
    panics
        .map(|panic| {
            let (location, rest) = panic.split_once(":\n").expect("a place");
            failure(location, rest.split("stack backtrace:").next().unwrap_or(rest))
        })
        .collect()
}

/// `error: what` above ` --> place`.
fn clippy(output: &str) -> Vec<Failure> {
    let found = output.split("error: ").skip(1).filter_map(|part| part.split_once("\n --> "));
    found.map(|(error, rest)| failure(rest.lines().next().unwrap_or(""), error)).collect()
}

/// Lines that begin with `E`, and the `place:line: Error` below them.
fn pytest(output: &str) -> Vec<Failure> {
    let (mut failures, mut error) = (Vec::new(), String::new());
    for line in output.lines() {
        match line.strip_prefix("E ") {
            Some(more) => error.push_str(more),
            None if !error.is_empty() && line.contains(".py:") => {
                let (place, _) = line.rsplit_once(": ").expect("a place");
                failures.push(failure(place, &std::mem::take(&mut error)));
            }
            None => {}
        }
    }
    failures
}

/// `● suite › test`, the error, and `at function (place)`.
fn jest(output: &str) -> Vec<Failure> {
    let cases = output.split("  ● ").skip(1);
    cases
        .map(|case| {
            let (name, rest) = case.split_once('\n').expect("a name");
            let place = rest.split("(prices").nth(1).and_then(|rest| rest.split(')').next()).unwrap_or("");
            let error: Vec<_> = rest.lines().take_while(|line| !line.contains(" |")).collect();
            let error: Vec<_> = error.into_iter().take_while(|line| !line.contains(" at ")).collect();
            failure(&format!("prices{place}"), &format!("{name} {}", error.join("\n")))
        })
        .collect()
}

/// `place(line,column): error what`.
fn tsc(output: &str) -> Vec<Failure> {
    output
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(place, error)| failure(place, error))
        .collect()
}

/// A line with the file, then `line:column  error  what  rule`.
fn eslint(output: &str) -> Vec<Failure> {
    let (mut failures, mut file) = (Vec::new(), "");
    for line in output.lines() {
        match line.trim().split_once("  error  ") {
            Some((position, error)) => failures.push(failure(&format!("{file}:{}", position.trim()), error)),
            None if line.starts_with('/') => file = line,
            None => {}
        }
    }
    failures
}

/// `--- FAIL: name (0.00s)`, then `place:line: what`.
fn go_test(output: &str) -> Vec<Failure> {
    let lines = output.lines().filter_map(|line| line.strip_prefix("    "));
    lines.filter_map(|line| line.split_once(": ")).map(|(place, error)| failure(place, error)).collect()
}

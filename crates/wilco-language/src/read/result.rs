//! What a specialist finds, said without the form: `PASS`, "all tests pass", "2 tests failed: …", "could not run it".
//!
//! A false PASS is the expensive error: it needs one plain claim of the whole check and nothing beside it that failed,
//! was not run, is doubted or is somebody else's. The form itself is `validation`'s matter.

use wilco_protocol::validation::Finding;

use super::claim::{About, Extent, Vocabulary, claims, is_plainly_said};
use super::embedded;
use super::failing::{
    counts_all, counts_none, failing_output, failing_rows, named_failures, of_the_subject, was_failing,
};
use super::failures::{Failure, MAX_FAILURES, item};
use super::foreign::{Foreign, claimed};
use super::form::{self, Part};
use super::mood::{Mood, is_polite};
use super::result_object::{in_object, is_of_this};
use super::sentence::{Clause, Place, Sentence, is_disguised, sentences};
use super::text;
use super::turns::turn;

/// What was found, and what fails or stood in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResult {
    pub finding: Finding,
    pub failures: Vec<Failure>,
    pub error: Option<String>,
}

const PASSES: Vocabulary = Vocabulary {
    predicates: &["pass", "passes", "passed", "passing", "green", "successful", "succeeded", "a pass"],
    nouns: &[
        "validation",
        "suite",
        "phase",
        "check",
        "checks",
        "run",
        "tests",
        "test",
        "result",
        "verdict",
        "overall",
        "status",
        "specs",
        "outcome",
        "unit",
        "feature",
    ],
    countable: &["cases", "assertions", "suites", "scenarios"],
};
const FAILS: Vocabulary = Vocabulary {
    predicates: &["fail", "fails", "failed", "failing", "a fail", "is red", "are red"],
    ..PASSES
};

/// Nothing was checked.
const NOT_RUN: [&str; 27] = [
    "could not be carried out",
    "no tests were executed",
    "before a single test ran",
    "could not run",
    "can not run",
    "unable to run",
    "not able to run",
    "could not be run",
    "can not be run",
    "could not be executed",
    "can not be executed",
    "could not execute",
    "can not execute",
    "unable to execute",
    "could not start",
    "can not start",
    "could not be started",
    "unable to start",
    "no tests were run",
    "could not perform",
    "unable to perform",
    "could not be performed",
    "could not complete the validation",
    "not possible to check",
    "not one test was",
    "unable to carry out",
    "could not check",
];
/// Something was not checked, or not by the writer.
const NOT_WHOLE: [&str; 19] = [
    "not execute",
    "did not run",
    "have not run",
    "not run",
    "have not begun",
    "not started",
    "timed out",
    "half of",
    "of 3 times",
    "flaky",
    "by reading",
    "from reading",
    "hard to say",
    "undecided",
    "still running",
    "still compiling",
    "will report",
    "be reported",
    "not take this",
];

/// What a text without the form says was found; none when it cannot be said for sure.
pub fn found(body: &str, about: &About<'_>) -> Option<CheckResult> {
    if is_disguised(body) {
        return None;
    }
    if let Some(object) = embedded::object(body) {
        return in_object(&object).filter(|_| is_of_this(&object, about));
    }
    let read: Vec<_> = sentences(body).into_iter().filter(|one| !is_polite(one)).collect();
    if is_of_other(body, about) {
        return None;
    }
    let mut weighed = Weighed::of(&read, about);
    weighed.passed |= claimed(body, about) == Some(Foreign::Passed) || read.iter().any(counts_all);
    let stated = stated(body, about)?;
    let listed = listed(body);
    if read.iter().any(|one| one.has(&NOT_RUN)) && !weighed.passed && stated != Some(Finding::Pass) {
        return Some(CheckResult {
            finding: Finding::Error,
            failures: Vec::new(),
            error: Some(own_text(body)),
        });
    }
    let finding = match (stated, weighed.passed, weighed.failed) {
        (Some(Finding::Error), false, _) => Finding::Error,
        // Not yet a pass, and these fail.
        _ if weighed.not_yet && (!weighed.failed || listed.is_empty()) => return None,
        // `The first run failed, the second passed. Which shall I report?`
        _ if weighed.passed && weighed.failed && read.iter().any(|one| one.asks) => return None,
        _ if weighed.unclear || read.iter().any(|one| one.has(&NOT_WHOLE)) => return None,
        _ if weighed.may_fail && stated != Some(Finding::Fail) => return None,
        (Some(Finding::Pass) | None, true, false) | (Some(Finding::Pass), false, false) => Finding::Pass,
        (Some(Finding::Fail), _, _) | (None, false, true) => Finding::Fail,
        _ => return None,
    };
    match finding {
        Finding::Pass if names_other_phase(&read, about) => None,
        Finding::Pass if !listed.is_empty() || failing_output(body) > 0 || is_turned(&read) => None,
        Finding::Pass => Some(CheckResult { finding, failures: Vec::new(), error: None }),
        Finding::Error => Some(CheckResult { finding, failures: Vec::new(), error: Some(own_text(body)) }),
        Finding::Fail => {
            let failures = failures(body);
            (!failures.is_empty()).then_some(CheckResult { finding, failures, error: None })
        }
    }
}

/// `PASS (lint)` where the unit checks are asked for.
fn names_other_phase(read: &[Sentence], about: &About<'_>) -> bool {
    const PHASES: [&str; 8] =
        ["lint", "integration", "e2e", "smoke", "typecheck", "security", "performance", "main"];
    let title = about.title.to_lowercase();
    read.iter().any(|one| {
        PHASES.iter().any(|phase| !title.contains(phase) && one.has(&[phase])) && !one.has(&["unit"])
    })
}

/// Whether something beside a PASS turns it. Rows of a table are read as such.
pub(super) fn is_turned(read: &[Sentence]) -> bool {
    read.iter().any(|one| one.place != Place::Row && !one.aside && turn(one).is_some())
}

/// The failures that a text names which says that it fails.
pub fn failures(body: &str) -> Vec<Failure> {
    if let Some(object) = embedded::object(body) {
        return in_object(&object).map(|found| found.failures).unwrap_or_default();
    }
    let listed = listed(body);
    if listed.is_empty() { in_prose(body) } else { listed }
}

/// Why nothing could be checked, as it was said.
pub fn error(body: &str) -> Option<String> {
    Some(own_text(body)).filter(|said| !said.is_empty())
}

#[derive(Debug, Default)]
struct Weighed {
    passed: bool,
    failed: bool,
    unclear: bool,
    /// Said to fail, with a doubt, a condition, or by somebody else.
    may_fail: bool,
    not_yet: bool,
}

/// Whether a text tells of another check and not of this one. No number but its own ever passes.
pub fn is_of_other(body: &str, about: &About<'_>) -> bool {
    let read = sentences(body);
    let own = |one: &Sentence| one.words().iter().any(|word| about.is_own(word));
    read.iter().any(|one| about.names_other(&one.words())) && !read.iter().any(own)
}

impl Weighed {
    fn of(read: &[Sentence], about: &About<'_>) -> Weighed {
        let mut weighed = Weighed::default();
        // Rows of a table are read as such.
        let prose = read.iter().enumerate().filter(|(_, one)| one.place != Place::Row);
        for (at, sentence) in prose {
            let lists = read.get(at + 1).is_some_and(|next| next.place == Place::Item);
            let others = about.names_other(&sentence.words());
            let fails = claims(sentence, about, &FAILS);
            let passes = claims(sentence, about, &PASSES);
            let failing = |word: &str| matches!(word, "0" | "no" | "zero" | "none");
            let counted = |clauses: &[Clause]| {
                let last = clauses[0].words.last().is_some_and(|word| word.starts_with("fail"));
                last && clauses[1].keyed && matches!(clauses[1].words.as_slice(), [word] if failing(word))
            };
            let nothing = sentence.clauses.windows(2).any(counted)
                || sentence.words().windows(2).any(|two| failing(two[0]) && two[1].starts_with("fail"))
                || was_failing(sentence);
            for claim in passes {
                match (claim.extent, claim.mood) {
                    (_, Mood::Doubtful | Mood::Reported | Mood::Later) => weighed.unclear = true,
                    (Extent::Whole, Mood::Plain) if others || !is_plainly_said(sentence, about, &PASSES) => {
                        weighed.unclear = true;
                    }
                    // Whoever passes checks nothing.
                    (Extent::Whole, Mood::Plain) if sentence.has(&["i pass", "we pass"]) => {
                        weighed.unclear = true
                    }
                    (Extent::Whole, Mood::Plain) => weighed.passed = true,
                    (Extent::Whole, Mood::Negated) if !sentence.has(&["yet"]) => weighed.failed = true,
                    (Extent::Whole, Mood::Negated) => weighed.not_yet = true,
                    // `Three of them don't pass:`
                    (Extent::Part, Mood::Negated) if lists => weighed.failed = true,
                    (Extent::Part | Extent::Other, _) => {}
                }
            }
            for claim in fails.into_iter().filter(|_| !nothing && !of_the_subject(sentence)) {
                match claim.mood {
                    Mood::Doubtful | Mood::Reported | Mood::Later => weighed.may_fail = true,
                    Mood::Plain => weighed.failed = true,
                    Mood::Negated => {}
                }
            }
            weighed.unclear |=
                sentence.asks && (sentence.has(PASSES.predicates) || sentence.has(FAILS.predicates));
        }
        weighed
    }
}

/// The status that a line states: `Result: PASS`, `**FAILED**`, `PASS`. An error when several differ or it is a choice.
fn stated(body: &str, about: &About<'_>) -> Option<Option<Finding>> {
    let mut stated: Option<Finding> = None;
    for line in text::lines(body).iter().filter(|line| line.own() && !line.blank()) {
        let plain = text::plain(text::heading(line.text).unwrap_or(line.text));
        let plain = text::list_item(&plain).map_or(plain.as_str(), |(_, item)| item);
        let (keyed, value) = match form::key_value(plain).filter(|(key, _)| is_status(key)) {
            Some((_, value)) => (true, value.to_owned()),
            None => match pointed(plain, about) {
                Some(value) => (true, value.to_owned()),
                None => (false, plain.to_owned()),
            },
        };
        let value = value.trim_start_matches(|c: char| text::ornament(c) || matches!(c, ' ' | '*' | '_'));
        let first: String = value.chars().take_while(|c| c.is_alphabetic()).collect();
        let Some(finding) = word(&first) else { continue };
        let rest = value[first.len()..].trim_start_matches(['*', '_', ' ']);
        // `PASS | FAIL` is a template, `PASS?` a question, `Passed 2 of 3` a part.
        if rest.starts_with(['|', '/', '?']) {
            return None;
        }
        let alone = rest.is_empty()
            || rest.starts_with(['.', ',', ':', '-', '–', '—', '(', '!'])
            || rest.starts_with(text::ornament);
        let counts = rest.trim_start_matches([':', ' ', '-']).starts_with(|c: char| c.is_ascii_digit());
        if !keyed && (!alone || counts) {
            continue;
        }
        if stated.is_some_and(|known| known != finding) {
            return None;
        }
        stated = Some(finding);
    }
    Some(stated)
}

/// `unit 42 -> error`: what stands behind an arrow from this check.
fn pointed<'a>(line: &'a str, about: &About<'_>) -> Option<&'a str> {
    let (name, value) = ["->", "=>", "→"].iter().find_map(|arrow| line.split_once(arrow))?;
    let lower = name.to_lowercase();
    let names = |word: &str| {
        let of_phase = about.title.to_lowercase().split_whitespace().any(|known| known == word);
        of_phase || about.is_own(word) || PASSES.nouns.contains(&word) || matches!(word, "issue" | "for")
    };
    let mut words = lower.split_whitespace().map(|word| word.trim_matches(['#', ':', ','])).peekable();
    (words.peek().is_some() && words.all(names)).then(|| value.trim_start())
}

fn is_status(key: &str) -> bool {
    form::STATUS.contains(&key)
        || matches!(key, "overall" | "overall-result" | "final-result" | "conclusion" | "test-result")
        || key.starts_with("valreq-")
        || key.starts_with("reval-")
}

pub(super) fn word(word: &str) -> Option<Finding> {
    Some(match word.to_lowercase().as_str() {
        "pass" | "passed" | "passes" | "success" | "successful" => Finding::Pass,
        "fail" | "failed" | "fails" | "failure" => Finding::Fail,
        "error" | "errored" => Finding::Error,
        _ => return None,
    })
}

/// The failures that lists, tables and printed output name.
fn listed(body: &str) -> Vec<Failure> {
    let parts = form::parts(body);
    let titled = parts.iter().filter(|part| form::FAILURES.contains(&part.title.as_str()));
    let mut found: Vec<Failure> = titled.flat_map(|part| super::entries::failures(part)).collect();
    if found.is_empty() {
        found = failing_rows(body);
    }
    if found.is_empty() {
        found = loose_items(&parts);
    }
    if found.is_empty() {
        found = named_failures(body);
    }
    found.truncate(MAX_FAILURES);
    found
}

/// Items of a list that stands under no title of its own, when the text says that it fails.
fn loose_items(parts: &[Part<'_>]) -> Vec<Failure> {
    let untitled = parts.iter().filter(|part| part.title.is_empty() || is_status(&part.title));
    let lines = untitled.flat_map(|part| &part.lines).filter(|line| line.own());
    let says = |text: &str| fails_in(text) && !counts_none(text);
    let failed = parts.iter().flat_map(|part| &part.lines).any(|line| says(line.text))
        || parts.iter().any(|part| says(&part.value));
    lines
        .filter(|_| failed)
        .filter_map(|line| text::list_item(line.text))
        .filter(|(_, text)| !is_count(text) && !counts_none(text))
        .filter_map(|(_, text)| item(text))
        .collect()
}

/// `Tests passed: 27`, `Failed: none`
fn is_count(item: &str) -> bool {
    const LONGEST: usize = 3;
    let plain = text::plain(item);
    plain.split_once(": ").is_some_and(|(key, value)| {
        let number = value.chars().all(|c| c.is_ascii_digit()) || value.eq_ignore_ascii_case("none");
        number && key.split_whitespace().count() <= LONGEST
    })
}

fn fails_in(line: &str) -> bool {
    let lower = line.to_lowercase();
    let fails = |word: &str| matches!(word, "fail" | "failed" | "fails" | "failures" | "red");
    lower.split(|c: char| !c.is_alphabetic()).any(fails)
        || ["n't pass", "not pass", "n't:"].iter().any(|said| lower.contains(said))
}

/// What is said beside the status, as one failure.
fn in_prose(body: &str) -> Vec<Failure> {
    let said = own_text(body);
    const FEWEST: usize = 3;
    let names = said.split_whitespace().count() >= FEWEST;
    item(&said).filter(|_| names).into_iter().collect()
}

fn own_text(body: &str) -> String {
    let own = text::lines(body).into_iter().filter(|line| line.own() && !line.blank());
    own.map(|line| text::plain(line.text)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> String {
        let about = About { ids: &["VALREQ-42-tester-9-1", "42"], title: "unit" };
        match found(body, &about) {
            Some(CheckResult { finding: Finding::Pass, .. }) => "pass".to_owned(),
            Some(CheckResult { finding: Finding::Fail, failures, .. }) => format!("fail:{}", failures.len()),
            Some(CheckResult { finding: Finding::Error, .. }) => "error".to_owned(),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn talk_13_a_finding_in_words_is_read_and_a_pass_with_care() {
        let table = [
            ("PASS", "pass"),
            ("Status: PASS", "pass"),
            ("all tests pass", "pass"),
            ("All 50 unit tests passed.", "pass"),
            ("Everything passes, 0 failures", "pass"),
            ("**Result:** passed ✅", "pass"),
            ("The validation was successful.", "pass"),
            ("FAIL", "none"),
            ("FAIL: a.rs:3 - expected 1", "fail:1"),
            ("Failed.\n- a.rs:3 - x\n- b.rs:4 - y", "fail:2"),
            ("2 tests failed: TestA and TestB", "fail:2"),
            ("TestA fails: expected 429, got 401", "fail:1"),
            ("I could not run the tests, npm is missing.", "error"),
            ("ERROR: docker is down", "error"),
            ("should pass", "none"),
            ("PASS?", "none"),
            ("PASS | FAIL", "none"),
            ("It passes if you set the limit by hand", "none"),
            ("impl-1 says all tests pass", "none"),
            ("All tests passed except one", "none"),
            ("PASS\n\nFailures:\n- a.rs:3 - x", "none"),
            ("I ran half of the tests and they passed", "none"),
            ("The integration tests passed", "none"),
            ("Not all tests pass yet", "none"),
            ("All tests will pass tomorrow", "none"),
            ("> PASS", "none"),
            ("Passed 2 of 3 times", "none"),
            ("no result yet", "none"),
            ("Do all tests pass?", "none"),
            ("Issue 24 – unit: PASS (88 passed, 0 failed)", "none"),
            ("Issue #24: all tests pass", "none"),
            ("GH-24: PASS", "none"),
            ("For issue 42 I ran the tests of issue 24: all tests pass", "none"),
            ("Issue 24: PASS\n\nIssue 42 comes next.", "none"),
            ("VALREQ-24-tester-9-1: PASS", "none"),
            ("Issue 42 – unit: PASS (88 passed, 0 failed)", "pass"),
            (
                "There are 2 failures:\n```\nFAIL: test_a (t.A)\nFAIL: test_b (t.B)\n\nFAILED (failures=2)\n```\nVerdict: fail",
                "fail:2",
            ),
            ("FAIL\n```\n--- FAIL: TestA (0.00s)\n--- FAIL: TestB (0.01s)\nFAIL\n```", "fail:2"),
            ("Result: FAIL\n```\nFAIL: test_a\nFAIL: test_b\nFAIL: test_c\n```", "fail:3"),
            ("All tests pass\n```\nFAIL: test_a\n```", "none"),
            (
                "Almost! 128 of 130 unit tests pass, two fail:\n\n- `a::b` — panicked\n- `c::d` — left 1\n\nSo 42 does not pass yet.",
                "fail:2",
            ),
            ("48 of 50 tests pass, 2 fail:\n- a.rs:3 - x\n- b.rs:4 - y", "fail:2"),
            ("The suite does not pass yet, one test fails:\n- a.rs:3 - x", "fail:1"),
            ("42 does not pass yet", "none"),
            ("There are 2 failures in the tests of issue 42: `test_a` and `test_b`. Result: FAIL.", "fail:2"),
            (
                "All of them passed. On the previous commit three had failed; these three pass now as well.",
                "pass",
            ),
            ("All tests pass. TestA was failing before and is green now.", "pass"),
            ("All tests pass. TestA and TestB used to fail, both pass now.", "pass"),
            ("All tests pass. Three had failed; two of these pass now but one does not.", "none"),
            ("All tests pass. Three had failed.", "none"),
            (
                "**Overall result: PASS**\n\n* **Tests passed:** 27\n* **Tests failed:** 0\n\nThe test `fails on unknown keys` has \"fail\" in its name but it passes.",
                "pass",
            ),
            ("**Overall result: PASS**\n\n* **Tests passed:** 27\n* **Tests failed:** 1", "none"),
            ("unit 42 -> error. `cargo: command not found`, the tests didn't run at all", "error"),
            (r#"{"issue": 42, "status": "PASS"}"#, "pass"),
            (r#"{"issue": 24, "status": "PASS"}"#, "none"),
            (r##"{"issue": "#24", "status": "PASS"}"##, "none"),
            (r#"{"message_id": "VALREQ-24-tester-9-1", "result": "pass"}"#, "none"),
            ("FAIL\n- login.test.ts:41\n- config.test.ts:12", "fail:2"),
            ("issue 42 → pass", "pass"),
            ("unit 24 -> pass", "none"),
            ("limiter -> pass", "none"),
        ];
        for (body, expected) in table {
            assert_eq!(read(body), expected, "{body}");
        }
    }
}

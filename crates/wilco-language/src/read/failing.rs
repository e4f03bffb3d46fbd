//! Failures that nobody listed as such: rows of a table with a cross, lines that a test runner printed, names behind
//! "2 tests failed:".

use super::failures::{Failure, item};
use super::mood::is_doubtful;
use super::sentence::Sentence;
use super::text::{self, Line};

/// The rows of a table that fail: one of their cells says FAIL or has a cross.
pub(super) fn failing_rows(body: &str) -> Vec<Failure> {
    let lines = text::lines(body);
    let ruled = |at: usize| {
        lines.get(at + 1).is_some_and(|next| {
            next.text.trim_start().starts_with("|-")
                || next.text.trim_start().starts_with("| -")
                || next.text.trim_start().starts_with("|:")
        })
    };
    let rows = || lines.iter().enumerate().filter(|(at, line)| line.own() && !ruled(*at));
    let marked: Vec<_> = rows().filter_map(|(_, line)| row(line)).collect();
    if !marked.is_empty() {
        return marked;
    }
    let about_failures = lines.iter().enumerate().any(|(at, line)| ruled(at) && is_list_of_failures(line));
    rows().filter(|_| about_failures).filter_map(|(_, line)| plain_row(line)).collect()
}

/// The head of a table whose every row is a failure: where, and what is wrong.
fn is_list_of_failures(head: &Line<'_>) -> bool {
    let cells: Vec<_> = cells(head).iter().map(|cell| text::fold(cell)).collect();
    let wrong = ["error", "message", "failure", "problem", "reason", "what-failed", "assertion"];
    let result = ["status", "result", "passed", "failed", "outcome", "pass"];
    cells.iter().any(|cell| wrong.contains(&cell.as_str()))
        && !cells.iter().any(|cell| result.contains(&cell.as_str()))
}

fn cells(line: &Line<'_>) -> Vec<String> {
    let inner = line.text.trim().trim_start_matches('|').trim_end_matches('|');
    inner.split('|').map(text::plain).collect()
}

fn plain_row(line: &Line<'_>) -> Option<Failure> {
    line.text.trim().strip_prefix('|').filter(|_| !text::ruled(line.text))?;
    let cells = cells(line);
    let (location, details) = cells.split_first()?;
    let rule = |cell: &String| cell.chars().all(|c| matches!(c, '-' | ':' | ' '));
    let error = details.iter().filter(|cell| !cell.is_empty()).cloned().collect::<Vec<_>>().join(", ");
    (!cells.iter().all(rule) && !error.is_empty()).then(|| Failure {
        location: location.clone(),
        error,
        suggestion: None,
    })
}

fn row(line: &Line<'_>) -> Option<Failure> {
    line.text.trim().strip_prefix('|')?;
    let cells = cells(line);
    let fails = |cell: &str| {
        let word = cell.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
        matches!(word.as_str(), "fail" | "failed" | "fails") || cell.contains(['❌', '✗', '✘'])
    };
    let at = cells.iter().position(|cell| fails(cell))?;
    let location = cells.first().filter(|_| at > 0).cloned().unwrap_or_default();
    let details: Vec<_> = cells
        .iter()
        .enumerate()
        .filter(|(place, cell)| *place > 0 && *place != at && !cell.is_empty())
        .map(|(_, cell)| cell.clone())
        .collect();
    let error = if details.is_empty() { "fails".to_owned() } else { details.join(", ") };
    Some(Failure { location, error, suggestion: None })
}

/// How test runners begin a line that names what failed.
const RUNNERS: [&str; 5] = ["FAILED ", "✕ ", "FAIL: ", "--- FAIL: ", "✗ "];

/// Lines of a test runner for what failed, wherever they are shown: `FAILED a.py::b - assert`.
pub(super) fn named_failures(body: &str) -> Vec<Failure> {
    let lines = text::lines(body);
    let printed = lines.iter().filter(|line| !line.quoted).filter_map(|line| {
        let bare = line.text.trim_start_matches([' ', '⎿', '\t']);
        let rest = RUNNERS.iter().find_map(|mark| bare.strip_prefix(mark))?;
        // `FAILED (failures=4)` counts.
        item(rest.trim()).filter(|_| !rest.starts_with('('))
    });
    let found: Vec<_> = printed.collect();
    if !found.is_empty() {
        return found;
    }
    lines.iter().filter(|line| line.own()).find_map(|line| counted(line.text)).unwrap_or_default()
}

/// How many lines of printed output say that something failed.
pub(super) fn failing_output(body: &str) -> usize {
    let failed = |line: &&Line<'_>| {
        let bare = line.text.trim_start_matches([' ', '⎿', '\t']);
        !line.quoted && (bare.starts_with("FAIL ") || RUNNERS.iter().any(|mark| bare.starts_with(mark)))
    };
    text::lines(body).iter().filter(failed).count()
}

/// `4 tests failed: a, b, c and d`: as many names as it counts.
fn counted(line: &str) -> Option<Vec<Failure>> {
    const NUMBERS: [&str; 10] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let (head, names) = line.split_once(':')?;
    let lower = head.to_lowercase();
    if !["fail", "fehl", "fallo"].iter().any(|word| lower.contains(word)) {
        return None;
    }
    let number = |word: &str| {
        word.parse().ok().or_else(|| NUMBERS.iter().position(|known| *known == word).map(|at| at + 1))
    };
    let count: usize = lower.split(|c: char| !c.is_alphanumeric()).find_map(number)?;
    let inner = names.split_once('(').map(|(_, inner)| inner.trim_end_matches(['.', ')', ' ']));
    let split = |text: &str| -> Vec<Failure> {
        let parts = text.split(',').flat_map(|part| part.split(" and "));
        let named =
            parts.map(|part| text::plain(part.trim().trim_end_matches('.'))).filter(|part| !part.is_empty());
        named.map(|name| Failure { location: name, error: "fails".to_owned(), suggestion: None }).collect()
    };
    // Names in code spans, whatever stands between them.
    let first = names.split(". ").next().unwrap_or(names);
    let spans: Vec<Failure> = first.split('`').skip(1).step_by(2).filter_map(item).collect();
    if spans.len() == count && count > 1 {
        return Some(spans);
    }
    [inner, Some(names)].into_iter().flatten().map(split).find(|found| found.len() == count && count > 1)
}

/// `On the previous commit three had failed, these pass now`: what was, in a sentence that says that it is no more.
pub(super) fn was_failing(sentence: &Sentence) -> bool {
    let was = [
        "had failed",
        "had been failing",
        "used to fail",
        "were failing",
        "was failing",
        "previously failed",
        "failed before",
    ];
    let now = [
        "pass now",
        "passes now",
        "now pass",
        "now passes",
        "are green now",
        "is green now",
        "green now",
        "now green",
    ];
    sentence.has(&was)
        && sentence.has(&now)
        && !sentence.asks
        && !is_doubtful(sentence)
        && !sentence.has(&["not", "still", "one of", "but"])
}

/// `a sixth failed login gets 429`: a word of the task, no finding.
pub(super) fn of_the_subject(sentence: &Sentence) -> bool {
    let words = sentence.words();
    let thing = |word: &str| {
        matches!(
            word,
            "login"
                | "logins"
                | "attempt"
                | "attempts"
                | "request"
                | "requests"
                | "payment"
                | "payments"
                | "job"
                | "jobs"
                | "upload"
                | "uploads"
        )
    };
    words.windows(2).any(|two| two[0] == "failed" && thing(two[1]))
}

/// `42 passed, 0 failed`
pub(super) fn counts_all(sentence: &Sentence) -> bool {
    let words = sentence.words();
    let some = |word: &str| word.parse::<u32>().is_ok_and(|number| number > 0);
    let none = |word: &str| matches!(word, "0" | "no" | "none" | "zero");
    let counts = |four: &[&str]| matches!(four, [all, "passed", failed, "failed" | "failures" | "failing"] if some(all) && none(failed));
    const LONGEST: usize = 12;
    words.len() <= LONGEST && words.windows(4).any(counts)
}

/// `Unit tests: 58 passed, 0 failed`
pub(super) fn counts_none(item: &str) -> bool {
    let lower = item.to_lowercase();
    ["0 failed", "0 failures", "no failures", "nothing failed"].iter().any(|none| {
        lower.match_indices(none).any(|(at, _)| !lower[..at].ends_with(|c: char| c.is_ascii_digit()))
    })
}

//! Failures of a validation: where something went wrong, what, and what might help. As items of a list, and
//! as a program prints them.
//!
//! Whether two failures are the same is `fingerprint`'s question.

pub use wilco_protocol::exchange::Failure;

use super::entries::unspanned;
use super::text;

/// More failures than these are not listed one by one.
pub const MAX_FAILURES: usize = 1000;
/// Lines of each stream that are kept when a program names no failures. Of too few, different failures look alike.
const TAIL: usize = 100;
/// And how much of them.
const TAIL_LENGTH: usize = 8192;

/// What a program that ended with `code` complains about: its lines `location - error`, else the tail of its
/// output as one failure of `whole`.
pub fn printed(whole: &str, stdout: &str, stderr: &str, code: i32) -> Vec<Failure> {
    let (stdout, stderr) = (visible(stdout), visible(stderr));
    let lines = stdout.lines().chain(stderr.lines());
    let listed: Vec<_> = lines.filter_map(line).take(MAX_FAILURES).collect();
    if !listed.is_empty() {
        return listed;
    }
    let tails: Vec<_> = [tail(&stdout), tail(&stderr)].into_iter().filter(|tail| !tail.is_empty()).collect();
    let error = match tails.is_empty() {
        true => format!("exit code {code}, and nothing was printed"),
        false => tails.join("\n"),
    };
    vec![Failure { location: whole.to_owned(), error, suggestion: None }]
}

/// An item of a list: `location - error[ - suggestion]`, or `location: error` as compilers write. What has
/// neither is an error without a place.
pub fn item(text: &str) -> Option<Failure> {
    let (location, rest) = match separated(text).or_else(|| after_place(text)) {
        Some((location, rest)) => (bare(location), rest),
        None => (place_in(text).unwrap_or_default(), text.trim()),
    };
    let (error, suggestion) = match separated(rest).filter(|_| !location.is_empty()) {
        Some((error, suggestion)) => (error, Some(suggestion)),
        None => (rest, None),
    };
    let says = |text: &String| text.contains(char::is_alphanumeric);
    let suggestion = suggestion.map(|text| unspanned(unlabelled(text))).filter(says);
    Some(unspanned(error)).filter(says).map(|error| Failure { location, error, suggestion })
}

/// The file and line that a sentence names: `test_login at src/login.rs:31: expected 401`.
fn place_in(text: &str) -> Option<String> {
    let place = |word: &&str| {
        let (file, line) = word.rsplit_once(':').unwrap_or_default();
        let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
        name.contains('.') && !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
    };
    let quotes = text.contains('`');
    let mut words = text.split_whitespace().map(|word| word.trim_end_matches([',', ':', ';', ')', '.']));
    words.find(place).filter(|_| !quotes).map(|word| word.trim_start_matches('(').to_owned())
}

/// `src/a.rs:10: error`, but nothing inside a code span.
fn after_place(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let from = span(text);
    let end = from + text[from..].find(": ")?;
    let (place, error) = (&text[..end], &text[end + 2..]);
    let is_place =
        !place.contains(char::is_whitespace) && place.contains(['/', '.']) && !place.contains("://");
    is_place.then_some((place, error))
}

/// A line of a program's output. Its error may hold separators of its own.
fn line(line: &str) -> Option<Failure> {
    let line = text::list_item(line).map_or(line, |(_, item)| item);
    let (location, error) = separated(line)?;
    let location = ["FAILED ", "FAIL ", "ERROR "]
        .iter()
        .find_map(|word| location.trim().strip_prefix(word))
        .unwrap_or(location);
    let location = bare(location);
    let error = error.trim();
    (is_place(&location) && error.chars().any(char::is_alphanumeric)).then(|| Failure {
        location,
        error: error.to_owned(),
        suggestion: None,
    })
}

/// One word that is no level of a log; with spaces only what ends in a line number.
fn is_place(location: &str) -> bool {
    const LEVELS: [&str; 12] = [
        "trace", "debug", "info", "notice", "warn", "warning", "error", "fatal", "critical", "note", "help",
        "hint",
    ];
    let level = location.trim_matches(['[', ']', '(', ')', ':']).to_lowercase();
    let named = location.chars().any(char::is_alphabetic) && !LEVELS.contains(&level.as_str());
    let numbered = || {
        let (_, last) = location.rsplit_once(':').unwrap_or_default();
        !last.is_empty() && last.chars().all(|c| c.is_ascii_digit())
    };
    named && !location.is_empty() && (!location.contains(char::is_whitespace) || numbered())
}

/// At the first dash that stands between spaces, behind the code span that may begin the text.
fn separated(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let dash = |c: char| matches!(c, '-' | '–' | '—');
    let from = span(text);
    text[from..].char_indices().find_map(|(at, c)| {
        let (before, after) = (&text[..from + at], &text[from + at + c.len_utf8()..]);
        let between = before.ends_with(char::is_whitespace) && after.starts_with(char::is_whitespace);
        (dash(c) && between && !before.trim().is_empty()).then(|| (before.trim_end(), after.trim_start()))
    })
}

/// How long the code span is that begins the text.
pub(super) fn span(text: &str) -> usize {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let mut at = ticks;
    while let Some(found) = text.get(at..).filter(|_| ticks > 0).and_then(|rest| rest.find('`')) {
        let run = text[at + found..].len() - text[at + found..].trim_start_matches('`').len();
        at += found + run;
        if run == ticks {
            return at;
        }
    }
    0
}

/// Without code marks and emphasis around it.
fn bare(location: &str) -> String {
    let inner = unspanned(location);
    if inner != location.trim() {
        return inner;
    }
    location.trim().trim_matches(['`', '*', '"']).trim().to_owned()
}

/// "Suggestion: add one" says "add one".
fn unlabelled(suggestion: &str) -> &str {
    let suggestion = suggestion.trim();
    let (label, rest) = suggestion.split_once(':').unwrap_or_default();
    let label = text::fold(&label.replace('*', ""));
    let known = matches!(label.as_str(), "suggestion" | "suggested-fix" | "fix" | "hint");
    if known { rest.trim_start_matches('*').trim() } else { suggestion }
}

fn tail(printed: &str) -> String {
    let lines: Vec<_> = printed.lines().filter(|line| !line.trim().is_empty()).collect();
    let kept = lines[lines.len().saturating_sub(TAIL)..].join("\n");
    let from = kept.ceil_char_boundary(kept.len().saturating_sub(TAIL_LENGTH));
    kept[from..].to_owned()
}

/// Without the codes that colour a terminal.
pub fn visible(printed: &str) -> String {
    let mut out = String::with_capacity(printed.len());
    let mut chars = printed.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' if chars.peek() == Some(&'[') => {
                chars.next();
                chars.by_ref().find(|c| ('@'..='~').contains(c));
            }
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(failures: &[Failure]) -> Vec<String> {
        failures.iter().map(|failure| format!("{} | {}", failure.location, failure.error)).collect()
    }

    #[test]
    fn val_1_lines_of_a_program_are_failures() {
        let printed = printed(
            "cmd:unit",
            "\u{1b}[31msrc/a.rs:10\u{1b}[0m - expected 1 - 2, got 3\n2 failed\nFAILED tests/test_a.py::test_x - assert 4 == 5\n",
            "- my file.c:7 - unused\nINFO - done\n[WARN] - old\n",
            1,
        );
        assert_eq!(
            shown(&printed),
            [
                "src/a.rs:10 | expected 1 - 2, got 3",
                "tests/test_a.py::test_x | assert 4 == 5",
                "my file.c:7 | unused"
            ]
        );
    }

    #[test]
    fn val_1_else_the_tail_is_the_failure() {
        let many: String = (0..200).map(|n| format!("line {n}\n\n")).collect();
        let one = printed("cmd:unit", &many, "Segmentation - fault\n", 3);
        assert_eq!((one.len(), one[0].location.as_str()), (1, "Segmentation"), "one word is a place");
        let one = printed("cmd:unit", &many, "all went wrong\n", 3);
        assert_eq!(one[0].location, "cmd:unit");
        assert!(one[0].error.starts_with("line 100\n") && one[0].error.ends_with("line 199\nall went wrong"));
        let long = printed("cmd:unit", &"ü".repeat(100_000), "", 1);
        assert!(long[0].error.len() <= TAIL_LENGTH);
        assert_eq!(printed("cmd:unit", " \n", "", 7)[0].error, "exit code 7, and nothing was printed");
    }

    #[test]
    fn val_5_an_item_has_a_place_an_error_and_perhaps_a_suggestion() {
        let one = item("`src/a.rs:3:4` — expected 1, got 2 - Suggestion: add one").unwrap();
        assert_eq!((one.location.as_str(), one.error.as_str()), ("src/a.rs:3:4", "expected 1, got 2"));
        assert_eq!(one.suggestion.as_deref(), Some("add one"));
        assert_eq!(item("everything is broken").unwrap().location, "");
        assert_eq!(item("`src/a.rs:3`: expected 1").unwrap().location, "src/a.rs:3");
        let quoted = item("`src/a.rs: expected 1`").unwrap();
        assert_eq!((quoted.location.as_str(), quoted.error.as_str()), ("", "src/a.rs: expected 1"));
        assert_eq!(item(" - - "), None);
        assert_eq!(item("…"), None);
    }
}

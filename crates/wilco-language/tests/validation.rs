//! What is answered in a validation, as language models write it, and how each is read. And what holds for every
//! text.

use proptest::prelude::*;
use wilco_language::read::failures::Failure;
use wilco_language::read::form::forms;
use wilco_language::read::validation::{Answer, Problem, Reading, message_id, reading};
use wilco_language::render::form::answered;
use wilco_protocol::Time;
use wilco_protocol::validation::Finding;
use wilco_testkit::table::entries;

#[test]
fn val_5_answers_are_read_as_the_table_says() {
    let entries = entries(include_str!("tables/validation.txt"));
    assert!(entries.len() >= 40, "{} answers", entries.len());
    let mut wrong = Vec::new();
    for entry in &entries {
        for body in [entry.one("body").to_owned(), entry.one("body").replace('\n', "\r\n")] {
            let read = reading(&body).map_or("nothing".to_owned(), |reading| shown(&reading));
            if read != entry.one("reads") {
                wrong.push(format!("=== {}\nread:\n{read}\nexpected:\n{}", entry.name, entry.one("reads")));
            }
        }
    }
    println!("{} answers, {} wrong", entries.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn shown(reading: &Reading) -> String {
    let id = reading.id.as_ref().map_or(String::new(), |id| format!(" {id}"));
    let mut lines = Vec::new();
    let line = |text: &str| text.replace('\n', "⏎").replace(" | ", " / ");
    match &reading.answer {
        Answer::Result { finding, failures, error, stack_trace } => {
            lines.push(format!("{}{id}", finding.code()));
            for failure in failures {
                let hint = failure.suggestion.as_ref().map_or(String::new(), |hint| format!(" | {hint}"));
                lines.push(format!("  {} | {}{hint}", failure.location, line(&failure.error)));
            }
            lines.extend(error.as_ref().map(|error| format!("  error: {}", line(error))));
            lines.extend(stack_trace.as_ref().map(|trace| format!("  stack: {}", line(trace))));
        }
        Answer::Acknowledged => lines.push(format!("acknowledged{id}")),
        Answer::Fixed { fixes, files } => {
            lines.push(format!("fixed{id}"));
            lines.extend(fixes.iter().map(|fix| format!("  fix: {}", line(fix))));
            lines.extend(files.iter().map(|file| format!("  file: {file}")));
        }
        Answer::CannotFix { reason } => {
            lines.push(format!("cannot-fix{id}"));
            lines.push(format!("  reason: {}", line(reason)));
        }
        Answer::Unreadable { problem } => lines.push(format!("unreadable {problem:?}{id}")),
    }
    lines.join("\n")
}

/// Texts of participants that look like anything but text.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "src/a.rs:10",
        " ",
        " - ",
        " – ",
        ": ",
        "`",
        "``",
        "**",
        "Status: PASS",
        "## Fix Completion",
        "> ",
        "|",
        "FIXDONE-42-1",
        "[ACK] FIXREQ-42-1 - RECEIVED",
        "1. ",
        "- ",
        "Error: ",
        "Suggestion: ",
        "none",
        "é",
        "日本",
        "🚀",
        "[x]",
        "{b}",
        "<c>",
        "---",
        "__",
        "\"",
        "'",
        "~~~",
        "(",
        ")",
    ]);
    let made = prop::collection::vec(piece, 1..8).prop_map(|pieces| pieces.concat());
    prop_oneof![3 => made, 1 => "[ -~]{1,40}"]
}

/// One line with something in it, its spaces single.
fn line() -> impl Strategy<Value = String> {
    let line = text().prop_map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    line.prop_filter("says something", |line| line.chars().any(char::is_alphanumeric))
}

fn failure() -> impl Strategy<Value = Failure> {
    let place = prop_oneof![1 => Just(String::new()), 4 => line()];
    let any = (place, line(), prop::option::of(line())).prop_map(|(location, error, suggestion)| Failure {
        location,
        error,
        suggestion,
    });
    // "none", "n/a" and "0" without a place say that there is no failure.
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    any.prop_filter("is one", move |one| !one.location.is_empty() || letters(&one.error) > "none".len())
}

fn answer() -> impl Strategy<Value = Answer> {
    let plain = |finding| Answer::Result { finding, failures: Vec::new(), error: None, stack_trace: None };
    prop_oneof![
        Just(plain(Finding::Pass)),
        Just(plain(Finding::Error)),
        prop::collection::vec(failure(), 1..5).prop_map(|failures| Answer::Result {
            finding: Finding::Fail,
            failures,
            error: None,
            stack_trace: None
        }),
        Just(Answer::Acknowledged),
        prop::collection::vec(line(), 1..4)
            .prop_map(|fixes| Answer::Fixed { fixes, files: vec!["src/a.rs".to_owned()] }),
        line().prop_map(|reason| Answer::CannotFix { reason }),
    ]
}

/// Marks that the readers look for.
fn marked() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "## Validation Result",
        "## Fix Completion",
        "\n",
        "\n\n",
        "\r\n",
        "**Status**: ",
        "PASS",
        "FAIL",
        "ERROR",
        "### Failures",
        "### Fixes Applied",
        "- ",
        "1. ",
        "a.rs:1",
        " - ",
        "```",
        "~~~",
        "> ",
        "| a | b |",
        "|---|---|",
        "**Message ID**: ",
        "VALRES-42-a-1",
        "FIXDONE-42-1",
        "[ACK] ",
        "FIXREQ-42-1",
        "`",
        "**",
        "---",
        ": ",
        "✅",
        "日",
        "{",
        "}",
        "[",
        "]",
        "\u{feff}",
        "Reason: ",
        "cannot-fix",
        "\t",
        "    ",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn val_5_what_is_rendered_reads_back(answer in answer(), issue in "[a-z0-9]{1,4}(-[a-z]{1,3})?") {
        let id = match &answer {
            Answer::Result { .. } => format!("VALRES-{issue}-unit-1"),
            Answer::Acknowledged => format!("FIXREQ-{issue}-1"),
            _ => format!("FIXDONE-{issue}-1"),
        };
        let written = answered(&id, "unit", Time::from_millis(1_767_150_000_000), &answer);
        prop_assert_eq!(reading(&written), Some(Reading { id: Some(id.clone()), answer }), "{}", written);
        prop_assert_eq!(message_id(&written), Some(id));
        prop_assert_eq!(forms(&written).len(), 1);
        let quoted: String = written.lines().map(|line| format!("> {line}\n")).collect();
        prop_assert_eq!(reading(&quoted), None);
        let shown = format!("Shall I say this?\n~~~~~~~~\n{}\n~~~~~~~~", written.replace('~', ""));
        prop_assert_eq!(reading(&shown), None);
    }

    #[test]
    fn val_5_an_error_of_several_lines_stays_one_failure(lines in prop::collection::vec(line(), 2..5)) {
        let failure = Failure { location: "a.rs:1".to_owned(), error: lines.join("\n"), suggestion: None };
        let answer = Answer::Result { finding: Finding::Fail, failures: vec![failure], error: None, stack_trace: None };
        let written = answered("VALRES-1-unit-1", "unit", Time::from_millis(0), &answer);
        prop_assert_eq!(reading(&written).map(|reading| reading.answer), Some(answer), "{}", written);
    }

    #[test]
    fn val_5_reading_never_panics_and_line_ends_do_not_matter(body in prop_oneof![marked(), any::<String>()]) {
        let read = reading(&body);
        message_id(&body);
        if !body.contains('\r') {
            prop_assert_eq!(reading(&body.replace('\n', "\r\n")), read);
        }
        let quoted: String = body.split('\n').map(|line| format!("> {line}\n")).collect();
        prop_assert_eq!(reading(&quoted), None);
    }

    /// Failures and fixes are what the protocol needs them to be.
    #[test]
    fn val_2_a_reading_is_whole(body in marked()) {
        match reading(&body).map(|reading| reading.answer) {
            Some(Answer::Result { finding, failures, .. }) => {
                prop_assert_eq!(failures.is_empty(), finding != Finding::Fail);
            }
            Some(Answer::Fixed { fixes, .. }) => prop_assert!(!fixes.is_empty()),
            Some(Answer::CannotFix { reason }) => prop_assert!(!reason.trim().is_empty()),
            Some(Answer::Acknowledged | Answer::Unreadable { .. }) | None => {}
        }
    }
}

#[test]
fn val_14_what_is_meant_as_an_answer_says_what_is_wrong() {
    let problem = |body: &str| match reading(body).map(|reading| reading.answer) {
        Some(Answer::Unreadable { problem }) => Some(problem),
        _ => None,
    };
    assert_eq!(problem("## Fix Completion"), Some(Problem::NoFixes));
    assert_eq!(problem("## Validation Result\nStatus: maybe"), Some(Problem::NoStatus));
    assert_eq!(problem("all is well"), None);
}

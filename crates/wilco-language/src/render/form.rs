//! Writing the Markdown form of validation messages. Whatever participants wrote stays text in it: it never
//! becomes a heading, an id or a status.

use wilco_protocol::Time;
use wilco_protocol::validation::Label;

use crate::read::entries::{is_key, runs};
use crate::read::failures::{Failure, item, visible};
use crate::read::form::FormKind;
use crate::read::text;
use crate::read::validation::Answer;

/// A form in the making.
#[derive(Debug)]
pub(super) struct Form {
    text: String,
    has_sections: bool,
}

impl Form {
    /// The heading and the lines below it.
    pub(super) fn new(kind: FormKind, keys: &[(&str, String)]) -> Form {
        let mut text = format!("## {}\n", kind.heading());
        for (key, value) in keys {
            text.push_str(&format!("\n**{key}**: {value}"));
        }
        Form { text, has_sections: false }
    }

    /// A section, unless there is nothing in it. A rule stands before the first.
    pub(super) fn section(mut self, title: &str, body: &str) -> Form {
        if !body.trim().is_empty() {
            let rule = if self.has_sections { "" } else { "\n\n---" };
            self.text.push_str(&format!("{rule}\n\n### {title}\n{}", body.trim_end()));
            self.has_sections = true;
        }
        self
    }

    pub(super) fn sent_by(self, name: &str, awaiting: Option<&str>) -> String {
        let awaiting = awaiting.map(|what| format!("\n**Awaiting**: {what}")).unwrap_or_default();
        format!("{}\n\n---\n\n**Sent by**: {name}{awaiting}", self.text)
    }
}

/// `2026-01-31 14:30:00`, in UTC.
pub(super) fn timestamp(at: Time) -> String {
    let written = at.to_string();
    written.split('.').next().unwrap_or(&written).replace('T', " ")
}

/// Priorities as the forms call them.
pub(super) fn priority(word: &str) -> &'static str {
    match word {
        "urgent" => "Critical",
        "high" => "High",
        "low" => "Low",
        _ => "Medium",
    }
}

/// Failures as a numbered list that reads back as the same failures.
pub(super) fn failures(list: &[Failure]) -> String {
    numbered(list.iter().map(failure))
}

pub(super) fn numbered(items: impl Iterator<Item = String>) -> String {
    // A list item has a number of up to three digits.
    let marked = items.enumerate().map(|(at, item)| match at {
        0..999 => format!("{}. {item}", at + 1),
        _ => format!("- {item}"),
    });
    marked.collect::<Vec<_>>().join("\n")
}

pub(super) fn bulleted(items: impl Iterator<Item = String>) -> String {
    items.map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")
}

fn failure(failure: &Failure) -> String {
    let error = visible(&failure.error);
    // A first line of signs alone would be read as no error, and then the place as none.
    let tells = |line: &&str| line.contains(char::is_alphanumeric);
    let lines: Vec<_> = error.trim().lines().collect();
    let mut lines = lines[lines.iter().position(tells).unwrap_or(0)..].iter().copied();
    let first = one_line(lines.next().unwrap_or(""));
    let (place, hint) = (one_line(&failure.location), failure.suggestion.as_deref().map(one_line));
    let hint = hint.filter(|hint| !hint.is_empty());
    // Behind an error without a place a suggestion would be read as the error, and the error as the place.
    let (behind, below) = if place.is_empty() { (None, hint) } else { (hint, None) };
    let compose = |place: String, error: String, hint: Option<String>| {
        let place = if place.is_empty() { place } else { format!("{place} - ") };
        let hint = hint.map(|hint| format!(" - {hint}"));
        format!("{place}{error}{}", hint.unwrap_or_default())
    };
    let meant = Failure { location: place.clone(), error: first.clone(), suggestion: behind.clone() };
    let plain = compose(place.clone(), first.clone(), behind.clone());
    let head = match item(&plain).is_some_and(|read| read == meant) && harmless(&plain) {
        true => plain,
        false => compose(code(&place), code(&first), behind.map(|hint| code(&hint))),
    };
    let below = below.map(|hint| format!("   **Suggestion**: {}", inline(&hint)));
    let rest: Vec<_> = lines.collect();
    let rest = (!rest.is_empty()).then(|| fenced(&rest.join("\n"), "   "));
    [Some(head), below, rest].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// A text of somebody's on one line.
pub(super) fn inline(text: &str) -> String {
    let line = one_line(text);
    if harmless(&line) { line } else { code(&line) }
}

/// A text of somebody's: on one line if it is one, else fenced.
pub(super) fn block(text: &str) -> String {
    let text = visible(text);
    if text.trim().contains('\n') { fenced(text.trim_matches('\n'), "") } else { inline(&text) }
}

/// An entry of a list: its first line, and the rest fenced below it.
pub(super) fn entry(text: &str) -> String {
    let text = visible(text);
    match text.trim().split_once('\n') {
        Some((first, rest)) => format!("{}\n{}", inline(first), fenced(rest, "   ")),
        None => inline(&text),
    }
}

pub(super) fn one_line(text: &str) -> String {
    visible(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words that no reader takes for anything but words.
fn harmless(line: &str) -> bool {
    let begins =
        line.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '@' | '(' | '\'' | '"'));
    let key = is_key(line);
    begins
        && !key
        && !line.contains("[ACK]")
        && text::list_item(line).is_none()
        && text::checkbox(line).is_none()
}

/// The text in a code span of its own.
fn code(line: &str) -> String {
    if line.is_empty() {
        return String::new();
    }
    let ticks = "`".repeat(runs(line).max().unwrap_or(0) + 1);
    let pad = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{line}{pad}{ticks}")
}

/// The text in a code fence of its own, indented below what it belongs to.
pub(super) fn fenced(text: &str, indent: &str) -> String {
    let text = &visible(text);
    let ticks = "`".repeat(runs(text).max().unwrap_or(0).max(2) + 1);
    let lines = text.lines().map(|line| format!("{indent}{line}"));
    format!("{indent}{ticks}\n{}\n{indent}{ticks}", lines.collect::<Vec<_>>().join("\n"))
}

/// An answer of a specialist or a main agent in the form of its type. It reads back as the same answer.
pub fn answered(id: &str, from: &str, at: Time, answer: &Answer) -> String {
    let kind = match answer {
        Answer::Result { .. } if id.starts_with(Label::TriggerResult.prefix()) => FormKind::Recheck,
        Answer::Result { .. } => FormKind::Result,
        Answer::Acknowledged | Answer::Unreadable { .. } => FormKind::Acknowledgment,
        Answer::Fixed { .. } | Answer::CannotFix { .. } => FormKind::Completion,
    };
    let form = Form::new(
        kind,
        &[
            ("Message ID", id.to_owned()),
            ("From", format!("@{}", one_line(from))),
            ("To", "@validation-orchestrator".to_owned()),
            ("Timestamp", timestamp(at)),
            ("Priority", priority("high").to_owned()),
        ],
    );
    let form = match answer {
        Answer::Result { finding, failures: found, error, stack_trace } => {
            let error = error.as_deref().map(block).unwrap_or_default();
            let trace = stack_trace.as_deref().map(|trace| fenced(trace, "")).unwrap_or_default();
            form.section("Result Summary", &format!("**Status**: {}", finding.code()))
                .section("Failure Details", &failures(found))
                .section("Error Details", &error)
                .section("Stack Trace", &trace)
        }
        Answer::Acknowledged | Answer::Unreadable { .. } => {
            form.section("Summary", "The fix request is received.")
        }
        Answer::Fixed { fixes, files } => form
            .section("Fixes Applied", &numbered(fixes.iter().map(|fix| entry(fix))))
            .section("Files Modified", &bulleted(files.iter().map(|file| inline(file))))
            .section("Ready for Re-validation", "Yes - please re-run the checks."),
        Answer::CannotFix { reason } => {
            form.section("Result Summary", "**Status**: CANNOT_FIX").section("Reason", &block(reason))
        }
    };
    form.sent_by(&one_line(from), None)
}

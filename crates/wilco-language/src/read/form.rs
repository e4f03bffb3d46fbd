//! The Markdown form of validation messages: a heading that names the type, `**Key**: value` lines, sections.
//!
//! Finds the forms that somebody says in their own voice and takes them apart, however a model writes them. What
//! an answer means is `validation`'s matter.

use super::failures::span;
use super::text::{self, Line};

/// What a form is, by its heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FormKind {
    Request,
    Result,
    FailureReport,
    FixRequest,
    Acknowledgment,
    Completion,
    Trigger,
    Recheck,
    Success,
    Timeout,
    Error,
    Escalation,
    Change,
}

impl FormKind {
    pub const ALL: [FormKind; 13] = [
        FormKind::Request,
        FormKind::Result,
        FormKind::FailureReport,
        FormKind::FixRequest,
        FormKind::Acknowledgment,
        FormKind::Completion,
        FormKind::Trigger,
        FormKind::Recheck,
        FormKind::Success,
        FormKind::Timeout,
        FormKind::Error,
        FormKind::Escalation,
        FormKind::Change,
    ];

    /// The heading that Wilco writes.
    pub fn heading(self) -> &'static str {
        match self {
            FormKind::Request => "Validation Request",
            FormKind::Result => "Validation Result",
            FormKind::FailureReport => "Validation Failure Report",
            FormKind::FixRequest => "Fix Request",
            FormKind::Acknowledgment => "Fix Acknowledgment",
            FormKind::Completion => "Fix Completion",
            FormKind::Trigger => "Re-validation Trigger",
            FormKind::Recheck => "Re-validation Result",
            FormKind::Success => "Validation Success",
            FormKind::Timeout => "Timeout Reminder",
            FormKind::Error => "Error Notification",
            FormKind::Escalation => "Escalation: Unresolvable Issue",
            FormKind::Change => "Status Change",
        }
    }

    /// What else people write above it.
    fn other_headings(self) -> &'static [&'static str] {
        match self {
            FormKind::Request => &[],
            FormKind::Result => &["validation-results", "validation-report", "initial-validation-result"],
            FormKind::FailureReport => &["failure-report"],
            FormKind::FixRequest => &[],
            FormKind::Acknowledgment => {
                &["fix-acknowledgement", "fix-request-acknowledgment", "fix-request-acknowledgement"]
            }
            FormKind::Completion => &[
                "fix-completion-signal",
                "fix-complete",
                "fix-completed",
                "fixes-complete",
                "fixes-completed",
                "fix-done",
            ],
            FormKind::Trigger => &["revalidation-trigger", "revalidation-request", "re-validation-request"],
            FormKind::Recheck => &["revalidation-result", "re-validation-results", "revalidation-results"],
            FormKind::Success => &["success-notification"],
            FormKind::Timeout | FormKind::Error | FormKind::Change => &[],
            FormKind::Escalation => &["escalation", "escalation-report"],
        }
    }

    fn named(title: &str) -> Option<FormKind> {
        let title = text::fold(title);
        let is = |kind: &FormKind| {
            let own = kind.heading().split(':').next().unwrap_or("");
            text::fold(own) == title || kind.other_headings().contains(&title.as_str())
        };
        FormKind::ALL.into_iter().find(is)
    }
}

/// One form, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form<'a> {
    pub kind: FormKind,
    /// What stands behind the type in the heading: `Validation Result: PASS`.
    pub remark: String,
    pub parts: Vec<Part<'a>>,
    pub(super) level: usize,
}

/// A `Key: value` line or a section: its folded title and what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part<'a> {
    pub title: String,
    /// What stands on the same line.
    pub value: String,
    pub lines: Vec<Line<'a>>,
    level: usize,
}

impl Form<'_> {
    /// The first part with one of these titles.
    pub fn part(&self, titles: &[&str]) -> Option<&Part<'_>> {
        self.parts.iter().find(|part| titles.contains(&part.title.as_str()))
    }

    /// The value of a `Key: value` line.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.parts
            .iter()
            .find(|part| part.title == key && !part.value.is_empty())
            .map(|part| part.value.as_str())
    }
}

/// Every form of a body, in order.
pub fn forms(body: &str) -> Vec<Form<'_>> {
    let lines = text::lines(body);
    let mut forms: Vec<Form<'_>> = Vec::new();
    let top = top(&lines);
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1);
        if let Some((kind, remark)) = head(line, next, Some(at) == top) {
            let above = Part { title: String::new(), value: String::new(), lines: Vec::new(), level: 1 };
            // A section may be called like the type that it is in.
            let level = level(line.text);
            match forms.last_mut().filter(|form| form.kind == kind && level > form.level) {
                Some(form) => form.take(*line),
                None => forms.push(Form { kind, remark, parts: vec![above], level }),
            }
        } else if let Some(form) = forms.last_mut() {
            form.take(*line);
        }
    }
    forms
}

/// What stands above the first form.
pub(super) fn above(body: &str) -> String {
    let lines = text::lines(body);
    let top = top(&lines);
    let begins = |at: &usize| head(&lines[*at], lines.get(at + 1), Some(*at) == top).is_some();
    let end = (0..lines.len()).find(begins).unwrap_or(lines.len());
    lines[..end].iter().map(|line| line.text).collect::<Vec<_>>().join("\n")
}

/// The parts of a text that has no heading of a form.
pub(super) fn parts(body: &str) -> Vec<Part<'_>> {
    let above = Part { title: String::new(), value: String::new(), lines: Vec::new(), level: 1 };
    let mut form = Form { kind: FormKind::Result, remark: String::new(), parts: vec![above], level: 0 };
    text::lines(body).into_iter().for_each(|line| form.take(line));
    form.parts
}

/// How deep a heading is; what is not marked as one is as deep as the headings of forms.
fn level(text: &str) -> usize {
    match text.trim().chars().take_while(|c| *c == '#').count() {
        0 => 2,
        marks => marks,
    }
}

/// The first line that says something.
fn top(lines: &[Line<'_>]) -> Option<usize> {
    lines.iter().position(|line| !line.blank())
}

/// A heading of a known type: marked as one, underlined, or the first line of all.
fn head(line: &Line<'_>, next: Option<&Line<'_>>, first: bool) -> Option<(FormKind, String)> {
    if !line.own() || text::list_item(line.text).is_some() && text::heading(line.text).is_none() {
        return None;
    }
    let underlined =
        next.is_some_and(|next| next.own() && text::ruled(next.text) && next.text.starts_with(['-', '=']));
    let marked = text::heading(line.text).or_else(|| text::bold(line.text));
    let title = marked.or_else(|| (first || underlined).then(|| line.text.trim()))?;
    let title = text::plain(title);
    let title = title.trim_matches(|c: char| text::ornament(c) || c.is_whitespace());
    let whole = FormKind::named(title.trim_end_matches(':')).map(|kind| (kind, String::new()));
    whole.or_else(|| {
        let (name, remark) =
            [": ", " - ", " – ", " — ", " ("].iter().find_map(|mark| title.split_once(mark))?;
        FormKind::named(name).map(|kind| (kind, remark.trim().trim_end_matches(')').to_owned()))
    })
}

impl<'a> Form<'a> {
    fn take(&mut self, line: Line<'a>) {
        match line.own().then(|| self.titled(line)).flatten() {
            Some(part) => self.parts.push(part),
            None => {
                if let Some(last) = self.parts.last_mut() {
                    // What follows a rule belongs to nothing above it.
                    if line.own() && text::ruled(line.text) {
                        let title = String::new();
                        self.parts.push(Part { title, value: String::new(), lines: Vec::new(), level: 1 });
                    } else {
                        last.lines.push(line);
                    }
                }
            }
        }
    }

    /// A line that opens a part.
    fn titled(&self, line: Line<'a>) -> Option<Part<'a>> {
        let last = self.parts.last();
        let part = |title: String, value: &str, level| Part {
            title,
            value: value.to_owned(),
            lines: Vec::new(),
            level,
        };
        if let Some(heading) = text::heading(line.text) {
            let level = level(line.text);
            let (title, value) = split(heading);
            // Below the title of a list, a heading that names nothing known is an entry of it.
            let entry = last.is_some_and(|last| lists(&last.title) && level > last.level) && !known(&title);
            return (!entry).then(|| part(title, &value, level));
        }
        let inside = last.is_some_and(|last| lists(&last.title));
        let item = text::list_item(line.text);
        let bold = text::bold(line.text.trim()).filter(|_| item.is_none());
        if let Some(title) = bold.map(|bold| text::fold(&plain_title(bold))).filter(|title| known(title)) {
            return Some(part(title, "", BELOW));
        }
        let (key, value) = key_value(line.text)?;
        // Entries of a list have keys of their own.
        let held = inside && (item.is_some() || line.indent() > 1 || of_entries(&key));
        (known(&key) && !held).then(|| part(key, value, BELOW))
    }
}

/// The level of titles that are not marked as headings: below all that are.
const BELOW: usize = 7;

/// `Key: value` behind marks of lists and emphasis. The key comes folded.
pub(super) fn key_value(line: &str) -> Option<(String, &str)> {
    const LONGEST: usize = 48;
    let line = text::list_item(line).map_or(line.trim(), |(_, item)| item.trim());
    let (key, value) = line.split_once(':')?;
    // A colon in a code span makes no key.
    if key.matches('`').count() % 2 == 1 || is_in_span(line, key.len()) {
        return None;
    }
    if key.len() > LONGEST || key.contains(['/', '.', '[', '{', '<', '=']) {
        return None;
    }
    let key = text::fold(&plain_title(key));
    // `**Key:** value` closes its emphasis behind the colon.
    let value = value.trim();
    let value = value.strip_prefix("**").or(value.strip_prefix("__")).unwrap_or(value).trim();
    (!key.is_empty()).then_some((key, value))
}

/// Whether a code span begins before this place and ends behind it.
fn is_in_span(line: &str, place: usize) -> bool {
    let mut at = 0;
    while let Some(tick) = line[at..place].find('`') {
        let rest = &line[at + tick..];
        let run = rest.len() - rest.trim_start_matches('`').len();
        at += tick + span(rest).max(run);
        if at > place {
            return true;
        }
    }
    false
}

/// A heading may say something behind a colon: `Failures: 2`.
fn split(heading: &str) -> (String, String) {
    let heading = plain_title(heading);
    match heading.split_once(':') {
        Some((title, value)) => (text::fold(title), value.trim().to_owned()),
        None => (text::fold(&heading), String::new()),
    }
}

/// Without Markdown, numbering, ornaments and a remark in brackets: `1. 🔧 Fixes Applied (2)`.
fn plain_title(title: &str) -> String {
    let title = text::plain(title).replace('*', "");
    let title = text::list_item(&title).map_or(title.as_str(), |(_, rest)| rest);
    let title = title.trim_matches(|c: char| text::ornament(c) || c.is_whitespace() || c == '_');
    let title = title.split(" (").next().unwrap_or(title);
    title.trim().trim_end_matches(':').to_owned()
}

pub(super) const IDS: [&str; 4] = ["message-id", "msg-id", "error-id", "id"];
pub(super) const STATUS: [&str; 6] =
    ["status", "result", "result-summary", "validation-status", "outcome", "verdict"];
pub(super) const FAILURES: [&str; 14] = [
    "failure-details",
    "failures",
    "detailed-failures",
    "remaining-failures",
    "failures-remaining",
    "failures-found",
    "failures-to-fix",
    "persistent-failures",
    "previous-failures",
    "failed-checks",
    "failed-tests",
    "failing-tests",
    "issues-found",
    "errors-found",
];
pub(super) const FIXES: [&str; 9] = [
    "fixes-applied",
    "fixes",
    "fixes-made",
    "applied-fixes",
    "changes-made",
    "changes",
    "changes-applied",
    "what-was-fixed",
    "what-i-fixed",
];
pub(super) const FILES: [&str; 7] = [
    "files-modified",
    "files-changed",
    "modified-files",
    "changed-files",
    "files",
    "files-touched",
    "files-updated",
];
pub(super) const REASON: [&str; 5] = ["reason", "reasons", "why", "blocker", "blockers"];
pub(super) const ERROR: [&str; 4] = ["error", "error-message", "error-details", "error-summary"];
pub(super) const STACK: [&str; 4] = ["stack-trace", "stacktrace", "traceback", "backtrace"];
pub(super) const SUMMARY: [&str; 4] = ["completion-summary", "summary", "details", "description"];
pub(super) const READY: [&str; 3] = ["ready-for-re-validation", "ready-for-revalidation", "ready"];
const REST: [&str; 22] = [
    "from",
    "to",
    "timestamp",
    "date",
    "time",
    "priority",
    "iteration",
    "issue",
    "phase",
    "specialist",
    "agent",
    "next-action",
    "next-actions",
    "next-steps",
    "sent-by",
    "awaiting",
    "suggested-fixes",
    "suggested-approach",
    "actions-required",
    "expected-outcome",
    "expected-response",
    "notes",
];

pub(super) fn known(title: &str) -> bool {
    let all: [&[&str]; 11] =
        [&IDS, &STATUS, &FAILURES, &FIXES, &FILES, &REASON, &ERROR, &STACK, &SUMMARY, &READY, &REST];
    all.iter().any(|titles| titles.contains(&title))
}

/// Parts that are lists.
fn lists(title: &str) -> bool {
    [&FAILURES[..], &FIXES, &FILES].iter().any(|titles| titles.contains(&title))
}

/// Keys that an entry of a list may have.
fn of_entries(key: &str) -> bool {
    let more = [
        "reason",
        "description",
        "summary",
        "details",
        "files",
        "result",
        "status",
        "id",
        "priority",
        "phase",
        "issue",
        "date",
        "time",
        "notes",
        "to",
        "from",
    ];
    ERROR.contains(&key) || STACK.contains(&key) || more.contains(&key)
}

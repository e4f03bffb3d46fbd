//! What a specialist or a main agent answers in a validation, written in words: a result, a completion, an
//! acknowledgement.
//!
//! A text that is meant as an answer (by its heading or its id) and cannot be read says why not.

use wilco_protocol::delegation::AckStatus;
use wilco_protocol::validation::{Finding, Label};

use super::ack::{AckReading, acks};
use super::embedded;
use super::entries::{blank, failures, texts, unspanned, whole};
use super::failures::{Failure, item};
use super::form::{self, Form, FormKind, Part, forms};
use super::result::is_turned;
use super::said::said;
use super::sentence::sentences;
use super::text;

/// An answer, with the id that it gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub id: Option<String>,
    pub answer: Answer,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Result { finding: Finding, failures: Vec<Failure>, error: Option<String>, stack_trace: Option<String> },
    Acknowledged,
    Fixed { fixes: Vec<String>, files: Vec<String> },
    CannotFix { reason: String },
    Unreadable { problem: Problem },
}

/// Why an answer cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// Neither PASS nor FAIL nor ERROR.
    NoStatus,
    /// Several that cannot all be meant.
    Contradiction,
    /// FAIL, and nothing is named that fails.
    NoFailures,
    /// PASS, and failures are listed.
    PassWithFailures,
    /// Not a word about what was done.
    NoFixes,
    /// Something among what was done is said to be not fixed.
    Unfixed,
    /// It cannot be fixed, and nobody knows why.
    NoReason,
}

/// What a text answers in a validation; none when it is not meant as an answer.
pub fn reading(body: &str) -> Option<Reading> {
    let found = forms(body);
    // The whole form in a fence is the form.
    let block = || embedded::only_block(body).filter(|block| !forms(block).is_empty());
    if found.is_empty()
        && let Some(block) = block()
    {
        return reading(&block);
    }
    let mut answers: Vec<Reading> = found.iter().filter_map(answer).collect();
    answers.dedup_by(|one, other| one.answer == other.answer && same_id(one, other));
    match answers.len() {
        0 => {}
        1 => return answers.pop(),
        _ => {
            let readable = |reading: &Reading| !matches!(reading.answer, Answer::Unreadable { .. });
            let mut clear = answers.iter().filter(|reading| readable(reading));
            let only = clear.next().filter(|_| clear.next().is_none()).cloned();
            let problem = Problem::Contradiction;
            return only
                .or(Some(Reading { id: answers.remove(0).id, answer: Answer::Unreadable { problem } }));
        }
    }
    // Below the heading of a form that asks, everything is what somebody else said.
    let own = form::above(body);
    let own = own.as_str();
    let without_heading =
        led_by_id(own).or_else(|| bare_status(own)).filter(|read| !is_turned_pass(read, own));
    acknowledged(own).or(without_heading).or_else(|| mentioned(own))
}

/// A PASS with something beside it that turns it: `Status: PASS`, `Failed: 2`.
fn is_turned_pass(read: &Reading, body: &str) -> bool {
    matches!(&read.answer, Answer::Result { finding: Finding::Pass, .. }) && is_turned(&sentences(body))
}

fn same_id(one: &Reading, other: &Reading) -> bool {
    one.id.is_none() || other.id.is_none() || one.id == other.id
}

/// The validation id that a text gives in its own voice.
pub fn message_id(body: &str) -> Option<String> {
    if !may_have_id(body) {
        return None;
    }
    let keyed = || form::parts(body).iter().find_map(keyed_id);
    forms(body).iter().find_map(form_id).or_else(keyed).or_else(|| {
        let reading = reading(body)?;
        reading.id
    })
}

/// Whether it is worth looking closer: every message is asked for an id, and few have one.
fn may_have_id(body: &str) -> bool {
    let ends = |before: &[u8], prefix: &str| {
        let word = before.len().checked_sub(prefix.len()).map(|start| &before[start..]);
        word.is_some_and(|word| word.eq_ignore_ascii_case(prefix.as_bytes()))
    };
    if !text::has(body, [b'-', b'_']) {
        return false;
    }
    let joints = body.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'-' | b'_'));
    joints
        .map(|(at, _)| &body.as_bytes()[..at])
        .any(|before| Label::ALL.into_iter().any(|label| ends(before, label.prefix())))
}

fn form_id(form: &Form<'_>) -> Option<String> {
    form.parts.iter().find_map(keyed_id).or_else(|| id_in(&form.remark))
}

fn keyed_id(part: &Part<'_>) -> Option<String> {
    form::IDS.contains(&part.title.as_str()).then(|| id_in(&part.value)).flatten()
}

/// What a form answers. Forms that only Wilco sends answer nothing, unless somebody took the wrong heading.
fn answer(form: &Form<'_>) -> Option<Reading> {
    let id = form_id(form);
    let answer = match form.kind {
        FormKind::Result | FormKind::Recheck => result(form),
        FormKind::Completion => completion(form),
        FormKind::Acknowledgment => Answer::Acknowledged,
        FormKind::Request
        | FormKind::FailureReport
        | FormKind::FixRequest
        | FormKind::Trigger
        | FormKind::Success
        | FormKind::Timeout
        | FormKind::Error
        | FormKind::Escalation
        | FormKind::Change => match id.as_deref().and_then(label) {
            Some(Label::Result | Label::TriggerResult) => result(form),
            Some(Label::FixDone) => completion(form),
            Some(Label::Request | Label::Report | Label::FixRequest | Label::Trigger | Label::Success)
            | None => {
                return None;
            }
        },
    };
    Some(Reading { id, answer })
}

fn result(form: &Form<'_>) -> Answer {
    let stated = statuses(form);
    let listed: Vec<_> =
        form.parts.iter().filter(|part| form::FAILURES.contains(&part.title.as_str())).collect();
    let mut found: Vec<Failure> = listed.iter().flat_map(|part| failures(part)).collect();
    match stated {
        Err(problem) => Answer::Unreadable { problem },
        Ok(Finding::Pass) if loose(form).is_some_and(|text| is_turned(&sentences(&text))) => {
            Answer::Unreadable { problem: Problem::Contradiction }
        }
        Ok(Finding::Pass) if !found.is_empty() => Answer::Unreadable { problem: Problem::PassWithFailures },
        Ok(Finding::Pass) => {
            Answer::Result { finding: Finding::Pass, failures: Vec::new(), error: None, stack_trace: None }
        }
        Ok(Finding::Fail) => {
            if found.is_empty() {
                found = unlisted(form);
            }
            match found.is_empty() {
                true => Answer::Unreadable { problem: Problem::NoFailures },
                false => {
                    Answer::Result { finding: Finding::Fail, failures: found, error: None, stack_trace: None }
                }
            }
        }
        Ok(Finding::Error) => {
            let text = |titles: &[&str]| form.part(titles).map(whole).filter(|text| !text.is_empty());
            let error = text(&form::ERROR).or_else(|| text(&form::REASON)).or_else(|| text(&form::SUMMARY));
            let stack_trace = text(&form::STACK);
            Answer::Result { finding: Finding::Error, failures: Vec::new(), error, stack_trace }
        }
    }
}

/// Failures that stand under no title of their own: items with a place and an error.
fn unlisted(form: &Form<'_>) -> Vec<Failure> {
    const OTHERS: [&str; 6] =
        ["next-action", "next-actions", "next-steps", "suggested-fixes", "sent-by", "actions-required"];
    let parts = form.parts.iter().filter(|part| !OTHERS.contains(&part.title.as_str()));
    let lines = parts.flat_map(|part| &part.lines).filter(|line| line.own());
    let items = lines.filter_map(|line| text::list_item(line.text));
    items.filter_map(|(_, text)| item(text)).filter(|failure| !failure.location.is_empty()).collect()
}

/// The status that a form states, in its keys, its result section or its heading.
fn statuses(form: &Form<'_>) -> Result<Finding, Problem> {
    let mut stated: Vec<Result<Finding, Problem>> = Vec::new();
    for part in form.parts.iter().filter(|part| form::STATUS.contains(&part.title.as_str())) {
        let first = part.lines.iter().find(|line| line.own() && !line.blank()).map(|line| line.text);
        let text = if part.value.is_empty() { first.unwrap_or("") } else { &part.value };
        stated.extend(finding(text));
    }
    if stated.is_empty() {
        let words = form.remark.split_whitespace();
        stated.extend(words.rev().find_map(finding).or_else(|| finding(&form.remark)));
    }
    match stated.as_slice() {
        [] => Err(Problem::NoStatus),
        [first, rest @ ..] if rest.iter().all(|other| other == first) => *first,
        _ => Err(Problem::Contradiction),
    }
}

/// A text that begins with a status.
fn finding(text: &str) -> Option<Result<Finding, Problem>> {
    let text = text::list_item(text).map_or(text.trim(), |(_, item)| item);
    if let Some(said) = said(text, finding_word) {
        return Some(if said.contradicted { Err(Problem::Contradiction) } else { Ok(said.word) });
    }
    let plain = !text.contains(char::is_alphanumeric);
    match () {
        () if plain && text.contains(['✅', '✔']) => Some(Ok(Finding::Pass)),
        () if plain && text.contains(['❌', '✗', '✘']) => Some(Ok(Finding::Fail)),
        () => None,
    }
}

fn finding_word(word: &str) -> Option<Finding> {
    Some(match text::fold(word).as_str() {
        "pass" | "passed" => Finding::Pass,
        "fail" | "failed" | "failure" => Finding::Fail,
        "error" | "errored" => Finding::Error,
        _ => return None,
    })
}

fn completion(form: &Form<'_>) -> Answer {
    let values = form.parts.iter().filter(|part| form::STATUS.contains(&part.title.as_str()));
    let cannot = values.map(|part| text::fold(&part.value)).any(|status| cannot_fix(&status))
        || cannot_fix(&text::fold(&form.remark));
    if cannot {
        let titles = [&form::REASON[..], &form::SUMMARY, &form::ERROR];
        let reason =
            titles.iter().find_map(|titles| form.part(titles).map(whole).filter(|text| !text.is_empty()));
        return match reason.or_else(|| loose(form)) {
            Some(reason) => Answer::CannotFix { reason },
            None => Answer::Unreadable { problem: Problem::NoReason },
        };
    }
    let ready = form.part(&form::READY).map(whole).unwrap_or_default();
    if text::fold(&ready).split(|c: char| !c.is_alphanumeric()).next() == Some("no") {
        // It has the request and works on it.
        return Answer::Acknowledged;
    }
    let list = |titles: &[&str]| {
        let parts = form.parts.iter().filter(|part| titles.contains(&part.title.as_str()));
        // Signs alone say nothing.
        parts
            .flat_map(|part| texts(part))
            .filter(|text| text.contains(char::is_alphanumeric))
            .collect::<Vec<_>>()
    };
    let mut fixes = list(&form::FIXES);
    if fixes.is_empty() {
        let summary = form.part(&form::SUMMARY).map(whole).filter(|text| !text.is_empty());
        fixes.extend(summary.or_else(|| loose(form)));
    }
    let files = list(&form::FILES).iter().map(|file| path(file)).collect();
    let open =
        form.parts.iter().any(|part| OPEN_PARTS.contains(&part.title.as_str()) && !texts(part).is_empty());
    match () {
        () if open => Answer::Unreadable { problem: Problem::Unfixed },
        () if fixes.is_empty() => Answer::Unreadable { problem: Problem::NoFixes },
        () if fixes.iter().any(|fix| is_unfixed(fix)) => Answer::Unreadable { problem: Problem::Unfixed },
        () => Answer::Fixed { fixes, files },
    }
}

/// Titles of what is left.
const OPEN_PARTS: [&str; 7] =
    ["still-open", "open", "remaining", "not-fixed", "unfixed", "remaining-failures", "still-failing"];

/// An entry that says that it is none: `config.test.ts:12 - not fixed yet`.
fn is_unfixed(fix: &str) -> bool {
    const OPEN: [&str; 11] = [
        "not fixed",
        "not yet fixed",
        "still fails",
        "still failing",
        "todo",
        "will fix",
        "skipped",
        "none yet",
        "planned",
        "reproduced the",
        "does this one",
    ];
    sentences(fix).iter().any(|one| one.has(&OPEN))
}

fn cannot_fix(status: &str) -> bool {
    ["cannot-fix", "can't-fix", "can’t-fix", "could-not-fix", "unable-to-fix", "not-fixable", "unfixable"]
        .iter()
        .any(|word| status.starts_with(word))
}

/// What stands under no title.
fn loose(form: &Form<'_>) -> Option<String> {
    let untitled =
        form.parts.iter().filter(|part| part.title.is_empty() || form::IDS.contains(&part.title.as_str()));
    let lines = untitled.flat_map(|part| &part.lines).filter(|line| line.own() && !line.blank());
    let text = lines.map(|line| line.text.trim()).collect::<Vec<_>>().join("\n");
    (!blank(&text)).then_some(text)
}

/// The path in an entry such as `` `src/a.rs` - the guard``.
fn path(entry: &str) -> String {
    let first = entry.split([' ', '\n']).next().unwrap_or(entry);
    let only = entry.split(" - ").next().unwrap_or(entry).split(" – ").next().unwrap_or(entry);
    unspanned(if first.starts_with('`') || first.contains(['/', '.']) { first } else { only })
}

/// `[ACK] FIXREQ-42-1`, with or without a status.
fn acknowledged(body: &str) -> Option<Reading> {
    // What is only shown does not count here.
    let own: Vec<_> = text::lines(body).into_iter().filter(|line| line.own()).map(|line| line.text).collect();
    for ack in acks(&own.join("\n")) {
        match ack {
            AckReading::Ack(ack) if label(&ack.task_id) == Some(Label::FixRequest) => {
                let answer = match (ack.status, ack.reason) {
                    (AckStatus::Received | AckStatus::Confirmed | AckStatus::Queued, _) => {
                        Answer::Acknowledged
                    }
                    (AckStatus::Rejected, Some(reason)) => Answer::CannotFix { reason },
                    (AckStatus::Rejected, None) => Answer::Unreadable { problem: Problem::NoReason },
                    (AckStatus::NeedsClarification, _) => return None,
                };
                return Some(Reading { id: Some(ack.task_id), answer });
            }
            AckReading::Ack(_) | AckReading::Contradiction { .. } => {}
        }
    }
    let lines = text::lines(body).into_iter().filter(|line| line.own());
    let tagged = lines.map(|line| line.text.trim().trim_start_matches(['*', '`', '#', ' ']).to_owned());
    let rest = tagged.filter_map(|line| {
        let tag = line.get(..5).filter(|tag| tag.eq_ignore_ascii_case("[ack]"))?;
        line.strip_prefix(tag).map(|rest| rest.trim_start_matches([' ', ':', '*']).to_owned())
    });
    let mut ids = rest.filter(|rest| rest.split_whitespace().count() == 1).filter_map(|rest| id_in(&rest));
    let id = ids.find(|id| label(id) == Some(Label::FixRequest))?;
    Some(Reading { id: Some(id), answer: Answer::Acknowledged })
}

/// A text that begins with its id: `REVALRES-42-unit-2: PASS`.
fn led_by_id(body: &str) -> Option<Reading> {
    let lines = text::lines(body);
    let first = lines.iter().find(|line| !line.blank()).filter(|line| line.own())?;
    let bare = text::list_item(first.text).map_or(first.text, |(_, item)| item);
    let bare = text::heading(bare).unwrap_or(bare).trim();
    let keyed =
        form::key_value(bare).filter(|(key, _)| form::IDS.contains(&key.as_str())).map(|(_, value)| value);
    let bare = keyed.unwrap_or(bare).trim_start_matches(['*', '`', '[']);
    let end = bare.find(char::is_whitespace).unwrap_or(bare.len());
    let id = id_in(&bare[..end])?;
    let kind = match label(&id)? {
        Label::Request | Label::Result => FormKind::Result,
        Label::Trigger | Label::TriggerResult => FormKind::Recheck,
        Label::FixDone => FormKind::Completion,
        // A request that is only named asks for nothing.
        Label::FixRequest | Label::Report | Label::Success => return None,
    };
    let asked = matches!(label(&id)?, Label::Request | Label::Trigger);
    let mut parts = form::parts(body);
    // The line of the id itself is no text.
    if let Some(above) = parts.first_mut() {
        above.lines.retain(|line| line != first);
    }
    let remark = bare[end..].trim_start_matches([':', '-', '–', '—', ' ', '*', '`', ']']).to_owned();
    let form = Form { kind, remark, parts, level: 2 };
    let answer = match kind {
        FormKind::Completion => match completion(&form) {
            Answer::Unreadable { problem: Problem::NoFixes } if !blank(&form.remark) => {
                Answer::Fixed { fixes: vec![form.remark.clone()], files: Vec::new() }
            }
            answer => answer,
        },
        _ => result(&form),
    };
    let unread = asked && matches!(answer, Answer::Unreadable { problem: Problem::NoStatus });
    (!unread).then_some(Reading { id: Some(id), answer })
}

/// A result without a heading: a `Status:` line that says nothing but the status.
fn bare_status(body: &str) -> Option<Reading> {
    let parts = form::parts(body);
    let stated = parts.iter().find(|part| part.title == "status")?;
    let said = said(&stated.value, finding_word)?;
    let id = parts.iter().find_map(keyed_id);
    let form = Form { kind: FormKind::Result, remark: String::new(), parts, level: 2 };
    let answer = result(&form);
    let read = said.remark.is_none() && !matches!(answer, Answer::Unreadable { .. });
    (read || id.is_some()).then_some(Reading { id, answer })
}

/// An answer's id somewhere in the text, and nothing that could be read.
fn mentioned(body: &str) -> Option<Reading> {
    let parts = form::parts(body);
    let keyed = parts.iter().find_map(keyed_id);
    let lines = text::lines(body).into_iter().filter(|line| line.own());
    let mut words =
        lines.flat_map(|line| line.text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    let id = keyed.or_else(|| words.find_map(|word| id_in(&word)))?;
    let problem = match label(&id)? {
        Label::Result | Label::TriggerResult => Problem::NoStatus,
        Label::FixDone => Problem::NoFixes,
        Label::Request | Label::Report | Label::FixRequest | Label::Trigger | Label::Success => return None,
    };
    Some(Reading { id: Some(id), answer: Answer::Unreadable { problem } })
}

/// An id in its marks: `` `FIXDONE-42-1`, ``. An issue may be several words.
fn id_in(text: &str) -> Option<String> {
    const LONGEST: usize = 400;
    let marks = ['`', '*', '"', '\'', '(', ')', '[', ']', ',', '.', ':', ';', '!', '?', ' '];
    let whole = text.trim().trim_matches(marks);
    let word = match label(whole).filter(|_| whole.len() <= LONGEST) {
        Some(_) => whole,
        None => text.split_whitespace().next()?.trim_matches(marks),
    };
    let foreign = word.contains(['{', '}', '<', '>', '|', '…']);
    label(word).filter(|_| !foreign).map(|_| word.to_owned())
}

/// What an id stands for, by its beginning.
fn label(id: &str) -> Option<Label> {
    let id = id.to_ascii_uppercase().replace('_', "-");
    Label::ALL.into_iter().find(|label| {
        let rest = id.strip_prefix(label.prefix()).and_then(|rest| rest.strip_prefix('-'));
        rest.and_then(|rest| rest.rsplit_once('-')).is_some_and(|(issue, number)| {
            !issue.is_empty() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    })
}

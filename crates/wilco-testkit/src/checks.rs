//! One check for each parser and reader: it takes any bytes and panics when something does not hold.

use std::collections::BTreeSet;

use serde_json::Value;
use wilco_language::parse::{MAX_RECIPIENTS, MAX_SUBJECT, ParseError, Task, in_text, message as parse};
use wilco_language::read::ack::{AckReading, AckText, acks, canonical, status_word};
use wilco_language::read::answering::{Reply, reply};
use wilco_language::read::claim::About;
use wilco_language::read::completion::{WorkReport, report};
use wilco_language::read::decision::decision;
use wilco_language::read::embedded::object;
use wilco_language::read::failures::{Failure, MAX_FAILURES, item, printed, visible};
use wilco_language::read::fingerprint::{digest, fingerprints};
use wilco_language::read::fix::{FixReply, fix};
use wilco_language::read::handoff_ack::{HandoffAckText, handoff_acks};
use wilco_language::read::judgement::judgement;
use wilco_language::read::readiness::readiness as answering;
use wilco_language::read::result::found;
use wilco_language::read::stopping::{Compliance, StopOrder, compliance};
use wilco_language::read::understanding::{Ruling, TaskText, score};
use wilco_language::read::validation::{Answer as Checked, message_id, reading};
use wilco_language::read::verdict::{VerdictReading, verdicts};
use wilco_language::read::{classify as classifying, questions as asked};
use wilco_language::render::form::answered;
use wilco_protocol::delegation::{AckStatus, KEYS, Policy};
use wilco_protocol::handoff;
use wilco_protocol::journal::Entry;
use wilco_protocol::operation::Answer;
use wilco_protocol::policy::Overrides;
use wilco_protocol::validation::Finding;
use wilco_protocol::{EscalationId, ExchangeId, Span, Time};

/// A check and the name of its target.
type Check = (&'static str, fn(&[u8]));

/// Every check there is.
pub const CHECKS: [Check; 15] = [
    ("message", message),
    ("ack", ack),
    ("verdict", verdict),
    ("answer", answer),
    ("handoff", handoff),
    ("classify", classify),
    ("questions", questions),
    ("understanding", understanding),
    ("span", span),
    ("time", time),
    ("id", id),
    ("policy", policy),
    ("entry", entry),
    ("failures", failures),
    ("validation", validation),
];

/// A body of a request. Refusals name what is wrong, and space around the body changes nothing.
pub fn message(bytes: &[u8]) {
    let incoming = match parse(bytes) {
        Ok(incoming) => incoming,
        Err(ParseError::Fields { errors, .. }) => {
            assert!(!errors.is_empty(), "refused without a reason");
            return assert!(errors.iter().all(|error| !error.detail.is_empty()));
        }
        Err(
            ParseError::Syntax(_)
            | ParseError::TooDeep(_)
            | ParseError::Twice(_)
            | ParseError::UnknownExchange(_),
        ) => return,
    };
    assert!(incoming.to.len() <= MAX_RECIPIENTS);
    assert!(incoming.subject.as_ref().is_none_or(|subject| subject.len() <= MAX_SUBJECT));
    let raw: Value = serde_json::from_str(incoming.raw.get()).expect("the content is JSON");
    let raw = raw.as_object().expect("an object");
    let meant = in_text(raw).is_some_and(|meant| meant == *incoming.content);
    assert!(meant || *raw == *incoming.content, "the content to the byte is the content parsed");
    let spaced = parse(&[b" \n", bytes, b"\t"].concat()).expect("space around it changes nothing");
    assert_eq!((spaced.fingerprint(), &spaced.typed), (incoming.fingerprint(), &incoming.typed));
    let task = Task::of(&incoming.content, incoming.subject.as_deref().unwrap_or(""));
    assert!(task.title.chars().count() <= 1000, "a title is short");
    task.amended(&incoming.content);
}

/// A text with ACKs: one of each task, and each is the same answer in its canonical form. The texts in it may
/// lose marks of lists and emphasis on the way, never their being there.
pub fn ack(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    status_word(text);
    let readings = acks(text);
    let ids: BTreeSet<_> = readings.iter().map(|reading| reading.task_id().to_lowercase()).collect();
    assert_eq!(ids.len(), readings.len(), "one reading for each task");
    for reading in readings {
        if let AckReading::Ack(ack) = reading {
            let written = canonical(&ack);
            match acks(&written).as_slice() {
                [AckReading::Ack(again)] => assert_eq!(meaning(again), meaning(&ack), "{written:.500}"),
                others => panic!("{written:.500} reads as {} answers", others.len()),
            }
        }
    }
    assert_eq!(acks(&quoted(text)), [], "what is quoted is nobody's answer");
}

/// What an ACK says to the protocol.
fn meaning(ack: &AckText) -> (&str, AckStatus, Option<u32>, bool, bool, bool) {
    let (understood, reasoned) = (ack.understanding.is_some(), ack.reason.is_some());
    (&ack.task_id, ack.status, ack.revision, understood, ack.questions.is_empty(), reasoned)
}

/// A text with ACKs of handoffs: each is the same in one line, none is quoted, and none is ready that is rejected too.
pub fn handoff(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for ack in handoff_acks(text) {
        assert!(!ack.handoff_id.trim().is_empty(), "{ack:?}");
        assert!(ack.questions.iter().all(|question| !question.trim().is_empty()), "{ack:?}");
        let Some(status) = ack.status else { continue };
        let word = serde_json::to_value(status).expect("a word");
        let line = format!("[ACK] {} - {}", ack.handoff_id, word.as_str().unwrap_or_default());
        let again: Vec<_> = handoff_acks(&line).into_iter().map(|one| (one.handoff_id, one.status)).collect();
        assert_eq!(again, [(ack.handoff_id.clone(), Some(status))], "{line:.500}");
        let both = handoff_acks(&format!("[ACK] {} - REJECTED\n\n{text}", ack.handoff_id));
        let same = |one: &&HandoffAckText| one.handoff_id.to_lowercase() == ack.handoff_id.to_lowercase();
        let statuses: Vec<_> = both.iter().filter(same).map(|one| one.status).collect();
        assert!(matches!(statuses[..], [None | Some(handoff::AckStatus::Rejected)]), "{statuses:?}");
    }
    assert_eq!(handoff_acks(&quoted(text)), [], "what is quoted is nobody's answer");
}

/// An answer before an operation: quoted it says nothing, and with a "cancel" of its own it cancels.
pub fn answer(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let read = answering(text, None);
    assert_eq!(answering(&quoted(text), None), Answer::Information, "what is quoted is nobody's answer");
    assert!(answering(text, Some(true)) >= read.max(Answer::Ready), "a careful word counts");
    assert!(answering(text, Some(false)) >= read.max(Answer::Wait));
    assert_eq!(answering(&format!("cancel\n\n{text}"), None), Answer::Cancel);
    sentences(text);
}

/// The same text as said by whoever works, fixes, checks or decides: quoted it moves nothing.
fn sentences(text: &str) {
    let about = About { ids: &["GH-42", "FIXREQ-42-1"], title: "Add a login page" };
    let options = ["retry", "reassign", "extend", "abort"];
    let moves = |text: &str| {
        let stopped = |asked| matches!(compliance(text, asked, &about), Compliance::Confirmed { .. });
        [
            matches!(report(text, &about), WorkReport::Completed { .. } | WorkReport::Checkpoint { .. }),
            [StopOrder::Stop, StopOrder::Pause, StopOrder::Resume].into_iter().any(stopped),
            judgement(text).is_some(),
            decision(text, &options, &about).is_some(),
            found(text, &about).is_some(),
            matches!(fix(text, &about), FixReply::Acknowledged | FixReply::Fixed(_) | FixReply::CannotFix(_)),
            reply(text) == Reply::Answers,
            object(text).is_some(),
        ]
    };
    moves(text);
    assert_eq!(moves(&quoted(text)), [false; 8], "what is quoted moves nothing");
}

/// A text with verdicts: one of each task, and none that is quoted.
pub fn verdict(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let read = verdicts(text);
    let ids: BTreeSet<_> = read.iter().map(|reading| reading.task_id().to_lowercase()).collect();
    assert_eq!(ids.len(), read.len(), "one verdict for each task");
    let says_what = |reading: &VerdictReading| match reading {
        VerdictReading::Verdict(verdict) => verdict.missing.iter().all(|item| !item.trim().is_empty()),
        VerdictReading::Contradiction { .. } => true,
    };
    assert!(read.iter().all(says_what));
    assert_eq!(verdicts(&quoted(text)), [], "what is quoted is nobody's verdict");
}

/// A subject and a body. What is quoted is no task; what a task has says something.
pub fn classify(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (subject, body) = text.split_once('\0').unwrap_or(("", text));
    if let Some(task) = classifying::classify(Some(subject), body) {
        let told = [&task.task_id, &task.title].into_iter().flatten().chain(&task.criteria);
        told.for_each(|text| assert!(!text.trim().is_empty(), "{task:?}"));
    }
    assert_eq!(classifying::classify(Some(subject), &quoted(body)), None);
}

/// Questions: more of them are never vaguer.
pub fn questions(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let list: Vec<String> = text.split('\0').map(str::to_owned).collect();
    assert!(!asked::vague(&list) || list.iter().all(|one| asked::vague(std::slice::from_ref(one))));
}

/// Task id, title, description, understanding, criteria.
pub fn understanding(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut parts = text.split('\0');
    let mut next = || parts.next().unwrap_or("");
    let (task_id, title, description, said) = (next(), next(), next(), next());
    let criteria: Vec<String> = parts.map(str::to_owned).collect();
    let scored = score(&TaskText { task_id, title, titled: true, description, criteria: &criteria }, said);
    assert!(scored.score <= 1000);
    let all = || scored.covered.iter().chain(&scored.missing);
    assert!(all().all(|index| usize::from(*index) < criteria.len()), "{scored:?}");
    assert_eq!(all().collect::<BTreeSet<_>>().len(), all().count(), "both covered and missing: {scored:?}");
    assert!(scored.ruling != Ruling::Correct || scored.missing.is_empty(), "{scored:?}");
    assert!(scored.ruling != Ruling::Correct || !said.trim().is_empty(), "nothing was said");
}

/// A duration, as text and as JSON: written as it is read.
pub fn span(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let read = [text.parse::<Span>().ok(), serde_json::from_str(text).ok()];
    for span in read.into_iter().flatten() {
        assert_eq!(span.to_string().parse(), Ok(span));
        let json = serde_json::to_string(&span).expect("a span as JSON");
        assert_eq!(serde_json::from_str::<Span>(&json).ok(), Some(span));
    }
}

/// An instant: written as it is read.
pub fn time(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(time) = text.parse::<Time>() {
        assert_eq!(time.to_string().parse(), Ok(time));
        assert!(time.plus(Span::seconds(1)) >= time);
    }
}

/// The id of an exchange or an escalation: each has one spelling.
pub fn id(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(id) = text.parse::<ExchangeId>() {
        assert_eq!(id.to_string(), text);
    }
    if let Ok(id) = text.parse::<EscalationId>() {
        assert_eq!(id.to_string(), text);
    }
}

/// The keys of a policy. A bad one is named; a good policy survives being written down.
pub fn policy(bytes: &[u8]) {
    let Ok(overrides) = serde_json::from_slice::<Overrides>(bytes) else { return };
    let mut policy = Policy::default();
    match policy.set_all(&overrides) {
        Err(bad) => {
            assert!(!bad.is_empty(), "refused without a reason");
            // It may say which of a list it is: `retry_timeouts/1`.
            let given = |key: &str| {
                let list = key.rsplit_once('/').map(|(list, _)| list);
                overrides.contains_key(key) || list.is_some_and(|list| overrides.contains_key(list))
            };
            assert!(bad.iter().all(|bad| given(&bad.key)));
        }
        Ok(()) => {
            assert!(overrides.keys().all(|key| KEYS.contains(&key.as_str())), "an unknown key was taken");
            assert!(!policy.ack_timeout.is_zero() && !policy.review_timeout.is_zero());
            let json = serde_json::to_value(&policy).expect("a policy as JSON");
            assert_eq!(serde_json::from_value::<Policy>(json).ok(), Some(policy));
        }
    }
}

/// An entry of the journal: what was read is written so that the same is read again.
pub fn entry(bytes: &[u8]) {
    let Ok(entry) = Entry::from_bytes(bytes) else { return };
    let written = entry.to_bytes();
    let again = Entry::from_bytes(&written).expect("an entry that was written can be read");
    assert_eq!(again, entry);
    assert_eq!(again.to_bytes(), written);
}

/// What a program printed: always some failures, and never too many. Order and repeats do not matter to their
/// fingerprints, and neither does the line.
pub fn failures(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut found = printed("cmd:unit", text, "", 1);
    assert!(!found.is_empty() && found.len() <= MAX_FAILURES);
    found.extend(item(text));
    let seen = digest(&found);
    assert!(fingerprints(&found).len() <= found.len());
    let moved = found.iter().rev().chain(&found).map(|failure| match failure.location.as_str() {
        "cmd:unit" => Failure { location: "cmd:unit:12:7".to_owned(), ..failure.clone() },
        _ => failure.clone(),
    });
    assert_eq!(digest(&moved.collect::<Vec<_>>()), seen);
}

/// An answer in a validation: whole, the same when it is written anew, and none when it is quoted.
pub fn validation(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    message_id(text);
    reading(text);
    // Signs for a terminal are not passed on.
    let text = &visible(text);
    if let Some(read) = reading(text) {
        match &read.answer {
            Checked::Result { finding, failures, .. } => {
                assert_eq!(failures.is_empty(), *finding != Finding::Fail, "{read:?}");
            }
            Checked::Fixed { fixes, .. } => assert!(!fixes.is_empty()),
            Checked::CannotFix { reason } => assert!(!reason.trim().is_empty()),
            Checked::Acknowledged | Checked::Unreadable { .. } => return,
        }
        let written = answered("VALRES-42-unit-1", "unit", Time::from_millis(0), &read.answer);
        let again = reading(&written).map(|again| said(&again.answer));
        assert_eq!(again, Some(said(&read.answer)), "{written:.2000}");
    }
    assert_eq!(reading(&quoted(text)), None, "what is quoted is nobody's answer");
}

/// What an answer says to the protocol, and in which words to those who go on with it. Signs alone are no words.
fn said(answer: &Checked) -> (Option<Finding>, Vec<String>) {
    let words = |text: &String| {
        let words = text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
        words.collect::<Vec<_>>().join(" ")
    };
    match answer {
        Checked::Result { finding, failures, error, .. } => {
            let parts = |failure: &Failure| {
                let Failure { location, error, suggestion } = failure;
                [location, error].into_iter().chain(suggestion).map(words).collect::<Vec<_>>().join(" | ")
            };
            (Some(*finding), failures.iter().map(parts).chain(error.iter().map(words)).collect())
        }
        Checked::Fixed { fixes, .. } => (None, fixes.iter().map(words).collect()),
        Checked::CannotFix { reason } => (None, vec![words(reason)]),
        Checked::Acknowledged | Checked::Unreadable { .. } => (None, Vec::new()),
    }
}

fn quoted(text: &str) -> String {
    text.split('\n').map(|line| format!("> {line}\n")).collect()
}

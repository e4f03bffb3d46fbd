//! Acknowledgments in text form: `[ACK] GH-42 - RECEIVED` with an understanding, questions, a reason
//! or a note below.
//!
//! Reads what an agent says about which task. Whether that task exists, is this agent's, and whether
//! the understanding is right, others decide.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use wilco_protocol::delegation::AckStatus;

use super::block::{self, Block, Key};
use super::said::{ReadWord, word_of};
use super::tags::as_taught;
use super::text;

/// One acknowledgment, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AckText {
    pub task_id: String,
    pub status: AckStatus,
    pub revision: Option<u32>,
    pub understanding: Option<String>,
    pub questions: Vec<String>,
    /// Why the task is rejected; a rejection without `Reason:` gives its note as the reason.
    pub reason: Option<String>,
    pub note: Option<String>,
}

/// What a body says about one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AckReading {
    Ack(AckText),
    /// Several answers that cannot all be meant; none of them counts.
    Contradiction {
        task_id: String,
    },
}

/// Every task a body acknowledges, in the order of their first mention.
pub fn acks(body: &str) -> Vec<AckReading> {
    let body = &*as_taught(body);
    let blocks = block::blocks(body, "ACK", |block| status(block).is_some());
    let mut readings: Vec<AckReading> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for reading in blocks.into_iter().filter_map(reading) {
        match seen.entry(reading.task_id().to_lowercase()) {
            Entry::Occupied(at) => readings[*at.get()].merge(reading),
            Entry::Vacant(free) => {
                free.insert(readings.len());
                readings.push(reading);
            }
        }
    }
    readings
}

impl AckReading {
    /// The task it speaks of, as written.
    pub fn task_id(&self) -> &str {
        match self {
            AckReading::Ack(ack) => &ack.task_id,
            AckReading::Contradiction { task_id } => task_id,
        }
    }

    fn merge(&mut self, other: AckReading) {
        match (&mut *self, other) {
            (AckReading::Ack(ack), AckReading::Ack(other)) if agree(ack.status, other.status) => {
                ack.revision = ack.revision.max(other.revision);
                ack.understanding = ack.understanding.take().or(other.understanding);
                ack.reason = ack.reason.take().or(other.reason);
                ack.note = ack.note.take().or(other.note);
                if ack.questions.is_empty() {
                    ack.questions = other.questions;
                }
            }
            (AckReading::Ack(_) | AckReading::Contradiction { .. }, _) => {
                let task_id = self.task_id().to_owned();
                *self = AckReading::Contradiction { task_id };
            }
        }
    }
}

/// Received and confirmed both take the task on.
fn agree(a: AckStatus, b: AckStatus) -> bool {
    let accepts = |status| matches!(status, AckStatus::Received | AckStatus::Confirmed);
    a == b || (accepts(a) && accepts(b))
}

/// The one form Wilco teaches and writes; it reads back as the same acknowledgment.
pub fn canonical(ack: &AckText) -> String {
    let revision = ack.revision.map_or(String::new(), |n| format!(" r{n}"));
    let word = match ack.status {
        AckStatus::Received => "RECEIVED",
        AckStatus::NeedsClarification => "CLARIFICATION_NEEDED",
        AckStatus::Confirmed => "CONFIRMED",
        AckStatus::Rejected => "REJECTED",
        AckStatus::Queued => "QUEUED",
    };
    let mut text = format!("[ACK] {}{revision} - {word}", ack.task_id);
    let mut line = |key: &str, value: &Option<String>| {
        if let Some(value) = value {
            text.push_str(&format!("\n{key}: {}", one_line(value)));
        }
    };
    line("Understanding", &ack.understanding);
    line("Reason", &ack.reason);
    line("Note", &ack.note);
    if !ack.questions.is_empty() {
        text.push_str("\nQuestions:");
        for (at, question) in ack.questions.iter().enumerate() {
            text.push_str(&format!("\n{}. {}", at + 1, one_line(question)));
        }
    }
    text
}

/// On one line, and not beginning like a code fence, which would swallow what follows, or like another acknowledgment.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = line.as_str();
    while rest.starts_with("```") || rest.starts_with("~~~") {
        rest = rest.trim_start_matches(['`', '~', ' ']);
    }
    if block::heads(rest) { format!("\"{rest}\"") } else { rest.to_owned() }
}

fn status(block: &Block) -> Option<ReadWord<AckStatus>> {
    word_of(block, text_word)
}

fn reading(mut block: Block) -> Option<AckReading> {
    let said = status(&block)?;
    let remark = said.remark.and_then(|remark| block.take_remark(&remark));
    let below = block.text(Key::Note).into_iter().chain(block.loose_items());
    let takes_back = remark.as_deref().is_some_and(|remark| refuses(remark) || gives_back(remark))
        || below.into_iter().any(|text| gives_back(&text));
    let accepts = matches!(said.word, AckStatus::Received | AckStatus::Confirmed);
    if said.contradicted || (accepts && takes_back) {
        return Some(AckReading::Contradiction { task_id: block.id });
    }
    let note = block.text(Key::Note).or(remark);
    let reason = block.text(Key::Reason);
    Some(AckReading::Ack(AckText {
        status: said.word,
        revision: block.revision,
        understanding: block.text(Key::Understanding),
        questions: questions(&block, said.word),
        reason: match said.word {
            AckStatus::Rejected => reason.or_else(|| note.clone()),
            AckStatus::Received
            | AckStatus::NeedsClarification
            | AckStatus::Confirmed
            | AckStatus::Queued => reason,
        },
        note,
        task_id: block.id,
    }))
}

/// What stands below an ACK and takes it back: "On second thought I cannot take it".
fn gives_back(said: &str) -> bool {
    const GIVES_BACK: [&str; 8] = [
        "second thought",
        "not work on it",
        "cannot take it",
        "can't take it",
        "won't take it",
        "not take it",
        "give it to",
        "won't work on",
    ];
    let lower = said.to_lowercase().replace('’', "'");
    let lower = lower.split_whitespace().collect::<Vec<_>>().join(" ");
    GIVES_BACK.iter().any(|phrase| lower.contains(phrase))
}

/// "RECEIVED but I cannot take it": no acceptance, whatever the first word says.
pub(super) fn refuses(remark: &str) -> bool {
    const REFUSALS: [&str; 18] = [
        "cannot",
        "can't",
        "cant",
        "unable",
        "won't",
        "wont",
        "reject",
        "rejected",
        "rejecting",
        "decline",
        "declined",
        "refuse",
        "away",
        "tomorrow",
        "missing",
        "except",
        "once",
        "forwarding",
    ];
    let remark = remark.to_lowercase().replace('’', "'");
    remark.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| REFUSALS.contains(&word))
        || remark.starts_with("not ")
}

/// Nobody answers more, and the number of a list item has three digits.
const MOST_QUESTIONS: usize = 999;

/// The questions asked; "none" is not one. A clarification may ask without saying `Questions:`.
fn questions(block: &Block, status: AckStatus) -> Vec<String> {
    let mut questions: Vec<String> =
        block.items(Key::Questions).iter().flat_map(|item| sentences(item)).collect();
    if questions.is_empty() && status == AckStatus::NeedsClarification {
        let asks = block.loose_items().into_iter().filter(|item| item.ends_with('?'));
        questions = asks.flat_map(|item| sentences(&item)).collect();
        if questions.is_empty() {
            // It goes on below the understanding and asks there.
            questions = asked_in(&block.text(Key::Understanding).unwrap_or_default());
        }
    }
    questions.retain(|question| asks(question));
    questions.truncate(MOST_QUESTIONS);
    questions
}

/// The sentences of a text that ask.
fn asked_in(text: &str) -> Vec<String> {
    let asking = text.split_inclusive(['.', '?', '!']).map(str::trim).filter(|part| part.ends_with('?'));
    asking.map(str::to_owned).collect()
}

/// "Should it be A? And B?" asks twice.
fn sentences(item: &str) -> Vec<String> {
    let parts = item.split_inclusive("? ").map(str::trim).map(str::to_owned);
    if item.matches("? ").count() == 0 || !item.ends_with('?') {
        return vec![item.to_owned()];
    }
    parts.collect()
}

/// Whether it is a question: "none" is not, nor "none, thank you".
pub fn asks(question: &str) -> bool {
    let head = question.split(',').next().filter(|_| !question.contains('?')).unwrap_or(question);
    question.contains(char::is_alphanumeric) && !none(head)
}

fn none(question: &str) -> bool {
    let words = text::fold(question.trim_end_matches(['.', '!']));
    matches!(
        words.as_str(),
        "none"
            | "no"
            | "nil"
            | "n/a"
            | "na"
            | "nothing"
            | "no-questions"
            | "none-so-far"
            | "none-at-this-time"
            | "no-questions-at-this-time"
            | "none-for-now"
            | "no-open-questions"
            | "no-questions-so-far"
            | "no-questions-for-now"
            | "none-at-the-moment"
            | "not-applicable"
            | "no-questions-at-the-moment"
            | "i-have-no-questions"
            | "none-yet"
            | "no-further-questions"
    )
}

/// Whether a task id comes back from the text form as it was written.
pub fn readable(task_id: &str) -> bool {
    // Every assignment is asked several times, and nearly all ids are plain.
    is_plain(task_id) || comes_back(task_id)
}

/// Letters, digits and joints, a digit among them: nothing that is trimmed, no word of the form.
fn is_plain(task_id: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    task_id.bytes().all(known) && task_id.bytes().any(|byte| byte.is_ascii_digit())
}

fn comes_back(task_id: &str) -> bool {
    ["", " r2"].iter().all(|revision| {
        let readings = acks(&format!("[ACK] {task_id}{revision} - RECEIVED"));
        matches!(readings.as_slice(), [AckReading::Ack(ack)] if ack.task_id == task_id)
    })
}

/// A status in either vocabulary, in any case, joined by `-`, `_` or a space.
///
/// A small slip of the keyboard is forgiven when only one status can be meant.
pub fn status_word(word: &str) -> Option<AckStatus> {
    exact_status(word).or_else(|| misspelt(&text::fold(word)))
}

/// The same without forgiveness, for programs.
pub fn exact_status(word: &str) -> Option<AckStatus> {
    let word = text::fold(word);
    WORDS.iter().find(|(known, _)| *known == word).map(|(_, status)| *status)
}

/// In words `OK` takes the task too.
fn text_word(word: &str) -> Option<AckStatus> {
    let taken = text::fold(word) == "ok";
    if taken { Some(AckStatus::Received) } else { status_word(word) }
}

const WORDS: [(&str, AckStatus); 6] = [
    ("received", AckStatus::Received),
    ("needs-clarification", AckStatus::NeedsClarification),
    ("clarification-needed", AckStatus::NeedsClarification),
    ("confirmed", AckStatus::Confirmed),
    ("rejected", AckStatus::Rejected),
    ("queued", AckStatus::Queued),
];

/// No slip makes a status longer than this, and comparing long texts is dear.
const LONGEST: usize = 32;

fn misspelt(word: &str) -> Option<AckStatus> {
    if word.len() > LONGEST {
        return None;
    }
    let distance = |known: &str| strsim::osa_distance(word, known);
    let (known, status) = WORDS.iter().min_by_key(|(known, _)| distance(known))?;
    let near = known.split('-').count() == word.split('-').count()
        && known.split('-').zip(word.split('-')).all(|(known, part)| {
            part.chars().next() == known.chars().next() && strsim::osa_distance(part, known) <= 1
        });
    // The next word must be clearly farther, so that a rejection never reads as an acceptance.
    let alone = WORDS
        .iter()
        .filter(|(_, other)| other != status)
        .all(|(other, _)| distance(other) >= distance(known) + 2);
    (near && alone).then_some(*status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_id_comes_back() {
        let letters = ["", "a", "r", "T", "7", "-", "_", "task", "rev"];
        for parts in (0..letters.len().pow(4)).map(|number| [1, 9, 81, 729].map(|place| number / place % 9)) {
            let id: String = parts.iter().map(|part| letters[*part]).collect();
            assert!(!is_plain(&id) || comes_back(&id), "{id:?}");
        }
        assert!(is_plain("GH-42_feature") && !is_plain("task") && !is_plain("a b1") && !is_plain(""));
        assert!(comes_back("ä1") && !comes_back("task") && !comes_back("two words"));
    }
}

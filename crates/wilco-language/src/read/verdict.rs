//! Verdicts in text form: `[VERDICT] GH-42 - PARTIAL` with a correction, what is missing, or a note.
//!
//! Reads what an initiator says. Whether it may say so now, and what each verdict requires, others
//! decide.

use std::collections::{HashMap, HashSet};

use wilco_protocol::delegation::Verdict;

use super::block::{self, Block, Key};
use super::said::{ReadWord, word_of};
use super::sentence::{Sentence, sentences};
use super::tags::as_taught;
use super::text;
use super::turns::{Turn, turn_of};

/// One verdict, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictText {
    pub task_id: String,
    pub verdict: Verdict,
    pub correction: Option<String>,
    pub missing: Vec<String>,
    pub note: Option<String>,
}

/// What a body says of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VerdictReading {
    Verdict(VerdictText),
    /// The task is judged in two ways, so neither counts.
    Contradiction {
        task_id: String,
    },
}

impl VerdictReading {
    /// The task it speaks of, as written.
    pub fn task_id(&self) -> &str {
        match self {
            VerdictReading::Verdict(verdict) => &verdict.task_id,
            VerdictReading::Contradiction { task_id } => task_id,
        }
    }
}

/// What a body says of each task that it judges.
pub fn verdicts(body: &str) -> Vec<VerdictReading> {
    let body = &*as_taught(body);
    let blocks = block::blocks(body, "VERDICT", |block| verdict(block).is_some());
    let mut verdicts: Vec<VerdictText> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut unclear: HashSet<usize> = HashSet::new();
    for (read, contradicted) in blocks.into_iter().filter_map(reading) {
        let at = *seen.entry(read.task_id.to_lowercase()).or_insert(verdicts.len());
        let differs = verdicts.get(at).is_some_and(|known| known.verdict != read.verdict);
        if contradicted || differs {
            unclear.insert(at);
        }
        if at == verdicts.len() {
            verdicts.push(read);
        }
    }
    let read = |(at, verdict): (usize, VerdictText)| match unclear.contains(&at) {
        true => VerdictReading::Contradiction { task_id: verdict.task_id },
        false => VerdictReading::Verdict(verdict),
    };
    verdicts.into_iter().enumerate().map(read).collect()
}

fn verdict(block: &Block) -> Option<ReadWord<Verdict>> {
    word_of(block, verdict_word)
}

fn verdict_word(word: &str) -> Option<Verdict> {
    let word = text::fold(word);
    const VERDICTS: [Verdict; 4] =
        [Verdict::Correct, Verdict::WrongTask, Verdict::WrongSummary, Verdict::Partial];
    VERDICTS.into_iter().find(|verdict| verdict.word() == word)
}

fn reading(mut block: Block) -> Option<(VerdictText, bool)> {
    let said = verdict(&block)?;
    let remark = said.remark.and_then(|remark| block.take_remark(&remark));
    let mut missing: Vec<String> = block.items(Key::Missing).iter().flat_map(|item| parts(item)).collect();
    let mut correction = block.text(Key::Correction);
    // What stands below without a key is what the verdict needs.
    let beside = || remark.clone().into_iter().chain(block.loose_items());
    match said.word {
        Verdict::WrongSummary if correction.is_none() => {
            correction = Some(beside().collect::<Vec<_>>().join("\n")).filter(|text| !text.is_empty());
        }
        Verdict::Partial if missing.is_empty() => missing = beside().collect(),
        Verdict::WrongSummary | Verdict::Partial | Verdict::Correct | Verdict::WrongTask => {}
    }
    // `CORRECT (but per account)`
    let except = remark.as_deref().is_some_and(|remark| {
        sentences(remark).iter().any(|one| turn_of(one, &[Turn::Remainder, Turn::Later]).is_some())
    });
    let block_words: Vec<String> =
        remark.clone().into_iter().chain(block.loose_items()).chain(block.text(Key::Note)).collect();
    let read = VerdictText {
        verdict: said.word,
        correction,
        missing,
        note: block.text(Key::Note).or(remark),
        task_id: block.id,
    };
    let objects = read.verdict == Verdict::Correct
        && (except || read.correction.is_some() || !read.missing.is_empty() || is_turned(&block_words));
    Some((read, said.contradicted || objects))
}

/// Something below a CORRECT that takes it back: `Wait, no, the criteria are not in it.`
fn is_turned(said: &[String]) -> bool {
    const LACKS: [&str; 6] = ["not in it", "missing", "not mentioned", "please add", "not correct", "wrong"];
    let turns = |one: &Sentence| {
        one.asks
            || turn_of(one, &[Turn::TakenBack, Turn::Undone]).is_some()
            || (one.has(&LACKS) && !one.has(&["nothing"]))
    };
    said.iter().flat_map(|text| sentences(text)).any(|one| turns(&one))
}

/// "logout; refresh tokens" on one line names two things.
fn parts(item: &str) -> Vec<String> {
    let parts = item.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

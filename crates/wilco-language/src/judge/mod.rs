//! What the answer of a judge leads to: a model or a program says what it thinks of an understanding, and this rule says
//! what counts of it.
//!
//! It accepts only what the judge found whole, what does not speak to the judge, and what Wilco's own look finds no
//! contradiction in. Whoever asks a judge (the courier, `wilco judge`, the simulator) asks this rule too.

mod addressed;
mod folded;
mod look;
mod other_task;

use serde_json::{Value, json};
use wilco_protocol::MessageId;
use wilco_protocol::decision::Report;
use wilco_protocol::delegation::Verdict;
use wilco_protocol::judgement::{JudgeRecord, JudgeWord};

use crate::read::understanding::{Contradiction, ContradictionKind, TaskText};
pub use addressed::speaks_to_the_judge;
pub use other_task::{OtherTask, other_task, possible_ids};

/// What is judged: a task, and what its agent understood.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JudgeCase {
    pub task_id: String,
    /// What else it is called: the tasks of a handoff.
    pub also_called: Vec<String>,
    pub title: String,
    /// With what amendments said in words.
    pub description: String,
    pub criteria: Vec<String>,
    pub questions: Vec<String>,
    pub answers: Vec<String>,
    pub understanding: String,
    /// Ids of other open tasks that the understanding names.
    pub other_tasks: Vec<String>,
}

/// What a judge said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgeOpinion {
    /// By the numbers of the criteria.
    Numbered { verdict: JudgeWord, covered: Vec<u16>, missing: Vec<u16>, added: Vec<String>, reason: String },
    /// A program's, in the words of an initiator's verdict.
    Worded { verdict: Verdict, correction: Option<String>, missing: Vec<String> },
}

/// What follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgeOutcome {
    Accepted,
    /// What is missing, in the task's own words.
    Supplement {
        missing: Vec<String>,
    },
    /// The right understanding; none: the task is sent again, with its id spelled out.
    Correction {
        verdict: Verdict,
        correction: Option<String>,
    },
    Initiator {
        why: String,
    },
}

impl JudgeOutcome {
    pub fn word(&self) -> &'static str {
        match self {
            JudgeOutcome::Accepted => "accepted",
            JudgeOutcome::Supplement { .. } => "supplement",
            JudgeOutcome::Correction { .. } => "correction",
            JudgeOutcome::Initiator { .. } => "initiator",
        }
    }
}

/// Longer than this altogether, and a judge is not asked: what it would not see cannot be accepted.
pub const LONGEST_CASE: usize = 100_000;

impl JudgeCase {
    /// As an order to the courier holds it.
    pub fn of(payload: &Value) -> JudgeCase {
        let (task, ack) = (&payload["task"], &payload["acknowledgment"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let texts = |value: &Value| -> Vec<String> {
            let entries = value.as_array().into_iter().flatten();
            entries.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        JudgeCase {
            task_id: text(&task["task_id"]),
            also_called: texts(&task["also_called"]),
            title: text(&task["title"]),
            description: text(&task["description"]),
            criteria: texts(&task["acceptance_criteria"]),
            questions: texts(&task["questions"]),
            answers: texts(&task["answers"]),
            understanding: text(&ack["understanding"]),
            other_tasks: texts(&ack["other_tasks"]),
        }
    }

    /// As an order to the courier would hold it.
    pub fn payload(&self) -> Value {
        json!({
            "task": {
                "task_id": self.task_id,
                "title": self.title,
                "description": self.description,
                "acceptance_criteria": self.criteria,
            },
            "acknowledgment": {"understanding": self.understanding},
        })
    }

    /// All its texts with their names.
    pub fn parts(&self) -> Vec<(&'static str, String)> {
        let numbered = |list: &[String]| {
            // Further lines are set in, so that none of them looks like the next number.
            let line =
                |(at, text): (usize, &String)| format!("{}. {}", at + 1, text.trim().replace('\n', "\n   "));
            list.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
        };
        let parts = [
            ("title", self.title.clone()),
            ("description", self.description.clone()),
            ("criteria", numbered(&self.criteria)),
            ("questions", numbered(&self.questions)),
            ("answers", self.answers.join("\n")),
            ("understanding", self.understanding.clone()),
        ];
        parts.into_iter().filter(|(_, text)| !text.trim().is_empty()).collect()
    }

    /// Whether a judge would have to read more than it is given.
    pub fn is_too_long(&self) -> bool {
        self.parts().iter().map(|(_, text)| text.len()).sum::<usize>() > LONGEST_CASE
    }

    /// Everything but what the agent said.
    fn task_words(&self) -> String {
        let parts = self.parts();
        let own = parts.iter().filter(|(name, _)| *name != "understanding");
        own.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// What Wilco's own look finds wrong with it.
    fn contradiction(&self) -> Option<Contradiction> {
        let own: Vec<&str> =
            [&self.task_id].into_iter().chain(&self.also_called).map(String::as_str).collect();
        if let Some(other) = other_task(&own, &self.task_words(), &self.understanding, &self.other_tasks) {
            return Some(Contradiction { kind: ContradictionKind::TaskId, word: other.id });
        }
        let said = [&self.questions, &self.answers].into_iter().flatten();
        let description: Vec<&str> =
            [&self.description].into_iter().chain(said).map(String::as_str).collect();
        let task = TaskText {
            task_id: &self.task_id,
            title: &self.title,
            titled: true,
            description: &description.join("\n"),
            criteria: &self.criteria,
        };
        look::contradiction(&task, &self.understanding)
    }
}

/// What follows from what a judge said of a case.
pub fn outcome(case: &JudgeCase, opinion: &JudgeOpinion) -> JudgeOutcome {
    let initiator = |why: String| JudgeOutcome::Initiator { why };
    if let Some(words) = speaks_to_the_judge(&case.understanding, &case.task_words()) {
        return initiator(format!(
            "the ACK speaks to the judge ({words:?}), so nothing that the judge says of it counts; {}",
            said(opinion)
        ));
    }
    let found = match opinion {
        JudgeOpinion::Numbered { verdict, covered, missing, added, reason } => {
            numbered(case, *verdict, [covered, missing], added, reason)
        }
        JudgeOpinion::Worded { verdict, correction, missing } => {
            worded(*verdict, correction.as_deref(), missing)
        }
    };
    match (found, case.contradiction()) {
        (Err(doubt), _) => initiator(format!("{}; {doubt}", said(opinion))),
        (Ok(JudgeOutcome::Accepted), Some(other)) => {
            initiator(format!("{}; Wilco itself finds {} in the understanding", said(opinion), named(&other)))
        }
        (Ok(outcome), _) => outcome,
    }
}

/// What is reported to the exchange. Who was asked only to be compared settles nothing.
pub fn report(ack: &MessageId, record: JudgeRecord, outcome: JudgeOutcome) -> Report {
    let (ack, shadow, judge) = (ack.clone(), record.shadow, Box::new(record));
    let (verdict, correction, missing) = match outcome {
        _ if shadow => return Report::JudgeDeferred { ack, judge, why: None },
        JudgeOutcome::Initiator { why } => return Report::JudgeDeferred { ack, judge, why: Some(why) },
        JudgeOutcome::Accepted => (Verdict::Correct, None, Vec::new()),
        JudgeOutcome::Supplement { missing } => (Verdict::Partial, None, missing),
        JudgeOutcome::Correction { verdict, correction } => (verdict, correction, Vec::new()),
    };
    Report::Judged { ack, verdict, correction, missing, judge: Some(judge) }
}

/// An error says why it counts for nothing.
fn numbered(
    case: &JudgeCase,
    verdict: JudgeWord,
    [covered, missing]: [&[u16]; 2],
    added: &[String],
    reason: &str,
) -> Result<JudgeOutcome, String> {
    let count = case.criteria.len();
    let is_one = |number: &u16| (1..=count).contains(&usize::from(*number));
    if let Some(none) = covered.iter().chain(missing).find(|number| !is_one(number)) {
        return Err(format!("it names criterion {none}, and the task has {count}"));
    }
    let whole = || (1..=count).find(|number| !covered.iter().any(|one| usize::from(*one) == *number));
    let texts = |numbers: &[u16]| -> Vec<String> {
        let chosen = case
            .criteria
            .iter()
            .enumerate()
            .filter(|(at, _)| numbers.iter().any(|number| usize::from(*number) == at + 1));
        chosen.map(|(_, text)| text.clone()).collect()
    };
    match verdict {
        JudgeWord::Correct if !missing.is_empty() => Err("yet it lists criteria as missing".to_owned()),
        JudgeWord::Correct if !added.is_empty() => {
            Err(format!("yet it finds something added: {}", added.join("; ")))
        }
        JudgeWord::Correct => match whole() {
            Some(number) => Err(format!("yet it does not list criterion {number} as covered")),
            None => Ok(JudgeOutcome::Accepted),
        },
        JudgeWord::Partial if missing.is_empty() => {
            Err("it does not say which criterion is missing".to_owned())
        }
        JudgeWord::Partial => Ok(JudgeOutcome::Supplement { missing: texts(missing) }),
        JudgeWord::WrongSummary => Ok(corrected(case, Verdict::WrongSummary, reason)),
        JudgeWord::WrongTask => Ok(corrected(case, Verdict::WrongTask, reason)),
        JudgeWord::Unsure => Err("it leaves the verdict to you".to_owned()),
    }
}

fn worded(verdict: Verdict, correction: Option<&str>, missing: &[String]) -> Result<JudgeOutcome, String> {
    let correction = correction.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    match verdict {
        Verdict::Correct => Ok(JudgeOutcome::Accepted),
        Verdict::WrongTask => Ok(JudgeOutcome::Correction { verdict, correction: None }),
        Verdict::WrongSummary if correction.is_none() => Err("its verdict lacks a correction".to_owned()),
        Verdict::WrongSummary => Ok(JudgeOutcome::Correction { verdict, correction }),
        Verdict::Partial if missing.is_empty() => Err("its verdict lacks what is missing".to_owned()),
        Verdict::Partial => Ok(JudgeOutcome::Supplement { missing: missing.to_vec() }),
    }
}

/// The task's own words, and why the others are wrong.
fn corrected(case: &JudgeCase, verdict: Verdict, reason: &str) -> JudgeOutcome {
    let mut own = vec![case.title.clone()];
    own.extend(case.criteria.iter().cloned());
    let own = own.into_iter().filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join("; ");
    let why = Some(reason.trim()).filter(|reason| !reason.is_empty());
    let correction = match why {
        Some(why) => format!("{own} (the judge finds: {why})"),
        None => own,
    };
    JudgeOutcome::Correction { verdict, correction: Some(correction) }
}

/// The judge's own words.
fn said(opinion: &JudgeOpinion) -> String {
    let (word, reason) = match opinion {
        JudgeOpinion::Numbered { verdict, reason, .. } => (verdict.word(), reason.trim()),
        JudgeOpinion::Worded { verdict, correction, .. } => {
            (verdict.word(), correction.as_deref().unwrap_or_default().trim())
        }
    };
    match reason {
        "" => format!("the judge says {word}"),
        reason => format!("the judge says {word}: {reason}"),
    }
}

fn named(found: &Contradiction) -> String {
    let word = &found.word;
    match found.kind {
        ContradictionKind::TaskId => format!("another task's id ({word})"),
        ContradictionKind::Number => format!("another number ({word})"),
        ContradictionKind::Name => format!("another name ({word})"),
        ContradictionKind::Negation => {
            format!("a negation that the task does not make, or one that is gone ({word})")
        }
        ContradictionKind::Direction => format!("a word that turns the meaning ({word})"),
    }
}

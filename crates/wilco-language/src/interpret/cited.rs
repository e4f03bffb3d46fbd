//! The messages that a state only cites, and the texts in them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use wilco_protocol::delegation::Verdict;
use wilco_protocol::exchange::{CheckpointText, Failure, Printed, Texts};
use wilco_protocol::{MessageId, Name};

use crate::parse::{Task, in_text};
use crate::read::ack::{AckReading, AckText, acks, asks};
use crate::read::handoff_ack::{HandoffAckText, handoff_acks};
use crate::read::judgement::judgement;
use crate::read::result as in_words;
use crate::read::validation::{Answer, reading};
use crate::read::verdict::{VerdictReading, VerdictText, verdicts};
use crate::read::words::{Word, checkpoint, words};

/// Messages, and what commands printed by agent.
#[derive(Debug, Clone, Default)]
pub struct Cited(Vec<Quoted>, BTreeMap<Name, Printed>);

#[derive(Debug, Clone)]
struct Quoted {
    id: MessageId,
    subject: String,
    content: Arc<Map<String, Value>>,
}

impl Cited {
    /// One that is there already stays as it is.
    pub fn add(&mut self, id: MessageId, subject: String, content: Arc<Map<String, Value>>) {
        if self.quoted(&id).is_none() {
            let content = in_text(&content).map_or(content, Arc::new);
            self.0.push(Quoted { id, subject, content });
        }
    }

    fn quoted(&self, id: &MessageId) -> Option<&Quoted> {
        self.0.iter().find(|quoted| quoted.id == *id)
    }

    pub fn add_printed(&mut self, agent: Name, printed: Printed) {
        self.1.insert(agent, printed);
    }

    pub fn content(&self, id: &MessageId) -> Option<&Map<String, Value>> {
        self.quoted(id).map(|quoted| &*quoted.content)
    }

    /// The task of an assignment as its amendments changed it, one after the other.
    pub fn task(&self, assignment: &MessageId, amendments: &[MessageId]) -> Task {
        let first = self.quoted(assignment).map(|quoted| Task::of(&quoted.content, &quoted.subject));
        let changes = amendments.iter().filter_map(|id| self.content(id));
        changes.fold(first.unwrap_or_default(), Task::amended)
    }

    pub fn text(&self, id: &MessageId, key: &str) -> Option<String> {
        let content = self.content(id)?;
        let nested = content.get("content").and_then(|nested| nested.get(key));
        content.get(key).or(nested).and_then(Value::as_str).map(str::to_owned)
    }

    fn list(&self, id: &MessageId, key: &str) -> Vec<String> {
        let items = self.content(id).and_then(|content| content.get(key));
        let texts = |value: &Value| match value {
            Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            Value::String(text) => vec![text.clone()],
            _ => Vec::new(),
        };
        items.map(texts).unwrap_or_default()
    }

    /// The acknowledgement that stands in the text of a message.
    fn ack_text(&self, id: &MessageId) -> Option<AckText> {
        acks(&self.text(id, "message")?).into_iter().find_map(|reading| match reading {
            AckReading::Ack(ack) => Some(ack),
            AckReading::Contradiction { .. } => None,
        })
    }

    /// The understanding that an acknowledgement states.
    pub fn understanding(&self, ack: &MessageId) -> String {
        self.text(ack, "understanding")
            .or_else(|| self.text(ack, "understanding_summary"))
            .or_else(|| self.ack_text(ack)?.understanding)
            .or_else(|| self.handoff_ack(ack)?.understanding)
            .unwrap_or_default()
    }

    /// What a message answered.
    pub fn answered(&self, message: &MessageId) -> String {
        self.answer(message)
    }

    pub(crate) fn answer(&self, message: &MessageId) -> String {
        let mut parts = self.list(message, "answers");
        parts.extend(self.text(message, "message"));
        parts.join("\n")
    }

    /// What was answered about a handoff.
    pub(crate) fn clarified(&self, message: &MessageId) -> String {
        let entries = self.content(message).and_then(|content| content.get("clarifications")?.as_array());
        let pair = |entry: &Value| {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("").trim().to_owned();
            format!("{}\n{}", text("question"), text("answer"))
        };
        let mut parts: Vec<_> = entries.into_iter().flatten().map(pair).collect();
        parts.extend(self.text(message, "message"));
        parts.join("\n")
    }

    /// The acknowledgement of a handoff that stands in the text of a message.
    fn handoff_ack(&self, id: &MessageId) -> Option<HandoffAckText> {
        handoff_acks(&self.text(id, "message")?).into_iter().next()
    }

    /// Why a task was rejected, or what error was reported.
    pub fn reason(&self, message: &MessageId) -> Option<String> {
        self.text(message, "reason").or_else(|| self.ack_text(message)?.reason)
    }

    /// What an answer comes down to: its reason, its error, its questions, its understanding, else all of it.
    pub(crate) fn gist(&self, answer: &MessageId) -> Option<String> {
        let in_words = || match self.validation_text(answer)? {
            Answer::Result { error, .. } => error,
            Answer::CannotFix { reason } => Some(reason),
            Answer::Acknowledged | Answer::Fixed { .. } | Answer::Unreadable { .. } => None,
        };
        let questions = || Some(Texts::questions(self, answer).join(" ")).filter(|text| !text.is_empty());
        let says = |text: &String| !text.trim().is_empty();
        let ways: [&dyn Fn() -> Option<String>; 6] = [
            &|| self.reason(answer),
            &|| self.text(answer, "error"),
            &in_words,
            &questions,
            &|| Texts::understanding(self, answer),
            &|| self.text(answer, "message"),
        ];
        let said = ways.iter().find_map(|way| way().filter(says));
        // An error has a code of its own.
        match (self.text(answer, "error_code"), said) {
            (Some(code), Some(said)) => Some(format!("{code}: {said}")),
            (code, said) => said.or(code),
        }
    }

    /// The initiator's correction of an understanding.
    pub fn correction(&self, verdict: &MessageId) -> Option<String> {
        let said = || self.verdict_texts(verdict).into_iter().find_map(|verdict| verdict.correction);
        let in_words = || self.judged(verdict, Verdict::WrongSummary);
        self.text(verdict, "correction").or_else(said).or_else(in_words)
    }

    /// What a verdict in plain words says beside it.
    fn judged(&self, id: &MessageId, verdict: Verdict) -> Option<String> {
        judgement(&self.text(id, "message")?).filter(|said| said.verdict == verdict).map(|said| said.said)
    }

    /// The verdicts that stand in the text of a message.
    fn verdict_texts(&self, id: &MessageId) -> Vec<VerdictText> {
        let said = self.text(id, "message").map(|text| verdicts(&text)).unwrap_or_default();
        let clear = |reading| match reading {
            VerdictReading::Verdict(verdict) => Some(verdict),
            VerdictReading::Contradiction { .. } => None,
        };
        said.into_iter().filter_map(clear).collect()
    }
}

impl Cited {
    /// The fixes and files that a completion names.
    pub fn fixes(&self, completion: &MessageId) -> (Vec<String>, Vec<String>) {
        let (fixes, files) = (self.list(completion, "fixes"), self.list(completion, "files"));
        match self.validation_text(completion) {
            Some(Answer::Fixed { fixes: said, files: named }) => {
                let either = |own: Vec<String>, said| if own.is_empty() { said } else { own };
                (either(fixes, said), either(files, named))
            }
            _ if fixes.is_empty() => (self.text(completion, "message").into_iter().collect(), files),
            _ => (fixes, files),
        }
    }

    /// Why a specialist could not check.
    pub(crate) fn error(&self, answer: &MessageId) -> Option<String> {
        let in_form = match self.validation_text(answer) {
            Some(Answer::Result { error, .. }) => error,
            _ => None,
        };
        in_form.or_else(|| in_words::error(&self.text(answer, "message")?))
    }

    fn validation_text(&self, id: &MessageId) -> Option<Answer> {
        Some(reading(&self.text(id, "message")?)?.answer)
    }
}

impl Texts for Cited {
    fn failures(&self, result: &MessageId) -> Vec<Failure> {
        let listed =
            self.content(result).and_then(|content| content.get("failures")).and_then(Value::as_array);
        let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        let one = |entry: &Value| {
            let suggestion = text(entry, "suggestion").filter(|text| !text.trim().is_empty());
            Some(Failure { location: text(entry, "location")?, error: text(entry, "error")?, suggestion })
        };
        let listed: Vec<_> = listed.into_iter().flatten().filter_map(one).collect();
        if !listed.is_empty() {
            return listed;
        }
        match self.validation_text(result) {
            Some(Answer::Result { failures, .. }) => failures,
            _ => self.text(result, "message").map(|text| in_words::failures(&text)).unwrap_or_default(),
        }
    }

    fn said(&self, message: &MessageId, key: &str) -> Option<String> {
        self.text(message, key)
    }

    fn understanding(&self, ack: &MessageId) -> Option<String> {
        Some(Cited::understanding(self, ack)).filter(|text| !text.is_empty())
    }

    fn starting_from(&self, ack: &MessageId) -> Option<String> {
        let given = self.content(ack)?.get("starting_from");
        let number = given.and_then(Value::as_u64).map(|number| number.to_string());
        self.text(ack, "starting_from").or(number).or_else(|| self.handoff_ack(ack)?.starting_from)
    }

    fn printed(&self, agent: &Name) -> Printed {
        self.1.get(agent).cloned().unwrap_or_default()
    }

    fn subject(&self, opening: &MessageId) -> Option<String> {
        self.quoted(opening).map(|quoted| quoted.subject.clone()).filter(|subject| !subject.trim().is_empty())
    }

    fn title(&self, assignment: &MessageId, amendments: &[MessageId]) -> Option<String> {
        Some(self.task(assignment, amendments).title)
    }

    fn criteria(&self, assignment: &MessageId, amendments: &[MessageId]) -> Vec<String> {
        self.task(assignment, amendments).criteria
    }

    fn questions(&self, ack: &MessageId) -> Vec<String> {
        let mut listed = self.list(ack, "questions");
        listed.retain(|question| asks(question));
        if !listed.is_empty() {
            return listed;
        }
        let in_words = || self.handoff_ack(ack).map(|ack| ack.questions);
        self.ack_text(ack).map(|ack| ack.questions).or_else(in_words).unwrap_or_default()
    }

    fn missing(&self, verdict: &MessageId) -> Vec<String> {
        let listed = self.list(verdict, "missing");
        if !listed.is_empty() {
            return listed;
        }
        let said = self.verdict_texts(verdict);
        if said.is_empty() {
            return self.judged(verdict, Verdict::Partial).into_iter().collect();
        }
        said.into_iter().flat_map(|verdict| verdict.missing).collect()
    }

    fn planned(&self, ack: &MessageId, number: u32) -> Option<String> {
        let index = number.checked_sub(1)? as usize;
        self.list(ack, "estimated_checkpoints").get(index).cloned()
    }

    fn checkpoint(&self, message: &MessageId) -> CheckpointText {
        let text = |key| self.text(message, key);
        let said = || {
            let words = words(&text("message")?);
            let rest = words.into_iter().find(|one| one.word == Word::Checkpoint)?.rest;
            checkpoint(&rest).map(|(_, summary)| summary.to_owned()).filter(|summary| !summary.is_empty())
        };
        CheckpointText {
            name: text("name"),
            status: text("status"),
            summary: text("summary").or_else(said).or(text("message")),
        }
    }
}

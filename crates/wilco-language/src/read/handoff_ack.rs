//! Acknowledgments of handoffs in text form: `[ACK] handoff-7 - READY_TO_PROCEED` with an understanding,
//! where the agent starts from, and questions below.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use wilco_protocol::handoff::AckStatus;

use super::ack::{asks, refuses};
use super::block::{self, Block, Key};
use super::said::word_of;
use super::tags::as_taught;
use super::text;

/// One acknowledgment, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandoffAckText {
    pub handoff_id: String,
    /// None when it says several things at once.
    pub status: Option<AckStatus>,
    pub understanding: Option<String>,
    pub starting_from: Option<String>,
    pub questions: Vec<String>,
}

/// Every handoff that a body acknowledges, in the order of their first mention.
pub fn handoff_acks(body: &str) -> Vec<HandoffAckText> {
    let body = &*as_taught(body);
    let blocks = block::blocks(body, "ACK", |block| word_of(block, status_word).is_some());
    let mut acks: Vec<HandoffAckText> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for ack in blocks.into_iter().filter_map(reading) {
        match seen.entry(ack.handoff_id.to_lowercase()) {
            Entry::Occupied(at) => acks[*at.get()].merge(ack),
            Entry::Vacant(free) => {
                free.insert(acks.len());
                acks.push(ack);
            }
        }
    }
    acks
}

impl HandoffAckText {
    /// Takes what a second answer adds; of answers that contradict each other none counts.
    fn merge(&mut self, other: HandoffAckText) {
        self.status = self.status.filter(|status| other.status == Some(*status));
        self.understanding = self.understanding.take().or(other.understanding);
        self.starting_from = self.starting_from.take().or(other.starting_from);
        if self.questions.is_empty() {
            self.questions = other.questions;
        }
    }
}

fn reading(mut block: Block) -> Option<HandoffAckText> {
    let said = word_of(&block, status_word)?;
    let remark = said.remark.and_then(|remark| block.take_remark(&remark));
    let takes_back = said.word == AckStatus::ReadyToProceed && remark.as_deref().is_some_and(refuses);
    let questions = block.items(Key::Questions);
    Some(HandoffAckText {
        status: Some(said.word).filter(|_| !said.contradicted && !takes_back),
        understanding: block.text(Key::Understanding),
        starting_from: block.text(Key::StartingFrom),
        questions: questions.into_iter().filter(|question| asks(question)).collect(),
        handoff_id: block.id,
    })
}

/// A status in any letter case, joined by `-`, `_` or a space.
pub fn status_word(word: &str) -> Option<AckStatus> {
    let word = text::fold(word);
    Some(match word.as_str() {
        "ready-to-proceed" | "ready" => AckStatus::ReadyToProceed,
        "needs-clarification" | "clarification-needed" => AckStatus::NeedsClarification,
        "environment-issue" => AckStatus::EnvironmentIssue,
        "rejected" => AckStatus::Rejected,
        _ => return None,
    })
}

/// Whether an id comes back from the text form as it was written.
pub fn readable(id: &str) -> bool {
    let acks = handoff_acks(&format!("[ACK] {id} - READY_TO_PROCEED"));
    matches!(acks.as_slice(), [ack] if ack.handoff_id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_12_an_ack_in_words_is_read_field_by_field() {
        let body = "Thanks!\n\n[ACK] handoff-uuid-123 - Ready to proceed\nUnderstanding: finish auth-core\n\
                    Starting from: checkpoint-2\nQuestions: none\n";
        let [ack] = handoff_acks(body).try_into().unwrap();
        assert_eq!(ack.handoff_id, "handoff-uuid-123");
        assert_eq!(ack.status, Some(AckStatus::ReadyToProceed));
        assert_eq!(ack.understanding.as_deref(), Some("finish auth-core"));
        assert_eq!(ack.starting_from.as_deref(), Some("checkpoint-2"));
        assert!(ack.questions.is_empty());
        let asks =
            handoff_acks("[ACK] h-1: NEEDS_CLARIFICATION\nQuestions:\n1. Which library?\n2. Which port?");
        assert_eq!(asks[0].questions, ["Which library?", "Which port?"]);
        let none_left = handoff_acks("[ACK] h-1 - READY\nQuestions: none at this time");
        assert!(none_left[0].questions.is_empty(), "{none_left:?}");
        for none in [
            "ok, ready",
            "> [ACK] h-1 - READY_TO_PROCEED",
            "[ACK] h-1 - {READY_TO_PROCEED|REJECTED}",
            "[ACK] h-1 - RECEIVED",
        ] {
            assert!(handoff_acks(none).is_empty(), "{none}");
        }
        assert!(readable("handoff-uuid-123-a2") && !readable("two words"));
    }
    #[test]
    fn ho_12_of_contradicting_acks_of_one_handoff_none_counts() {
        use AckStatus::{ReadyToProceed, Rejected};
        let read = |body: &str| {
            let acks = handoff_acks(body).into_iter();
            acks.map(|ack| (ack.handoff_id, ack.status)).collect::<Vec<_>>()
        };
        for contradicting in [
            "[ACK] H-2 - READY_TO_PROCEED\nUnderstanding: do\n\n[ACK] H-2 - REJECTED",
            "[ACK] H-2 - REJECTED\n\n[ACK] H-2 - READY_TO_PROCEED\nUnderstanding: do",
            "[ACK] H-2 - READY_TO_PROCEED\n\n[ACK] h-2 - NEEDS_CLARIFICATION\nQuestions: Which port?",
            "[ACK] H-2 - READY / REJECTED",
            "[ACK] H-2 - READY / REJECTED\n\n[ACK] H-2 - READY",
            "[ACK] H-2 - READY_TO_PROCEED\n[ACK] H-2 - REJECTED\n[ACK] H-2 - READY_TO_PROCEED",
            "[ACK] H-2 - READY_TO_PROCEED, but I cannot take it",
        ] {
            assert_eq!(read(contradicting), [("H-2".to_owned(), None)], "{contradicting}");
        }
        let of_two = "[ACK] H-1 - READY\nUnderstanding: do\n\n[ACK] H-2 - REJECTED";
        assert_eq!(
            read(of_two),
            [("H-1".to_owned(), Some(ReadyToProceed)), ("H-2".to_owned(), Some(Rejected))]
        );
        // The same said twice is one ACK, with everything that either says.
        let twice = "[ACK] H-1 - READY\nUnderstanding: do\n\n[ACK] H-1 - READY_TO_PROCEED\nStarting from: 2\nQuestions: Which port?";
        let [ack] = handoff_acks(twice).try_into().unwrap();
        assert_eq!(ack.status, Some(ReadyToProceed));
        assert_eq!((ack.understanding.as_deref(), ack.starting_from.as_deref()), (Some("do"), Some("2")));
        assert_eq!(ack.questions, ["Which port?"]);
    }
}

//! Acknowledgments of handoffs in text form: `[ACK] handoff-7 - READY_TO_PROCEED` with an understanding,
//! where the agent starts from, and questions below.

use wilco_protocol::handoff::AckStatus;

use super::block::{self, Block, Key};
use super::said::said;
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

/// Every handoff that a body acknowledges, in order.
pub fn handoff_acks(body: &str) -> Vec<HandoffAckText> {
    block::blocks(body, "ACK", |block| said(&block.said, status_word).is_some())
        .into_iter()
        .filter_map(reading)
        .collect()
}

fn reading(mut block: Block) -> Option<HandoffAckText> {
    let said = said(&block.said, status_word)?;
    let _ = said.remark.and_then(|remark| block.take_remark(&remark));
    let questions = block.items(Key::Questions);
    Some(HandoffAckText {
        status: Some(said.word).filter(|_| !said.contradicted),
        understanding: block.text(Key::Understanding),
        starting_from: block.text(Key::StartingFrom),
        questions: questions.into_iter().filter(|question| !none(question)).collect(),
        handoff_id: block.id,
    })
}

fn none(question: &str) -> bool {
    let word = text::fold(question.trim_end_matches(['.', '!']));
    matches!(word.as_str(), "none" | "no" | "n/a" | "nothing" | "no-questions" | "[]")
        || !question.contains(char::is_alphanumeric)
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
}

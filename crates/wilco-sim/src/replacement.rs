//! Replacements: they acknowledge a handoff rightly, wrongly, in words, with questions, for another handoff, or
//! refuse it. What they know of it stands in its document.

use serde_json::{Value, json};

use crate::worker::Worker;

/// What a handoff's document says, as somebody who read it would put it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Document {
    pub(crate) understanding: String,
    pub(crate) starting_from: Option<String>,
}

impl Document {
    /// The document as its template was given it.
    pub(crate) fn of(facts: &Value) -> Document {
        let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let mut parts = Vec::new();
        for task in list(&facts["tasks"]) {
            let criteria: Vec<_> = list(&task["acceptance_criteria"]).iter().map(text).collect();
            parts.push(format!("{}, so that {}", text(&task["title"]), criteria.join(" and ")));
        }
        let starting_from = facts["starting_from"].as_str().map(str::to_owned);
        Document { understanding: parts.join("; "), starting_from }
    }
}

impl Worker<'_> {
    pub(crate) fn take_over(&mut self) {
        let id = self.letter.handoff_id.to_string();
        if id.is_empty() {
            return;
        }
        let document = self.documents.get(&id).cloned().unwrap_or_default();
        let starting_from =
            document.starting_from.or(self.letter.starting_from.as_deref().map(str::to_owned));
        let understanding = match document.understanding.as_str() {
            "" => "I take over where it was left".to_owned(),
            known => known.to_owned(),
        };
        let from = starting_from.unwrap_or_else(|| "the beginning".to_owned());
        let right = json!({"handoff_id": id, "understanding": understanding, "starting_from": from,
            "status": "ready_to_proceed"});
        if self.rng.percent(self.fault_rates.oddity) {
            return self.take_over_oddly(right);
        }
        if self.rng.percent(25) {
            return self.text(format!(
                "[ACK] {id} - READY_TO_PROCEED\nUnderstanding: {understanding}\nStarting from: {from}\nQuestions: none"
            ));
        }
        self.acknowledge_handoff(right);
    }

    fn take_over_oddly(&mut self, mut ack: Value) {
        let id = self.letter.handoff_id.to_string();
        match self.rng.below(12) {
            0 => ack["understanding"] = json!("I will repaint the lobby in green"),
            1 => ack["understanding"] = json!(""),
            2 => ack["starting_from"] = json!("checkpoint-99"),
            3 => ack["handoff_id"] = json!("handoff-of-somebody-else"),
            4 => ack["questions"] = json!(["Which branch?", "Who knows the password?"]),
            5 => {
                ack["status"] = json!("needs_clarification");
                ack["questions"] = json!(["Which branch?"]);
            }
            6 => ack["status"] = json!("environment_issue"),
            7 => ack["status"] = json!("rejected"),
            8 => ack = json!({"handoff_id": id, "status": "perhaps"}),
            9 => return self.text("Thanks, I will have a look.".to_owned()),
            10 => {
                self.acknowledge_handoff(ack.clone());
                ack["status"] = json!(self.rng.pick(&["rejected", "ready_to_proceed"]));
            }
            _ => return self.text(format!("[ACK] {id} - REJECTED\nReason: no time")),
        }
        self.acknowledge_handoff(ack);
    }

    fn acknowledge_handoff(&mut self, mut ack: Value) {
        ack["type"] = json!(self.rng.pick(&["handoff_ack", "handoff-ack"]));
        self.say(ack);
    }
}

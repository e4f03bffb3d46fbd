//! Those who decide: on escalations of every protocol, on questions and obstacles in a handoff.

use serde_json::{Value, json};
use wilco_protocol::{ExchangeId, Protocol, Span};

use crate::initiator::Initiator;
use crate::speech::{SimMessage, Speech};

impl Initiator<'_> {
    pub(crate) fn decision(&mut self, letter: &SimMessage<'_>) -> Value {
        let mut content = match letter.protocol() {
            Some(Protocol::Validation) => self.on_phase(&letter.phase),
            Some(Protocol::Handoff) => self.on_handoff(),
            Some(Protocol::Delegation | Protocol::Operation) | None => self.on_task(),
        };
        content["type"] = json!("decision");
        if let Some(id) = letter.escalation.as_deref() {
            content["escalation"] = json!(id);
        }
        content
    }

    fn on_task(&mut self) -> Value {
        let option = *self.rng.pick(&["retry", "reassign", "accept", "extend", "proceed", "abort", "abort"]);
        let mut content = json!({"option": option});
        if option == "reassign" && self.rng.percent(60) {
            content["agent"] = json!(self.rng.pick(&self.cast.workers));
        }
        if option == "extend" {
            content["time"] = json!("10m");
        }
        content
    }

    fn on_phase(&mut self, phase: &str) -> Value {
        let option = *self.rng.pick(&["manual-fix", "skip", "extend", "extend", "abort", "retry"]);
        let mut content = json!({"option": option});
        if option == "extend" {
            match self.rng.below(5) {
                0 => {}
                1 | 2 => content["time"] = json!(self.rng.pick(&["1s", "10m"])),
                _ => content["iterations"] = json!(self.rng.between(1, 2)),
            }
        }
        if self.rng.percent(50) {
            content["phase"] = json!(phase);
        }
        content
    }

    fn on_handoff(&mut self) -> Value {
        let option = *self.rng.pick(&["provide_alternative_agent", "retry", "override", "abort"]);
        let mut content = json!({"option": option});
        if option == "provide_alternative_agent" && self.rng.percent(70) {
            content["agent"] = json!(self.rng.pick(&self.cast.workers));
        }
        if self.rng.percent(80) {
            content["note"] = json!("I spoke to it.");
        }
        content
    }

    pub(crate) fn clarifications(&mut self) -> Value {
        if self.rng.percent(20) {
            return json!({"type": "text", "message": "The newest branch; and nobody."});
        }
        let mut content = json!({"type": "handoff_clarification",
            "clarifications": [{"question": "Which branch?", "answer": "The newest."}]});
        if self.rng.percent(40) {
            content["document"] = json!("# Read this instead");
        }
        content
    }

    pub(crate) fn help(&mut self) -> Value {
        match self.rng.below(3) {
            0 => json!({"type": "handoff-override", "reason": "it works on my machine"}),
            1 => self.clarifications(),
            _ => json!({"type": "text", "message": "Ask the operators for a new machine."}),
        }
    }

    /// Second thoughts about a handoff that was accepted.
    pub(crate) fn meddle_with_handoff(&mut self, exchange: ExchangeId) -> Vec<(Span, Speech)> {
        let mut said = Vec::new();
        let mut after = 0;
        while said.len() < 3 && self.rng.percent(self.fault_rates.meddling) {
            after += self.rng.between(1, 400);
            let content = match self.rng.below(6) {
                0 => json!({"type": "handoff-override", "reason": "I know that it is there"}),
                1 | 2 => json!({"type": "handoff_reminder"}),
                3 => self.clarifications(),
                4 => json!({"type": "verdict", "verdict": "correct"}),
                _ => {
                    let mut decision = self.on_handoff();
                    decision["type"] = json!("decision");
                    decision
                }
            };
            said.push((Span::seconds(after), self.about(Some(exchange), content, None)));
        }
        said
    }
}

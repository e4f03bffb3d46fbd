//! What else initiators begin: operations, validations, handoffs, plain talk.

use serde_json::{Value, json};
use wilco_protocol::Name;

use crate::initiator::Initiator;
use crate::speech::Speech;

/// The command that the configuration has for phases.
pub(crate) const LINT: &str = "lint";

impl Initiator<'_> {
    fn anew_to(&self, to: Vec<Name>, content: Value) -> Speech {
        Speech { from: self.me.clone(), to, exchange: None, in_reply_to: None, content }
    }

    fn one_or_all(&mut self, all: u64) -> Vec<Name> {
        if self.rng.percent(all) {
            self.cast.workers.clone()
        } else {
            vec![self.rng.pick(&self.cast.workers).clone()]
        }
    }

    /// Somebody is to be restarted, or all of them.
    pub(crate) fn operate(&mut self) -> Speech {
        let to = self.one_or_all(60);
        let mut content = json!({
            "type": "pre-operation", "operation": "restart", "message": "I will restart you.",
            "on_cancel": self.rng.pick(&["abort", "exclude"]),
            "on_interrupted": self.rng.pick(&["ask", "retry"]),
            "quorum": self.rng.pick(&["all", "majority"]),
        });
        if self.rng.percent(50) {
            content["proceed_on_timeout"] = json!(self.rng.percent(70));
        }
        match self.rng.below(4) {
            0 => content["execute"] = json!("none"),
            1 => {}
            most => {
                content["execute"] =
                    json!({"command": ["restart-agent", "{agent}"], "max_parallel": most - 1})
            }
        }
        self.anew_to(to, content)
    }

    /// Plain talk to one or to all.
    pub(crate) fn talk(&mut self) -> Speech {
        let to = self.one_or_all(50);
        self.anew_to(to, json!({"type": "conversation", "message": "Lunch is at noon."}))
    }

    /// A loop of one to three phases, one after the other or together.
    pub(crate) fn validate(&mut self) -> Speech {
        let mut specialists: Vec<String> = self.cast.workers.iter().map(Name::to_string).collect();
        if self.rng.percent(25) {
            specialists.push(format!("cmd:{LINT}"));
        }
        let count = self.rng.between(1, 3).min(specialists.len() as u64);
        let mut phases = Vec::new();
        for number in 0..count {
            let place = self.rng.below(specialists.len() as u64) as usize;
            let specialist = specialists.swap_remove(place);
            let parallel = self.rng.percent(40);
            phases.push(
                json!({"name": format!("phase-{number}"), "specialist": specialist, "parallel": parallel}),
            );
        }
        let mut content = json!({
            "type": "validation-start", "phases": phases,
            "issue": format!("IS-{}", self.rng.below(3)),
            "main_agent": self.rng.pick(&self.cast.workers),
            "policy": self.loop_policy(),
        });
        if self.rng.percent(20) {
            content["watch"] = json!(false);
        }
        if self.rng.percent(30) {
            content["watchers"] = json!([self.rng.pick(&self.cast.initiators)]);
        }
        self.anew_to(vec![Name::orchestrator()], content)
    }

    fn loop_policy(&mut self) -> Value {
        let mut policy = json!({});
        if self.rng.percent(60) {
            policy["max_iterations"] = json!(self.rng.between(1, 4));
        }
        if self.rng.percent(40) {
            policy["deadlock_after"] = json!(self.rng.between(1, 3));
        }
        for key in ["validation_timeout", "fix_timeout", "revalidation_timeout"] {
            if self.rng.percent(25) {
                policy[key] = json!(self.rng.pick(&["1ms", "45s", "10m"]));
            }
        }
        if self.rng.percent(30) {
            policy["reminder_grace"] = json!(self.rng.pick(&["1s", "30s", "20m"]));
        }
        if self.rng.percent(25) {
            policy["iteration_timeout"] = json!(self.rng.pick(&["30s", "3m", "1h"]));
        }
        policy
    }

    /// Somebody is to be replaced, or hears from the initiator itself that it replaces somebody.
    pub(crate) fn replace(&mut self) -> Speech {
        let failed = self.rng.pick(&self.cast.workers).clone();
        let other: Vec<Name> = self.cast.workers.iter().filter(|name| **name != failed).cloned().collect();
        let replacement = match other.is_empty() || self.rng.percent(3) {
            true => self.rng.pick(&self.cast.workers).clone(),
            false => self.rng.pick(&other).clone(),
        };
        let mut content = json!({
            "failed_agent": failed, "reason": "context_loss",
            "urgency": self.rng.pick(&["immediate", "prepare", "when_available"]),
        });
        if self.rng.percent(30) {
            let ids: Vec<_> =
                (0..2).map(|_| format!("GH-{}", self.rng.below(self.fault_rates.tasks * 2))).collect();
            content["tasks"] = json!(ids);
        }
        if self.rng.percent(40) {
            content["candidates"] =
                json!([self.rng.pick(&self.cast.workers), self.rng.pick(&self.cast.workers)]);
        }
        if self.rng.percent(40) {
            content["issues"] = json!([self.rng.between(1, 9)]);
        }
        content["policy"] = self.handoff_policy();
        if self.rng.percent(15) {
            content["type"] = json!("replacement_handoff");
            content["handoff_id"] = json!(format!("hand-{}", self.rng.below(6)));
            content["handoff_url"] = json!("https://example.com/handoff.md");
            return self.anew_to(vec![replacement], content);
        }
        content["type"] = json!("replacement-request");
        content["replacement_agent"] = json!(replacement);
        if self.rng.percent(15) {
            content["document"] = json!("# Read this\n\nAnd go on.");
        }
        let to = match self.rng.below(6) {
            0 => vec![self.rng.pick(&self.cast.initiators).clone()],
            1 => vec![failed],
            2 => vec![Name::wilco()],
            _ => Vec::new(),
        };
        self.anew_to(to, content)
    }

    fn handoff_policy(&mut self) -> Value {
        let mut policy = json!({});
        if self.rng.percent(30) {
            policy["ack_timeout"] = json!(self.rng.pick(&["1ms", "30s", "1h"]));
        }
        if self.rng.percent(50) {
            policy["understanding"] = json!(self.rng.pick(&["auto", "initiator", "command", "accept"]));
        }
        if self.rng.percent(30) {
            policy["max_corrections"] = json!(self.rng.below(3));
        }
        for key in ["clarification_timeout", "review_timeout"] {
            if self.rng.percent(20) {
                policy[key] = json!(self.rng.pick(&["1s", "5m"]));
            }
        }
        policy
    }
}

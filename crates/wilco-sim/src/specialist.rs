//! Agents in a validation: specialists that pass, fail, fail the same way again, cannot check, answer what nobody
//! can read, twice, for another iteration; main agents that fix, cannot, or only say that they will.

use serde_json::{Value, json};

use crate::worker::Worker;

/// Few places and errors, so that the same failures come again.
const PLACES: [&str; 2] = ["src/a.rs:3", "src/b.rs:70"];
const ERRORS: [&str; 2] = ["does not compile", "the test times out after 30 s"];

impl Worker<'_> {
    /// Answers a request or a trigger.
    pub(crate) fn check(&mut self) {
        if self.rng.percent(self.fault_rates.oddity) {
            return self.check_oddly();
        }
        match self.rng.below(10) {
            0..5 => self.result(json!({"status": "PASS"})),
            5..9 => self.fails(),
            _ => self.result(json!({"status": "ERROR", "error": "the database is down"})),
        }
    }

    fn check_oddly(&mut self) {
        match self.rng.below(10) {
            0 => self.result(json!({"status": "ERROR", "error": "no disk", "stack_trace": "at main"})),
            1 => {
                self.result(json!({"status": "PASS"}));
                self.result(json!({"status": "PASS"}));
            }
            2 => {
                self.fails();
                self.result(json!({"status": "PASS"}));
            }
            3 => self.result(json!({"status": "FAIL"})),
            4 => self.result(json!({"status": "PASS", "failures": [{"location": "x", "error": "y"}]})),
            5 => {
                let id = self.its_id();
                self.text(format!("## Validation Result\n\n**Message ID**: {id}\n\nIt went so-so."));
            }
            6 => self.text("## Validation Result\n\n**Status**: PASS and FAIL".to_owned()),
            7 => {
                let id = self.its_id();
                let text = format!(
                    "## Validation Result\n\n**Message ID**: {id}\n**Status**: FAIL\n\n\
                     ### Failures\n- {} - {}",
                    PLACES[0], ERRORS[0]
                );
                self.text(text);
            }
            8 => {
                let other = self.rng.between(1, 4);
                let id = format!("REVALRES-{}-{}-{other}", self.letter.issue, self.me);
                self.say(json!({"type": "revalidation-result", "message_id": id, "status": "PASS"}));
            }
            _ => self.text("I am looking at it.".to_owned()),
        }
    }

    fn fails(&mut self) {
        let count = self.rng.between(1, 2);
        let one = |worker: &mut Self| {
            let (place, error) = (*worker.rng.pick(&PLACES), *worker.rng.pick(&ERRORS));
            json!({"location": place, "error": error, "suggestion": "look at it"})
        };
        let failures: Vec<Value> = (0..count).map(|_| one(self)).collect();
        self.result(json!({"status": "FAIL", "failures": failures}));
    }

    /// Either type answers either request; the id may be left out.
    fn result(&mut self, mut fields: Value) {
        fields["type"] = json!(self.rng.pick(&["validation-result", "revalidation-result"]));
        if self.rng.percent(60) {
            fields["message_id"] = json!(self.its_id());
        }
        self.say(fields);
    }

    /// The id of an answer to this letter.
    fn its_id(&self) -> String {
        let given = &*self.letter.message_id;
        for (asks, answers) in [("VALREQ", "VALRES"), ("REVAL", "REVALRES"), ("FIXREQ", "FIXDONE")] {
            if let Some(rest) = given.strip_prefix(asks) {
                return format!("{answers}{rest}");
            }
        }
        given.to_owned()
    }

    /// Whoever is reminded does what it is reminded of.
    pub(crate) fn reminded_of_check(&mut self) {
        match &*self.letter.operation {
            "fix" => self.fix(),
            _ => self.check(),
        }
    }

    /// Answers a fix request.
    pub(crate) fn fix(&mut self) {
        let id = self.letter.message_id.to_string();
        if self.rng.percent(40) {
            match self.rng.below(3) {
                0 => self.text(format!("[ACK] {id} - RECEIVED")),
                1 => self.say(json!({"type": "acknowledgment", "message": "on it"})),
                _ => self.say(json!({"type": "fix-acknowledgment", "message_id": id})),
            }
        }
        let odd = self.rng.percent(self.fault_rates.oddity);
        match if odd { self.rng.below(8) } else { 8 } {
            0 => {}
            1 | 2 => self.fixed(json!({"status": "cannot-fix", "reason": "the upstream is gone"})),
            3 => {
                self.fixed(json!({"fixes": ["renamed it"]}));
                self.fixed(json!({"fixes": ["renamed it"]}));
            }
            4 => self.fixed(json!({"fixes": []})),
            5 => self.text(format!("## Fix Completion\n\n**Message ID**: {}", self.its_id())),
            6 => self.text(format!(
                "## Fix Completion\n\n**Message ID**: {}\n\n### Fixes Applied\n1. renamed it\n\n### Files Modified\n- src/a.rs",
                self.its_id()
            )),
            7 => {
                let id = format!("FIXDONE-{}-{}", self.letter.issue, self.rng.between(1, 4));
                self.say(json!({"type": "fix-completion", "message_id": id, "fixes": ["renamed it"]}));
            }
            _ => self.fixed(json!({"fixes": ["renamed it", "added a test"], "files": ["src/a.rs"]})),
        }
    }

    fn fixed(&mut self, mut fields: Value) {
        fields["type"] = json!("fix-completion");
        if self.rng.percent(60) {
            fields["message_id"] = json!(self.its_id());
        }
        self.say(fields);
    }
}

//! Those who delegate: they assign, answer questions, judge, decide, change their minds, or forget to.

use serde_json::{Value, json};
use wilco_protocol::{ExchangeId, Name, Protocol, Span};

use crate::cast::{CAPABILITIES, Cast, job, task_id};
use crate::fault_rates::FaultRates;
use crate::rng::Rng;
use crate::speech::{SimMessage, Speech};

pub(crate) struct Initiator<'a> {
    pub(crate) me: &'a Name,
    pub(crate) cast: &'a Cast,
    pub(crate) fault_rates: &'a FaultRates,
    pub(crate) rng: &'a mut Rng,
}

impl Initiator<'_> {
    /// A new task for somebody: typed, or as plain text that is taken for one.
    pub(crate) fn delegate(&mut self) -> Speech {
        let to = vec![self.rng.pick(&self.cast.workers).clone()];
        let task_id = task_id(self.rng, self.fault_rates.tasks);
        match self.rng.below(20) {
            0..3 => return self.operate(),
            3..6 => return self.validate(),
            6..8 => return self.replace(),
            _ => {}
        }
        let content = match self.rng.below(12) {
            0 => json!({"type": "text", "message": heading(&task_id)}),
            1 => json!({"type": "text", "message": "Please:\n- [ ] sweep the floor\n- [ ] close the window"}),
            2 => return self.talk(),
            _ => self.assignment(&task_id),
        };
        Speech { from: self.me.clone(), to, exchange: None, in_reply_to: None, content }
    }

    fn assignment(&mut self, task_id: &str) -> Value {
        let job = job(task_id);
        let mut content = json!({
            "type": "task-assignment", "task_id": task_id, "title": job.title,
            "acceptance_criteria": job.criteria,
        });
        let share = |initiator: &mut Self, percent| initiator.rng.percent(percent);
        if share(self, 8) {
            content["requires_ack"] = json!(false);
        }
        if share(self, 30) {
            content["candidates"] =
                json!([self.rng.pick(&self.cast.workers), self.rng.pick(&self.cast.workers)]);
        }
        if share(self, 20) {
            content["capabilities"] = json!([self.rng.pick(&CAPABILITIES)]);
        }
        if share(self, 10) {
            content["supersede"] = json!(true);
        }
        if share(self, 10) {
            content["task_uuid"] = json!(format!("uuid-{}", self.rng.below(4)));
        }
        if share(self, 40) {
            content["policy"] = self.policy();
        }
        content
    }

    fn policy(&mut self) -> Value {
        let mut policy = json!({});
        let share = |initiator: &mut Self, percent| initiator.rng.percent(percent);
        if share(self, 30) {
            policy["preset"] = json!("critical");
        }
        if share(self, 40) {
            policy["understanding"] =
                json!(self.rng.pick(&["auto", "initiator", "command", "accept", "objection"]));
        }
        if share(self, 40) {
            policy["checkpoint_timeout"] = json!(self.rng.pick(&["30s", "5m", "1h", "none"]));
        }
        if share(self, 20) {
            policy["ack_timeout"] = json!(self.rng.pick(&["1ms", "10s", "1h"]));
        }
        if share(self, 15) {
            policy["retry_timeouts"] = json!(self.rng.pick(&[&[][..], &["5s"], &["1m", "30s", "10s"]]));
        }
        if share(self, 15) {
            policy["base_wait"] = json!(self.rng.pick(&["0s", "1s", "5m"]));
        }
        if share(self, 15) {
            policy["max_corrections"] = json!(self.rng.below(3));
        }
        if share(self, 15) {
            policy["on_busy"] = json!("reassign");
        }
        policy
    }

    /// What a letter makes an initiator say, and after how long.
    pub(crate) fn react(&mut self, letter: &SimMessage<'_>) -> Vec<(Span, Speech)> {
        let hands_over = letter.protocol() == Some(Protocol::Handoff);
        let content = match (&*letter.kind, &*letter.reason) {
            ("escalation", _) => self.decision(letter),
            ("operation-authorized", _) | ("protocol-notice", "result-due") => {
                json!({"type": "operation-result", "status": self.rng.pick(&["done", "failed"])})
            }
            ("protocol-notice", "clarification-needed" | "clarification-due") if hands_over => {
                self.clarifications()
            }
            ("protocol-notice", "environment-issue" | "help-due") => self.help(),
            ("protocol-notice", "clarification-needed" | "questions-open") => self.answers(),
            ("protocol-notice", "verdict-needed" | "verdict-due") => self.verdict(&letter.task_id),
            ("protocol-notice", "amendment-needed") => {
                json!({"type": "task-amend", "message": "Read it so."})
            }
            ("protocol-notice", "pause-over") => json!({"type": "task-resume"}),
            ("protocol-notice", "reminder") => match self.rng.below(3) {
                0 => self.answers(),
                1 => self.verdict(&letter.task_id),
                _ => json!({"type": "task-amend", "message": "As said before."}),
            },
            _ => return Vec::new(),
        };
        vec![(self.wait(), self.about(letter.exchange, content, Some(letter)))]
    }

    fn wait(&mut self) -> Span {
        if self.rng.percent(self.fault_rates.lateness) {
            self.rng.seconds(60, 3600)
        } else {
            self.rng.seconds(1, 60)
        }
    }

    fn answers(&mut self) -> Value {
        match self.rng.below(4) {
            0 => json!({"type": "text", "message": "Whatever suits you."}),
            1 => json!({"type": "task-clarification", "message": "The newest; and yes."}),
            2 => json!({"type": "task-clarification", "answers": ["The newest."]}),
            _ => json!({"type": "task-clarification", "answers": ["The newest.", "Yes."]}),
        }
    }

    fn verdict(&mut self, task_id: &str) -> Value {
        match self.rng.below(8) {
            0 => json!({"type": "verdict", "verdict": "wrong-summary", "correction": "Read the title."}),
            1 => json!({"type": "verdict", "verdict": "partial", "missing": ["no order is lost"]}),
            2 => json!({"type": "verdict", "verdict": "wrong-task"}),
            3 => json!({"type": "text", "message": format!("[VERDICT] {task_id} - CORRECT")}),
            _ => json!({"type": "verdict", "verdict": "correct"}),
        }
    }

    /// Second thoughts about a delegation that was accepted.
    pub(crate) fn meddle(&mut self, exchange: ExchangeId, first: &Speech) -> Vec<(Span, Speech)> {
        let mut said = Vec::new();
        let mut after = 0;
        while said.len() < 3 && self.rng.percent(self.fault_rates.meddling) {
            after += self.rng.between(1, 300);
            let content = match self.rng.below(10) {
                0 => json!({"type": "task-amend", "message": "And do it well."}),
                1 => json!({"type": "task-cancel"}),
                2 | 3 => {
                    let length = *self.rng.pick(&["0s", "90s", "1h"]);
                    json!({"type": "task-pause", "expected_duration": length})
                }
                4 | 5 => json!({"type": "task-resume"}),
                6 => json!({"type": "task-extend", "time": "5m"}),
                7 => json!({"type": "text", "message": "How is it going?"}),
                8 => json!({"type": "ack-request", "message": "Did you get it?"}),
                _ => {
                    said.push((Span::seconds(after), self.anew(first)));
                    continue;
                }
            };
            said.push((Span::seconds(after), self.about(Some(exchange), content, None)));
        }
        said
    }

    /// The same assignment again: as it was, or to supersede the first, perhaps with another agent.
    fn anew(&mut self, first: &Speech) -> Speech {
        let mut again = first.clone();
        if self.rng.percent(50) {
            again.to = vec![self.rng.pick(&self.cast.workers).clone()];
            again.content["supersede"] = json!(true);
        }
        again
    }

    pub(crate) fn about(
        &mut self,
        exchange: Option<ExchangeId>,
        content: Value,
        letter: Option<&SimMessage<'_>>,
    ) -> Speech {
        let reply = letter.filter(|_| self.rng.percent(30)).map(|letter| letter.id.clone());
        let to =
            if self.rng.percent(50) { vec![self.rng.pick(&self.cast.workers).clone()] } else { Vec::new() };
        let exchange = if reply.is_some() && !to.is_empty() { None } else { exchange };
        Speech { from: self.me.clone(), to, exchange, in_reply_to: reply, content }
    }
}

fn heading(task_id: &str) -> String {
    let job = job(task_id);
    format!(
        "## Task: {task_id} {}\n\n### Acceptance Criteria\n- {}\n- {}\n",
        job.title, job.criteria[0], job.criteria[1]
    )
}

//! The door: requests that are lost, doubled, overtaken, grouped, answered or not. Whoever gets no answer
//! sends the same again under the same key.

use std::collections::BTreeSet;

use wilco_engine::{Answer, Command, Done, Post, Viewer};
use wilco_language::parse;
use wilco_protocol::Span;

use crate::bug::Bug;
use crate::initiator::Initiator;
use crate::model::{Broken, broken};
use crate::speech::Speech;
use crate::step::StepOutcome;
use crate::world::{Happening, World};

#[derive(Debug)]
pub(crate) struct Request {
    /// Stands in the stored message, and tells it from all others.
    pub(crate) mark: String,
    speech: Speech,
    body: String,
    pub(crate) key: Option<String>,
    /// Without a key and an id of its own: sent again only if it was surely not taken.
    pub(crate) is_bare: bool,
    pub(crate) may_repeat: bool,
    tries: u8,
    answered: bool,
}

/// After so many tries without an answer its sender gives up.
const MAX_TRIES: u8 = 5;
/// What arrives while a commit runs is done in the next.
const GATHERED_WITHIN: Span = Span::seconds(2);

impl World {
    /// Somebody sends something for the first time.
    pub(crate) fn send(&mut self, speech: Speech) {
        let index = self.requests.len();
        let mark = format!("mark-{index}");
        let style = self.rng.below(10);
        let is_bare = style == 9 && !self.realm.is_alone() && self.rng.percent(50);
        let id = (style >= 7 && !is_bare).then(|| format!("own-{index}"));
        let body = speech.body(&mark, id.as_deref());
        let key = (style <= 8).then(|| self.key(index, &speech));
        let (may_repeat, tries, answered) = (false, 0, false);
        self.requests.push(Request { mark, speech, body, key, is_bare, may_repeat, tries, answered });
        self.transmit(index);
    }

    /// A key of its own; now and then one that its sender used before, which must be refused.
    fn key(&mut self, index: usize, speech: &Speech) -> String {
        if index > 0 && self.rng.percent(2) {
            let former = &self.requests[self.rng.below(index as u64) as usize];
            let stored = self.model.copies(&former.mark) > 0;
            if let (Some(key), true, true) = (&former.key, stored, former.speech.from == speech.from) {
                return key.clone();
            }
        }
        format!("key-{index}")
    }

    fn transmit(&mut self, index: usize) {
        let request = &mut self.requests[index];
        request.tries += 1;
        request.may_repeat = false;
        let is_bare = request.is_bare;
        if !self.rng.per_mille(self.fault_rates.lost) {
            let after = self.rng.seconds(0, 3);
            self.later(after, Happening::Arrive(index));
        }
        if !is_bare && self.rng.per_mille(self.fault_rates.doubled) {
            let after = self.rng.seconds(0, 120);
            self.later(after, Happening::Arrive(index));
        }
        let patience = self.rng.seconds(10, 90);
        self.later(patience, Happening::Retry(index));
    }

    pub(crate) fn retry(&mut self, index: usize) {
        let request = &self.requests[index];
        let repeats = !request.is_bare || request.may_repeat;
        if !request.answered && request.tries < MAX_TRIES && repeats {
            self.transmit(index);
        }
    }

    /// A request arrives, with others that come at nearly the same time.
    pub(crate) fn arrive(&mut self, first: usize) -> Result<(), Broken> {
        let mut indexes = vec![first];
        while (indexes.len() as u64) < self.fault_rates.group {
            let Some(next) = self.next_arrival(GATHERED_WITHIN) else { break };
            indexes.push(next);
        }
        if !self.realm.is_alone() {
            return self.arrive_at_nodes(indexes);
        }
        if self.engine.is_none() {
            return Ok(());
        }
        let mut commands = Vec::new();
        let mut asked = Vec::new();
        for index in indexes {
            if let Some(post) = self.post(index) {
                commands.push(Command::Post(Box::new(post)));
                asked.push(index);
            }
        }
        let after = self.model.head().0;
        match self.step(commands)? {
            StepOutcome::Done(stepped) => {
                self.verify(&asked, &stepped.answers, after)?;
                asked.iter().zip(&stepped.answers).for_each(|(index, answer)| self.told(*index, answer));
            }
            StepOutcome::Refused | StepOutcome::Died => {}
        }
        Ok(())
    }

    /// The request as the door reads it; one that cannot be read is answered at once.
    pub(crate) fn post(&mut self, index: usize) -> Option<Post> {
        let request = &mut self.requests[index];
        let Ok(incoming) = parse::message(request.body.as_bytes()) else {
            request.answered = true;
            return None;
        };
        let lost = self.bug == Some(Bug::LostKey) && request.tries > 1;
        let idempotency_key = request.key.clone().filter(|_| !lost);
        let viewer =
            if index.is_multiple_of(5) { Viewer::Agent(request.speech.from.clone()) } else { Viewer::Local };
        Some(Post { idempotency_key, viewer, orchestrates: true, ..Post::local(incoming) })
    }

    /// What everybody is about to be told is so.
    pub(crate) fn verify(&self, asked: &[usize], answers: &[Answer], after: u64) -> Result<(), Broken> {
        if asked.len() != answers.len() {
            return broken("G4", "not every request was answered");
        }
        let (mut fresh, mut last) = (BTreeSet::new(), after);
        for (index, answer) in asked.iter().zip(answers) {
            let request = &self.requests[*index];
            let after = if fresh.contains(index) { u64::MAX } else { after };
            let copies = request.speech.copies();
            if let Some(position) = self.model.answered(&request.mark, copies, after, answer)? {
                if position <= last {
                    return broken("MSG-13", format!("{} at {position} overtook {last}", request.mark));
                }
                last = position;
                fresh.insert(*index);
            }
        }
        Ok(())
    }

    /// The answer goes back, if it arrives.
    pub(crate) fn told(&mut self, index: usize, answer: &Answer) {
        let arrives = !self.rng.per_mille(self.fault_rates.unanswered);
        let request = &mut self.requests[index];
        let first = arrives && !request.answered;
        request.answered |= arrives;
        if self.trace.is_some() {
            let line = told_of(request, answer, arrives);
            self.note(|| line);
        }
        let Ok(Done::Accepted(accepted)) = answer else { return };
        let Some(summary) = accepted.exchange.as_ref().filter(|_| first) else { return };
        let speech = &self.requests[index].speech;
        let (cast, fault_rates, rng) = (&self.cast, &self.fault_rates, &mut self.rng);
        let mut initiator = Initiator { me: &speech.from, cast, fault_rates, rng };
        let said = match speech.kind() {
            "task-assignment" => initiator.meddle(summary.id, speech),
            "replacement-request" | "replacement_handoff" => initiator.meddle_with_handoff(summary.id),
            _ => Vec::new(),
        };
        for (after, said) in said {
            self.later(after, Happening::Say(Box::new(said)));
        }
    }
}

fn told_of(request: &Request, answer: &Answer, arrives: bool) -> String {
    let came = match answer {
        Ok(Done::Accepted(accepted)) => {
            let exchange = accepted.exchange.as_ref().map(|one| format!("{} {}", one.id, one.state));
            let again = if accepted.again { " again" } else { "" };
            format!("accepted{again} {}", exchange.unwrap_or_default())
        }
        Ok(done) => format!("{done:?}"),
        Err(refused) => format!("refused {refused:?}"),
    };
    let lost = if arrives { "" } else { " (the answer is lost)" };
    let content = request.speech.content.to_string();
    format!("{} {} {content} => {came}{lost}", request.speech.from, request.mark)
}

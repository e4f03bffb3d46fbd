//! The checklists of delivery and confirmation, computed from what happened. Nobody ticks anything by hand.

use super::order::Publish;
use super::state::{AckSeen, Failure, State, Task};
use super::view::verified;
use super::words::{AckStatus, Outcome};
use crate::delegation::Understanding;
use crate::exchange::ChecklistItem;
use crate::judgement::JudgedBy;
use crate::time::Time;

struct List {
    section: &'static str,
    items: Vec<ChecklistItem>,
}

impl List {
    /// `done`: none when it does not apply.
    fn add(&mut self, item: &'static str, done: Option<bool>, at: Option<Time>, evidence: Option<String>) {
        let seen = done == Some(true);
        let (at, evidence) = (at.filter(|_| seen), evidence.filter(|_| seen));
        self.items.push(ChecklistItem { section: Some(self.section), item, done, at, evidence });
    }
}

pub(super) fn checklist(state: &State) -> Vec<ChecklistItem> {
    let mut list = List { section: "Delivery", items: Vec::new() };
    delivery(state, &mut list);
    list.section = "After ACK received";
    after_ack(state, &mut list);
    list.section = "ACK Verification";
    verification(state, &mut list);
    list.section = "State Updates";
    updates(state, &mut list);
    list.section = "GitHub Updates";
    github(state, &mut list);
    list.section = "ECOS Notification";
    notification(state, &mut list);
    list.section = "Audit Logging";
    audit(state, &mut list);
    list.items
}

fn delivery(state: &State, list: &mut List) {
    let document = state.document.as_ref();
    let at = document.map(|document| document.published.at);
    let on_github = document.map(|document| document.published.published_as != Publish::Local);
    let uploaded =
        if state.github && state.given_url.is_none() { Some(on_github == Some(true)) } else { None };
    list.add("Handoff document uploaded to GitHub", uploaded, at, state.url().map(str::to_owned));
    let written = state.given_url.is_none().then_some(document.is_some());
    list.add("Local backup saved", written, at, document.map(|document| document.name.clone()));
    let sent = state.sent_at;
    let after = |done: bool| Some(sent.is_some() && done);
    list.add("AI Maestro message sent", after(true), sent, Some(state.replacement.id.clone()));
    let url = state.url().map(str::to_owned);
    list.add("Message includes correct handoff URL", after(url.is_some()), sent, url);
    let tasks = (!state.tasks.is_empty()).then(|| sent.is_some());
    list.add("Message includes all task UUIDs", tasks, sent, Some(state.uuids().join(", ")));
    let urgency = Some(state.urgency.word().to_owned());
    list.add("Urgency level matches ECOS notification", after(true), sent, urgency);
    list.add("ACK timeout timer started", after(true), sent, Some(state.ack_timeout().to_string()));
}

/// The second half of the delivery checklist.
fn after_ack(state: &State, list: &mut List) {
    acknowledged(
        state,
        list,
        [
            "ACK `handoff_id` matches",
            "`understanding` summary is accurate",
            "`starting_from` matches documented checkpoint",
        ],
    );
    questions(state, list);
    let step = state.file_step.as_ref();
    let updated = state.state_file.then(|| step.is_some_and(|step| step.failure.is_none()));
    list.add("State file updated", updated, step.map(|step| step.at), Some(state.handoff_id.clone()));
    let sent = state.confirmation.as_ref();
    let told = sent.is_some_and(|sent| sent.outcome == Outcome::Complete);
    let controller = Some(state.controller.to_string());
    list.add("ECOS notified of successful handoff", Some(told), sent.map(|sent| sent.at), controller);
}

fn verification(state: &State, list: &mut List) {
    let ack = state.ack.as_ref();
    let at = ack.map(|ack| ack.at);
    let message = ack.map(|ack| ack.message.to_string());
    list.add("ACK message received", found(state, &|_| true), at, message);
    acknowledged(
        state,
        list,
        ["Handoff ID matches", "Understanding summary accurate", "Checkpoint matches documented"],
    );
    let ready = found(state, &|ack| ack.status == Some(AckStatus::ReadyToProceed));
    let status = ack.and_then(|ack| ack.status).map(|status| status.word().to_owned());
    list.add("Status is \"ready_to_proceed\"", ready, at, status);
    questions(state, list);
}

/// Id, understanding and checkpoint, under the names of either list.
fn acknowledged(state: &State, list: &mut List, [id, understanding, checkpoint]: [&'static str; 3]) {
    let at = state.ack.as_ref().map(|ack| ack.at);
    list.add(id, found(state, &|ack| ack.id_matches), at, Some(state.handoff_id.clone()));
    list.add(understanding, accurate(state), at, state.understanding.as_ref().map(who_judged));
    let documented = state.starting_from.as_ref();
    let matches = found(state, &|ack| ack.starting_from_matches).filter(|_| documented.is_some());
    list.add(checkpoint, matches, at, documented.map(|from| from.name.clone()));
}

/// What shows how the understanding was judged: the verdict that counted, or the score where none was needed.
fn who_judged(judged: &Understanding) -> String {
    match (&judged.judged_by, judged.by) {
        (Some(verdict), _) => format!("verdict of the initiator, {verdict}"),
        (None, Some(JudgedBy::Judge)) => "verdict of the judge".to_owned(),
        (None, Some(JudgedBy::Rule | JudgedBy::Initiator | JudgedBy::Policy) | None) => {
            format!("score {}", f64::from(judged.score) / 1000.0)
        }
    }
}

/// Whether the understanding was found right. Where the policy accepts any, nobody looked.
fn accurate(state: &State) -> Option<bool> {
    found(state, &|_| verified(state)).filter(|right| !(*right && state.unseen))
}

/// Whether the ACK has something. Who went on without one needs none of it.
fn found(state: &State, test: &dyn Fn(&AckSeen) -> bool) -> Option<bool> {
    state.overridden.is_none().then(|| state.ack.as_ref().is_some_and(test))
}

fn questions(state: &State, list: &mut List) {
    let asked = state.questions.as_ref();
    let answered = asked.map(|questions| !questions.open());
    let count = asked.map(|questions| questions.count.to_string());
    list.add("All questions answered", answered, asked.map(|questions| questions.at), count);
}

fn updates(state: &State, list: &mut List) {
    let step = state.file_step.as_ref();
    let at = step.map(|step| step.at);
    let moved = step.map(|step| step.moved.as_slice()).unwrap_or_default();
    let foreign = |task: &Task| matches!(task.failure, Some(Failure::Foreign { .. }));
    // Of tasks that the file does not know there is nothing to change.
    let unknown = step.is_some_and(|step| step.failure.is_none() && moved.is_empty())
        && !state.tasks.iter().any(foreign);
    let of_tasks = (state.state_file && !state.tasks.is_empty() && !unknown).then_some(!moved.is_empty());
    list.add("Assignment record updated", of_tasks, at, Some(moved.join(", ")));
    list.add("Agent ID changed to replacement", of_tasks, at, Some(state.replacement.id.clone()));
    list.add("Session updated", of_tasks, at, Some(state.replacement.session.clone()));
    let status = |word: &str| Some(word.to_owned());
    list.add("Status set to pending_verification", of_tasks, at, status("pending_verification"));
    list.add("Replacement info added", of_tasks, at, Some(state.handoff_id.clone()));
    list.add("Instruction verification reset", of_tasks, at, status("awaiting_repetition"));
    let progress = step.and_then(|step| step.progress).map(|progress| format!("{progress} %"));
    list.add("Progress preserved with flag", of_tasks, at, progress.or(status("at_replacement")));
    let failed = state.failed.as_ref().map(|failed| failed.id.clone());
    let marked = (!state.keeps_failed).then_some(state.moved_at.is_some());
    list.add("Failed agent marked inactive", marked, state.moved_at.filter(|_| !state.keeps_failed), failed);
    let replacement = Some(state.replacement.id.clone());
    list.add("Replacement agent registered", Some(state.moved_at.is_some()), state.moved_at, replacement);
}

fn github(state: &State, list: &mut List) {
    let step = state.issue_step.as_ref();
    let at = step.map(|step| step.at);
    let issues = step.map(|step| step.issues.as_slice()).unwrap_or_default();
    let all = |test: &dyn Fn(&super::effect::IssueUpdate) -> bool| {
        (state.github && !state.issues.is_empty()).then(|| !issues.is_empty() && issues.iter().all(test))
    };
    let numbers = Some(issues.iter().map(|one| format!("#{}", one.number)).collect::<Vec<_>>().join(", "));
    list.add("Issue assignee updated", all(&|one| one.assignee_changed), at, numbers.clone());
    list.add("Labels updated", all(&|one| one.labels_changed), at, numbers);
    let comments: Vec<_> = issues.iter().filter_map(|one| one.comment.clone()).collect();
    list.add("Audit comment added", all(&|one| one.comment.is_some()), at, Some(comments.join(", ")));
    let pulls = step.map(|step| step.pulls.as_slice()).unwrap_or_default();
    let pulled = (state.github && !state.pulls.is_empty())
        .then(|| !pulls.is_empty() && pulls.iter().all(|one| one.assignee_changed));
    let numbers = pulls.iter().map(|one| format!("#{}", one.number)).collect::<Vec<_>>().join(", ");
    list.add("PR assignee updated (if applicable)", pulled, at, Some(numbers));
}

fn notification(state: &State, list: &mut List) {
    let sent = state.confirmation.as_ref();
    let at = sent.map(|sent| sent.at);
    let done = Some(sent.is_some());
    list.add("Confirmation message sent", done, at, Some(state.controller.to_string()));
    let status = sent.map(|sent| sent.outcome.status().to_owned());
    list.add("Status correctly reported", done, at, status);
    let listed = done.map(|sent| sent && state.moved_at.is_some()).filter(|_| !state.tasks.is_empty());
    list.add("All task UUIDs listed", listed, at, Some(state.uuids().join(", ")));
    let url = state.url().map(str::to_owned);
    list.add("Handoff URL included", done.map(|done| done && url.is_some()), at, url);
}

fn audit(state: &State, list: &mut List) {
    let at = state.confirmation.as_ref().map(|sent| sent.at);
    let done = Some(state.audited == Some(true));
    list.add("Audit log entry created", done, at, Some(state.handoff_id.clone()));
    list.add("All timestamps recorded", done, at, at.map(|at| at.to_string()));
    let outcome = state.confirmation.as_ref().map(|sent| sent.outcome.status().to_owned());
    list.add("Outcome documented", done, at, outcome);
}

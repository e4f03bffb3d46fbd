//! What Wilco says in a handoff.

use crate::message::MessageType;
use serde_json::{Map, Value, json};
use wilco_protocol::handoff::{
    AuditAck, AuditConfirmation, AuditDocument, AuditEntry, AuditFailed, AuditGithub, AuditNotification,
    Code, IssueUpdate, Outcome, Party, Phase, Say, State, Task, last_known_progress,
};
use wilco_protocol::{Exchange, MessageId, Name, Span, Time};

use super::handoff_notice::{notice, to_initiator};
use super::not_understood::not_understood;
use super::to_initiator::{bulleted, counted};
use super::to_judge::{to_judge, with_answers};
use super::{Rendered, Setting, escalation, teaching};
use crate::interpret::{Cited, handed_tasks, handoff_called};

pub(super) fn say(state: &State, to: &Name, say: &Say, setting: &Setting<'_>) -> Rendered {
    match say {
        Say::Handoff => handed(state, to, setting),
        Say::Reminder { number, grace } => reminder(state, to, *number, *grace, setting),
        Say::Correction { understanding, starting_from, judged_by } => {
            let judged = judged_by.as_ref();
            let given = judged.and_then(|id| setting.cited.correction(id));
            let missing = judged.map(|id| missing(id, setting)).unwrap_or_default();
            correction(state, to, [*understanding, *starting_from], given, missing, setting)
        }
        Say::Judgement { correction: given, missing } => {
            correction(state, to, [true, false], given.clone(), missing.clone(), setting)
        }
        Say::Clarification { message, updated } => clarification(state, to, message, *updated, setting),
        Say::Cancel { tasks } => cancel(tasks),
        Say::Notice(said) => notice(state, to, said, setting),
        Say::ToInitiator(said) => to_initiator(state, said, setting),
        Say::NotUnderstood(unread) => {
            not_understood(&Exchange::Handoff(Box::new(state.clone())), to, unread, setting)
        }
        Say::Confirmation => confirmation(state, setting),
        Say::Escalation { number, again } => escalated(state, to, *number, *again, setting),
    }
}

/// The failed agent is to stop.
fn cancel(tasks: &[String]) -> Rendered {
    let text =
        format!("Your work is being handed over to another agent. Stop working on:\n{}", bulleted(tasks));
    let mut message = plain(MessageType::TaskCancel, format!("Stop: {}", tasks.join(", ")), text);
    message.priority = "high";
    message.with("tasks", json!(tasks)).with("reason", json!("handed-over"))
}

fn missing(verdict: &MessageId, setting: &Setting<'_>) -> Vec<String> {
    wilco_protocol::exchange::Texts::missing(setting.cited, verdict)
}

pub(super) fn plain(kind: MessageType, subject: String, text: String) -> Rendered {
    let content = Map::from_iter([("type".to_owned(), json!(kind)), ("message".to_owned(), json!(text))]);
    Rendered { subject, priority: "normal", content }
}

/// The subject of the message that hands over.
pub fn handoff_title(failed: Option<&str>) -> String {
    format!("[HANDOFF] Agent Replacement - You are replacing {}", failed.unwrap_or("an agent"))
}

/// The subject of a request to replace somebody that came without one.
pub fn request_title(failed: Option<&str>, replacement: &str) -> String {
    format!("Replace {} by {replacement}", failed.unwrap_or("an agent"))
}

pub(super) fn failed(state: &State) -> &str {
    state.failed.as_ref().map_or("an agent", |failed| failed.id.as_str())
}

/// Until when the replacement is to answer.
pub(super) fn deadline(state: &State, now: Time) -> Time {
    match state.phase {
        Phase::AwaitingAck { until } | Phase::Correcting { until } => until,
        _ => now.plus(state.ack_timeout()),
    }
}

/// `5 minutes`, `90 seconds`.
pub(super) fn spoken(span: Span) -> String {
    let seconds = (span.as_millis() + 500) / 1000;
    match seconds {
        few if few < 60 => counted(few as usize, "second"),
        whole if whole % 60 == 0 || whole >= 600 => counted(((whole + 30) / 60) as usize, "minute"),
        seconds => format!(
            "{} {}",
            counted((seconds / 60) as usize, "minute"),
            counted((seconds % 60) as usize, "second")
        ),
    }
}

fn reason(state: &State, setting: &Setting<'_>) -> Option<String> {
    setting.cited.text(&state.opening, "reason")
}

fn handed(state: &State, to: &Name, setting: &Setting<'_>) -> Rendered {
    let within = spoken(state.ack_timeout());
    let why = reason(state, setting).map(|reason| format!(" due to {reason}")).unwrap_or_default();
    let url = state.url().unwrap_or_default();
    let none = if state.tasks.is_empty() { " There is no open task to take over." } else { "" };
    let text = format!(
        "You are replacing {}{why}.{none} The full handoff document with all context: {url}\n\
         Please ACK within {within} and confirm that you understand the requirements.",
        failed(state),
    );
    let mut message = plain(
        MessageType::ReplacementHandoff,
        handoff_title(state.failed.as_ref().map(|failed| failed.id.as_str())),
        text,
    );
    message.priority = state.urgency.priority();
    message.content.extend(particulars(state, &within));
    message.teaching(teaching::handoff(state, to, deadline(state, setting.now), setting))
}

fn particulars(state: &State, within: &str) -> Map<String, Value> {
    Map::from_iter([
        ("handoff_id".to_owned(), json!(state.handoff_id)),
        ("handoff_url".to_owned(), json!(state.url())),
        ("failed_agent".to_owned(), json!(state.failed.as_ref().map(Party::shown))),
        ("tasks".to_owned(), json!(state.uuids())),
        ("urgency".to_owned(), json!(state.urgency)),
        ("ack_required_within".to_owned(), json!(within)),
        ("starting_from".to_owned(), json!(state.starting_from.as_ref().map(|from| &from.name))),
    ])
}

/// The initiator's own message as the replacement sees it.
pub(super) fn passed(
    state: &State,
    to: &Name,
    original: &Map<String, Value>,
    setting: &Setting<'_>,
) -> Map<String, Value> {
    let mut content = original.clone();
    // Only Wilco teaches.
    content.remove("teaching");
    let said = original.get("message").and_then(Value::as_str).unwrap_or("").trim_end().to_owned();
    let lead = if MessageType::of(original) == Some(MessageType::ReplacementHandoff) {
        let within = spoken(state.ack_timeout());
        for (key, value) in particulars(state, &within) {
            content.entry(key).or_insert(value);
        }
        // Whatever the sender wrote there, this is what Wilco waits.
        content.insert("ack_required_within".to_owned(), json!(within));
        if said.is_empty() {
            format!(
                "You are replacing {}. The handoff document: {}",
                failed(state),
                state.url().unwrap_or_default()
            )
        } else {
            said
        }
    } else {
        content.insert("type".to_owned(), json!(MessageType::HandoffClarification));
        content.insert("handoff_id".to_owned(), json!(state.handoff_id));
        answers(original, said)
    };
    let block = teaching::handoff(state, to, deadline(state, setting.now), setting);
    content.insert("message".to_owned(), json!(lead));
    teaching::teach(&mut content, block);
    content
}

/// Questions and answers in words, after what was said besides.
fn answers(original: &Map<String, Value>, said: String) -> String {
    let entries = original.get("clarifications").and_then(Value::as_array).cloned().unwrap_or_default();
    let text =
        |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("").trim().to_owned();
    let pair = |entry: &Value| format!("Q: {}\nA: {}", text(entry, "question"), text(entry, "answer"));
    let mut parts =
        vec![if said.is_empty() { "Answers to your questions about the handoff".to_owned() } else { said }];
    parts.extend(entries.iter().map(pair));
    parts.join("\n\n")
}

fn clarification(
    state: &State,
    to: &Name,
    message: &MessageId,
    updated: bool,
    setting: &Setting<'_>,
) -> Rendered {
    let original = setting.cited.content(message).cloned().unwrap_or_default();
    let mut content = passed(state, to, &original, setting);
    content.remove("document");
    if updated {
        content.insert("updated_handoff_url".to_owned(), json!(state.url()));
    }
    Rendered {
        subject: format!("[CLARIFICATION] Re: Handoff {}", state.handoff_id),
        priority: "high",
        content,
    }
}

fn reminder(state: &State, to: &Name, number: u32, grace: bool, setting: &Setting<'_>) -> Rendered {
    let until = deadline(state, setting.now);
    let last = if number < 2 { until.plus(state.half()) } else { until };
    let lead = if grace {
        "You may have had no chance to answer, so here is a little more time."
    } else {
        "You have not acknowledged the replacement handoff."
    };
    let url = state.url().unwrap_or_default();
    let text = format!(
        "{lead} Please ACK immediately or indicate if you cannot accept this task. The document: {url}"
    );
    let subject = format!("[REMINDER] ACK Required for Handoff {}", state.handoff_id);
    let message = plain(MessageType::HandoffReminder, subject, text)
        .with("handoff_id", json!(state.handoff_id))
        .with("handoff_url", json!(state.url()))
        .with("original_sent", json!(state.sent_at))
        .with("reminder_number", json!(number))
        .with("final_deadline", json!(last))
        .teaching(teaching::handoff(state, to, until, setting));
    Rendered { priority: "urgent", ..message }
}

fn correction(
    state: &State,
    to: &Name,
    [understanding, starting_from]: [bool; 2],
    given: Option<String>,
    missing: Vec<String>,
    setting: &Setting<'_>,
) -> Rendered {
    let tasks = handed_tasks(state, setting.cited);
    let said = state.ack.as_ref().map(|ack| setting.cited.understanding(&ack.message)).unwrap_or_default();
    let began = state
        .ack
        .as_ref()
        .and_then(|ack| wilco_protocol::exchange::Texts::starting_from(setting.cited, &ack.message));
    let right =
        given.unwrap_or_else(|| tasks.iter().map(|task| task.title.clone()).collect::<Vec<_>>().join("; "));
    let criteria: Vec<_> = tasks.iter().flat_map(|task| task.criteria.clone()).collect();
    let lacking: Vec<_> = match (&state.understanding, missing.is_empty()) {
        (_, false) => missing,
        (Some(judged), true) => {
            judged.missing.iter().filter_map(|place| criteria.get(usize::from(*place)).cloned()).collect()
        }
        (None, true) => Vec::new(),
    };
    let documented = state.starting_from.as_ref().map(|from| from.name.clone());
    let mut parts = Vec::new();
    if understanding {
        parts.push(format!("Your understanding: {said}. Correct understanding: {right}."));
        if !lacking.is_empty() {
            parts.push(format!("Missing in it:\n{}", bulleted(&lacking)));
        }
    }
    if starting_from {
        parts.push(format!(
            "You begin at: {}. The documented checkpoint is: {}.",
            began.clone().unwrap_or_default(),
            documented.clone().unwrap_or_default()
        ));
    }
    parts.push("Please read the document again and send a new ACK.".to_owned());
    let subject = format!("[CORRECTION] Handoff {}", state.handoff_id);
    let mut message = plain(MessageType::HandoffCorrection, subject, parts.join("\n\n"))
        .with("handoff_id", json!(state.handoff_id))
        .with("handoff_url", json!(state.url()))
        .teaching(teaching::handoff(state, to, deadline(state, setting.now), setting));
    if understanding {
        message = message
            .with("your_understanding", json!(said))
            .with("correct_understanding", json!(right))
            .with("missing", json!(lacking));
    }
    if starting_from {
        message =
            message.with("your_starting_from", json!(began)).with("correct_starting_from", json!(documented));
    }
    Rendered { priority: "high", ..message }
}

fn escalated(state: &State, to: &Name, number: u32, again: bool, setting: &Setting<'_>) -> Rendered {
    use wilco_protocol::escalation::Reason;
    let exchange = Exchange::Handoff(Box::new(state.clone()));
    let Some(mut message) = escalation::message(&exchange, to, number, again, setting) else {
        return plain(MessageType::Escalation, "Decision needed".to_owned(), String::new());
    };
    let reason = state.escalations.iter().find(|one| one.number == number).map(|one| one.reason);
    let what = match reason {
        Some(Reason::NoAcknowledgment) => "Replacement Agent Not Responding",
        Some(Reason::CapabilityMismatch) => "Replacement Agent Misunderstands",
        Some(Reason::NoCandidate) => "Replacement Agent Rejected the Handoff",
        Some(Reason::NoDocument) => "Handoff Document Not Written",
        Some(Reason::EnvironmentIssue) => "Replacement Agent Is Blocked",
        _ => "Handoff Waits for the Orchestrator",
    };
    let still = if again { "Reminder: " } else { "" };
    message.subject = format!("{still}[EOA-ESCALATE] {what}");
    // Scripts look for ACKs among an orchestrator's messages by this field.
    if *to != state.initiator {
        message = message.with("handoff_id", json!(state.handoff_id));
    }
    message
        .with("failed_agent", json!(state.failed.as_ref().map(|failed| &failed.id)))
        .with("replacement_agent", json!(state.replacement.id))
        .with("reminders_sent", json!(state.reminders_sent))
        .with("tasks_affected", json!(state.uuids()))
        .with("action_required", json!("provide_alternative_agent"))
}

fn confirmation(state: &State, setting: &Setting<'_>) -> Rendered {
    let outcome = state.confirmation.as_ref().map_or(Outcome::Failed, |sent| sent.outcome);
    let (subject, priority, text) = match outcome {
        Outcome::Complete => ("Complete", "normal", "Agent replacement completed successfully"),
        Outcome::Partial => ("Partially Complete", "high", "Agent replacement partially completed"),
        Outcome::Failed => ("Failed", "urgent", "Agent replacement failed"),
    };
    let none = if state.tasks.is_empty() { ". There was no open task to move." } else { "" };
    let message = plain(
        MessageType::ReplacementConfirmation,
        format!("[EOA] Agent Replacement {subject}"),
        format!("{text}{none}"),
    )
    .with("status", json!(outcome.status()))
    .with("failed_agent", json!(state.failed.as_ref().map(Party::shown)))
    .with("replacement_agent", state.replacement.shown());
    let failed: Vec<_> = state.tasks.iter().filter(|task| task.is_wanted()).filter_map(failed_task).collect();
    let ended: Vec<_> = state.tasks.iter().filter(|task| !task.is_wanted()).filter_map(failed_task).collect();
    let mut details = details(state, setting.now);
    if !failed.is_empty() {
        details.insert("tasks_failed".to_owned(), json!(failed.len()));
        details.insert("failed_tasks".to_owned(), json!(failed));
        details.insert("action_required".to_owned(), json!("manual_reassignment_needed"));
    }
    if !ended.is_empty() {
        details.insert("ended_tasks".to_owned(), json!(ended));
    }
    let message = Rendered { priority, ..message };
    let Some(code) = state.confirmation.as_ref().and_then(|sent| sent.code) else {
        return message.with("details", Value::Object(details));
    };
    let action = match code {
        Code::TasksNotMoved => "manual_reassignment_needed",
        _ => "provide_alternative_agent",
    };
    message
        .with(
            "error",
            json!({
                "code": code,
                "message": failure(code, state),
                "reminders_sent": state.reminders_sent,
                "last_attempt": state.last_attempt,
            }),
        )
        .with("details", Value::Object(details))
        .with("action_required", json!(action))
}

fn failed_task(task: &Task) -> Option<Value> {
    Some(json!({"uuid": task.task, "reason": task.failure.as_ref()?.reason()}))
}

fn details(state: &State, now: Time) -> Map<String, Value> {
    let moved: Vec<_> = state
        .tasks
        .iter()
        .filter(|task| task.failure.is_none() && state.moved_at.is_some())
        .map(|task| &task.task)
        .collect();
    Map::from_iter([
        ("tasks_reassigned".to_owned(), json!(moved.len())),
        ("tasks_uuids".to_owned(), json!(moved)),
        ("github_issues_updated".to_owned(), json!(updated(state))),
        ("handoff_id".to_owned(), json!(state.handoff_id)),
        ("handoff_url".to_owned(), json!(state.url())),
        ("ack_received_at".to_owned(), json!(state.accepted_at)),
        ("total_time".to_owned(), json!(spoken(now.since(state.created)))),
    ])
}

fn updated(state: &State) -> Vec<String> {
    let whole = |one: &&IssueUpdate| one.failure.is_none();
    let issues = state.issue_step.as_ref().map(|step| step.issues.as_slice()).unwrap_or_default();
    issues.iter().filter(whole).map(|one| format!("#{}", one.number)).collect()
}

fn failure(code: Code, state: &State) -> String {
    let attempts = state.reminders_sent + 1;
    match code {
        Code::NoAckReceived => {
            format!("Replacement agent did not acknowledge handoff after {attempts} attempts")
        }
        Code::UnderstandingNotVerified => {
            "Replacement agent did not show that it understood the handoff".to_owned()
        }
        Code::ReplacementRejected => {
            "Replacement agent rejected the handoff, and nobody else took it".to_owned()
        }
        Code::NoClarification => "Nobody answered the questions of the replacement agent".to_owned(),
        Code::NoVerdict => "Nobody judged the acknowledgement of the replacement agent".to_owned(),
        Code::EnvironmentIssue => "Replacement agent could not set up its environment".to_owned(),
        Code::DocumentNotWritten => "The handoff document could not be written".to_owned(),
        Code::TasksNotMoved => "No task could be handed over whole".to_owned(),
        Code::Aborted => "The handoff was given up".to_owned(),
    }
}

/// The entry of the audit.
pub fn audit(state: &State, now: Time, setting: &Setting<'_>) -> AuditEntry {
    let (failed, document) = (state.failed.as_ref(), state.document.as_ref());
    let issues = state.issue_step.as_ref().map(|step| step.issues.as_slice()).unwrap_or_default();
    let from = failed.map_or("unknown", |failed| failed.id.as_str());
    let labels = issues.iter().filter(|one| one.labels_changed);
    let changed = labels.map(|_| format!("assigned:{from} -> assigned:{}", state.replacement.id)).take(1);
    let comment =
        |one: &IssueUpdate| Some(format!("#{} {}", one.number, one.comment.as_deref()?.rsplit('#').next()?));
    let outcome = state.confirmation.as_ref().map_or("failed", |sent| sent.outcome.status()).to_owned();
    let ack = state.ack.as_ref();
    let status = match &state.overridden {
        Some(_) => Some("acknowledged_with_delay".to_owned()),
        None => ack.and_then(|ack| ack.status).map(|status| status.word().to_owned()),
    };
    AuditEntry {
        timestamp: now,
        event: "agent_replacement".to_owned(),
        orchestrator: state.initiator.to_string(),
        ecos_notification: AuditNotification {
            received_at: state.created,
            notification_id: state.notification_id.clone(),
            urgency: state.urgency.word().to_owned(),
        },
        failed_agent: AuditFailed {
            id: from.to_owned(),
            session: failed.map(|failed| failed.session.clone()).unwrap_or_default(),
            reason: reason(state, setting).unwrap_or_default(),
            tasks_assigned: state.uuids().into_iter().map(str::to_owned).collect(),
            last_known_progress: last_known_progress(state),
        },
        replacement_agent: Party { github: None, ..state.replacement.clone() },
        handoff: AuditDocument {
            id: state.handoff_id.clone(),
            url: state.url().map(str::to_owned),
            generated_at: document.map(|document| document.published.at),
            size_bytes: document.map(|document| document.published.bytes),
        },
        github: AuditGithub {
            issues_updated: updated(state),
            labels_changed: changed.collect(),
            comments_added: issues.iter().filter_map(comment).collect(),
        },
        ack: AuditAck {
            received_at: state.accepted_at.or(ack.map(|ack| ack.at)),
            status,
            understanding_verified: state.accepted_at.is_some() && state.overridden.is_none(),
        },
        ecos_confirmation: AuditConfirmation { sent_at: now, status: outcome.clone() },
        total_duration: spoken(now.since(state.created)),
        outcome,
    }
}

/// The comment on an issue whose work went to another agent.
pub fn issue_comment(state: &State, setting: &Setting<'_>) -> String {
    let why = reason(state, setting).map(|reason| format!("Reason: {reason}\n")).unwrap_or_default();
    format!(
        "## Agent replacement\n\n{} was replaced by {}.\n\n{why}Handoff: {}\nDocument: {}\nTasks: {}\n",
        failed(state),
        state.replacement.id,
        state.handoff_id,
        state.url().unwrap_or_default(),
        state.uuids().join(", "),
    )
}

/// The note in the state file beside progress that was taken over.
pub fn progress_note(state: &State) -> String {
    format!("Inherited from {}", failed(state))
}

/// What the judge gets to read.
pub fn handoff_to_judge(state: &State, ack: &MessageId, cited: &Cited) -> Value {
    let tasks = handed_tasks(state, cited);
    let mut payload = to_judge(&state.handoff_id, &tasks, ack, &state.replacement.id, cited);
    let answers = state.answers.iter().map(|answer| cited.clarified(answer)).collect();
    with_answers(&mut payload, Vec::new(), answers);
    payload["task"]["also_called"] = json!(handoff_called(state));
    payload
}

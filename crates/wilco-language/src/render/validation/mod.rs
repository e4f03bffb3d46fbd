//! What Wilco says in a validation: each message as fields and in the Markdown form of its type.

mod escalated;
mod taught;
mod trouble;

use crate::message::MessageType;
use serde_json::{Map, Value, json};
use wilco_protocol::exchange::{Exchange, Texts};
use wilco_protocol::validation::{Cause, Duty, Label, Phase, Say, State, Status, id};
use wilco_protocol::{Name, Span, Time};

use super::form::{self, Form};
use super::not_understood::not_understood;
use super::{Rendered, Setting, counted};
use crate::read::failures::Failure;
use crate::read::form::FormKind;

/// Who says it, in the forms.
const VOICE: &str = "@validation-orchestrator";
const SENDER: &str = "Validation Orchestrator (Wilco)";

/// The message for something that is said in a validation.
pub(super) fn say(state: &State, to: &Name, say: &Say, setting: &Setting<'_>) -> Rendered {
    match say {
        Say::Request { phase, again } => request(state, to, *phase, *again, setting),
        Say::Trigger { phase, again } => trigger(state, to, *phase, *again, setting),
        Say::FailureReport { phase } => report(state, to, *phase, setting),
        Say::FixRequest { phase, again } => fix_request(state, to, *phase, *again, setting),
        Say::Success { phase, took, next } => success(state, to, *phase, *took, next, setting),
        Say::Reminder { phase, duty, since, timeout, grace } => {
            trouble::reminder(state, to, *phase, *duty, (*since, *timeout, *grace), setting)
        }
        Say::Error { phase, duty, trouble, agent, since, message, relief } => {
            let (trouble, relief, duty, since) = (*trouble, *relief, *duty, *since);
            let went = trouble::Went { trouble, relief, duty, agent, since, message: message.as_ref() };
            trouble::error(state, to, *phase, &went, setting)
        }
        Say::Unreadable { phase, duty } => trouble::unreadable(state, to, *phase, *duty, setting),
        Say::Change { phase, before, after, because } => {
            change(state, *phase, (*before, *after), *because, setting)
        }
        Say::NotUnderstood(unread) => {
            not_understood(&Exchange::Validation(state.clone()), to, unread, setting)
        }
        Say::Notice(notice) => trouble::notice(state, to, notice, setting),
        Say::Escalation { number, again } => escalated::escalation(state, to, *number, *again, setting),
    }
}

/// One message in the making: what all of them have.
struct Draft<'a> {
    state: &'a State,
    to: &'a Name,
    kind: FormKind,
    id: String,
    priority: &'static str,
    now: Time,
}

impl Draft<'_> {
    /// The form, with the lines that stand above every one.
    fn form(&self) -> Form {
        Form::new(
            self.kind,
            &[
                ("Message ID", self.id.clone()),
                ("From", VOICE.to_owned()),
                ("To", format!("@{}", self.to)),
                ("Timestamp", form::timestamp(self.now)),
                ("Priority", form::priority(self.priority).to_owned()),
            ],
        )
    }

    /// The message with its text and the fields of its phase.
    fn message(&self, kind: MessageType, subject: String, text: String, phase: Option<&Phase>) -> Rendered {
        let mut content = Map::new();
        content.insert("type".into(), json!(kind));
        content.insert("message".into(), json!(text));
        content.insert("message_id".into(), json!(self.id));
        content.extend(about(self.state, phase));
        Rendered { subject, priority: self.priority, content }
    }
}

/// The fields that say which loop and phase a message is about.
fn about(state: &State, phase: Option<&Phase>) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("issue".into(), json!(state.issue));
    fields.extend(state.feature.as_ref().map(|feature| ("feature".to_owned(), json!(feature))));
    if let Some(phase) = phase {
        fields.insert("phase".into(), json!(phase.name));
        fields.insert("specialist".into(), json!(phase.specialist));
        fields.insert("iteration".into(), json!(phase.iteration));
        fields.insert("max_iterations".into(), json!(phase.max_iterations));
        fields.insert("status".into(), json!(phase.status.code()));
    }
    fields
}

/// `feature #42`, with its name if it has one.
fn feature(state: &State) -> String {
    let name = state.feature.as_ref().map(|name| format!(" ({})", form::one_line(name)));
    format!("feature #{}{}", form::one_line(&state.issue), name.unwrap_or_default())
}

/// `00:12:07`.
fn clock(span: Span) -> String {
    let seconds = span.as_seconds();
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn request(state: &State, to: &Name, place: usize, again: bool, setting: &Setting<'_>) -> Rendered {
    let phase = &state.phases[place];
    let draft = Draft {
        state,
        to,
        kind: FormKind::Request,
        id: id(state, phase, Label::Request),
        priority: "high",
        now: setting.now,
    };
    let outcome = outcome(state, place, setting);
    let retry = if again { " Your last answer was an error, so this is asked once more." } else { "" };
    let text = draft
        .form()
        .section(
            "Validation Request",
            &format!("Please run the {} checks for {}.{retry}", form::inline(&phase.name), feature(state)),
        )
        .section("Iteration", &iteration(phase))
        .section("Expected Outcome", &format!("- {}", form::inline(&outcome)))
        .sent_by(SENDER, Some("Validation result"));
    let subject = format!("Validation Request: {}", draft.id);
    draft
        .message(MessageType::ValidationRequest, subject, text, Some(phase))
        .with("expected_outcome", json!(outcome))
        .with("deadline", json!(deadline(phase)))
        .with("again", json!(again))
        .teaching(taught::check(state, phase, Label::Result, setting))
}

fn trigger(state: &State, to: &Name, place: usize, again: bool, setting: &Setting<'_>) -> Rendered {
    let phase = &state.phases[place];
    let draft = Draft {
        state,
        to,
        kind: FormKind::Trigger,
        id: id(state, phase, Label::Trigger),
        priority: "high",
        now: setting.now,
    };
    let (failures, fixes, files) = before(phase, setting);
    let outcome = outcome(state, place, setting);
    let retry = if again { " Your last answer was an error, so this is asked once more." } else { "" };
    let applied = match fixes.is_empty() {
        true => "The initiator says that it is fixed.".to_owned(),
        false => form::numbered(fixes.iter().map(|fix| form::entry(fix))),
    };
    let text = draft
        .form()
        .section(
            "Re-validation Request",
            &format!("Please re-run the {} checks for {}.{retry}", form::inline(&phase.name), feature(state)),
        )
        .section("Iteration", &iteration(phase))
        .section("Previous Failures", &form::failures(&failures))
        .section("Fixes Applied", &applied)
        .section("Files Modified", &form::bulleted(files.iter().map(|file| form::inline(file))))
        .section(
            "Expected Outcome",
            &format!("- All previous failures resolved\n- New status: PASS\n- {}", form::inline(&outcome)),
        )
        .sent_by(SENDER, Some("Re-validation result"));
    let subject = format!("Re-validation Trigger: {}", draft.id);
    draft
        .message(MessageType::RevalidationTrigger, subject, text, Some(phase))
        .with("previous_failures", json!(failures))
        .with("fixes", json!(fixes))
        .with("files", json!(files))
        .with("expected_outcome", json!(outcome))
        .with("deadline", json!(deadline(phase)))
        .with("again", json!(again))
        .teaching(taught::check(state, phase, Label::TriggerResult, setting))
}

fn report(state: &State, to: &Name, place: usize, setting: &Setting<'_>) -> Rendered {
    let phase = &state.phases[place];
    let draft = Draft {
        state,
        to,
        kind: FormKind::FailureReport,
        id: id(state, phase, Label::Report),
        priority: "high",
        now: setting.now,
    };
    let failures = found(phase, setting);
    let summary = format!(
        "{} found {} in {}, iteration {} of {}.",
        phase.specialist,
        counted(failures.len(), "failure"),
        feature(state),
        phase.iteration,
        phase.max_iterations
    );
    let suggestions = suggestions(&failures);
    let text = draft
        .form()
        .section("Failure Summary", &summary)
        .section("Detailed Failures", &form::failures(&failures))
        .section("Suggested Fixes", &suggested(&suggestions))
        .section(
            "Actions Required",
            &format!("Fix them. The request is {}.", id(state, phase, Label::FixRequest)),
        )
        .sent_by(SENDER, None);
    let subject = format!("Validation Failure Report: {}", draft.id);
    draft
        .message(MessageType::FailureReport, subject, text, Some(phase))
        .with("summary", json!(summary))
        .with("failures", json!(failures))
        .with("suggestions", json!(suggestions))
}

fn fix_request(state: &State, to: &Name, place: usize, again: bool, setting: &Setting<'_>) -> Rendered {
    let phase = &state.phases[place];
    let draft = Draft {
        state,
        to,
        kind: FormKind::FixRequest,
        id: id(state, phase, Label::FixRequest),
        priority: "high",
        now: setting.now,
    };
    let (failures, outcome) = (found(phase, setting), outcome(state, place, setting));
    let suggestions = suggestions(&failures);
    let more = if again { " There is more time now." } else { "" };
    let text = draft
        .form()
        .section(
            "Request Summary",
            &format!("Please fix the following validation failures for {}.{more}", feature(state)),
        )
        .section("Failures to Fix", &form::failures(&failures))
        .section("Suggested Approach", &suggested(&suggestions))
        .section("Expected Outcome", &format!("After fixes: {}", form::inline(&outcome)))
        .sent_by(SENDER, Some("Fix completion signal"));
    let subject = format!("Fix Request: {}", draft.id);
    draft
        .message(MessageType::FixRequest, subject, text, Some(phase))
        .with("failures", json!(failures))
        .with("suggestions", json!(suggestions))
        .with("expected_outcome", json!(outcome))
        .with("deadline", json!(deadline(phase)))
        .teaching(taught::fix(state, phase, setting))
}

fn success(
    state: &State,
    to: &Name,
    place: usize,
    took: Span,
    next: &[usize],
    setting: &Setting<'_>,
) -> Rendered {
    let phase = &state.phases[place];
    let draft = Draft {
        state,
        to,
        kind: FormKind::Success,
        id: id(state, phase, Label::Success),
        priority: "normal",
        now: setting.now,
    };
    let next: Vec<_> =
        next.iter().filter_map(|place| state.phases.get(*place)).map(|phase| &phase.name).collect();
    let proceeding = match (next.is_empty(), state.phases.iter().all(Phase::is_over)) {
        (false, _) => {
            let names: Vec<_> = next.iter().map(|name| form::inline(name)).collect();
            format!("Proceeding to: {}", names.join(", "))
        }
        (true, true) => "None: this was the last phase.".to_owned(),
        (true, false) => "The other phases go on.".to_owned(),
    };
    let text = draft
        .form()
        .section(
            "Success Summary",
            &format!(
                "Validation phase {} completed successfully after {}.",
                form::inline(&phase.name),
                counted(phase.iteration as usize, "iteration")
            ),
        )
        .section(
            "Final Status",
            &format!("- All failures resolved\n- Quality gates passed\n- Total time: {}", clock(took)),
        )
        .section("Next Phase", &proceeding)
        .sent_by(SENDER, None);
    let subject = format!("Validation Success: {}", draft.id);
    draft
        .message(MessageType::SuccessNotification, subject, text, Some(phase))
        .with("iterations", json!(phase.iteration))
        .with("total_time", json!(clock(took)))
        .with("next_phase", json!(next.first()))
        .with("next_phases", json!(next))
}

fn change(
    state: &State,
    place: Option<usize>,
    (before, after): (Status, Status),
    because: Cause,
    setting: &Setting<'_>,
) -> Rendered {
    let phase = place.and_then(|place| state.phases.get(place));
    let entity = phase.map_or("validation-orchestrator", |phase| phase.specialist.as_str());
    let reason = cause(phase, because);
    let text = Form::new(
        FormKind::Change,
        &[
            ("Entity", entity.to_owned()),
            ("Previous Status", before.code().to_owned()),
            ("New Status", after.code().to_owned()),
            ("Timestamp", form::timestamp(setting.now)),
            ("Reason", reason.clone()),
        ],
    )
    .sent_by(SENDER, None);
    let mut content = Map::new();
    content.insert("type".into(), json!(MessageType::StatusChange));
    content.insert("message".into(), json!(text));
    content.extend(about(state, phase));
    content.insert("entity".into(), json!(entity));
    content.insert("previous_status".into(), json!(before.code()));
    content.insert("new_status".into(), json!(after.code()));
    content.insert("reason".into(), json!(reason));
    content.insert("because".into(), json!(because.word()));
    let subject = format!("Status Change: #{} {} {}", state.issue, entity, after.code());
    Rendered { subject, priority: "low", content }
}

fn cause(phase: Option<&Phase>, because: Cause) -> String {
    let of = phase
        .map_or_else(|| "The validation".to_owned(), |phase| format!("Phase {}", form::inline(&phase.name)));
    match because {
        Cause::Requested => format!("{of} is being checked."),
        Cause::Passed => format!("{of} passed."),
        Cause::Failed => format!("{of} failed."),
        Cause::FixRequested => format!("A fix of {} was asked for.", of.to_lowercase()),
        Cause::Acknowledged => "The main agent works on the fix.".to_owned(),
        Cause::Fixed => "The fix is made, and is checked again.".to_owned(),
        Cause::Escalated => format!("{of} cannot go on by itself."),
        Cause::Decided => "By decision.".to_owned(),
        Cause::Finished => "The validation has ended.".to_owned(),
    }
}

fn iteration(phase: &Phase) -> String {
    format!("Current: {} / Max: {}", phase.iteration, phase.max_iterations)
}

/// When an answer is due.
fn deadline(phase: &Phase) -> Option<Time> {
    phase.awaited.as_ref().and_then(|awaited| awaited.until)
}

/// What is expected of a phase, in the words of whoever began the loop.
fn outcome(state: &State, place: usize, setting: &Setting<'_>) -> String {
    let opening = setting.cited.content(&state.opening);
    let phases = opening.and_then(|content| content.get("phases")).and_then(Value::as_array);
    let own = phases.and_then(|phases| phases.get(place)).and_then(|phase| phase.get("expected_outcome"));
    let own = own.and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    own.map_or_else(|| format!("All {} checks pass", state.phases[place].name), str::to_owned)
}

/// The failures of the current or last failed round.
fn found(phase: &Phase, setting: &Setting<'_>) -> Vec<Failure> {
    let message = phase.last_failed().and_then(|round| round.failed.as_ref());
    message.map(|id| setting.cited.failures(id)).unwrap_or_default()
}

/// What failed before, and what was done about it.
fn before(phase: &Phase, setting: &Setting<'_>) -> (Vec<Failure>, Vec<String>, Vec<String>) {
    let fixed = phase.last_failed().and_then(|round| round.fixed.as_ref());
    let (fixes, files) = fixed.map(|id| setting.cited.fixes(id)).unwrap_or_default();
    (found(phase, setting), fixes, files)
}

fn suggestions(failures: &[Failure]) -> Vec<String> {
    failures.iter().filter_map(|failure| failure.suggestion.clone()).collect()
}

fn suggested(suggestions: &[String]) -> String {
    form::bulleted(suggestions.iter().map(|text| form::entry(text)))
}

/// What is due of whoever is awaited.
fn label_of(duty: Duty) -> Label {
    match duty {
        Duty::Validation => Label::Result,
        Duty::Revalidation => Label::TriggerResult,
        Duty::Fix => Label::FixDone,
    }
}

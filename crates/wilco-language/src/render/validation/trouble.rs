//! What Wilco says in a validation when something does not go its way: reminders, errors, notices.

use crate::message::MessageType;
use serde_json::{Map, json};
use wilco_protocol::validation::{Duty, Notice, Phase, Relief, State, Trouble, error_id, id, timeout_id};
use wilco_protocol::{MessageId, Name, Span, Time};

use super::super::form::{self, Form};
use super::super::not_understood::first_line;
use super::super::{Rendered, Setting};
use super::{Draft, SENDER, VOICE, about, feature, label_of, taught};
use crate::read::form::FormKind;

pub(super) fn reminder(
    state: &State,
    to: &Name,
    place: usize,
    duty: Duty,
    (since, timeout, grace): (Time, Span, Span),
    setting: &Setting<'_>,
) -> Rendered {
    let phase = &state.phases[place];
    let elapsed = setting.now.since(since);
    let id = timeout_id(state, duty, setting.now);
    let (operation, status) = (duty.word(), phase.status.code());
    let heard = state.unread_answer(place).map(|said| {
        format!(
            "I got your message but could not read an answer in it: {}\n\n",
            first_line(&said, setting.cited)
        )
    });
    let body = format!(
        "{}Operation [{operation}] has been running for {elapsed}.\n\
         Expected completion within {timeout}.\n\n\
         **Current Status**: {status}\n\
         **Action Required**: Complete operation or signal issue\n\n\
         **Escalation**: If no response within {grace}, will escalate to {}.",
        heard.unwrap_or_default(),
        state.initiator
    );
    let text = Form::new(
        FormKind::Timeout,
        &[
            ("Message ID", id.clone()),
            ("To", format!("@{to}")),
            ("Elapsed", minutes(elapsed)),
            ("Timeout", timeout.to_string()),
        ],
    )
    .section("Reminder", &body)
    .sent_by(SENDER, None);
    let draft = Draft { state, to, kind: FormKind::Timeout, id, priority: "high", now: setting.now };
    let subject = format!("Timeout Reminder: {}", draft.id);
    draft
        .message(MessageType::TimeoutReminder, subject, text, Some(phase))
        .with("operation", json!(operation))
        .with("elapsed", json!(elapsed))
        .with("timeout", json!(timeout))
        .with("escalates_in", json!(grace))
        .with("status", json!(status))
        .teaching(taught::how(state, phase, duty, setting))
}

/// `31:05`.
fn minutes(span: Span) -> String {
    format!("{:02}:{:02}", span.as_seconds() / 60, span.as_seconds() % 60)
}

/// Something that went wrong besides a failed check.
pub(super) struct Went<'a> {
    pub(super) trouble: Trouble,
    pub(super) relief: Relief,
    pub(super) duty: Duty,
    pub(super) agent: &'a Name,
    pub(super) since: Time,
    pub(super) message: Option<&'a MessageId>,
}

pub(super) fn error(
    state: &State,
    to: &Name,
    place: usize,
    went: &Went<'_>,
    setting: &Setting<'_>,
) -> Rendered {
    let phase = &state.phases[place];
    let id = error_id(state, went.trouble, went.since);
    let context = format!(
        "{} of phase {} of {}, iteration {}",
        went.duty.word(),
        form::inline(&phase.name),
        feature(state),
        phase.iteration
    );
    let said = |key: &str| went.message.and_then(|id| setting.cited.text(id, key));
    let detail =
        said("error").or_else(|| setting.cited.error(went.message?)).map(|text| form::one_line(&text));
    let error = match (went.trouble, detail) {
        (Trouble::SpecialistFailure, Some(detail)) => format!("{} could not check: {detail}", went.agent),
        (Trouble::SpecialistFailure, None) => format!("{} could not check, and did not say why", went.agent),
        (Trouble::Communication, _) => format!("nothing reaches {}: every nudge failed", went.agent),
        (Trouble::InvalidResponse, _) => format!("an answer of {} could not be read", went.agent),
        (Trouble::Unresponsive, _) => format!("{} has not answered in time", went.agent),
    };
    let actions = actions(went);
    let next = match went.relief {
        Relief::Tried => "wait for the answer",
        Relief::Recovered => "continue",
        Relief::Escalated => "escalate",
    };
    let stack = said("stack_trace").filter(|stack| !form::one_line(stack).is_empty());
    let (recovered, kind) = (went.relief == Relief::Recovered, type_name(went.trouble));
    let trace =
        stack.as_deref().map_or_else(|| "none".to_owned(), |stack| format!("\n{}", form::fenced(stack, "")));
    let text = Form::new(
        FormKind::Error,
        &[
            ("Error ID", id.clone()),
            ("Error Type", kind.to_owned()),
            ("From", VOICE.to_owned()),
            ("Context", context.clone()),
            ("Timestamp", form::timestamp(setting.now)),
        ],
    )
    .section(
        "Error Details",
        &format!(
            "**Error Message**: {}\n**Stack Trace**: {trace}\n**Context**: {context}",
            form::inline(&error)
        ),
    )
    .section("Recovery Actions Attempted", &form::numbered(actions.iter().map(|action| (*action).to_owned())))
    .section(
        "Current Status",
        &format!("**Recovered**: {}\n**Next Action**: {next}", if recovered { "Yes" } else { "No" }),
    )
    .sent_by(SENDER, None);
    let priority = if recovered { "normal" } else { "high" };
    let draft = Draft { state, to, kind: FormKind::Error, id, priority, now: setting.now };
    let subject = format!("Error Notification: {}", draft.id);
    let message = draft
        .message(MessageType::ErrorNotification, subject, text, Some(phase))
        .with("error_id", json!(draft.id))
        .with("error_type", json!(went.trouble.word()))
        .with("context", json!(context))
        .with("agent", json!(went.agent))
        .with("error", json!(error))
        .with("recovery_actions", json!(actions))
        .with("recovered", json!(recovered))
        .with("next_action", json!(next));
    match stack {
        Some(stack) => message.with("stack_trace", json!(stack)),
        None => message,
    }
}

fn type_name(trouble: Trouble) -> &'static str {
    match trouble {
        Trouble::Communication => "Communication",
        Trouble::InvalidResponse => "Invalid Response",
        Trouble::SpecialistFailure => "Specialist Failure",
        Trouble::Unresponsive => "Unresponsive",
    }
}

fn actions(went: &Went<'_>) -> Vec<&'static str> {
    let tried = match went.trouble {
        Trouble::Communication => "nudged the agent 3 times",
        Trouble::InvalidResponse => "sent the agent the expected form",
        Trouble::SpecialistFailure => "asked the specialist once more",
        Trouble::Unresponsive => "reminded the agent",
    };
    match went.relief {
        Relief::Tried | Relief::Recovered => vec![tried],
        Relief::Escalated => vec![tried, "escalated to the initiator"],
    }
}

/// To whoever wrote what cannot be read: the expected form, filled in.
pub(super) fn unreadable(
    state: &State,
    to: &Name,
    place: usize,
    duty: Duty,
    setting: &Setting<'_>,
) -> Rendered {
    let phase = &state.phases[place];
    let id = error_id(state, Trouble::InvalidResponse, setting.now);
    let error = "your answer could not be read";
    let context = format!("{} of phase {} of {}", duty.word(), form::inline(&phase.name), feature(state));
    let text = Form::new(
        FormKind::Error,
        &[
            ("Error ID", id.clone()),
            ("Error Type", type_name(Trouble::InvalidResponse).to_owned()),
            ("From", VOICE.to_owned()),
            ("Context", context.clone()),
            ("Timestamp", form::timestamp(setting.now)),
        ],
    )
    .section("Error Details", "**Error Message**: Your answer could not be read. It is kept, and changed nothing.")
    .section(
        "Current Status",
        "**Recovered**: No\n**Next Action**: Answer again in the form below. A second answer that cannot be read is escalated.",
    )
    .sent_by(SENDER, None);
    let draft = Draft { state, to, kind: FormKind::Error, id, priority: "high", now: setting.now };
    let subject = format!("Error Notification: {}", draft.id);
    draft
        .message(MessageType::ErrorNotification, subject, text, Some(phase))
        .with("error_id", json!(draft.id))
        .with("error_type", json!(Trouble::InvalidResponse.word()))
        .with("context", json!(context))
        .with("error", json!(error))
        .with("recovery_actions", json!(["sent the expected form"]))
        .with("recovered", json!(false))
        .with("next_action", json!("answer again in the expected form"))
        .with("expected_form", json!(taught::expected(state, phase, label_of(duty))))
        .teaching(taught::how(state, phase, duty, setting))
}

pub(super) fn notice(state: &State, to: &Name, notice: &Notice, setting: &Setting<'_>) -> Rendered {
    let named =
        |place: &usize| state.phases.get(*place).map_or(String::new(), |phase| form::inline(&phase.name));
    let (reason, text, place) = match notice {
        Notice::OtherIteration { phase, named: told, current } => (
            "other-iteration",
            format!(
                "Your message is about iteration {told} of phase {}; it is in iteration {current}. It is kept, and changed nothing.",
                named(phase)
            ),
            Some(*phase),
        ),
        Notice::OtherLoop => (
            "other-loop",
            format!(
                "The id in your message belongs to no phase of {}. It is kept, and changed nothing.",
                feature(state)
            ),
            None,
        ),
        Notice::OutOfTurn { phase } => (
            "out-of-turn",
            format!(
                "Nothing of the kind is awaited of you in {} now. Your message is kept, and changed nothing.",
                feature(state)
            ),
            *phase,
        ),
        Notice::WhichPhase { phases } => {
            let duty = |phase: &Phase| phase.awaited.as_ref().map_or(Duty::Fix, |awaited| awaited.duty);
            let phases = phases.iter().filter_map(|place| state.phases.get(*place));
            let ids: Vec<_> = phases.map(|phase| id(state, phase, label_of(duty(phase)))).collect();
            (
                "which-phase",
                format!(
                    "Several phases wait for you. Send it again with one of these as its message id:\n{}",
                    form::fenced(&ids.join("\n"), "")
                ),
                None,
            )
        }
        Notice::Paused { phase } => (
            "paused",
            format!(
                "Phase {} waits for a decision of {}. Your message is kept for it, and changed nothing.",
                named(phase),
                state.initiator
            ),
            Some(*phase),
        ),
        Notice::Over => (
            "over",
            format!(
                "The validation of {} has ended. Your message is kept, and changed nothing.",
                feature(state)
            ),
            None,
        ),
        Notice::NotNeeded { phase } => (
            "not-needed",
            format!("Phase {} of {} needs nothing from you any more.", named(phase), feature(state)),
            Some(*phase),
        ),
    };
    let phase = place.and_then(|place| state.phases.get(place));
    let awaited = phase.and_then(|phase| phase.awaited.as_ref().map(|awaited| (phase, awaited.duty)));
    let owed = awaited.filter(|(phase, duty)| state.doer(phase, *duty) == *to && reason != "paused");
    let mut content = Map::new();
    content.insert("type".into(), json!(MessageType::ProtocolNotice));
    content.insert("message".into(), json!(text));
    content.insert("reason".into(), json!(reason));
    content.extend(about(state, phase));
    content.insert("state".into(), json!(state.name()));
    let subject = format!("Validation of #{}: {reason}", state.issue);
    let message = Rendered { subject, priority: "normal", content };
    match owed {
        Some((phase, duty)) => message.teaching(taught::how(state, phase, duty, setting)),
        None => message,
    }
}

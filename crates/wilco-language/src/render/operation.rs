//! What Wilco says in an operation.

use crate::message::MessageType;
use serde_json::{Map, Value, json};
use wilco_protocol::operation::{
    Answer, Execute, Notice, Outcome, Say, State, ToInitiator, Tone, Track, TrackState, Why,
};
use wilco_protocol::unread::UnreadWords;
use wilco_protocol::{Exchange, Name, Span, Time};

use super::not_understood::{first_line, not_understood};
use super::{Rendered, Setting, announced, escalation, teaching};

pub(super) fn say(state: &State, to: &Name, say: &Say, setting: &Setting<'_>) -> Rendered {
    match say {
        Say::Announcement => announcement(state, setting),
        Say::Ask => Rendered {
            subject: pending(&state.operation),
            priority: "high",
            content: announced::again(state, to, setting),
        },
        Say::Reminder { number, total, tone, grace } => {
            reminder(state, to, [*number, *total], *tone, *grace, setting)
        }
        Say::Extension => extension(state, to, setting),
        Say::Timeout { proceeding } => timeout(state, *proceeding),
        Say::Authorized { because } => authorized(state, to, *because, setting),
        Say::Performed { outcome } => performed(state, to, *outcome, setting),
        Say::Cancelled { by } => {
            let text = format!(
                "{} was cancelled by {by}. Nothing will be done; go on with your work.",
                state.operation
            );
            let message = plain(state, MessageType::OperationCancelled, "Cancelled", text)
                .with("cancelled_by", json!(by));
            if by == to { message.with("read_as", json!("cancel")) } else { message }
        }
        Say::Aborted { because, by } => aborted(state, to, *because, by.as_ref()),
        Say::Notice(notice) => self::notice(state, to, notice, setting),
        Say::NotUnderstood(unread) if state.track(to).is_some() => information(state, to, unread, setting),
        Say::NotUnderstood(unread) => {
            not_understood(&Exchange::Operation(state.clone()), to, unread, setting)
        }
        Say::ToInitiator(say) => to_initiator(state, say, setting),
        Say::Escalation { number, again } => {
            let exchange = Exchange::Operation(state.clone());
            let mut message = escalation::message(&exchange, to, *number, *again, setting)
                .unwrap_or_else(|| plain(state, MessageType::Escalation, "Decision needed", String::new()))
                .with("operation_id", json!(state.id))
                .with("operation", json!(state.operation));
            message
                .content
                .extend(state.broadcast_id.as_ref().map(|id| ("broadcast_id".to_owned(), json!(id))));
            message
        }
    }
}

/// The subject of the question, when its initiator gave none.
pub fn pending(operation: &str) -> String {
    format!("[{}] Pending - Acknowledgment Required", capital(operation))
}

pub(super) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn plain(state: &State, kind: MessageType, subject: &str, text: String) -> Rendered {
    let mut content = Map::from_iter([
        ("type".to_owned(), json!(kind)),
        ("message".to_owned(), json!(text)),
        ("operation_id".to_owned(), json!(state.id)),
        ("operation".to_owned(), json!(state.operation)),
    ]);
    content.extend(state.broadcast_id.as_ref().map(|id| ("broadcast_id".to_owned(), json!(id))));
    Rendered { subject: format!("[{}] {subject}", capital(&state.operation)), priority: "normal", content }
}

impl Rendered {
    fn titled(mut self, subject: &str, priority: &'static str) -> Rendered {
        (self.subject, self.priority) = (subject.to_owned(), priority);
        self
    }
}

/// Seconds until an instant, to the nearest.
pub(super) fn seconds(until: Option<Time>, now: Time) -> u64 {
    until.map_or(0, |until| (until.since(now).as_millis() + 500) / 1000)
}

/// What an agent's silence leads to.
pub(super) fn silence(state: &State) -> String {
    match (state.policy.proceed_on_timeout, state.several()) {
        (true, _) => "Without your answer it goes on all the same.".to_owned(),
        (false, false) => "Without your answer it is aborted.".to_owned(),
        (false, true) => {
            let needed = state.policy.quorum.of(state.tally().remaining());
            format!(
                "Without your answer it goes on only if {needed} of {} agents are ready.",
                state.tally().remaining()
            )
        }
    }
}

fn announcement(state: &State, setting: &Setting<'_>) -> Rendered {
    let begins = wilco_protocol::operation::timers(state).first().map(|timer| timer.due);
    let said = setting.cited.text(&state.opening, "message").unwrap_or_default();
    let text = format!(
        "{said}\n\n{} asks for your \"ok\" in {}. Nothing is needed from you before; save your work by then.",
        state.initiator,
        begins.map_or(Span::ZERO, |begins| begins.since(setting.now)),
    );
    plain(state, MessageType::OperationNotice, "Announced", text).with("begins", json!(begins))
}

fn reminder(
    state: &State,
    to: &Name,
    [number, total]: [u32; 2],
    tone: Tone,
    grace: bool,
    setting: &Setting<'_>,
) -> Rendered {
    let left = seconds(state.track(to).and_then(|track| track.deadline), setting.now);
    let lead = match (tone, grace) {
        (_, true) => "You may have had no chance to answer, so here is a little more time",
        (Tone::Gentle, false) => "Reminder",
        (Tone::Firm, false) => "Second notice",
        (Tone::Final, false) => "Final notice",
    };
    let text = format!(
        "{lead}: please reply 'ok' when ready for the pending {}. {left} seconds remaining. {}",
        state.operation,
        silence(state),
    );
    plain(state, MessageType::Reminder, "", text)
        .titled("Reminder: Acknowledgment Required", "high")
        .with("tone", json!(tone))
        .with("original_operation", json!(state.operation))
        .with("time_remaining", json!(format!("{left} seconds")))
        .with("time_remaining_seconds", json!(left))
        .with("reminder_number", json!(number))
        .with("total_reminders", json!(total))
        .teaching(teaching::answer(state, to, setting))
}

fn extension(state: &State, to: &Name, setting: &Setting<'_>) -> Rendered {
    let left = seconds(state.track(to).and_then(|track| track.deadline), setting.now);
    let text = format!(
        "Extension granted. You now have {left} seconds remaining. Please reply \"ok\" when ready. There is no further extension."
    );
    plain(state, MessageType::ExtensionGranted, "", text)
        .titled("Extension Granted", "normal")
        .with("new_timeout", json!(format!("{left} seconds")))
        .with("new_timeout_seconds", json!(left))
        .with("extension_allowed_again", json!(false))
        .with("read_as", json!("wait"))
}

fn timeout(state: &State, proceeding: Option<bool>) -> Rendered {
    let operation = &state.operation;
    let (subject, text) = match proceeding {
        Some(true) => (
            "Proceeding Without Acknowledgment",
            format!("No response received in time. Proceeding with {operation} now."),
        ),
        Some(false) => (
            "No Acknowledgment - Not Proceeding",
            format!("No response received in time. {operation} will not be done."),
        ),
        None => (
            "No Acknowledgment Yet",
            format!(
                "No response received in time. Whether {operation} goes on is not decided yet: an \"ok\" still counts."
            ),
        ),
    };
    plain(state, MessageType::TimeoutNotice, "", text)
        .titled(subject, "high")
        .with("timeout_occurred", json!(true))
        .with("proceeding", json!(proceeding))
}

fn named(state: &State, such: TrackState) -> Vec<&Name> {
    let has = |track: &&Track| track.state == such;
    state.tracks.iter().filter(has).map(|track| &track.agent).collect()
}

fn listed(names: &[&Name]) -> String {
    let names: Vec<_> = names.iter().map(|name| name.as_str()).collect();
    if names.is_empty() { "nobody".to_owned() } else { names.join(", ") }
}

fn authorized(state: &State, to: &Name, because: Why, setting: &Setting<'_>) -> Rendered {
    let (ready, silent) = (named(state, TrackState::Ready), named(state, TrackState::TimedOut));
    let excluded = named(state, TrackState::Excluded);
    let operation = &state.operation;
    let why = match because {
        Why::AllReady => "everybody is ready".to_owned(),
        Why::NotRequired => "no answers were asked for".to_owned(),
        Why::Decision => "by decision".to_owned(),
        _ => format!("ready: {}; no answer: {}", listed(&ready), listed(&silent)),
    };
    let performs = to == &state.initiator && state.execute == Execute::Manual;
    let now = if performs { " Perform it now, and say how it went." } else { "" };
    let text = format!("{operation} goes on: {why}.{now}");
    let message = plain(state, MessageType::OperationAuthorized, "Authorized", text)
        .with("because", json!(because))
        .with("ready", json!(ready))
        .with("timed_out", json!(silent))
        .with("excluded", json!(excluded));
    let message = Rendered { priority: "high", ..message };
    if performs { message.teaching(teaching::result(state, setting)) } else { message }
}

fn performed(state: &State, to: &Name, outcome: Outcome, setting: &Setting<'_>) -> Rendered {
    let operation = &state.operation;
    let (subject, lead) = match outcome {
        Outcome::Done => ("Done", format!("{operation} is done.")),
        _ => ("Failed", format!("{operation} failed.")),
    };
    let said = state.result.as_ref().and_then(|id| setting.cited.text(id, "message"));
    let note = state.result.as_ref().and_then(|id| note(setting.cited.content(id)?, to));
    let more = [said.clone(), note.clone()].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let text = format!("{lead} {more}");
    let mut message = plain(state, MessageType::PostOperation, subject, text.trim_end().to_owned());
    message.content.extend(note.map(|note| ("note".to_owned(), json!(note))));
    message.with("outcome", json!(outcome))
}

/// What the initiator's result says of one agent.
fn note(result: &Map<String, Value>, agent: &Name) -> Option<String> {
    let of = |one: &&Value| one.get("agent").and_then(Value::as_str) == Some(agent.as_str());
    let one = result.get("results")?.as_array()?.iter().find(of)?;
    one.get("note").and_then(Value::as_str).map(str::to_owned)
}

fn aborted(state: &State, to: &Name, because: Why, by: Option<&Name>) -> Rendered {
    let operation = &state.operation;
    let why = match (because, by) {
        (_, Some(by)) => format!("{by} asked for it"),
        (Why::NobodyLeft, None) => "nobody is left to take part".to_owned(),
        (Why::Decision, None) => "by decision".to_owned(),
        (_, None) => {
            let needed = state.policy.quorum.of(state.tally().remaining());
            format!("{needed} agents had to be ready, and too few are or can be")
        }
    };
    let text = format!("{operation} is aborted: {why}. Nothing will be done; go on with your work.");
    let mut message =
        plain(state, MessageType::OperationAborted, "Aborted", text).with("reason", json!(because));
    message.content.extend(by.map(|by| ("cancelled_by".to_owned(), json!(by))));
    let message = Rendered { priority: "high", ..message };
    if by == Some(to) { message.with("read_as", json!("cancel")) } else { message }
}

/// What an agent said was no answer: it is told how it was read.
fn information(state: &State, to: &Name, unread: &UnreadWords, setting: &Setting<'_>) -> Rendered {
    let message = notice(state, to, &Notice::Read { answer: Answer::Information }, setting);
    let said = first_line(&unread.message, setting.cited);
    let text = message.content.get("message").and_then(Value::as_str).unwrap_or_default();
    let text = format!("You wrote: {said}\nNothing changed. {text}");
    message.with("message", json!(text)).with("about", json!(unread.message))
}

fn notice(state: &State, to: &Name, notice: &Notice, setting: &Setting<'_>) -> Rendered {
    let operation = &state.operation;
    let track = state.track(to);
    let left = seconds(track.and_then(|track| track.deadline), setting.now);
    let about = |reason: &str, text: String| {
        plain(state, MessageType::ProtocolNotice, reason, text).with("reason", json!(reason))
    };
    match notice {
        Notice::Read { answer } => {
            let excluded = track.is_some_and(|track| track.state == TrackState::Excluded);
            let text = announced::read_as(state, to, *answer, excluded);
            about("answer-read", text).with("read_as", json!(answer))
        }
        Notice::NoMoreTime => {
            let text =
                format!("There is no more time for {operation}: {left} seconds remain. {}", silence(state));
            about("no-more-time", text)
                .with("time_remaining", json!(format!("{left} seconds")))
                .with("time_remaining_seconds", json!(left))
                .with("read_as", json!("wait"))
        }
        Notice::TooLate { answer } => {
            let text = format!(
                "Your answer was read as: {}. It comes too late: {operation} is {} already. {} can see it.",
                answer.word(),
                state.name(),
                state.initiator
            );
            about("too-late", text).with("state", json!(state.name())).with("read_as", json!(answer))
        }
        Notice::NotYetAsked => {
            let begins = wilco_protocol::operation::timers(state).first().map(|timer| timer.due);
            let wait = begins.map_or(Span::ZERO, |begins| begins.since(setting.now));
            let text = format!("Nobody waits for you yet: you are asked about {operation} in {wait}.");
            about("not-yet-asked", text).with("begins", json!(begins)).with("read_as", json!("wait"))
        }
    }
}

fn to_initiator(state: &State, say: &ToInitiator, setting: &Setting<'_>) -> Rendered {
    let operation = &state.operation;
    let about = |reason: &str, text: String| {
        plain(state, MessageType::ProtocolNotice, reason, text).with("reason", json!(reason))
    };
    match say {
        ToInitiator::TimedOut { agent, after_seconds, proceeding } => {
            let line = timeout_line(setting.now, agent, *after_seconds);
            let then = match proceeding {
                Some(true) => "Proceeding without it.",
                Some(false) => "Not proceeding.",
                None => "Not decided yet.",
            };
            let message = about("timeout", format!("{line}\n{then}"))
                .with("agent", json!(agent))
                .with("log", json!(line))
                .with("proceeding", json!(proceeding));
            let high = state.kind == wilco_protocol::operation::Kind::Disruptive;
            Rendered { priority: if high { "high" } else { "normal" }, ..message }
        }
        ToInitiator::Excluded { agent } => {
            about("excluded", format!("{agent} asked to be left out of {operation}. The rest goes on."))
                .with("agent", json!(agent))
        }
        ToInitiator::ResultDue => {
            let text = format!("How did {operation} go? The agents wait to hear.");
            let message = about("result-due", text).teaching(teaching::result(state, setting));
            Rendered { priority: "high", ..message }
        }
        ToInitiator::Executed { outcome } => {
            let line =
                |step: &wilco_protocol::operation::Step| format!("- {}: {}", step.agent, step.state.word());
            let steps: Vec<_> = state.steps.iter().map(line).collect();
            let text = format!("{operation} has ended: {}.\n{}", outcome.word(), steps.join("\n"));
            let of = |step: &wilco_protocol::operation::Step| json!({"agent": step.agent, "state": step.state, "exit_code": step.exit_code});
            about("executed", text)
                .with("outcome", json!(outcome))
                .with("steps", json!(state.steps.iter().map(of).collect::<Vec<_>>()))
        }
    }
}

/// The line of the log when an agent did not answer.
pub fn timeout_line(at: Time, agent: &Name, after_seconds: u64) -> String {
    format!("[{at}] TIMEOUT: No acknowledgment from {agent} after {after_seconds} seconds")
}

//! The answer to what could not be read: what was said, that nothing changed, what is awaited, and the form of each
//! thing that can be said now, with its ids filled in.

use serde_json::{Map, json};
use wilco_protocol::delegation::{self, Phase};
use wilco_protocol::todo::{Todo, Wanted};
use wilco_protocol::unread::{UnreadKind, UnreadWords};
use wilco_protocol::validation::{self, Label};
use wilco_protocol::{EscalationId, Exchange, MessageId, Name, handoff, operation};

use super::form::{inline, one_line};
use super::review::cut;
use super::teaching::{more_time, option_in_words};
use super::todo::todo_text;
use super::ways::CommandLine;
use super::{Rendered, Setting};
use crate::interpret::Cited;
use crate::message::MessageType;
use crate::read::ack::readable;

/// Characters of what is quoted.
const QUOTED: usize = 120;

pub(super) fn not_understood(
    exchange: &Exchange,
    to: &Name,
    unread: &UnreadWords,
    setting: &Setting<'_>,
) -> Rendered {
    let (called, said) = (one_line(exchange.called()), first_line(&unread.message, setting.cited));
    let (reason, lead) = match unread.kind {
        UnreadKind::Words => {
            ("not-understood", format!("I could not read an answer in your message: {said}"))
        }
        UnreadKind::Doubtful => {
            ("not-understood", format!("I could not read in your message whether {called} is done: {said}"))
        }
        UnreadKind::Contradiction => {
            ("contradiction", format!("Your message says several things that contradict each other: {said}"))
        }
    };
    let asks = match (unread.kind, exchange) {
        (UnreadKind::Doubtful, Exchange::Delegation(state)) if state.phase.at_work() => {
            format!("\nIs {called} done? Then send: [DONE] {called}")
        }
        _ => String::new(),
    };
    let forms = forms(exchange, to, setting);
    let list = match forms.is_empty() {
        true => String::new(),
        false => format!("\nWhat you can send now:\n{}", listed(&forms)),
    };
    let text = format!("{lead}\nNothing changed. {}{asks}{list}", awaited(exchange, to));
    let mut content = Map::from_iter([
        ("type".to_owned(), json!(MessageType::ProtocolNotice)),
        ("message".to_owned(), json!(text)),
        ("reason".to_owned(), json!(reason)),
        ("about".to_owned(), json!(unread.message)),
        ("state".to_owned(), json!(exchange.state_name())),
        ("forms".to_owned(), json!(forms)),
    ]);
    match exchange {
        Exchange::Delegation(state) => {
            content.insert("task_id".to_owned(), json!(state.task_id));
        }
        Exchange::Operation(state) => {
            content.insert("operation_id".to_owned(), json!(state.id));
            content.insert("operation".to_owned(), json!(state.operation));
            content.extend(state.broadcast_id.as_ref().map(|id| ("broadcast_id".to_owned(), json!(id))));
        }
        Exchange::Validation(state) => {
            content.insert("issue".to_owned(), json!(state.issue));
        }
        Exchange::Handoff(_) => {}
    }
    Rendered { subject: format!("About {called}: {reason}"), priority: "normal", content }
}

/// The first line of a message, cut, on one line and in no form that anybody reads.
pub(super) fn first_line(message: &MessageId, cited: &Cited) -> String {
    let text = cited.text(message, "message").unwrap_or_default();
    let line = text.lines().map(one_line).find(|line| !line.is_empty()).unwrap_or_default();
    match line.is_empty() {
        true => "(no words)".to_owned(),
        false => format!("\"{}\"", inline(&cut(&line, QUOTED))),
    }
}

pub(super) fn listed(forms: &[String]) -> String {
    // A command that takes its text from below it begins a line of its own.
    let item = |form: &String| match form.split_once('\n') {
        Some((label, command)) => format!("- {label}\n{command}"),
        None => format!("- {form}"),
    };
    forms.iter().map(item).collect::<Vec<_>>().join("\n")
}

/// What the exchange waits for, of the reader or of somebody else.
pub(super) fn awaited(exchange: &Exchange, to: &Name) -> String {
    let called = one_line(exchange.called());
    let own = exchange.todo(to);
    if let Some(todo) = own.first() {
        let until = todo.due.map(|due| format!(" until {due}")).unwrap_or_default();
        return format!("{called} awaits {} from you{until}.", noun(todo.wanted));
    }
    let mut others = exchange.participants();
    others.retain(|agent| agent != to);
    let other = others.into_iter().find_map(|agent| Some((exchange.todo(&agent).first()?.wanted, agent)));
    match other {
        Some((wanted, agent)) => {
            format!("{called} awaits {} from {agent}, and nothing from you.", noun(wanted))
        }
        None => format!("{called} is {}, and awaits nothing from you.", exchange.state_name()),
    }
}

fn noun(wanted: Wanted) -> &'static str {
    match wanted {
        Wanted::Acknowledgment => "an ACK",
        Wanted::Answers => "answers to the questions",
        Wanted::Amendment => "an amendment of the task",
        Wanted::Help => "help with the environment",
        Wanted::Verdict => "a verdict",
        Wanted::Decision { .. } => "a decision",
        Wanted::Readiness => "ok, wait or cancel",
        Wanted::OperationResult => "word of how it went",
        Wanted::Check { .. } => "the result of the check",
        Wanted::Fix { .. } => "the fix",
        Wanted::HandoffAcknowledgment => "an ACK of the handoff",
        Wanted::StopConfirmation => "confirmation that the work stopped",
        Wanted::PauseConfirmation { resume: false } => "confirmation that the work is paused",
        Wanted::PauseConfirmation { resume: true } => "confirmation that the work goes on",
        Wanted::Progress => "word when it is done",
    }
}

/// Each thing that this agent can say now.
pub(super) fn forms(exchange: &Exchange, to: &Name, setting: &Setting<'_>) -> Vec<String> {
    let todo = exchange.todo(to);
    let mut forms: Vec<String> =
        todo.iter().flat_map(|todo| wanted_forms(exchange, to, todo, setting)).collect();
    match exchange {
        Exchange::Delegation(state)
            if *to == state.assignee && state.is_open() && readable(&state.task_id) =>
        {
            forms.extend(task_forms(state));
        }
        Exchange::Delegation(state) if todo.is_empty() && *to == state.initiator => {
            let id = super::quoted(&state.task_id);
            let amend = CommandLine::with(format!("amend {id}"), "", "WHAT CHANGES");
            forms.push(format!("to change the task:\n{}", amend.pasted(to.as_str(), setting.url)));
            let stop = CommandLine::plain(format!("stop {id}")).pasted(to.as_str(), setting.url);
            forms.push(format!("to stop it: {stop}"));
        }
        Exchange::Delegation(_) | Exchange::Operation(_) | Exchange::Validation(_) | Exchange::Handoff(_) => {
        }
    }
    forms
}

/// How one thing that is awaited is said: in the text form, else by the command.
fn wanted_forms(exchange: &Exchange, to: &Name, todo: &Todo, setting: &Setting<'_>) -> Vec<String> {
    let command = || {
        let answer = todo_text(exchange, to, todo, setting.cited, setting.url).answer;
        let apart = if answer.contains('\n') { "\n" } else { " " };
        vec![format!("by command:{apart}{answer}")]
    };
    match (exchange, todo.wanted) {
        (Exchange::Handoff(_), Wanted::Decision { .. }) => command(),
        (_, Wanted::Decision { escalation }) => decision_forms(exchange, escalation),
        // What its agent can say of a task is listed with the rest.
        (Exchange::Delegation(state), Wanted::Acknowledgment | Wanted::Progress)
            if readable(&state.task_id) =>
        {
            Vec::new()
        }
        (Exchange::Delegation(state), wanted) if readable(&state.task_id) => {
            of_task(state, wanted).unwrap_or_else(command)
        }
        (Exchange::Operation(state), Wanted::Readiness) => readiness_forms(state, to),
        (Exchange::Validation(state), Wanted::Check { phase }) => {
            check_forms(state, phase, setting).unwrap_or_else(command)
        }
        (Exchange::Validation(state), Wanted::Fix { phase }) => {
            fix_forms(state, phase, setting).unwrap_or_else(command)
        }
        (Exchange::Handoff(state), wanted) => of_handoff(state, wanted).unwrap_or_else(command),
        (Exchange::Delegation(_) | Exchange::Operation(_) | Exchange::Validation(_), _) => command(),
    }
}

fn of_task(state: &delegation::State, wanted: Wanted) -> Option<Vec<String>> {
    let task = &state.task_id;
    Some(match wanted {
        Wanted::StopConfirmation => vec![format!("when you stopped: [STOPPED] {task}")],
        Wanted::PauseConfirmation { resume: false } => vec![format!("when you paused: [PAUSED] {task}")],
        Wanted::PauseConfirmation { resume: true } => vec![format!("when you went on: [RESUMED] {task}")],
        Wanted::Verdict => verdict_forms(task),
        Wanted::Answers => vec!["the answers, in plain sentences, in reply to the questions".to_owned()],
        _ => return None,
    })
}

fn verdict_forms(id: &str) -> Vec<String> {
    vec![
        format!("if it is right: [VERDICT] {id} - CORRECT"),
        format!(
            "if it is wrong: [VERDICT] {id} - WRONG-SUMMARY, and below it: Correction: THE RIGHT UNDERSTANDING"
        ),
        format!("if something is missing: [VERDICT] {id} - PARTIAL, and below it: Missing: WHAT IS MISSING"),
    ]
}

/// What the agent of a task can say of it, whether or not it is asked just now.
fn task_forms(state: &delegation::State) -> Vec<String> {
    let task = &state.task_id;
    let revision = if state.revision > 1 { format!(" r{}", state.revision) } else { String::new() };
    let ack = format!("[ACK] {task}{revision} -");
    let ask = format!("to ask: {ack} CLARIFICATION_NEEDED, and below it: Questions: and a numbered list");
    let reject = format!("to decline it: {ack} REJECTED, and below it: Reason: WHY");
    if matches!(state.phase, Phase::Paused { .. }) {
        return vec![format!("when it is done: [DONE] {task}"), reject];
    }
    if state.phase.at_work() {
        let next = state.last_checkpoint() + 1;
        return vec![
            format!("when it is done: [DONE] {task}"),
            format!("to report: [CHECKPOINT] {task} {next} - WHAT IS DONE"),
            ask,
            reject,
        ];
    }
    vec![
        format!("to take it: {ack} RECEIVED, and below it: Understanding: WHAT YOU WILL DO"),
        ask,
        reject,
        format!("to do it later: {ack} QUEUED"),
    ]
}

fn decision_forms(exchange: &Exchange, number: u32) -> Vec<String> {
    let id = EscalationId { exchange: exchange.id(), number };
    let form = |option: &str| format!("[DECISION] {id} {}", option_in_words(option, exchange.next_choice()));
    exchange.options().into_iter().map(form).collect()
}

fn readiness_forms(state: &operation::State, to: &Name) -> Vec<String> {
    let mut forms = vec!["if you are ready: ok".to_owned()];
    if more_time(state, to) {
        forms.push("if you need more time, once: wait".to_owned());
    }
    forms.push("if it must not be done: cancel".to_owned());
    forms
}

fn check_forms(state: &validation::State, place: usize, setting: &Setting<'_>) -> Option<Vec<String>> {
    let phase = state.phases.get(place)?;
    let name = inline(&phase.name);
    let error = CommandLine::with(format!("checked {} error", state.id), "--error", "WHY");
    Some(vec![
        format!("if {name} passed: Status: PASS"),
        format!("if {name} failed: Status: FAIL, and below it a list: - FILE:LINE - WHAT FAILS"),
        format!("if it could not be checked:\n{}", error.pasted(phase.specialist.as_str(), setting.url)),
    ])
}

fn fix_forms(state: &validation::State, place: usize, setting: &Setting<'_>) -> Option<Vec<String>> {
    let phase = state.phases.get(place)?;
    let (request, done) =
        (validation::id(state, phase, Label::FixRequest), validation::id(state, phase, Label::FixDone));
    let words = format!("fixed {} --message-id {}", state.id, super::quoted(&done));
    let me = state.main_agent.as_str();
    let fixed = CommandLine::with(words.clone(), "--fix", "WHAT YOU FIXED").pasted(me, setting.url);
    let cannot = CommandLine::with(words, "--cannot", "WHY NOT").pasted(me, setting.url);
    Some(vec![
        format!("that you have it: [ACK] {request} - RECEIVED"),
        format!("when it is fixed:\n{fixed}"),
        format!("if you cannot:\n{cannot}"),
    ])
}

fn of_handoff(state: &handoff::State, wanted: Wanted) -> Option<Vec<String>> {
    let id = &state.handoff_id;
    Some(match wanted {
        Wanted::Verdict => verdict_forms(id),
        Wanted::Answers => vec!["the answers, in plain sentences, in reply to the questions".to_owned()],
        _ => return None,
    })
}

//! The block that tells an agent how to answer. Agents know nothing of Wilco, so every message that
//! asks for an answer ends with one, and every command in it works when it is pasted.

use crate::message::MessageType;
use serde_json::json;
use wilco_protocol::delegation::State;
use wilco_protocol::{EscalationId, Name, Time, handoff, operation};

use super::Setting;
use super::shell::quoted;
use crate::read::ack::readable;

/// How to acknowledge a task.
pub(super) fn acknowledge(state: &State, to: &Name, until: Time, setting: &Setting<'_>) -> String {
    let revision = if state.revision > 1 { format!(" r{}", state.revision) } else { String::new() };
    let answer = json!({
        "from": to,
        "exchange": state.id,
        "content": {
            "type": MessageType::TaskAcknowledgment,
            "task_id": state.task_id,
            "status": "received",
            "understanding": "WHAT YOU WILL DO",
            "revision": state.revision,
        },
    });
    let mut call = json!({
        "task_id": state.task_id, "status": "received", "understanding": "WHAT YOU WILL DO", "from": to,
    });
    if state.revision > 1 {
        call["revision"] = json!(state.revision);
    }
    let task = &state.task_id;
    let option = if state.revision > 1 { format!(" --revision {}", state.revision) } else { String::new() };
    let command = format!(
        "wilco ack {} received --understanding \"WHAT YOU WILL DO\"{option} --as {}",
        quoted(task),
        quoted(to.as_str())
    );
    let (form, reply) = match form(task, &revision) {
        Some(form) => (form, "- reply to this message with the two lines above\n"),
        None => (", with one of these statuses:".to_owned(), ""),
    };
    format!(
        "---\n\
         ACKNOWLEDGMENT REQUIRED before work begins. The task is not yours until your ACK is accepted.\n\
         Answer until {until} (within {left}){form}\n\
         \n\
         RECEIVED: you understood the task and begin at once.\n\
         CLARIFICATION_NEEDED: add a line \"Questions:\" and a numbered list below it.\n\
         REJECTED: add a line \"Reason:\" that says why you cannot take it.\n\
         QUEUED: you finish other work first.\n\
         \n\
         Any one of these is enough:\n\
         {reply}\
         - {command}\n\
         - {tool}\n\
         - {curl}\n\
         ---",
        left = until.since(setting.now),
        tool = tool("acknowledge_task", &call),
        curl = curl(setting.url, &answer),
    )
}

/// The text form with this task's id; none when the id could not be read back from it.
fn form(task: &str, revision: &str) -> Option<String> {
    let head = format!("[ACK] {task}{revision} - ");
    readable(task).then(|| {
        format!(
            " in exactly this format:\n\
             \n\
             {head}{{RECEIVED|CLARIFICATION_NEEDED|REJECTED|QUEUED}}\n\
             Understanding: {{one line: what you will do}}"
        )
    })
}

/// How the initiator judges an acknowledgement.
pub(super) fn verdict(state: &State, setting: &Setting<'_>) -> String {
    let (task, me) = (&state.task_id, quoted(state.initiator.as_str()));
    let answer = json!({
        "from": state.initiator,
        "exchange": state.id,
        "content": {"type": MessageType::Verdict, "verdict": "correct"},
    });
    let word = quoted(task);
    format!(
        "Give your verdict, in one of these ways:\n\
         - reply: [VERDICT] {task} - {{CORRECT|WRONG-SUMMARY|PARTIAL}}, with a line \"Correction:\" or \"Missing:\"\n\
         - wilco verdict {word} correct --as {me}\n\
         - wilco verdict {word} wrong-summary --correction \"THE RIGHT UNDERSTANDING\" --as {me}\n\
         - wilco verdict {word} partial --missing \"WHAT IS MISSING\" --as {me}\n\
         - {tool}\n\
         - {curl}",
        tool = judging(task, &state.initiator),
        curl = curl(setting.url, &answer),
    )
}

fn judging(id: &str, initiator: &Name) -> String {
    tool("give_verdict", &json!({"task_id": id, "verdict": "correct", "from": initiator}))
}

/// How the initiator answers questions.
pub(super) fn clarify(state: &State, setting: &Setting<'_>) -> String {
    let answer = json!({
        "from": state.initiator,
        "exchange": state.id,
        "content": {"type": MessageType::TaskClarification, "message": "YOUR ANSWER"},
    });
    format!(
        "Answer, in one of these ways:\n\
         - reply to this message in plain words\n\
         - wilco clarify {} --answer \"YOUR ANSWER\" --as {} (one --answer for each question)\n\
         - {}\n\
         - {}",
        quoted(&state.task_id),
        quoted(state.initiator.as_str()),
        tool("send_message", &answer),
        curl(setting.url, &answer),
    )
}

/// How the initiator changes a task.
pub(super) fn amend(state: &State, setting: &Setting<'_>) -> String {
    let answer = json!({
        "from": state.initiator,
        "exchange": state.id,
        "content": {"type": MessageType::TaskAmend, "message": "WHAT CHANGES"},
    });
    format!(
        "Amend the task, in one of these ways:\n\
         - wilco amend {} \"WHAT CHANGES\" --as {}\n\
         - {}\n\
         - {}",
        quoted(&state.task_id),
        quoted(state.initiator.as_str()),
        tool("send_message", &answer),
        curl(setting.url, &answer),
    )
}

/// Whether an agent that asks for more time gets it.
pub(super) fn more_time(state: &operation::State, to: &Name) -> bool {
    state.policy.extension_allowed && state.track(to).is_some_and(|track| !track.extended)
}

/// How an agent answers before an operation.
pub(super) fn answer(state: &operation::State, to: &Name, setting: &Setting<'_>) -> String {
    let (id, me) = (state.id, quoted(to.as_str()));
    let more_time = more_time(state, to);
    let (wait, or_wait) = match more_time {
        true => ("wait: you need more time, once.\n", "wilco wait, "),
        false => ("", ""),
    };
    let answer = json!({
        "from": to,
        "exchange": id,
        "content": {"type": MessageType::Acknowledgment, "message": "ok"},
    });
    format!(
        "ok: you are ready.\n\
         {wait}\
         cancel: it must not be done.\n\
         \n\
         Any one of these is enough:\n\
         - reply to this message with that word\n\
         - wilco ready {id} --as {me} (or: {or_wait}wilco cancel)\n\
         - {}\n\
         - {}",
        tool("answer_operation", &json!({"operation_id": id, "answer": "ready", "from": to})),
        curl(setting.url, &answer),
    )
}

/// How the initiator says what came of an operation.
pub(super) fn result(state: &operation::State, setting: &Setting<'_>) -> String {
    let answer = json!({
        "from": state.initiator,
        "exchange": state.id,
        "content": {"type": MessageType::OperationResult, "status": "done"},
    });
    let me = quoted(state.initiator.as_str());
    format!(
        "Say how it went, in one of these ways:\n\
         - wilco result {id} done --as {me}\n\
         - wilco result {id} failed --message \"WHAT WENT WRONG\" --as {me}\n\
         - {tool}\n\
         - {curl}",
        id = state.id,
        tool = tool("send_message", &answer),
        curl = curl(setting.url, &answer),
    )
}

/// How a replacement acknowledges a handoff.
pub(super) fn handoff(state: &handoff::State, to: &Name, until: Time, setting: &Setting<'_>) -> String {
    let id = &state.handoff_id;
    let from = state.starting_from.as_ref().map_or("WHERE YOU CONTINUE", |from| from.name.as_str());
    let answer = json!({
        "from": to,
        "exchange": state.id,
        "subject": format!("[ACK] Handoff {id} Received"),
        "priority": "high",
        "content": {
            "type": MessageType::HandoffAck,
            "handoff_id": id,
            "status": "ready_to_proceed",
            "understanding": "WHAT YOU WILL DO",
            "starting_from": from,
            "questions": [],
        },
    });
    let call = json!({
        "handoff_id": id, "understanding": "WHAT YOU WILL DO", "starting_from": from, "from": to,
    });
    format!(
        "---\n\
         ACKNOWLEDGMENT REQUIRED. The work is not yours until your ACK is verified.\n\
         Answer until {until} (within {left}) in exactly this format:\n\
         \n\
         [ACK] {id} - {{READY_TO_PROCEED|NEEDS_CLARIFICATION|ENVIRONMENT_ISSUE|REJECTED}}\n\
         Understanding: {{one line: what you will do}}\n\
         Starting from: {from}\n\
         Questions: {{none, or a numbered list}}\n\
         \n\
         READY_TO_PROCEED: you read the document, understood it and begin.\n\
         NEEDS_CLARIFICATION: you have questions first.\n\
         ENVIRONMENT_ISSUE: you cannot set up what you need.\n\
         REJECTED: you cannot take it.\n\
         \n\
         Any one of these is enough:\n\
         - reply to this message with the lines above\n\
         - wilco handoff ack {word} --understanding \"WHAT YOU WILL DO\" --starting-from {start} --as {me}\n\
         - {tool}\n\
         - {curl}\n\
         ---",
        left = until.since(setting.now),
        tool = tool("acknowledge_handoff", &call),
        word = quoted(id),
        start = quoted(from),
        me = quoted(to.as_str()),
        curl = curl(setting.url, &answer),
    )
}

/// How the initiator judges the ACK of a handoff.
pub(super) fn handoff_verdict(state: &handoff::State, setting: &Setting<'_>) -> String {
    let (id, me) = (&state.handoff_id, quoted(state.initiator.as_str()));
    let answer = json!({
        "from": state.initiator,
        "exchange": state.id,
        "content": {"type": MessageType::Verdict, "verdict": "correct"},
    });
    format!(
        "Give your verdict, in one of these ways:\n\
         - reply: [VERDICT] {id} - {{CORRECT|WRONG-SUMMARY|PARTIAL}}, with a line \"Correction:\" or \"Missing:\"\n\
         - wilco verdict {exchange} correct --as {me}\n\
         - wilco verdict {exchange} wrong-summary --correction \"THE RIGHT UNDERSTANDING\" --as {me}\n\
         - {tool}\n\
         - {curl}",
        exchange = state.id,
        tool = judging(id, &state.initiator),
        curl = curl(setting.url, &answer),
    )
}

/// How the initiator answers a replacement's questions.
pub(super) fn handoff_clarify(state: &handoff::State, setting: &Setting<'_>) -> String {
    let answer = json!({
        "from": state.initiator,
        "exchange": state.id,
        "content": {
            "type": MessageType::HandoffClarification,
            "clarifications": [{"question": "THE QUESTION", "answer": "YOUR ANSWER"}],
        },
    });
    format!(
        "Answer, in one of these ways:\n\
         - reply to this message in plain words\n\
         - wilco handoff clarify {} --answer \"YOUR ANSWER\" --as {} (one --answer for each question)\n\
         - {}\n\
         - {}",
        quoted(&state.handoff_id),
        quoted(state.initiator.as_str()),
        tool("send_message", &answer),
        curl(setting.url, &answer),
    )
}

/// How somebody decides an escalation.
pub(super) fn decide(
    id: EscalationId,
    to: &Name,
    options: &[&'static str],
    next: Option<&Name>,
    setting: &Setting<'_>,
) -> String {
    let first = options.first().copied().unwrap_or("abort");
    let answer = json!({
        "from": to,
        "exchange": id.exchange,
        "content": {"type": MessageType::Decision, "escalation": id.to_string(), "option": first},
    });
    let me = quoted(to.as_str());
    let lines: Vec<_> = options.iter().map(|option| line(id, option, &me, next)).collect();
    let call = json!({"escalation": id.to_string(), "option": first, "from": to});
    format!(
        "Decide, in one of these ways:\n{}\n- {}\n- {}",
        lines.join("\n"),
        tool("decide", &call),
        curl(setting.url, &answer)
    )
}

/// `next`: an agent that could be asked; without one the reader must name somebody.
fn line(id: EscalationId, option: &str, me: &str, next: Option<&Name>) -> String {
    let needs = option_needs(option, next);
    format!("- wilco decide {id} {option}{needs} --as {me}")
}

/// What must be said with an option.
pub(super) fn option_needs(option: &str, next: Option<&Name>) -> String {
    match option {
        "override" => " --note \"WHY IT GOES ON WITHOUT AN ACK\"".to_owned(),
        "reassign" | "provide_alternative_agent" => {
            format!(" --agent {}", next.map_or("NAME_OF_AN_AGENT".to_owned(), |name| quoted(name.as_str())))
        }
        "extend" => " --time 10m".to_owned(),
        _ => String::new(),
    }
}

/// The option that leads a command to a server that is not at the usual address.
pub(super) fn at(url: &str) -> String {
    if url == USUAL_URL { String::new() } else { format!(" --url {}", quoted(url)) }
}

const USUAL_URL: &str = "http://127.0.0.1:23000";

/// A call of a tool, as a client of MCP makes it.
pub(super) fn tool(name: &str, arguments: &serde_json::Value) -> String {
    format!("MCP tool {name} with {arguments}")
}

pub(super) fn curl(url: &str, body: &serde_json::Value) -> String {
    format!(
        "curl -X POST {url}/v1/messages -H 'Content-Type: application/json' -d {}",
        quoted(&body.to_string())
    )
}

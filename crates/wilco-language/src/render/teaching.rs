//! The block that tells an agent how to answer. Agents know nothing of Wilco, so every message that
//! asks for an answer ends with one. It is kept beside the text too, so that readers can tell the two apart.

use crate::message::MessageType;
use serde_json::{Map, Value, json};
use wilco_protocol::delegation::State;
use wilco_protocol::directory::Interface;
use wilco_protocol::{EscalationId, Name, Time, handoff, operation};

use super::Setting;
use super::shell::quoted;
use super::ways::{CommandLine, Ways};
use crate::read::ack::readable;

/// Ends a text with how to answer it.
pub(super) fn teach(content: &mut Map<String, Value>, block: String) {
    let text = content.get("message").and_then(Value::as_str).unwrap_or("").trim_end();
    let whole = if text.is_empty() { block.clone() } else { format!("{text}\n\n{block}") };
    content.insert("message".to_owned(), json!(whole));
    content.insert("taught".to_owned(), json!(true));
    content.insert("teaching".to_owned(), json!(block));
}

/// What stands for an agent's own words.
pub(super) const YOUR_WORDS: &str = "WHAT YOU WILL DO";
/// What an understanding is judged by.
const RESTATE: &str = "restate the task with every acceptance criterion; keep its numbers and names";

/// ` r2`, but for the first.
pub(super) fn revision(state: &State) -> String {
    if state.revision > 1 { format!(" r{}", state.revision) } else { String::new() }
}

/// ` --revision 2`, but for the first.
pub(super) fn revision_option(state: &State) -> String {
    if state.revision > 1 { format!(" --revision {}", state.revision) } else { String::new() }
}

/// How to acknowledge a task.
pub(super) fn acknowledge(state: &State, to: &Name, until: Time, setting: &Setting<'_>) -> String {
    let task = &state.task_id;
    let mut call = json!({"task_id": task, "status": "received", "understanding": YOUR_WORDS, "from": to});
    if state.revision > 1 {
        call["revision"] = json!(state.revision);
    }
    // An id that could not be read back is not taught as words.
    let form = readable(task).then(|| {
        format!("[ACK] {task}{} - {{RECEIVED|CLARIFICATION_NEEDED|REJECTED|QUEUED}}", revision(state))
    });
    let ways = Ways {
        reply: match &form {
            Some(form) => format!("Reply in exactly this format:\n\n{form}\nUnderstanding: {RESTATE}\n"),
            None => format!("Reply in JSON: {}\n", body(state, to, acknowledgment(state))["content"]),
        },
        briefly: form.unwrap_or_else(|| "in JSON".to_owned()),
        commands: vec![CommandLine::with(
            format!("ack {} received{}", quoted(task), revision_option(state)),
            "--understanding",
            YOUR_WORDS,
        )],
        verb: "ack",
        tool: "acknowledge_task",
        arguments: call,
        body: body(state, to, acknowledgment(state)),
    };
    format!(
        "---\n\
         ACKNOWLEDGMENT REQUIRED before work begins. It is not yours until your ACK is accepted.\n\
         Answer until {until} (in {left}). {taught}\n\
         {restate}To ask: \"Questions:\". To reject: \"Reason:\".\n\
         ---",
        restate = restate(setting),
        left = until.since(setting.now),
        taught = ways.taught(to.as_str(), setting),
    )
}

/// What an understanding says, where the form of a reply does not say it already.
fn restate(setting: &Setting<'_>) -> String {
    match setting.speaks {
        Interface::Text => String::new(),
        Interface::Cli | Interface::Http | Interface::Api | Interface::Mcp => {
            format!("Understanding: {RESTATE}.\n")
        }
    }
}

fn acknowledgment(state: &State) -> Value {
    let mut content = json!({
        "type": MessageType::TaskAcknowledgment, "task_id": state.task_id, "status": "received",
        "understanding": YOUR_WORDS,
    });
    if state.revision > 1 {
        content["revision"] = json!(state.revision);
    }
    content
}

fn body(state: &State, from: &Name, content: Value) -> Value {
    json!({"from": from, "exchange": state.id, "content": content})
}

/// How to report on a task and to finish it.
pub(super) fn work(state: &State, to: &Name, setting: &Setting<'_>) -> String {
    let (task, word) = (&state.task_id, quoted(&state.task_id));
    let done = json!({"type": MessageType::TaskComplete, "task_id": task});
    let ways = Ways {
        reply: format!(
            "When it is done, reply on a line of its own: [DONE] {task}\n\
             On the way: [CHECKPOINT] {task} 1 - what is reached"
        ),
        briefly: format!("[DONE] {task}, [CHECKPOINT] {task} 1 - what is reached"),
        commands: vec![
            CommandLine::with(format!("checkpoint {word} 1"), "--summary", "WHAT IS REACHED"),
            complete(state),
        ],
        verb: "complete",
        tool: "complete_task",
        arguments: json!({"task_id": task, "from": to}),
        body: body(state, to, done),
    };
    let finish = match setting.speaks {
        Interface::Cli => String::new(),
        Interface::Text | Interface::Http | Interface::Api | Interface::Mcp => {
            format!("\nTo finish by one command:\n{}", complete(state).pasted(to.as_str(), setting.url))
        }
    };
    format!(
        "---\nReport with checkpoint-ack, finish with task-complete. {}{finish}\n---",
        ways.taught(to.as_str(), setting)
    )
}

fn complete(state: &State) -> CommandLine {
    CommandLine::plain(format!("complete {}", quoted(&state.task_id)))
}

/// How to confirm what was asked: a stop, a pause, to go on.
pub(super) fn confirm(state: &State, to: &Name, what: MessageType, setting: &Setting<'_>) -> String {
    let (tag, verb) = match what {
        MessageType::PauseAck => ("PAUSED", "paused"),
        MessageType::ResumeAck => ("RESUMED", "resumed"),
        _ => ("STOPPED", "stopped"),
    };
    let task = &state.task_id;
    let answer = body(state, to, json!({"type": what, "task_id": task}));
    let ways = Ways {
        reply: format!("Reply on a line of its own: [{tag}] {task}"),
        briefly: format!("[{tag}] {task}"),
        commands: vec![CommandLine::plain(format!("{verb} {}", quoted(task)))],
        verb,
        tool: "send_message",
        arguments: answer.clone(),
        body: answer,
    };
    format!("---\nConfirm it, as a {what}. {}\n---", ways.taught(to.as_str(), setting))
}

/// How the initiator judges an acknowledgement.
pub(super) fn verdict(state: &State, setting: &Setting<'_>) -> String {
    judge(
        &state.task_id,
        &quoted(&state.task_id),
        body(state, &state.initiator, correct()),
        &state.initiator,
        setting,
    )
}

fn correct() -> Value {
    json!({"type": MessageType::Verdict, "verdict": "correct"})
}

fn judge(id: &str, word: &str, body: Value, me: &Name, setting: &Setting<'_>) -> String {
    let form = format!("[VERDICT] {id} - {{CORRECT|WRONG-SUMMARY|PARTIAL}}");
    let ways = Ways {
        reply: format!("Reply: {form}, with a line \"Correction:\" or \"Missing:\""),
        briefly: form,
        commands: vec![
            CommandLine::plain(format!("verdict {word} correct")),
            CommandLine::with(
                format!("verdict {word} wrong-summary"),
                "--correction",
                "THE RIGHT UNDERSTANDING",
            ),
            CommandLine::with(format!("verdict {word} partial"), "--missing", "WHAT IS MISSING"),
        ],
        verb: "verdict",
        tool: "give_verdict",
        arguments: json!({"task_id": id, "verdict": "correct", "from": me}),
        body,
    };
    format!("Give your verdict. {}", ways.taught(me.as_str(), setting))
}

/// How the initiator answers questions.
pub(super) fn clarify(state: &State, setting: &Setting<'_>) -> String {
    let me = &state.initiator;
    let content = json!({"type": MessageType::TaskClarification, "message": "YOUR ANSWER"});
    let answer = body(state, me, content);
    let ways = Ways {
        reply: "Reply to this message in plain words.".to_owned(),
        briefly: "in plain words".to_owned(),
        commands: vec![CommandLine::with(
            format!("clarify {}", quoted(&state.task_id)),
            "--message",
            "YOUR ANSWER",
        )],
        verb: "clarify",
        tool: "send_message",
        arguments: answer.clone(),
        body: answer,
    };
    format!("Answer. {}", ways.taught(me.as_str(), setting))
}

/// How the initiator changes a task.
pub(super) fn amend(state: &State, setting: &Setting<'_>) -> String {
    let me = &state.initiator;
    let answer = body(state, me, json!({"type": MessageType::TaskAmend, "message": "WHAT CHANGES"}));
    let ways = Ways {
        reply: format!("Reply in JSON: {}", answer["content"]),
        briefly: "with a task-amend in JSON".to_owned(),
        commands: vec![CommandLine::with(format!("amend {}", quoted(&state.task_id)), "", "WHAT CHANGES")],
        verb: "amend",
        tool: "send_message",
        arguments: answer.clone(),
        body: answer,
    };
    format!("Amend the task. {}", ways.taught(me.as_str(), setting))
}

/// Whether an agent that asks for more time gets it.
pub(super) fn more_time(state: &operation::State, to: &Name) -> bool {
    state.policy.extension_allowed && state.track(to).is_some_and(|track| !track.extended)
}

/// How an agent answers before an operation.
pub(super) fn answer(state: &operation::State, to: &Name, setting: &Setting<'_>) -> String {
    let id = state.id;
    let more_time = more_time(state, to);
    let wait = if more_time { "wait: you need more time, once.\n" } else { "" };
    let mut commands = vec![CommandLine::plain(format!("ready {id}"))];
    commands.extend(more_time.then(|| CommandLine::plain(format!("wait {id}"))));
    commands.push(CommandLine::plain(format!("cancel {id}")));
    let ways = Ways {
        reply: format!("Reply to this message (it is about {id}) with that word."),
        briefly: "with that word".to_owned(),
        commands,
        verb: "ready",
        tool: "answer_operation",
        arguments: json!({"operation_id": id, "answer": "ready", "from": to}),
        body: json!({
            "from": to, "exchange": id, "content": {"type": MessageType::Acknowledgment, "message": "ok"},
        }),
    };
    format!("ok: you are ready.\n{wait}cancel: it must not be done.\n{}", ways.taught(to.as_str(), setting))
}

/// How the initiator says what came of an operation.
pub(super) fn result(state: &operation::State, setting: &Setting<'_>) -> String {
    let (id, me) = (state.id, &state.initiator);
    let answer = json!({
        "from": me, "exchange": id, "content": {"type": MessageType::OperationResult, "status": "done"},
    });
    let ways = Ways {
        reply: format!("Reply in JSON: {}", answer["content"]),
        briefly: "with an operation-result in JSON".to_owned(),
        commands: vec![
            CommandLine::plain(format!("result {id} done")),
            CommandLine::with(format!("result {id} failed"), "--message", "WHAT WENT WRONG"),
        ],
        verb: "result",
        tool: "send_message",
        arguments: answer.clone(),
        body: answer,
    };
    format!("Say how it went: done or failed. {}", ways.taught(me.as_str(), setting))
}

/// How a replacement acknowledges a handoff.
pub(super) fn handoff(state: &handoff::State, to: &Name, until: Time, setting: &Setting<'_>) -> String {
    let id = &state.handoff_id;
    let from = state.starting_from.as_ref().map_or("WHERE YOU CONTINUE", |from| from.name.as_str());
    let form = format!("[ACK] {id} - {{READY_TO_PROCEED|NEEDS_CLARIFICATION|ENVIRONMENT_ISSUE|REJECTED}}");
    let ways = Ways {
        reply: format!(
            "Reply in exactly this format:\n\n{form}\n\
             Understanding: {RESTATE}\n\
             Starting from: {from}\n\
             Questions: {{none, or a numbered list}}\n"
        ),
        briefly: format!("{form}, \"Understanding:\", \"Starting from: {from}\", \"Questions:\""),
        commands: vec![CommandLine::with(
            format!("handoff ack {} --starting-from {}", quoted(id), quoted(from)),
            "--understanding",
            YOUR_WORDS,
        )],
        verb: "handoff ack",
        tool: "acknowledge_handoff",
        arguments: json!({"handoff_id": id, "understanding": YOUR_WORDS, "starting_from": from, "from": to}),
        body: json!({
            "from": to,
            "exchange": state.id,
            "subject": format!("[ACK] Handoff {id} Received"),
            "priority": "high",
            "content": {
                "type": MessageType::HandoffAck,
                "handoff_id": id,
                "status": "ready_to_proceed",
                "understanding": YOUR_WORDS,
                "starting_from": from,
                "questions": [],
            },
        }),
    };
    format!(
        "---\n\
         ACKNOWLEDGMENT REQUIRED. The work is not yours until your ACK is verified.\n\
         Answer until {until} (in {left}). {taught}\n\
         {restate}Environment issue: you cannot set up what you need.\n\
         ---",
        restate = restate(setting),
        left = until.since(setting.now),
        taught = ways.taught(to.as_str(), setting),
    )
}

/// How the initiator judges the ACK of a handoff.
pub(super) fn handoff_verdict(state: &handoff::State, setting: &Setting<'_>) -> String {
    let me = &state.initiator;
    let body = json!({"from": me, "exchange": state.id, "content": correct()});
    judge(&state.handoff_id, &state.id.to_string(), body, me, setting)
}

/// How the initiator answers a replacement's questions.
pub(super) fn handoff_clarify(state: &handoff::State, setting: &Setting<'_>) -> String {
    let me = &state.initiator;
    let answer = json!({
        "from": me,
        "exchange": state.id,
        "content": {
            "type": MessageType::HandoffClarification,
            "clarifications": [{"question": "THE QUESTION", "answer": "YOUR ANSWER"}],
        },
    });
    let ways = Ways {
        reply: "Reply to this message in plain words.".to_owned(),
        briefly: "in plain words".to_owned(),
        commands: vec![CommandLine::with(
            format!("handoff clarify {}", quoted(&state.handoff_id)),
            "--answer",
            "YOUR ANSWER",
        )],
        verb: "handoff clarify",
        tool: "send_message",
        arguments: answer.clone(),
        body: answer,
    };
    format!("Answer. {}", ways.taught(me.as_str(), setting))
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
    let named: Vec<_> = options.iter().map(|option| option_in_words(option, next)).collect();
    let form = format!("[DECISION] {id} {{{}}}", named.join("|"));
    let ways = Ways {
        reply: format!("Reply on a line of its own: {form}"),
        briefly: form,
        commands: options.iter().map(|option| decision(id, option, next)).collect(),
        verb: "decide",
        tool: "decide",
        arguments: json!({"escalation": id.to_string(), "option": first, "from": to}),
        body: json!({
            "from": to,
            "exchange": id.exchange,
            "content": {"type": MessageType::Decision, "escalation": id.to_string(), "option": first},
        }),
    };
    format!("Decide. {}", ways.taught(to.as_str(), setting))
}

/// An option with what it needs, as it stands behind `[DECISION] ID`.
pub(super) fn option_in_words(option: &str, next: Option<&Name>) -> String {
    match option {
        "reassign" | "provide_alternative_agent" => {
            format!("{option} {}", next.map_or("NAME_OF_AN_AGENT", |name| name.as_str()))
        }
        "extend" => format!("{option} 10m"),
        "accept-as" => format!("{option} received"),
        _ => option.to_owned(),
    }
}

/// `next`: an agent that could be asked; without one the reader must name somebody.
pub(super) fn decision(id: EscalationId, option: &str, next: Option<&Name>) -> CommandLine {
    let words = format!("decide {id} {option}");
    match option {
        "override" => CommandLine::with(words, "--note", "WHY IT GOES ON WITHOUT AN ACK"),
        "reassign" | "provide_alternative_agent" => {
            let agent = next.map_or("NAME_OF_AN_AGENT".to_owned(), |name| quoted(name.as_str()));
            CommandLine::plain(format!("{words} --agent {agent}"))
        }
        "extend" => CommandLine::plain(format!("{words} --time 10m")),
        "accept-as" => CommandLine::plain(format!("{words} --status received")),
        _ => CommandLine::plain(words),
    }
}

//! What the document of a handoff is made from: the variables of its template, out of Wilco's own records.

use serde_json::{Value, json};
use wilco_protocol::Name;
use wilco_protocol::exchange::View;
use wilco_protocol::handoff::{Party, State};

use super::handoff::{deadline, spoken};
use super::{Setting, teaching};
use crate::parse::Task;

/// One task with what is known of its delegation.
#[derive(Debug)]
pub struct HandedTask {
    pub view: View,
    pub task: Task,
    /// Answers that its initiator gave.
    pub answers: Vec<String>,
}

/// The variables; `history` and `messages` are the newest last.
pub fn handoff_document(
    state: &State,
    known: &[HandedTask],
    history: Vec<Value>,
    messages: Vec<Value>,
    setting: &Setting<'_>,
) -> Value {
    let to = Name::new(&state.replacement.id);
    let tasks: Vec<_> = state
        .tasks
        .iter()
        .map(|task| {
            let of = |one: &&HandedTask| {
                one.view.data.get("task_uuid").and_then(Value::as_str) == Some(&task.task)
            };
            known.iter().find(of).map_or_else(|| unknown(&task.task), shown)
        })
        .collect();
    let links: Vec<_> = state
        .issues
        .iter()
        .map(|number| format!("#{number}"))
        .chain(state.pulls.iter().map(|number| format!("PR #{number}")))
        .collect();
    json!({
        "handoff_id": state.handoff_id,
        "exchange": state.id,
        "failed_agent": state.failed.as_ref().map(Party::shown),
        "replacement_agent": state.replacement.shown(),
        "orchestrator": state.initiator,
        "controller": state.controller,
        "reason": setting.cited.text(&state.opening, "reason"),
        "urgency": state.urgency,
        "ack_required_within": spoken(state.ack_timeout()),
        "created": setting.now,
        "starting_from": state.starting_from.as_ref().map(|from| &from.name),
        "tasks": tasks,
        "issues": state.issues,
        "pulls": state.pulls,
        "links": links,
        "history": history,
        "messages": messages,
        "first_step": first_step(state, known),
        "acknowledge": teaching::handoff(state, &to, deadline(state, setting.now), setting),
    })
}

fn unknown(uuid: &str) -> Value {
    json!({
        "task_id": null, "task_uuid": uuid, "exchange": null, "title": null, "description": null,
        "initiator": null, "state": null, "acceptance_criteria": [], "checkpoint": null, "checkpoints": [],
        "questions": [], "answers": [],
    })
}

fn shown(one: &HandedTask) -> Value {
    let data = &one.view.data;
    let reached = |point: &&Value| point["at"].is_string();
    let mut checkpoints = data["checkpoints"].as_array().cloned().unwrap_or_default();
    for point in checkpoints.iter_mut().filter(|point| point["name"].is_null()) {
        point["name"] = json!(format!("checkpoint-{}", point["checkpoint"]));
    }
    let last = checkpoints.iter().rfind(reached);
    let name = last.and_then(|point| point["name"].as_str()).map(str::to_owned);
    json!({
        "task_id": data["task_id"],
        "task_uuid": data["task_uuid"],
        "exchange": one.view.id,
        "title": one.task.title,
        "description": one.task.description,
        "message": one.task.message,
        "initiator": one.view.initiator,
        "state": one.view.state,
        "acceptance_criteria": one.task.criteria,
        "checkpoint": name,
        "checkpoints": checkpoints,
        "questions": data["questions"],
        "answers": one.answers,
    })
}

/// The exact first step.
fn first_step(state: &State, known: &[HandedTask]) -> String {
    let first = known
        .first()
        .map(|one| format!("{} ({})", one.view.data["task_id"].as_str().unwrap_or(""), one.task.title));
    let task = first.or(state.tasks.first().map(|task| task.task.clone()));
    match (task, &state.starting_from) {
        (Some(task), Some(from)) => {
            format!("Acknowledge this handoff, then continue {task} from {}.", from.name)
        }
        (Some(task), None) => {
            format!("Acknowledge this handoff, then begin {task}: no checkpoint was reached.")
        }
        (None, _) => "Acknowledge this handoff. There are no open tasks to take over.".to_owned(),
    }
}

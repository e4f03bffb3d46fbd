//! What a judge of understandings is given: the task and the ACK.

use serde_json::{Value, json};
use wilco_protocol::MessageId;
use wilco_protocol::delegation;
use wilco_protocol::exchange::Texts;

use crate::interpret::Cited;
use crate::parse::Task as Described;

pub fn delegation_to_judge(state: &delegation::State, ack: &MessageId, cited: &Cited) -> Value {
    let task = cited.task(&state.assignment, &state.amendments);
    let mut payload = to_judge(&state.task_id, &[task], ack, state.assignee.as_str(), cited);
    // Also what was asked before an amendment: the answer holds unless the amendment says otherwise.
    let asked = state.earlier_answered.iter().chain(&state.answered);
    let questions: Vec<String> = asked.flat_map(|asked| Texts::questions(cited, asked)).collect();
    let answers = state.earlier_answers.iter().chain(&state.answers);
    with_answers(&mut payload, questions, answers.map(|answer| cited.answer(answer)).collect());
    payload
}

/// What was asked and answered about it is part of what there is to understand.
pub(super) fn with_answers(payload: &mut Value, questions: Vec<String>, answers: Vec<String>) {
    for (key, texts) in [("questions", questions), ("answers", answers)] {
        if !texts.is_empty() {
            payload["task"][key] = json!(texts);
        }
    }
}

/// Several tasks are shown as one.
pub(super) fn to_judge(id: &str, tasks: &[Described], ack: &MessageId, agent: &str, cited: &Cited) -> Value {
    let joined = |part: fn(&Described) -> &str| tasks.iter().map(part).collect::<Vec<_>>().join("\n");
    // All that the agent wrote, with what was read of it.
    let mut acknowledgment = cited.content(ack).cloned().unwrap_or_default();
    acknowledgment.insert("understanding".to_owned(), json!(cited.understanding(ack)));
    acknowledgment.insert("agent".to_owned(), json!(agent));
    json!({
        "task": {
            "task_id": id,
            "title": joined(|task| &task.title),
            "description": joined(|task| &task.description),
            "acceptance_criteria": tasks.iter().flat_map(|task| task.criteria.clone()).collect::<Vec<_>>(),
        },
        "acknowledgment": acknowledgment,
    })
}

//! Prompts: how to acknowledge what one was given.

use rmcp::model::{
    ErrorData, GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role,
};

const NAME: &str = "acknowledge";

pub(crate) fn list() -> ListPromptsResult {
    let task = PromptArgument::new("task_id")
        .with_description("The task to acknowledge; without it, whatever is in your inbox")
        .with_required(false);
    let about = "How to acknowledge a task before you begin with it";
    let prompt = Prompt::new(NAME, Some(about), Some(vec![task])).with_title("Acknowledge a task");
    ListPromptsResult::with_all_items(vec![prompt])
}

pub(crate) fn get(name: &str, arguments: Option<&JsonObject>) -> Result<GetPromptResult, ErrorData> {
    if name != NAME {
        let detail = format!("there is no prompt {name:?}; there is {NAME}");
        return Err(ErrorData::invalid_params(detail, None));
    }
    let mut task = None;
    for (key, value) in arguments.into_iter().flatten() {
        match (key.as_str(), value.as_str()) {
            ("task_id", Some(text)) => task = Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            ("task_id", None) => return Err(ErrorData::invalid_params("task_id: expected a text", None)),
            _ => {
                let detail = format!("there is no argument {key:?}; there is task_id");
                return Err(ErrorData::invalid_params(detail, None));
            }
        }
    }
    let message = PromptMessage::new_text(Role::User, text(task.as_deref()));
    Ok(GetPromptResult::new(vec![message]).with_description("How to acknowledge a task"))
}

fn text(task: Option<&str>) -> String {
    let which = match task {
        Some(task) => {
            format!("You were given the task {task:?}. Find its message with the tool inbox and read it.")
        }
        None => {
            "Look into your inbox with the tool inbox, and read each task that you were given.".to_owned()
        }
    };
    let id = task.unwrap_or("its id");
    format!(
        "{which}\n\n\
         Before you begin, acknowledge it with the tool acknowledge_task and task_id {id}. Without an ACK the task \
         is not yours, and another agent may get it.\n\n\
         - status received: you take it. In understanding say in your own words what you will do, and name every \
         acceptance criterion. It is scored; if something is missing you are told, and answer again.\n\
         - status needs-clarification: with questions, when you cannot know what is meant. The tool \
         ask_clarification does the same.\n\
         - status rejected: with a reason, when you cannot do it.\n\
         - status queued: you take it later.\n\n\
         Then work. Report progress with checkpoint, and the end with complete_task."
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn mcp_1_the_prompt_says_how_to_acknowledge_the_named_task() {
        let shown = |arguments: serde_json::Value| {
            let result = get(NAME, arguments.as_object())?;
            Ok::<_, ErrorData>(serde_json::to_string(&result.messages).unwrap())
        };
        let text = shown(json!({"task_id": "GH-42"})).unwrap();
        assert!(text.contains("GH-42") && text.contains("acknowledge_task"), "{text}");
        assert!(shown(json!({"task": "GH-42"})).is_err());
        assert!(get("other", None).is_err());
    }
}

//! `wilco send`: a message to somebody.

use std::process::ExitCode;

use serde_json::{Map, Value};
use wilco_client::{IdempotencyKey, Outgoing};

use crate::caller::Caller;
use crate::failure::Usage;
use crate::posted;
use crate::suggested::{self, PRIORITIES};
use crate::values;

/// Send a message
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco send bob \"The build is green again\"\n  \
    wilco send bob,carl \"Lunch?\" --subject Break --priority low\n  \
    git log -1 | wilco send bob - --subject \"Last commit\"\n  \
    wilco send bob --content '{\"type\": \"task-complete\", \"task_id\": \"GH-42\"}'")]
pub(crate) struct Args {
    /// Who gets it; several are separated by commas
    pub(crate) to: String,
    /// The text; - reads it from stdin
    #[arg(required_unless_present = "content")]
    pub(crate) text: Option<String>,
    /// The subject
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) subject: Option<String>,
    /// low, normal, high or urgent
    #[arg(long, value_name = "WORD", value_parser = suggested::any(&PRIORITIES), hide_possible_values = true)]
    pub(crate) priority: Option<String>,
    /// The type of the content; plain words are of the type text
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// More fields of the content, as a JSON object
    #[arg(long, value_name = "JSON", value_parser = values::object)]
    pub(crate) content: Option<Map<String, Value>>,
    /// The exchange that it belongs to
    #[arg(long, value_name = "ID")]
    pub(crate) exchange: Option<String>,
    /// The message that it answers
    #[arg(long, value_name = "ID")]
    pub(crate) in_reply_to: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

/// The type of plain words.
const PLAIN: &str = "text";

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.text.as_deref().is_some_and(|text| text.trim().is_empty()) {
        return Err(Usage("the text is empty; say something, or give --content".to_owned()).into());
    }
    let from = args.caller.sender()?;
    args.caller.spelt_right(args.to.split(','))?;
    let answer =
        args.caller.checked(args.caller.client().send(&outgoing(&args, from), &IdempotencyKey::fresh()))?;
    Ok(posted::show(&args.caller, &answer))
}

fn outgoing(args: &Args, from: Option<String>) -> Outgoing {
    let mut content = args.content.clone().unwrap_or_default();
    let given = [("type", &args.kind), ("message", &args.text)];
    for (key, text) in given.into_iter().filter_map(|(key, text)| Some((key, text.clone()?))) {
        content.insert(key.to_owned(), Value::from(text));
    }
    content.entry("type").or_insert_with(|| Value::from(PLAIN));
    Outgoing {
        from,
        to: args.to.split(',').map(|name| name.trim().to_owned()).collect(),
        subject: args.subject.clone(),
        priority: args.priority.clone(),
        in_reply_to: args.in_reply_to.clone(),
        exchange: args.exchange.clone(),
        content: Value::Object(content),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body(line: &[&str]) -> Value {
        let args = super::super::parsed::<Args>(line).unwrap();
        serde_json::to_value(outgoing(&args, Some("anna".to_owned()))).unwrap()
    }

    #[test]
    fn cli_2_a_message_to_one_or_several() {
        assert_eq!(
            body(&["bob", "Hi"]),
            json!({"from": "anna", "to": "bob", "content": {"type": "text", "message": "Hi"}})
        );
        assert_eq!(
            body(&["bob,carl", "Hi", "--subject", "S", "--type", "update"]),
            json!({
                "from": "anna", "to": ["bob", "carl"], "subject": "S",
                "content": {"type": "update", "message": "Hi"},
            })
        );
    }

    #[test]
    fn cli_8_any_content_can_be_sent() {
        assert_eq!(
            body(&["bob", "--content", r#"{"type": "stop-ack", "task_id": "GH-1"}"#, "--exchange", "del-4"]),
            json!({
                "from": "anna", "to": "bob", "exchange": "del-4",
                "content": {"type": "stop-ack", "task_id": "GH-1"},
            })
        );
        assert!(super::super::parsed::<Args>(&["bob", "--content", "[1]"]).is_err());
        assert!(super::super::parsed::<Args>(&["bob"]).is_err());
    }
}

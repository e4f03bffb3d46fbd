//! What came of a call: words for the model, and the server's own answer beside them.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use wilco_language::message::MessageType;
use wilco_language::render::fence::{self, Fenced, is_word, told_apart};
use wilco_wire::{FieldProblem, Problem, TodoEntry};

use crate::mcp::fence::{at_most, fenced};
use crate::mcp::structured::{is_command, structured};
use crate::mcp::tools::Tool;

/// More of one message does not stand in a list.
const LISTED: usize = 10_000;

/// What a tool found or did.
pub(crate) enum ToolOutcome {
    /// A page of an inbox.
    Inbox {
        agent: String,
        page: Value,
    },
    /// What waits for an agent.
    Todo {
        agent: String,
        list: Value,
    },
    Message(Value),
    Exchange(Value),
    Exchanges(Value),
    Posted(Value),
    /// Several things that were said, each with what it is about; each counts by itself.
    Each(Vec<(String, Result<Value, Box<Problem>>)>),
}

pub(crate) fn result(outcome: ToolOutcome) -> CallToolResult {
    let (words, value) = match outcome {
        ToolOutcome::Each(all) => return each(all),
        ToolOutcome::Inbox { agent, page } => (inbox(&agent, &page), page),
        ToolOutcome::Todo { agent, list } => (todo(&agent, &list), list),
        ToolOutcome::Message(message) => (whole(&message), message),
        ToolOutcome::Exchange(exchange) => (shown(&exchange), exchange),
        ToolOutcome::Exchanges(page) => (list(&page), page),
        ToolOutcome::Posted(posted) => (posted_words(&posted), posted),
    };
    let mut result = CallToolResult::success(vec![ContentBlock::text(words)]);
    result.structured_content = Some(structured(value));
    result
}

/// What came of several, a line each. The call failed if any of them did, and says which.
fn each(all: Vec<(String, Result<Value, Box<Problem>>)>) -> CallToolResult {
    let failed = all.iter().any(|(_, came)| came.is_err());
    let line = |(about, came): &(String, Result<Value, Box<Problem>>)| match came {
        Ok(posted) => posted_words(posted),
        Err(problem) => {
            let about = if is_word(about) { about } else { "one" };
            format!("Not done, {about}: {}", problem.detail)
        }
    };
    let words = all.iter().map(line).collect::<Vec<_>>().join("\n");
    let items = all.into_iter().map(|(about, came)| match came {
        Ok(posted) => posted,
        Err(problem) => json!({"task_id": about, "error": problem.detail}),
    });
    let items: Vec<Value> = items.collect();
    let blocks = vec![ContentBlock::text(words)];
    let mut result = if failed { CallToolResult::error(blocks) } else { CallToolResult::success(blocks) };
    result.structured_content = Some(structured(json!({"items": items})));
    result
}

/// A refusal that says how to repair the call. Its pointers are made to point into the arguments.
pub(crate) fn refused(tool: &Tool, mut problem: Box<Problem>) -> CallToolResult {
    let argument = |pointer: &str| match pointer.strip_prefix("/content/") {
        Some(rest) if !tool.fields.iter().any(|field| field.name == "content") => format!("/{rest}"),
        Some(_) | None => pointer.to_owned(),
    };
    for FieldProblem { pointer, .. } in &mut problem.errors {
        let named = argument(pointer);
        problem.detail = problem.detail.replace(pointer.as_str(), &named);
        *pointer = named;
    }
    let mut words = format!("{} refused it: {}", tool.name, problem.detail);
    for FieldProblem { pointer, detail } in &problem.errors {
        if !problem.detail.contains(detail) {
            words += &format!("\n{pointer}: {detail}");
        }
    }
    if !problem.errors.is_empty() {
        words += &format!("\nRight arguments look like this: {}", tool.examples.join(" or "));
    }
    let mut result = CallToolResult::error(vec![ContentBlock::text(words)]);
    result.structured_content = Some(json!(problem));
    result
}

fn inbox(agent: &str, page: &Value) -> String {
    let items = page["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    if items.is_empty() {
        return format!("No messages for {agent}.");
    }
    let each = |message: &Value| {
        let rest = "read_message shows the rest";
        let (words, taught) = apart(message, &message["content"]);
        format!("{}\n{}{taught}", heading(message), fenced(whose(message), &at_most(&words, LISTED, rest)))
    };
    let messages: Vec<_> = items.iter().map(each).collect();
    format!("{} for {agent}:\n\n{}", counted(items.len(), "message"), messages.join("\n\n"))
}

/// What others asked is data; how to answer it is said by Wilco.
fn todo(agent: &str, list: &Value) -> String {
    let items = list["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    if items.is_empty() {
        return format!("Nothing waits for {agent}.");
    }
    let each = |item: &Value| {
        let (kind, exchange) = (word(&item["kind"]), word(&item["exchange"]));
        let due = item["due"].as_str().map_or(String::new(), |due| format!(", until {due}"));
        let asked = item["asked"].as_str().unwrap_or_default();
        format!(
            "{kind} in {exchange}{due}\n{}\nAnswer with the tool {}{}",
            fenced(Fenced::Asked { exchange, from: word(&item["from"]) }, asked),
            TodoEntry::tool(kind),
            item["answer"]
                .as_str()
                .filter(|answer| is_command(answer))
                .map_or(String::new(), |answer| format!(", or: {answer}")),
        )
    };
    let items_in_words: Vec<_> = items.iter().map(each).collect();
    format!("{} for {agent}:\n\n{}", counted(items.len(), "thing"), items_in_words.join("\n\n"))
}

fn whole(message: &Value) -> String {
    let content = message.get("delivered").filter(|delivered| !delivered.is_null());
    let (words, taught) = apart(message, content.unwrap_or(&message["content"]));
    format!("{}\n{}{taught}", heading(message), fenced(whose(message), &words))
}

/// What the sender wrote, and what Wilco says behind it.
fn apart(message: &Value, content: &Value) -> (String, String) {
    let whole = text(message, content);
    let (words, taught) = told_apart(&whole, message["teaching"].as_str());
    (words.to_owned(), taught.map_or(String::new(), |taught| format!("\n{}", fence::taught(taught))))
}

/// A line about a message: what a reader must know to answer it.
fn heading(message: &Value) -> String {
    let kind = message["content"]["type"].as_str().and_then(MessageType::named);
    // A type that is not of the catalogue is a word of its sender.
    let kind = kind.unwrap_or(MessageType::Conversation).name();
    let mut line = format!("{}: {kind} from {}", said(&message["id"]), said(&message["from"]));
    if let Some(exchange) = message["exchange"].as_str() {
        line += &format!(", exchange {exchange}");
    }
    format!(
        "{line}, {}, {} priority, {}",
        word(&message["timestamp"]),
        word(&message["priority"]),
        word(&message["status"])
    )
}

fn whose(message: &Value) -> Fenced<'_> {
    Fenced::Message { id: word(&message["id"]), from: word(&message["from"]) }
}

/// The subject, and the text of a content or all of it when it has none.
fn text(message: &Value, content: &Value) -> String {
    let own_type = content["type"].as_str().filter(|word| MessageType::named(word).is_none());
    let text = match (content["message"].as_str(), own_type) {
        (Some(text), None | Some("text")) => text.to_owned(),
        (Some(text), Some(own)) => format!("Type: {own}\n\n{text}"),
        (None, _) => serde_json::to_string_pretty(content).unwrap_or_default(),
    };
    match message["subject"].as_str().map(str::trim).unwrap_or_default() {
        "" => text,
        subject => format!("Subject: {subject}\n\n{text}"),
    }
}

fn shown(exchange: &Value) -> String {
    let json = serde_json::to_string_pretty(exchange).unwrap_or_default();
    format!("{}\n{}", one_line(exchange), fenced(Fenced::Exchange { id: word(&exchange["id"]) }, &json))
}

fn list(page: &Value) -> String {
    let items = page["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    if items.is_empty() {
        return "No exchanges.".to_owned();
    }
    let lines: Vec<_> = items
        .iter()
        .map(|exchange| format!("{} - {}", one_line(exchange), word(&exchange["subject"])))
        .collect();
    let more = page["next"].as_str().map_or(String::new(), |next| format!("\nThere are more: after {next}."));
    format!("{}\n{}{more}", counted(items.len(), "exchange"), fenced(Fenced::Several, &lines.join("\n")))
}

fn one_line(exchange: &Value) -> String {
    let task = exchange["data"]["task_id"].as_str().filter(|task| is_word(task));
    let named = task.map_or(String::new(), |name| format!(" ({name})"));
    format!(
        "{}{named}: {}, {}, initiator {}",
        word(&exchange["id"]),
        word(&exchange["protocol"]),
        word(&exchange["state"]),
        said(&exchange["initiator"])
    )
}

fn posted_words(posted: &Value) -> String {
    let (message, exchange) = (&posted["message"], &posted["exchange"]);
    let sent = match posted["messages"].as_array() {
        Some(several) => several.iter().map(|one| said(&one["to"])).collect::<Vec<_>>().join(", "),
        None => said(&message["to"]).to_owned(),
    };
    let sent = format!("Sent {} to {sent}.", word(&message["id"]));
    let Some(id) = exchange["id"].as_str() else { return sent };
    let named = exchange["task_id"]
        .as_str()
        .filter(|task| is_word(task))
        .map_or(id.to_owned(), |task| format!("{task} ({id})"));
    let state = word(&exchange["state"]);
    match message["reading"]["effect"].as_str() {
        Some("none") => format!(
            "{sent} But nothing changed: {named} is still {state}. A notice in your inbox says why: call inbox."
        ),
        Some("recorded") => format!("{sent} Recorded: {named} is {state}."),
        _ => format!("{sent} {named} is {state}."),
    }
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or("-")
}

/// A name or id that may stand outside of the fence.
fn said(value: &Value) -> &str {
    Some(word(value)).filter(|word| is_word(word)).unwrap_or("-")
}

fn counted(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

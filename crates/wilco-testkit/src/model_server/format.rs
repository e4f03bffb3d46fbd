//! The formats in which clients ask models, and in which they are answered.

use serde_json::{Value, json};

use super::Turn;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Responses,
    Chat,
    Gemini,
    Anthropic,
}

/// What a turn is for a client: words, or a call of a tool under the name that it has there.
enum Said {
    Words(String),
    Call { name: String, namespace: Option<&'static str>, arguments: Value },
}

const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";

/// The names of the tools in a request, whatever its format. Tools in a namespace are `NAMESPACE/NAME`.
pub(super) fn offered(body: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut names = Vec::new();
    for tool in list(&body["tools"]) {
        if tool["type"] == "namespace" {
            let space = tool["name"].as_str().unwrap_or_default();
            names.extend(
                list(&tool["tools"])
                    .iter()
                    .filter_map(|one| Some(format!("{space}/{}", one["name"].as_str()?))),
            );
            continue;
        }
        names.extend(list(&tool["functionDeclarations"]).iter().filter_map(|one| text(&one["name"])));
        names.extend(text(&tool["function"]["name"]).or_else(|| text(&tool["name"])));
    }
    names
}

impl Format {
    pub(super) fn of(path: &str) -> Option<Format> {
        let path = path.split('?').next().unwrap_or_default();
        match path {
            path if path.ends_with("/responses") => Some(Format::Responses),
            path if path.ends_with("/chat/completions") => Some(Format::Chat),
            path if path.ends_with("enerateContent") => Some(Format::Gemini),
            path if path.ends_with("/messages") => Some(Format::Anthropic),
            _ => None,
        }
    }

    pub(super) fn said(
        self,
        path: &str,
        body: &Value,
        turn: &Turn,
        tools: &[String],
    ) -> (&'static str, String) {
        let said = self.named(turn, tools);
        let streams = body["stream"] == true || path.contains("streamGenerateContent");
        match (self, streams) {
            (Format::Responses, _) => (EVENTS, events(&responses(said), true)),
            (Format::Chat, true) => (EVENTS, events(&chat_chunks(said), false) + "data: [DONE]\n\n"),
            (Format::Chat, false) => (JSON, chat_whole(said).to_string()),
            (Format::Gemini, true) => (EVENTS, events(&[gemini(said)], false)),
            (Format::Gemini, false) => (JSON, gemini(said).to_string()),
            (Format::Anthropic, true) => (EVENTS, events(&anthropic_events(said), true)),
            (Format::Anthropic, false) => (JSON, anthropic_whole(said).to_string()),
        }
    }

    fn named(self, turn: &Turn, tools: &[String]) -> Said {
        let has = |name: &str| tools.iter().any(|tool| tool == name);
        let call =
            |name: &str, namespace, arguments| Said::Call { name: name.to_owned(), namespace, arguments };
        match turn {
            Turn::Say(text) => Said::Words(text.clone()),
            Turn::Shell(line) => {
                let about = "a line for the shell";
                match ["exec_command", "run_shell_command", "bash", "Bash"].into_iter().find(|name| has(name))
                {
                    Some("exec_command") | None => call("exec_command", None, json!({"cmd": line})),
                    Some("run_shell_command") if self == Format::Chat => {
                        call("run_shell_command", None, json!({"command": line, "is_background": false}))
                    }
                    Some(name) => call(name, None, json!({"command": line, "description": about})),
                }
            }
            Turn::Wilco(tool, arguments) => {
                let (single, own) = (format!("mcp_wilco_{tool}"), format!("wilco_{tool}"));
                match self {
                    Format::Responses => call(tool, Some("mcp__wilco"), arguments.clone()),
                    Format::Gemini => call(&single, None, arguments.clone()),
                    Format::Chat if has(&own) => call(&own, None, arguments.clone()),
                    // Not offered by all, but there: clients keep many tools back until they are asked for.
                    Format::Chat | Format::Anthropic => {
                        call(&format!("mcp__wilco__{tool}"), None, arguments.clone())
                    }
                }
            }
        }
    }
}

fn events(events: &[Value], named: bool) -> String {
    let each = |event: &Value| match named {
        true => format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()),
        false => format!("data: {event}\n\n"),
    };
    events.iter().map(each).collect()
}

fn responses(said: Said) -> Vec<Value> {
    let item = match said {
        Said::Words(text) => json!({"type": "message", "id": "msg_1", "role": "assistant",
            "content": [{"type": "output_text", "text": text}]}),
        Said::Call { name, namespace, arguments } => {
            let mut item = json!({"type": "function_call", "id": "fc_1", "call_id": call_id(), "name": name,
                "arguments": arguments.to_string()});
            if let Some(namespace) = namespace {
                item["namespace"] = json!(namespace);
            }
            item
        }
    };
    let usage = json!({"input_tokens": 1, "input_tokens_details": null, "output_tokens": 1,
        "output_tokens_details": null, "total_tokens": 2});
    vec![
        json!({"type": "response.created", "response": {"id": "resp_1"}}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"id": "resp_1", "usage": usage}}),
    ]
}

/// The message, and why it ends.
fn chat(said: Said) -> (Value, &'static str) {
    match said {
        Said::Words(text) => (json!({"role": "assistant", "content": text}), "stop"),
        Said::Call { name, arguments, .. } => {
            let function = json!({"name": name, "arguments": arguments.to_string()});
            let call = json!({"index": 0, "id": call_id(), "type": "function", "function": function});
            (json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls")
        }
    }
}

fn chat_whole(said: Said) -> Value {
    let (message, reason) = chat(said);
    json!({"id": "c1", "object": "chat.completion", "created": 0, "model": "model", "usage": chat_usage(),
        "choices": [{"index": 0, "message": message, "finish_reason": reason}]})
}

fn chat_chunks(said: Said) -> Vec<Value> {
    let (message, reason) = chat(said);
    let chunk = |choices: Value| json!({"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": "model", "choices": choices});
    let mut last = chunk(json!([]));
    last["usage"] = chat_usage();
    vec![
        chunk(json!([{"index": 0, "delta": message, "finish_reason": null}])),
        chunk(json!([{"index": 0, "delta": {}, "finish_reason": reason}])),
        last,
    ]
}

fn chat_usage() -> Value {
    json!({"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2})
}

fn gemini(said: Said) -> Value {
    let part = match said {
        Said::Words(text) => json!({"text": text}),
        Said::Call { name, arguments, .. } => json!({"functionCall": {"name": name, "args": arguments}}),
    };
    json!({
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": "model",
    })
}

/// The block, how it begins, what comes of it, and why it ends.
fn anthropic(said: Said) -> (Value, Value, Value, &'static str) {
    match said {
        Said::Words(text) => (
            json!({"type": "text", "text": text}),
            json!({"type": "text", "text": ""}),
            json!({"type": "text_delta", "text": text}),
            "end_turn",
        ),
        Said::Call { name, arguments, .. } => {
            let id = call_id();
            (
                json!({"type": "tool_use", "id": id, "name": name, "input": arguments}),
                json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
                json!({"type": "input_json_delta", "partial_json": arguments.to_string()}),
                "tool_use",
            )
        }
    }
}

fn anthropic_message(content: Value, reason: Value) -> Value {
    json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "model", "content": content,
        "stop_reason": reason, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}})
}

fn anthropic_whole(said: Said) -> Value {
    let (block, _, _, reason) = anthropic(said);
    anthropic_message(json!([block]), json!(reason))
}

fn anthropic_events(said: Said) -> Vec<Value> {
    let (_, start, delta, reason) = anthropic(said);
    vec![
        json!({"type": "message_start", "message": anthropic_message(json!([]), Value::Null)}),
        json!({"type": "content_block_start", "index": 0, "content_block": start}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
            "usage": {"output_tokens": 1}}),
        json!({"type": "message_stop"}),
    ]
}

/// Clients keep calls apart by their ids.
fn call_id() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("call_{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

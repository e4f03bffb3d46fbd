//! Anthropic's `/v1/messages`, with one tool that must be used: its input is the answer.

use serde_json::{Value, json};
use wilco_protocol::judgement::JudgeTokens;

use super::model::{ModelCall, Told};
use super::prompt;

/// The format that is spoken.
const API_VERSION: &str = "2023-06-01";
/// An answer needs a tenth of it.
const MAX_TOKENS: u32 = 2048;

pub(super) fn asked(model: &str, key: Option<&str>, question: &str) -> ModelCall {
    let body = json!({
        "model": model,
        "max_tokens": MAX_TOKENS,
        "system": prompt::SYSTEM,
        "messages": [{"role": "user", "content": question}],
        "tools": [{
            "name": prompt::ANSWER_NAME,
            "description": "Says how the understanding is judged.",
            "input_schema": prompt::schema(),
        }],
        "tool_choice": {"type": "tool", "name": prompt::ANSWER_NAME},
    });
    let mut headers = vec![("anthropic-version", API_VERSION.to_owned())];
    headers.extend(key.map(|key| ("x-api-key", key.to_owned())));
    ModelCall { path: "/messages".to_owned(), headers, body }
}

pub(super) fn told(body: &Value) -> Told {
    let parts = body["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_ours = |part: &&Value| part["type"] == "tool_use" && part["name"] == prompt::ANSWER_NAME;
    let mut used = parts.iter().filter(is_ours);
    let said = match (body["stop_reason"].as_str(), used.next(), used.next()) {
        (Some("refusal"), ..) => Err("it refused".to_owned()),
        (Some("max_tokens"), ..) => Err("its answer is not of the schema: it was cut by length".to_owned()),
        (_, Some(one), None) => Ok(one["input"].to_string()),
        (_, Some(_), Some(_)) => Err("its answer is not of the schema: it answered twice".to_owned()),
        (_, None, _) => Err("its answer is not of the schema: it did not use the tool".to_owned()),
    };
    let count = |key: &str| body["usage"][key].as_u64();
    let tokens = match (count("input_tokens"), count("output_tokens")) {
        (None, None) => None,
        (input, output) => Some(JudgeTokens { input: input.unwrap_or(0), output: output.unwrap_or(0) }),
    };
    Told { said, tokens }
}

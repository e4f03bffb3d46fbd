//! Gemini's `generateContent` with a schema for the answer. The key goes in a header, never in the address.

use serde_json::{Value, json};
use wilco_protocol::judgement::JudgeTokens;

use super::model::{ModelCall, Told};
use super::prompt;

pub(super) fn asked(model: &str, key: Option<&str>, question: &str) -> ModelCall {
    let body = json!({
        "systemInstruction": {"parts": [{"text": prompt::SYSTEM}]},
        "contents": [{"role": "user", "parts": [{"text": question}]}],
        "generationConfig": {
            "responseMimeType": "application/json",
            "responseSchema": prompt::gemini_schema(),
        },
    });
    let model = segment(model.strip_prefix("models/").unwrap_or(model));
    let headers = key.map(|key| ("x-goog-api-key", key.to_owned())).into_iter().collect();
    ModelCall { path: format!("/models/{model}:generateContent"), headers, body }
}

/// The name of a model as part of a path.
fn segment(name: &str) -> String {
    let sign = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    name.bytes().map(sign).collect()
}

pub(super) fn told(body: &Value) -> Told {
    let candidate = &body["candidates"][0];
    let parts = candidate["content"]["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
    // What it thought before is no part of its answer.
    let answers = parts.iter().filter(|part| part["thought"] != true);
    let text: String = answers.filter_map(|part| part["text"].as_str()).collect();
    let said = match (body["promptFeedback"]["blockReason"].as_str(), candidate["finishReason"].as_str()) {
        (Some(reason), _) => Err(format!("it refused: {reason}")),
        (None, Some("MAX_TOKENS")) => Err("its answer is not of the schema: it was cut by length".to_owned()),
        (None, Some("STOP") | None) if text.is_empty() => {
            Err("its answer is not of the schema: it holds no text".to_owned())
        }
        (None, Some("STOP") | None) => Ok(text),
        (None, Some(other)) => Err(format!("it refused: {other}")),
    };
    let usage = &body["usageMetadata"];
    let count = |key: &str| usage[key].as_u64();
    let thought = count("thoughtsTokenCount").unwrap_or(0);
    let tokens = match (count("promptTokenCount"), count("candidatesTokenCount")) {
        (None, None) => None,
        (input, output) => {
            Some(JudgeTokens { input: input.unwrap_or(0), output: output.unwrap_or(0) + thought })
        }
    };
    Told { said, tokens }
}

//! Every server that speaks `/v1/chat/completions`.

use serde_json::{Value, json};
use wilco_protocol::judgement::JudgeTokens;

use super::model::{ModelCall, Told};
use super::prompt;

pub(super) fn asked(model: &str, key: Option<&str>, question: &str) -> ModelCall {
    let body = json!({
        "model": model,
        "messages": [
            {"role": "system", "content": prompt::SYSTEM},
            {"role": "user", "content": question},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": prompt::ANSWER_NAME, "strict": true, "schema": prompt::schema()},
        },
    });
    let headers = key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect();
    ModelCall { path: "/chat/completions".to_owned(), headers, body }
}

pub(super) fn told(body: &Value) -> Told {
    let choice = &body["choices"][0];
    let message = &choice["message"];
    let refusal = message["refusal"].as_str().filter(|text| !text.is_empty());
    let said = match (choice["finish_reason"].as_str(), refusal, message["content"].as_str()) {
        (_, Some(refusal), _) => Err(format!("it refused: {refusal}")),
        (Some("content_filter"), ..) => Err("it refused: content filter".to_owned()),
        (Some("length"), ..) => Err("its answer is not of the schema: it was cut by length".to_owned()),
        (_, None, Some(text)) => Ok(text.to_owned()),
        (_, None, None) => Err("its answer is not of the schema: it holds no text".to_owned()),
    };
    let usage = &body["usage"];
    let count = |key: &str| usage[key].as_u64();
    let tokens = match (count("prompt_tokens"), count("completion_tokens")) {
        (None, None) => None,
        (input, output) => Some(JudgeTokens { input: input.unwrap_or(0), output: output.unwrap_or(0) }),
    };
    Told { said, tokens }
}

//! A model server on this machine that speaks the formats of three providers. It checks what a client must send, remembers
//! it, answers as it is told, and fails in every way that such servers fail.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, Method, Uri};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// What must never appear anywhere but in a request.
pub const KEY: &str = "sk-local-test-key-0123456789abcdef";

/// How a question is answered.
#[derive(Debug, Clone)]
pub enum JudgeReply {
    /// This judgement, in the format of the provider.
    Judgement(Value),
    /// This text where a judgement should be.
    Text(String),
    Refusal,
    /// The answer ended before its end, and says so.
    CutByLength,
    /// This status with these headers and this body.
    Status(u16, Vec<(&'static str, String)>, Value),
    /// The connection breaks in the middle of the answer.
    CutConnection,
    /// Two megabytes.
    Huge,
    /// Nothing, until `release` is called; then the rest of the answers.
    Silence,
}

/// One question that came.
#[derive(Debug, Clone)]
pub struct JudgeQuestion {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

#[derive(Debug, Default)]
pub struct JudgeWorld {
    /// The next answers; the last stays.
    pub answers: VecDeque<JudgeReply>,
    pub requests: Vec<JudgeQuestion>,
    /// Whether every question must bring the key.
    pub locked: bool,
    /// Who waits for an answer now, and how many waited at the same time at most.
    pub waiting: usize,
    pub most_at_once: usize,
}

#[derive(Debug, Clone)]
pub struct JudgeServer {
    pub address: SocketAddr,
    world: Arc<Mutex<JudgeWorld>>,
    release: Arc<Notify>,
}

/// A judgement that accepts, of a task with so many criteria.
pub fn correct(criteria: u32) -> Value {
    let covered: Vec<u32> = (1..=criteria).collect();
    json!({"verdict": "correct", "covered": covered, "missing": [], "added": [], "reason": "It says all of it."})
}

impl JudgeServer {
    /// It ends with its runtime.
    pub async fn start(answer: JudgeReply) -> JudgeServer {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let world =
            JudgeWorld { answers: VecDeque::from([answer]), requests: Vec::new(), ..JudgeWorld::default() };
        let server =
            JudgeServer { address, world: Arc::new(Mutex::new(world)), release: Arc::new(Notify::new()) };
        let router = Router::new().fallback(answered).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        server
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Held for a moment, never over an await.
    pub fn world(&self) -> MutexGuard<'_, JudgeWorld> {
        self.world.lock().unwrap()
    }

    /// From now on it answers so.
    pub fn answers(&self, answers: &[JudgeReply]) {
        self.world().answers = answers.iter().cloned().collect();
    }

    pub fn asked(&self) -> usize {
        self.world().requests.len()
    }

    /// Lets those go on that were left in silence.
    pub fn release(&self) {
        self.release.notify_waiters();
    }
}

async fn answered(
    State(server): State<JudgeServer>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let provider = Provider::of(uri.path());
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let kept =
        headers.iter().map(|(name, value)| (name.to_string(), value.to_str().unwrap_or("?").to_owned()));
    let request = JudgeQuestion { path: uri.to_string(), headers: kept.collect(), body };
    let (wrong, answer) = {
        let mut world = server.world();
        let wrong = provider.wrong(&method, &request, world.locked);
        world.requests.push(request);
        let last = world.answers.len() == 1;
        let next = if last { world.answers.front().cloned() } else { world.answers.pop_front() };
        (wrong, next.unwrap_or(JudgeReply::Silence))
    };
    if let Some((status, why)) = wrong {
        return plain(status, &[], &json!({"error": {"message": why, "type": "invalid_request_error"}}));
    }
    match answer {
        JudgeReply::Judgement(value) => plain(200, &[], &provider.judgement(&value)),
        JudgeReply::Text(text) => plain(200, &[], &provider.text(&text)),
        JudgeReply::Refusal => plain(200, &[], &provider.refusal()),
        JudgeReply::CutByLength => plain(200, &[], &provider.cut()),
        JudgeReply::Status(status, extra, value) => plain(status, &extra, &value),
        JudgeReply::CutConnection => Response::builder()
            .status(200)
            .header("content-length", "1000")
            .body(Body::from_stream(Cut))
            .unwrap(),
        JudgeReply::Huge => plain(200, &[], &provider.text(&"x".repeat(2 << 20))),
        JudgeReply::Silence => {
            let _waits = Waiting::begin(&server);
            server.release.notified().await;
            plain(200, &[], &provider.judgement(&correct(2)))
        }
    }
}

fn plain(status: u16, extra: &[(&'static str, String)], value: &Value) -> Response {
    let mut response = Response::builder().status(status).header("content-type", "application/json");
    for (name, text) in extra {
        response = response.header(*name, text);
    }
    response.body(Body::from(value.to_string())).unwrap()
}

/// A question without an answer, until whoever asked gives up or is answered.
struct Waiting(JudgeServer);

impl Waiting {
    fn begin(server: &JudgeServer) -> Waiting {
        let mut world = server.world();
        world.waiting += 1;
        world.most_at_once = world.most_at_once.max(world.waiting);
        Waiting(server.clone())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.world().waiting -= 1;
    }
}

/// A body that fails at once.
struct Cut;

impl futures_util::Stream for Cut {
    type Item = Result<Bytes, std::io::Error>;

    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        std::task::Poll::Ready(Some(Err(std::io::Error::other("cut"))))
    }
}

/// Whose format is spoken, by the path that is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Provider {
    OpenAi,
    Anthropic,
    Gemini,
    Unknown,
}

impl Provider {
    fn of(path: &str) -> Provider {
        match path {
            "/v1/chat/completions" => Provider::OpenAi,
            "/v1/messages" => Provider::Anthropic,
            path if path.starts_with("/v1beta/models/") && path.ends_with(":generateContent") => {
                Provider::Gemini
            }
            _ => Provider::Unknown,
        }
    }

    /// What the provider would refuse in this question, and how.
    fn wrong(self, method: &Method, request: &JudgeQuestion, locked: bool) -> Option<(u16, String)> {
        let header = |name: &str| {
            request.headers.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
        };
        let body = &request.body;
        let key = match self {
            Provider::OpenAi => header("authorization").and_then(|text| text.strip_prefix("Bearer ")),
            Provider::Anthropic => header("x-api-key"),
            Provider::Gemini => header("x-goog-api-key"),
            Provider::Unknown => return Some((404, "no such path".to_owned())),
        };
        if locked && key != Some(KEY) {
            return Some((401, format!("Incorrect API key provided: {}", key.unwrap_or("none"))));
        }
        if *method != Method::POST || header("content-type") != Some("application/json") {
            return Some((415, "expected a POST of application/json".to_owned()));
        }
        if request.path.contains('?') {
            return Some((400, "unexpected query".to_owned()));
        }
        let missing = match self {
            Provider::OpenAi => openai_lacks(body),
            Provider::Anthropic if header("anthropic-version") != Some("2023-06-01") => {
                Some("anthropic-version")
            }
            Provider::Anthropic => anthropic_lacks(body),
            Provider::Gemini => gemini_lacks(body),
            Provider::Unknown => None,
        };
        missing.map(|what| (400, format!("{what} is missing or wrong")))
    }

    fn judgement(self, value: &Value) -> Value {
        match self {
            Provider::Anthropic => json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": "local",
                "content": [{"type": "tool_use", "id": "toolu_1", "name": "judgement", "input": value}],
                "stop_reason": "tool_use", "usage": {"input_tokens": 700, "output_tokens": 60},
            }),
            Provider::OpenAi | Provider::Gemini | Provider::Unknown => self.text(&value.to_string()),
        }
    }

    fn text(self, text: &str) -> Value {
        match self {
            Provider::OpenAi | Provider::Unknown => json!({
                "id": "chatcmpl-1", "object": "chat.completion", "model": "local",
                "choices": [{"index": 0, "finish_reason": "stop",
                    "message": {"role": "assistant", "content": text, "refusal": null}}],
                "usage": {"prompt_tokens": 700, "completion_tokens": 60, "total_tokens": 760},
            }),
            Provider::Anthropic => json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": "local",
                "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn", "usage": {"input_tokens": 700, "output_tokens": 60},
            }),
            Provider::Gemini => json!({
                "candidates": [{"index": 0, "finishReason": "STOP",
                    "content": {"role": "model", "parts": [{"text": text}]}}],
                "usageMetadata": {"promptTokenCount": 700, "candidatesTokenCount": 60, "totalTokenCount": 760},
            }),
        }
    }

    fn refusal(self) -> Value {
        let mut answer = self.text("");
        match self {
            Provider::OpenAi | Provider::Unknown => {
                answer["choices"][0]["message"] =
                    json!({"role": "assistant", "content": null, "refusal": "I cannot help with that."});
            }
            Provider::Anthropic => {
                answer["stop_reason"] = json!("refusal");
                answer["content"] = json!([]);
            }
            Provider::Gemini => answer = json!({"promptFeedback": {"blockReason": "SAFETY"}}),
        }
        answer
    }

    fn cut(self) -> Value {
        let mut answer = self.judgement(&correct(2));
        match self {
            Provider::OpenAi | Provider::Unknown => answer["choices"][0]["finish_reason"] = json!("length"),
            Provider::Anthropic => answer["stop_reason"] = json!("max_tokens"),
            Provider::Gemini => answer["candidates"][0]["finishReason"] = json!("MAX_TOKENS"),
        }
        answer
    }
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

/// The rules of strict schemas.
fn is_strict(schema: &Value) -> bool {
    let names: Vec<&str> =
        schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    schema["type"] == "object"
        && schema["additionalProperties"] == false
        && !names.is_empty()
        && names.iter().all(|name| required.contains(name))
}

fn openai_lacks(body: &Value) -> Option<&'static str> {
    let format = &body["response_format"];
    let described = &format["json_schema"];
    let roles = [&body["messages"][0]["role"], &body["messages"][1]["role"]];
    if !is_text(&body["model"]) {
        Some("model")
    } else if roles != ["system", "user"] || !is_text(&body["messages"][1]["content"]) {
        Some("messages")
    } else if format["type"] != "json_schema" || !is_text(&described["name"]) || described["strict"] != true {
        Some("response_format")
    } else {
        (!is_strict(&described["schema"])).then_some("schema")
    }
}

fn anthropic_lacks(body: &Value) -> Option<&'static str> {
    let tool = &body["tools"][0];
    if !is_text(&body["model"]) {
        Some("model")
    } else if body["max_tokens"].as_u64().unwrap_or(0) == 0 {
        Some("max_tokens")
    } else if body["messages"][0]["role"] != "user" || !is_text(&body["messages"][0]["content"]) {
        Some("messages")
    } else if !is_strict(&tool["input_schema"]) || !is_text(&tool["name"]) {
        Some("tools")
    } else {
        let demanded = body["tool_choice"] == json!({"type": "tool", "name": tool["name"]});
        (!demanded).then_some("tool_choice")
    }
}

fn gemini_lacks(body: &Value) -> Option<&'static str> {
    let config = &body["generationConfig"];
    let schema = &config["responseSchema"];
    if !is_text(&body["contents"][0]["parts"][0]["text"])
        || !is_text(&body["systemInstruction"]["parts"][0]["text"])
    {
        Some("contents")
    } else if config["responseMimeType"] != "application/json" {
        Some("responseMimeType")
    } else {
        let fits = schema["type"] == "OBJECT" && schema.get("additionalProperties").is_none();
        (!fits || schema["properties"]["covered"]["items"]["type"] != "INTEGER").then_some("responseSchema")
    }
}

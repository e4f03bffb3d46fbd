//! One request and its answer.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::RequestBuilder;
use ureq::http::Response;
use wilco_wire::Problem;

use crate::answer::{Answer, Received};
use crate::error::Error;
use crate::key::IdempotencyKey;

/// A server, and on whose behalf it is asked.
#[derive(Debug, Clone)]
pub struct Client {
    agent: ureq::Agent,
    url: String,
    name: Option<String>,
    token: Option<String>,
    speaks: Option<&'static str>,
}

/// A commit takes milliseconds; a disk in trouble takes seconds.
const PATIENCE: Duration = Duration::from_secs(30);
const CONNECT: Duration = Duration::from_secs(5);
/// Larger answers are not Wilco's: a page holds at most a thousand messages of a mebibyte.
const MOST: u64 = 1 << 30;

pub(crate) type Query<'a> = Vec<(&'a str, String)>;

impl Client {
    pub fn new(url: &str) -> Client {
        // A timeout over everything would also bound the look-up of the name, which takes a thread.
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .user_agent(concat!("wilco/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(CONNECT))
            .timeout_send_body(Some(PATIENCE))
            .timeout_recv_response(Some(PATIENCE))
            .timeout_recv_body(Some(PATIENCE))
            .build();
        Client {
            agent: config.into(),
            url: url.trim_end_matches('/').to_owned(),
            name: None,
            token: None,
            speaks: None,
        }
    }

    /// Says who asks; believed on loopback.
    pub fn named(mut self, name: Option<String>) -> Client {
        self.name = name;
        self
    }

    /// Says what the caller speaks by: `cli` or `mcp`. It is taught to answer in the same way.
    pub fn speaking(mut self, interface: &'static str) -> Client {
        self.speaks = Some(interface);
        self
    }

    /// Shows who asks.
    pub fn with_token(mut self, token: Option<String>) -> Client {
        self.token = token;
        self
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str, query: Query<'_>) -> Result<Answer<T>, Error> {
        self.get_within(path, query, Duration::ZERO)
    }

    /// A call that the server may hold back for `wait`.
    pub(crate) fn get_within<T: DeserializeOwned>(
        &self,
        path: &str,
        query: Query<'_>,
        wait: Duration,
    ) -> Result<Answer<T>, Error> {
        let request = self.agent.get(self.address(path)).query_pairs(query);
        let request = self.signed(request).config().timeout_recv_response(Some(PATIENCE + wait)).build();
        self.finish(request.call())?.read(&self.url)
    }

    /// An answer that is no JSON.
    pub(crate) fn get_text(&self, path: &str, query: Query<'_>) -> Result<String, Error> {
        let request = self.signed(self.agent.get(self.address(path)).query_pairs(query));
        self.finish(request.call()).map(|received| received.text)
    }

    pub(crate) fn delete(&self, path: &str) -> Result<(), Error> {
        self.finish(self.signed(self.agent.delete(self.address(path))).call()).map(drop)
    }

    pub(crate) fn put<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<Answer<T>, Error> {
        let request = self.signed(self.agent.put(self.address(path)));
        self.finish(request.send_json(body))?.read(&self.url)
    }

    pub(crate) fn post_empty(&self, path: &str) -> Result<(), Error> {
        self.finish(self.signed(self.agent.post(self.address(path))).send_empty()).map(drop)
    }

    pub(crate) fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<Answer<T>, Error> {
        let request = self.signed(self.agent.post(self.address(path)));
        self.finish(request.send_json(body))?.read(&self.url)
    }

    /// Posts under a key. When the connection breaks, nobody knows whether the request took effect, so it
    /// is sent once more: under its key it is the same request.
    pub(crate) fn post_once<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        key: &IdempotencyKey,
    ) -> Result<Answer<T>, Error> {
        self.once(path, body, key)?.read(&self.url)
    }

    fn once(&self, path: &str, body: &impl Serialize, key: &IdempotencyKey) -> Result<Received, Error> {
        let attempt = || {
            let request = self.signed(self.agent.post(self.address(path)));
            self.finish(request.header("Idempotency-Key", key.as_str()).send_json(body))
        };
        match attempt() {
            Err(Error::Broken { .. }) => attempt(),
            other => other,
        }
    }

    /// Any request: a read, or a write when there is a body. The answer as it came.
    pub fn ask(
        &self,
        target: &str,
        body: Option<&serde_json::Value>,
        wait: Duration,
    ) -> Result<String, Error> {
        let Some(body) = body else {
            let request = self.signed(self.agent.get(self.address(target)));
            let request = request.config().timeout_recv_response(Some(PATIENCE + wait)).build();
            return self.finish(request.call()).map(|received| received.text);
        };
        let key = IdempotencyKey::fresh();
        let received = self.once(target, body, &key)?;
        Ok(received.text)
    }

    /// The agent whose token this is; none for an operator's, and without one.
    pub fn token_agent(&self) -> Result<Option<String>, Error> {
        let asked = self.signed(self.agent.get(self.address("/healthz"))).call();
        let answer = asked.map_err(|error| Error::of(&self.url, error))?;
        let agent = answer.headers().get("wilco-agent").and_then(|name| name.to_str().ok());
        Ok(agent.map(str::to_owned))
    }

    fn address(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    fn signed<B>(&self, mut request: RequestBuilder<B>) -> RequestBuilder<B> {
        if let Some(name) = &self.name {
            request = request.header("Wilco-Agent", name);
        }
        if let Some(interface) = self.speaks {
            request = request.header("Wilco-Speaks", interface);
        }
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        request
    }

    /// What a success brought, or what the server refused.
    fn finish(&self, sent: Result<Response<ureq::Body>, ureq::Error>) -> Result<Received, Error> {
        let broken = |error| Error::of(&self.url, error);
        let mut response = sent.map_err(broken)?;
        let status = response.status().as_u16();
        let at = response.headers().get("wilco-time").and_then(|time| time.to_str().ok()).map(str::to_owned);
        let text = response.body_mut().with_config().limit(MOST).read_to_string().map_err(broken)?;
        if response.status().is_success() {
            return Ok(Received { status, text, at });
        }
        match serde_json::from_str::<Problem>(&text) {
            Ok(problem) => Err(Error::Problem { problem: Box::new(problem), text }),
            Err(_) => Err(Error::foreign(&self.url, status, text.trim())),
        }
    }
}

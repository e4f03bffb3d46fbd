//! Calls over HTTP: a status and a JSON value come back, whatever the status is.

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};

use super::PATIENCE;
use super::stream::Stream;

/// A status and the body; null when there is none.
pub(crate) type Answer = (u16, Value);

/// Somebody who calls the server, with or without a token.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    url: String,
    agent: ureq::Agent,
    headers: Vec<(String, String)>,
}

impl Caller {
    pub(crate) fn new(url: &str) -> Caller {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .max_idle_connections(0)
            .build();
        Caller { url: url.to_owned(), agent: config.into(), headers: Vec::new() }
    }

    /// With one more header on every call.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Caller {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same caller with an Idempotency-Key.
    pub(crate) fn header_key(&self, key: &str) -> Caller {
        self.clone().header("Idempotency-Key", key)
    }

    /// The same caller that says who it is.
    pub(crate) fn as_agent(&self, name: &str) -> Caller {
        self.clone().header("Wilco-Agent", name)
    }

    pub(crate) fn token(self, token: &str) -> Caller {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        let request = self.headers.iter().fold(self.agent.get(self.at(path)), |r, (n, v)| r.header(n, v));
        answer(request.call())
    }

    /// The answer as it came.
    pub(crate) fn get_text(&self, path: &str) -> (u16, String) {
        let request = self.headers.iter().fold(self.agent.get(self.at(path)), |r, (n, v)| r.header(n, v));
        let mut response = request.call().unwrap();
        let body = response.body_mut().with_config().limit(1 << 30).read_to_string().unwrap();
        (response.status().as_u16(), body)
    }

    /// Follows a stream; a status when it is refused.
    pub(crate) fn stream(&self, path: &str) -> Result<Stream, u16> {
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let headers = headers.chain([("Accept", "text/event-stream")]);
        let request = headers.fold(self.agent.get(self.at(path)), |r, (n, v)| r.header(n, v));
        let response = request.call().unwrap();
        match response.status().as_u16() {
            200 => Ok(Stream::new(response)),
            refused => Err(refused),
        }
    }

    /// The lines of an answer as they come, over a stream that stays open.
    pub(crate) fn lines(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> impl Iterator<Item = String> {
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let headers = headers.chain([("Accept", "application/json, text/event-stream")]);
        let response = match (method, body) {
            ("POST", Some(body)) => {
                let headers = headers.chain([("Content-Type", "application/json")]);
                let request = headers.fold(self.agent.post(self.at(path)), |r, (n, v)| r.header(n, v));
                request.send(body.to_string())
            }
            _ => headers.fold(self.agent.get(self.at(path)), |r, (n, v)| r.header(n, v)).call(),
        };
        let response = response.unwrap();
        assert_eq!(response.status().as_u16(), 200);
        BufReader::new(response.into_body().into_reader()).lines().map(Result::unwrap)
    }

    pub(crate) fn delete(&self, path: &str) -> Answer {
        let request = self.headers.iter().fold(self.agent.delete(self.at(path)), |r, (n, v)| r.header(n, v));
        answer(request.call())
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_text(path, "application/json", &body.to_string())
    }

    pub(crate) fn put(&self, path: &str, body: &Value) -> Answer {
        let request = self.headers.iter().fold(self.agent.put(self.at(path)), |r, (n, v)| r.header(n, v));
        answer(request.header("Content-Type", "application/json").send(body.to_string()))
    }

    pub(crate) fn patch(&self, path: &str, body: Option<&Value>) -> Answer {
        let request = self.headers.iter().fold(self.agent.patch(self.at(path)), |r, (n, v)| r.header(n, v));
        answer(match body {
            Some(body) => request.header("Content-Type", "application/json").send(body.to_string()),
            None => request.send_empty(),
        })
    }

    /// JSON as it is written; the answer as it came.
    pub(crate) fn post_raw(&self, path: &str, body: &str) -> (u16, String) {
        let request = self.headers.iter().fold(self.agent.post(self.at(path)), |r, (n, v)| r.header(n, v));
        let mut response = request.header("Content-Type", "application/json").send(body).unwrap();
        (response.status().as_u16(), response.body_mut().read_to_string().unwrap())
    }

    /// Any bytes; an answer of several JSON lines comes back as a list.
    pub(crate) fn post_text(&self, path: &str, content_type: &str, body: &str) -> Answer {
        self.try_post(path, content_type, body).unwrap()
    }

    /// The same when the server may be gone.
    pub(crate) fn try_post(&self, path: &str, content_type: &str, body: &str) -> Result<Answer, ureq::Error> {
        let request = self.headers.iter().fold(self.agent.post(self.at(path)), |r, (n, v)| r.header(n, v));
        let request = match content_type {
            "" => request,
            given => request.header("Content-Type", given),
        };
        read(request.send(body)?)
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }
}

fn answer(sent: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Answer {
    sent.and_then(read).unwrap()
}

fn read(mut response: ureq::http::Response<ureq::Body>) -> Result<Answer, ureq::Error> {
    let status = response.status().as_u16();
    let text = response.body_mut().with_config().limit(64 << 20).read_to_string()?;
    let value = match serde_json::from_str(&text) {
        Ok(value) => value,
        Err(_) if text.is_empty() => Value::Null,
        Err(_) => {
            let lines: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
            lines.map_or_else(|_| json!(text), Value::Array)
        }
    };
    Ok((status, value))
}

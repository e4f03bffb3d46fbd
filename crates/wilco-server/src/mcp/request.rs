//! A request of the native API.

use std::time::Duration;

use serde_json::Value;
use wilco_wire::segment;

/// What is asked: a read, or a write when there is a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The path, and the query if there is one.
    pub target: String,
    pub body: Option<Value>,
    /// How long the answer may be held back.
    pub wait: Duration,
}

impl Request {
    /// A read. What is missing of the query is left out.
    pub(crate) fn get(path: String, query: &[(&str, Option<String>)]) -> Request {
        let given = query.iter().filter_map(|(key, value)| Some((key, value.as_deref()?)));
        let pairs: Vec<_> = given.map(|(key, value)| format!("{key}={}", segment(value))).collect();
        let target = if pairs.is_empty() { path } else { format!("{path}?{}", pairs.join("&")) };
        Request { target, body: None, wait: Duration::ZERO }
    }

    pub(crate) fn post(path: String, body: Value) -> Request {
        Request { target: path, body: Some(body), wait: Duration::ZERO }
    }

    pub(crate) fn within(mut self, wait: Duration) -> Request {
        self.wait = wait;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::Request;

    #[test]
    fn mcp_1_a_query_holds_what_was_given_and_is_encoded() {
        let query = [("q", Some("a b&c".to_owned())), ("after", None), ("limit", Some("5".to_owned()))];
        assert_eq!(
            Request::get("/v1/messages".to_owned(), &query).target,
            "/v1/messages?q=a%20b%26c&limit=5"
        );
        assert_eq!(Request::get("/readyz".to_owned(), &[]).target, "/readyz");
    }
}

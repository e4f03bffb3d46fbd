//! A Wilco server, however it is reached.

use std::future::Future;

use http::request::Parts;
use serde_json::Value;
use wilco_wire::Problem;

use crate::mcp::request::Request;

/// Asks the native API on behalf of one caller.
pub trait Native: Clone + Send + Sync + 'static {
    /// The same server, asked on behalf of whoever sent this HTTP request, if there was one.
    fn for_caller(&self, parts: Option<&Parts>) -> Self;

    /// The agent that the caller is, if that is known.
    fn me(&self) -> Option<&str>;

    /// Whether the caller may still ask: its token may have been revoked.
    fn is_allowed(&self) -> bool;

    /// Where the journal ends, where that is known without asking.
    fn position(&self) -> Option<u64>;

    /// What the server answers. An answer that is no JSON comes as a text.
    fn ask(&self, request: Request) -> impl Future<Output = Result<Value, Box<Problem>>> + Send;
}

/// A refusal that is made here, in the form of the server's own.
pub(crate) fn refusal(status: u16, kind: &str, detail: impl Into<String>) -> Box<Problem> {
    let title = match status {
        404 => "Not Found",
        409 => "Conflict",
        _ => "Unprocessable Entity",
    };
    Box::new(Problem {
        kind: format!("tag:wilco,2026:{kind}"),
        title: title.to_owned(),
        status,
        detail: detail.into(),
        errors: Vec::new(),
        exchange: None,
    })
}

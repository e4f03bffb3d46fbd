//! Why a call did not succeed, by what a caller does about it.

use std::fmt;
use std::io;

use wilco_wire::Problem;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody listens there: nothing was sent.
    #[error("no server answers at {url} ({source}); start one with: wilco serve, or name another with --url")]
    Unreachable {
        url: String,
        #[source]
        source: Box<ureq::Error>,
    },
    /// Whether the request took effect is not known; the same key makes trying again safe.
    #[error("the server at {url} did not answer in time; it may be busy, so try again")]
    Timeout { url: String },
    /// As with a timeout, the request may or may not have taken effect.
    #[error("the connection to {url} broke: {source}; try again")]
    Broken {
        url: String,
        #[source]
        source: Box<ureq::Error>,
    },
    /// The server refused; `text` is its document as it came.
    #[error("{}", Refusal(problem))]
    Problem { problem: Box<Problem>, text: String },
    /// Something else listens there.
    #[error(
        "{url} does not answer like a Wilco server (status {status}: {reason}); check --url and WILCO_URL"
    )]
    Foreign { url: String, status: u16, reason: String },
    #[error("{url} is not an address that wilco can use: {reason}; write it as http://127.0.0.1:23000")]
    Address { url: String, reason: String },
}

/// Longer answers of strangers are cut.
const SHOWN: usize = 120;

impl Error {
    pub(crate) fn foreign(url: &str, status: u16, reason: &str) -> Error {
        let reason = reason.chars().take(SHOWN).collect();
        Error::Foreign { url: url.to_owned(), status, reason }
    }

    pub(crate) fn of(url: &str, error: ureq::Error) -> Error {
        let url = url.to_owned();
        if url.starts_with("https:") {
            let reason = "https is not supported yet; use a tunnel or a proxy".to_owned();
            return Error::Address { url, reason };
        }
        match error {
            ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve)
            | ureq::Error::HostNotFound
            | ureq::Error::ConnectionFailed => Error::Unreachable { url, source: Box::new(error) },
            ureq::Error::Timeout(_) => Error::Timeout { url },
            ureq::Error::Io(ref cause) if is_unreachable(cause.kind()) => {
                Error::Unreachable { url, source: Box::new(error) }
            }
            ureq::Error::Io(_) | ureq::Error::Protocol(_) => Error::Broken { url, source: Box::new(error) },
            ureq::Error::Tls(_) => Error::Address {
                url,
                reason: "https is not supported yet; use a tunnel or a proxy".to_owned(),
            },
            other => Error::Address { url, reason: other.to_string() },
        }
    }

    /// The status of the server's refusal.
    pub fn status(&self) -> Option<u16> {
        match self {
            Error::Problem { problem, .. } => Some(problem.status),
            _ => None,
        }
    }
}

fn is_unreachable(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{AddrNotAvailable, ConnectionRefused, HostUnreachable, NetworkUnreachable};
    matches!(kind, ConnectionRefused | HostUnreachable | NetworkUnreachable | AddrNotAvailable)
}

/// A problem in words: what was wrong, and each wrong field on a line of its own.
struct Refusal<'a>(&'a Problem);

impl fmt::Display for Refusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { title, detail, errors, .. } = self.0;
        f.write_str(if detail.is_empty() { title } else { detail })?;
        // A single error often stands in the detail already.
        let unsaid = errors.iter().filter(|field| !detail.contains(&field.detail));
        unsaid.into_iter().try_for_each(|field| write!(f, "\n  {}: {}", field.pointer, field.detail))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn api_9_a_problem_says_what_was_wrong_and_where() {
        let text = json!({
            "type": "tag:wilco,2026:validation", "title": "Invalid", "status": 422,
            "detail": "some fields are missing or wrong",
            "errors": [{"pointer": "/content/status", "detail": "is required: received or queued"}],
        });
        let problem = Box::new(serde_json::from_value(text.clone()).unwrap());
        let error = Error::Problem { problem, text: text.to_string() };
        assert_eq!(error.status(), Some(422));
        assert_eq!(
            error.to_string(),
            "some fields are missing or wrong\n  /content/status: is required: received or queued"
        );
    }

    #[test]
    fn cli_5_nobody_there_says_how_to_start_one() {
        let refused = ureq::Error::Io(io::ErrorKind::ConnectionRefused.into());
        let error = Error::of("http://127.0.0.1:1", refused);
        assert!(error.to_string().contains("wilco serve"), "{error}");
        let reset = ureq::Error::Io(io::ErrorKind::ConnectionReset.into());
        assert!(matches!(Error::of("http://127.0.0.1:1", reset), Error::Broken { .. }));
    }
}

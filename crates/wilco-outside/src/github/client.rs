//! One call of the API: its headers, its errors, and how long to wait before the next try.

use http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::Full;
use serde_json::Value;
use wilco_protocol::Span;

use super::Github;
use crate::call::{Answer, call};

const MAX_ANSWER: usize = 16 << 20;
/// All waiting together is no longer than this; who is told to wait longer gives up at once.
pub(crate) const MAX_WAIT: Span = Span::minutes(10);

/// Why a call came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The same call would fail again.
    Lasting(String),
    /// GitHub does not take a text of this length.
    TooLong(String),
    NotFound(String),
    /// Another try makes sense, after this time if GitHub named one.
    Passing {
        reason: String,
        after: Option<Span>,
    },
}

impl Trouble {
    pub(crate) fn reason(&self) -> &str {
        match self {
            Trouble::Lasting(reason) | Trouble::TooLong(reason) | Trouble::NotFound(reason) => reason,
            Trouble::Passing { reason, .. } => reason,
        }
    }
}

impl Github {
    /// Beneath the repository.
    pub(super) async fn of_repository(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Trouble> {
        self.call(method, &format!("/repos/{}{path}", self.repository), body).await
    }

    pub(super) async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Trouble> {
        let what = format!("{method} {path}");
        let passing = |why: String| Trouble::Passing { reason: format!("{what}: {why}"), after: None };
        let called = tokio::time::timeout(self.patience, self.called(method, path, body)).await;
        let slow = |_| passing(format!("GitHub did not answer within {:?}", self.patience));
        let answer = called.map_err(slow)?.map_err(passing)?;
        judged(&what, &answer)
    }

    async fn called(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Answer, String> {
        let address = self.base.resolve(true).await?;
        if !self.base.is_secure() && !address.ip().is_loopback() {
            return Err(format!(
                "{} is not on this machine, and http is for this machine alone",
                self.base.named()
            ));
        }
        let path = format!("{}{path}", self.base.path.trim_end_matches('/'));
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, self.base.header())
            .header(header::USER_AGENT, concat!("wilco/", env!("CARGO_PKG_VERSION")))
            .header(header::ACCEPT, "application/vnd.github+json")
            .header("x-github-api-version", "2022-11-28")
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token.0))
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::from(body.map_or_else(String::new, Value::to_string)))
            .map_err(|_| "the request cannot be made".to_owned())?;
        call(&self.base, address, &self.tls, request, Some(MAX_ANSWER)).await
    }
}

fn judged(what: &str, answer: &Answer) -> Result<Value, Trouble> {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    if answer.status.is_success() {
        return Ok(body);
    }
    let reason = format!("{what}: {}: {}", answer.status, said(&body));
    let wait = wait(&answer.headers);
    Err(match answer.status {
        StatusCode::UNAUTHORIZED => {
            Trouble::Lasting(format!("{reason}; check the token that github.token_env names"))
        }
        StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS if wait.is_some_and(|wait| wait > MAX_WAIT) => {
            let wait = wait.unwrap_or_default();
            Trouble::Lasting(format!("{reason}; it asks to wait {wait}, longer than {MAX_WAIT}"))
        }
        StatusCode::FORBIDDEN if wait.is_none() => Trouble::Lasting(reason),
        StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS => Trouble::Passing { reason, after: wait },
        StatusCode::NOT_FOUND | StatusCode::GONE => Trouble::NotFound(reason),
        StatusCode::UNPROCESSABLE_ENTITY if said(&body).contains("too long") => Trouble::TooLong(reason),
        status if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT => {
            Trouble::Passing { reason, after: wait }
        }
        _ => Trouble::Lasting(reason),
    })
}

/// GitHub's own words, on one line and bounded.
fn said(body: &Value) -> String {
    let errors = body["errors"].as_array().into_iter().flatten();
    let errors = errors.filter_map(|error| error["message"].as_str().or(error.as_str()));
    let words: Vec<_> = body["message"].as_str().into_iter().chain(errors).collect();
    words.join("; ").chars().filter(|c| !c.is_control()).take(300).collect()
}

/// How long GitHub asks to wait. Its own clock says how far away the reset is.
fn wait(headers: &HeaderMap) -> Option<Span> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let whole = |name: &str| text(name).and_then(|text| text.trim().parse::<u64>().ok());
    if let Some(seconds) = whole("retry-after") {
        return Some(Span::seconds(seconds));
    }
    if whole("x-ratelimit-remaining")? > 0 {
        return None;
    }
    let reset = i64::try_from(whole("x-ratelimit-reset")?).ok()?;
    let now = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text("date")?).ok()?.as_second();
    let seconds = u64::try_from(reset - now).unwrap_or(0) + 1;
    Some(Span::seconds(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&'static str, &str)], body: &str) -> Answer {
        let mut map = HeaderMap::new();
        headers.iter().for_each(|(name, value)| _ = map.insert(*name, value.parse().unwrap()));
        let body = body.to_owned().into();
        Answer { status: StatusCode::from_u16(status).unwrap(), headers: map, body }
    }

    #[test]
    fn ho_22_github_says_how_long_to_wait() {
        let after = |headers: &[(&'static str, &str)]| match judged("GET /x", &answer(403, headers, "{}")) {
            Err(Trouble::Passing { after, .. }) => after,
            other => panic!("{other:?}"),
        };
        assert_eq!(after(&[("retry-after", "30")]), Some(Span::seconds(30)));
        let limited = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "1769870160"),
            ("date", "Sat, 31 Jan 2026 14:35:00 GMT"),
        ];
        assert_eq!(after(&limited), Some(Span::seconds(61)));
        let long = judged("GET /x", &answer(403, &[("retry-after", "3600")], "{}"));
        assert!(
            matches!(&long, Err(Trouble::Lasting(reason)) if reason.contains("longer than 10m")),
            "{long:?}"
        );
        let forbidden =
            judged("GET /x", &answer(403, &[("x-ratelimit-remaining", "9")], r#"{"message": "no"}"#));
        assert_eq!(forbidden, Err(Trouble::Lasting("GET /x: 403 Forbidden: no".to_owned())));
        let long = judged(
            "x",
            &answer(
                422,
                &[],
                r#"{"message": "Validation Failed", "errors": [{"message": "body is too long (maximum is 65536 characters)"}]}"#,
            ),
        );
        assert!(matches!(long, Err(Trouble::TooLong(_))), "{long:?}");
        assert!(matches!(
            judged("x", &answer(502, &[], "<html>")),
            Err(Trouble::Passing { after: None, .. })
        ));
        assert!(matches!(judged("x", &answer(307, &[], "{}")), Err(Trouble::Lasting(_))));
    }
}

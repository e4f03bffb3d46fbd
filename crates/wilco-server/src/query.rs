//! The query of a request, strict: an unknown key is an error that names the nearest known one.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::extract::FromRequestParts;
use http::StatusCode;
use http::request::Parts;
use wilco_engine::reads::Row;
use wilco_language::nearest;
use wilco_protocol::Span;
use wilco_protocol::time::SpanError;

use crate::problem::Failure;

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 1000;

/// The keys and values of a query.
#[derive(Debug)]
pub(crate) struct Query(BTreeMap<String, String>);

/// For what takes no query at all.
pub(crate) struct NoQuery;

impl<S: Send + Sync> FromRequestParts<S> for NoQuery {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<NoQuery, Failure> {
        Query::read(parts.uri.query(), &[]).map(|_| NoQuery)
    }
}

impl Query {
    pub(crate) fn read(raw: Option<&str>, known: &[&str]) -> Result<Query, Failure> {
        let mut read = BTreeMap::new();
        for (key, value) in pairs(raw.unwrap_or("")) {
            if !known.contains(&key.as_str()) {
                return Err(Failure::bad_request(unknown(&key, known)));
            }
            if read.insert(key.clone(), value).is_some() {
                return Err(Failure::bad_request(format!(
                    "the query key {key:?} stands there twice; give it once"
                )));
            }
        }
        Ok(Query(read))
    }

    /// Whatever keys there are: scripts of AI Maestro send some that mean nothing here. The first counts.
    pub(crate) fn open(raw: Option<&str>) -> Query {
        let mut read = BTreeMap::new();
        for (key, value) in pairs(raw.unwrap_or("")) {
            read.entry(key).or_insert(value);
        }
        Query(read)
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// As it was given: a number without digits is no number.
    pub(crate) fn number(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    pub(crate) fn flag(&self, key: &str) -> Result<Option<bool>, Failure> {
        match self.text(key) {
            None => Ok(None),
            Some("true" | "1") => Ok(Some(true)),
            Some("false" | "0") => Ok(Some(false)),
            Some(other) => Err(Failure::bad_request(format!("{key}: expected true or false, got {other:?}"))),
        }
    }

    /// A cursor from an earlier page.
    pub(crate) fn cursor(&self, key: &str) -> Result<Option<u64>, Failure> {
        let Some(text) = self.text(key) else { return Ok(None) };
        let digits = text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| digits);
        number.map(Some).ok_or_else(|| {
            Failure::bad_request(format!("{key}: {text:?} is no cursor; use the `next` of an earlier page"))
        })
    }

    /// A cursor of a list whose rows have no number of their own.
    pub(crate) fn row(&self, key: &str) -> Result<Option<Row>, Failure> {
        let Some(text) = self.text(key) else { return Ok(None) };
        text.parse().map(Some).map_err(|()| {
            Failure::bad_request(format!("{key}: {text:?} is no cursor; use the `next` of an earlier page"))
        })
    }

    pub(crate) fn limit(&self) -> Result<usize, Failure> {
        let Some(text) = self.number("limit") else { return Ok(DEFAULT_LIMIT) };
        let wrong =
            || Failure::bad_request(format!("limit: expected a number from 1 to {MAX_LIMIT}, got {text:?}"));
        text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit)).ok_or_else(wrong)
    }

    /// How long to wait for something new; none when nobody asked to.
    pub(crate) fn wait(&self, most: Duration) -> Result<Option<Duration>, Failure> {
        let Some(text) = self.text("wait") else { return Ok(None) };
        let span: Span = text.parse().map_err(|error| {
            let detail = format!("wait: {error}");
            match error {
                SpanError::Negative(_) => {
                    Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "validation", detail)
                }
                SpanError::Form(_) | SpanError::TooLong(_) => Failure::bad_request(detail),
            }
        })?;
        let wait = Duration::from_millis(span.as_millis());
        if wait > most {
            return Err(Failure::bad_request(format!("wait: at most {}s, got {text}", most.as_secs())));
        }
        Ok(Some(wait))
    }
}

/// Where a page goes on, how long it is and how long to wait for it, by a query alone; for random inputs.
#[doc(hidden)]
pub fn page(raw: &str, most: Duration) -> Result<(Option<u64>, usize, Option<Duration>), String> {
    let said = |failure: Failure| failure.0.detail;
    let query = Query::read(Some(raw), &["after", "limit", "wait"]).map_err(said)?;
    let limit = query.limit().map_err(said)?;
    Ok((query.cursor("after").map_err(said)?, limit, query.wait(most).map_err(said)?))
}

fn unknown(key: &str, known: &[&str]) -> String {
    match nearest(key, known.iter().copied()) {
        Some(word) => format!("there is no query key {key:?} here; did you mean {word:?}?"),
        None if known.is_empty() => format!("there is no query key {key:?} here; this address takes none"),
        None => format!("there is no query key {key:?} here; there are {}", known.join(", ")),
    }
}

/// Decodes `a=b&c=d`.
/// The pairs of a query or a form.
pub(crate) fn pairs(raw: &str) -> Vec<(String, String)> {
    let written = raw.split('&').filter(|pair| !pair.is_empty());
    written
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(k, v)| (decoded(k), decoded(v)))
        .collect()
}

pub(crate) fn decoded(text: &str) -> String {
    let bytes = text.replace('+', " ").into_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes.as_slice();
    while let [first, tail @ ..] = rest {
        let code = match (first, tail) {
            (b'%', [a, b, ..]) => hex(*a).zip(hex(*b)).map(|(a, b)| a * 16 + b),
            _ => None,
        };
        out.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    (digit as char).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn api_2b_queries_are_strict_and_say_what_would_be_right() {
        let read = |raw: &str| Query::read(Some(raw), &["after", "limit", "wait"]);
        assert_eq!(read("after=7&limit=3").unwrap().cursor("after").unwrap(), Some(7));
        assert!(read("limt=3").unwrap_err().0.detail.contains("did you mean \"limit\""));
        assert!(read("limit=0").unwrap().limit().is_err());
        assert!(read("limit=").unwrap().limit().is_err());
        assert!(read("limit=1001").unwrap().limit().is_err());
        assert!(read("after=x").unwrap().cursor("after").is_err());
        let wait = |text: &str| {
            let waited = read(&format!("wait={text}")).unwrap().wait(Duration::from_secs(60));
            waited.map_err(|failure| failure.0.status)
        };
        assert_eq!((wait("61s"), wait("soon")), (Err(400), Err(400)));
        assert!(read("limit=1&limit=2").is_err());
    }

    #[test]
    fn api_9_a_negative_wait_is_422() {
        let query = Query::read(Some("wait=-5s"), &["wait"]).unwrap();
        let failure = query.wait(Duration::from_secs(60)).unwrap_err();
        assert_eq!(failure.0.status, 422);
        assert!(failure.0.detail.contains("not negative"), "{failure:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        /// Nothing panics, and what was taken is within its bounds.
        #[test]
        fn api_2b_any_query_is_read_or_refused(raw in "(?s).{0,40}|((after|limit|wait|%[0-9a-f]{0,2})[=&%0-9a-z]{0,9}&?){0,4}") {
            if let Ok(query) = Query::read(Some(&raw), &["after", "limit", "wait"]) {
                prop_assert!(query.limit().is_ok_and(|limit| (1..=MAX_LIMIT).contains(&limit)) || query.number("limit").is_some());
                let most = Duration::from_secs(60);
                prop_assert!(query.wait(most).ok().flatten().is_none_or(|wait| wait <= most));
                let _ = (query.cursor("after"), query.flag("after"));
            }
        }

        #[test]
        fn api_2b_what_is_encoded_is_decoded(text in any::<String>()) {
            let encoded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
            prop_assert_eq!(decoded(&encoded), text);
        }

        /// A page's `next` is a cursor.
        #[test]
        fn api_2b_positions_are_cursors(position in 0u64..1_000_000_000_000_000_000) {
            let query = Query::read(Some(&format!("after={position}")), &["after"]).unwrap();
            prop_assert_eq!(query.cursor("after").unwrap(), Some(position));
        }
    }

    #[test]
    fn percent_codes_are_decoded_and_broken_ones_kept() {
        assert_eq!(decoded("a%20b+c%C3%A9%zz%2"), "a b cé%zz%2");
    }
}

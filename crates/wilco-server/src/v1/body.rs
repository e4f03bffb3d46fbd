//! Reading the body of a request: bounded in size and time.

use axum::body::Body;
use axum::extract::Request;
use http::{StatusCode, header};
use http_body_util::BodyExt;
use hyper::body::Body as _;
use wilco_language::parse::{ParseError, duplicate_key};

use crate::app::Limits;
use crate::problem::Failure;

/// A body that is too large is read on to its end, and thrown away, while it is not absurd: a client that
/// is still sending would otherwise lose the answer together with the connection.
const MAX_THROWN_AWAY: usize = 16 << 20;

/// A body that is declared too large is refused at once. What the client sends of it all the same is thrown
/// away meanwhile; one that waits to be told to go on (`Expect`) sends nothing.
pub(crate) fn declared(request: Request, limits: &Limits) -> Result<Request, Failure> {
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let length = length.and_then(|text| text.parse::<usize>().ok());
    if length.is_none_or(|length| length <= limits.body_bytes) {
        return Ok(request);
    }
    if !request.headers().contains_key(header::EXPECT) {
        let (body, limits) = (request.into_body(), limits.clone());
        tokio::spawn(async move { bytes(body, &limits).await.map(drop) });
    }
    Err(too_large(limits.body_bytes))
}

fn too_large(most: usize) -> Failure {
    let detail = format!("the body is larger than {most} bytes");
    Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", detail)
}

/// A body in which a key stands twice says two things at once.
pub(crate) fn unambiguous(body: &[u8]) -> Result<(), Failure> {
    match std::str::from_utf8(body).ok().and_then(duplicate_key) {
        Some(key) => Err(Failure::from(ParseError::Twice(key))),
        None => Ok(()),
    }
}

pub(crate) async fn bytes(body: Body, limits: &Limits) -> Result<Vec<u8>, Failure> {
    match tokio::time::timeout(limits.body_timeout, collected(body, limits.body_bytes)).await {
        Ok(read) => read,
        Err(_) => Err(Failure::new(
            StatusCode::REQUEST_TIMEOUT,
            "body-timeout",
            format!("the body did not arrive within {} seconds", limits.body_timeout.as_secs()),
        )),
    }
}

async fn collected(mut body: Body, most: usize) -> Result<Vec<u8>, Failure> {
    let expected = usize::try_from(body.size_hint().lower()).unwrap_or(most).min(most);
    let (mut kept, mut size) = (Vec::with_capacity(expected), 0);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Failure::bad_request(format!("the body broke off: {error}")))?;
        let Ok(bytes) = frame.into_data() else { continue };
        size += bytes.len();
        if size <= most {
            kept.extend_from_slice(&bytes);
        } else if size - most > MAX_THROWN_AWAY {
            break;
        }
    }
    if size <= most {
        return Ok(kept);
    }
    Err(too_large(most))
}

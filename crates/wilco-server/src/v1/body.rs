//! Reading the body of a request: bounded in size and time.

use axum::body::Body;
use http::{HeaderMap, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use crate::auth::{content_type, is_json};
use crate::door::Limits;
use crate::problem::Failure;

pub(crate) async fn bytes(body: Body, limits: &Limits) -> Result<Vec<u8>, Failure> {
    let collected = Limited::new(body, limits.body_bytes).collect();
    match tokio::time::timeout(limits.body_timeout, collected).await {
        Err(_) => Err(Failure::new(
            StatusCode::REQUEST_TIMEOUT,
            "body-timeout",
            format!("the body did not arrive within {} seconds", limits.body_timeout.as_secs()),
        )),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Failure::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too-large",
            format!("the body is larger than {} bytes", limits.body_bytes),
        )),
        Ok(Err(error)) => Err(Failure::bad_request(format!("the body broke off: {error}"))),
        Ok(Ok(collected)) => Ok(collected.to_bytes().to_vec()),
    }
}

/// A body that says it is something else than JSON is refused.
pub(crate) fn expect_json(headers: &HeaderMap) -> Result<(), Failure> {
    match content_type(headers) {
        Some(kind) if !is_json(kind) => Err(Failure::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "content-type",
            format!("expected Content-Type: application/json, got {kind}"),
        )),
        Some(_) | None => Ok(()),
    }
}

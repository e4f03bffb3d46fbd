//! Errors as AI Maestro words them: `{"error", "message", "field"?}`.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, Uri, header};
use serde_json::json;

use crate::problem::Failure;

/// Whether a request is one to AI Maestro.
pub(crate) fn is_below(uri: &Uri) -> bool {
    uri.path().starts_with("/api/")
}

/// What went wrong with such a request, worded anew, whoever found it.
pub(crate) fn error_format(mut response: Response) -> Response {
    match response.extensions_mut().remove::<Failure>() {
        Some(failure) => retold(response, &failure),
        None => response,
    }
}

fn retold(mut response: Response, failure: &Failure) -> Response {
    let problem = &failure.0;
    let code = problem.kind.rsplit(':').next().unwrap_or("error").replace('-', "_");
    let mut body = json!({"error": code, "message": problem.detail});
    if let Some(wrong) = problem.errors.first() {
        body["field"] = json!(wrong.pointer.trim_start_matches('/').replace('/', "."));
    }
    // A wrong field is 400 here; a key that came with another request is what it is everywhere.
    if response.status() == StatusCode::UNPROCESSABLE_ENTITY && !problem.errors.is_empty() {
        *response.status_mut() = StatusCode::BAD_REQUEST;
    }
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.remove(header::CONTENT_LENGTH);
    *response.body_mut() = Body::from(body.to_string());
    response
}

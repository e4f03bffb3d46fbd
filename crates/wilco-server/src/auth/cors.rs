//! Pages of configured origins may call from a browser. For all others there is no CORS.

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use crate::app::App;

const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, PUT, PATCH, DELETE");
/// What a page may read of an answer besides its body.
const SHOWN: HeaderValue = HeaderValue::from_static("wilco-time, mcp-session-id");
/// For how many seconds a browser need not ask again.
const REMEMBERED: HeaderValue = HeaderValue::from_static("600");

/// The configured page that a request comes from.
pub(super) fn page(app: &App, headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = headers.get(header::ORIGIN)?;
    app.config.origins.iter().any(|known| known.as_bytes() == origin.as_bytes()).then(|| origin.clone())
}

/// Whether a browser asks if the page may call. It brings no token.
pub(super) fn is_preflight(request: &Request) -> bool {
    *request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// Yes.
pub(super) fn preflight(request: &Request) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, REMEMBERED);
    if let Some(wanted) = request.headers().get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    response
}

/// Lets the page see the answer.
pub(super) fn show(page: HeaderValue, response: &mut Response) {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, page);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, SHOWN);
    headers.append(header::VARY, HeaderValue::from_static("origin"));
}

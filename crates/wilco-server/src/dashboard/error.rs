//! What went wrong, as a page: never a blank one, with the status that the API would have.

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, StatusCode, Uri};
use maud::html;

use super::look::Look;
use super::page::{Page, bare};
use super::sign_in::{form, theme};
use super::text::visible;
use crate::app::App;
use crate::problem::Failure;

/// What has an error format of its own.
const OTHERS: [&str; 7] = ["v1", "api", "mcp", "docs", "healthz", "readyz", "metrics"];

/// Whether an address is one that people look at.
pub(crate) fn is_page(uri: &Uri) -> bool {
    let first = uri.path().trim_start_matches('/').split('/').next().unwrap_or("");
    !OTHERS.contains(&first)
}

/// What anybody may see: the way in, and what every page needs to look right.
pub(crate) fn is_open(uri: &Uri) -> bool {
    ["/sign-in", "/style.css", "/live.js", "/icon.svg"].contains(&uri.path())
}

/// Who looked stays with what went wrong, so that its page is as every other.
pub(super) async fn with_viewer(State(app): State<App>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let mut asked = parts.clone();
    let mut response = next.run(Request::from_parts(parts, body)).await;
    if response.extensions().get::<Failure>().is_some()
        && let Ok(look) = Look::from_request_parts(&mut asked, &app).await
    {
        response.extensions_mut().insert(look);
    }
    response
}

/// A failure at such an address, as a page. Who is not signed in is asked to.
pub(crate) fn error_page(mut response: Response, uri: &Uri, headers: &HeaderMap) -> Response {
    let Some(failure) = response.extensions_mut().remove::<Failure>() else { return response };
    let status = response.status();
    let theme = theme(headers);
    let mut page = match status {
        StatusCode::UNAUTHORIZED => {
            let back = uri.path_and_query().map_or("/", |address| address.as_str());
            let back = if back.starts_with("/sign") { "/" } else { back };
            let expired = headers.contains_key(http::header::COOKIE).then_some("Sign in to see this page.");
            bare(status, "Sign in", theme, form(back, expired))
        }
        _ => {
            let reason = status.canonical_reason().unwrap_or("Error");
            let body = html! {
                h1 { (reason) }
                p role="alert" { (visible(&failure.0.detail)) }
                p { a href="/" { "To the overview" } }
            };
            match response.extensions_mut().remove::<Look>() {
                Some(look) => Page { status, live: false, ..Page::new(reason, body) }.shown(&look),
                None => bare(status, reason, theme, body),
            }
        }
    };
    // What else the answer says stays: which methods there are, and what time it is.
    for (name, value) in response.headers() {
        if !page.headers().contains_key(name) && *name != http::header::CONTENT_LENGTH {
            page.headers_mut().append(name, value.clone());
        }
    }
    page
}

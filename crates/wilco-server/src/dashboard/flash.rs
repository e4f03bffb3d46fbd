//! What came of an action, said once on the page that follows it.

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use wilco_wire::segment;

use super::cookie;
use super::page::Told;
use crate::app::App;
use crate::problem::Failure;
use crate::query::decoded;

const TOLD: &str = "wilco_told";
/// Browsers keep cookies of about four kilobytes.
const MOST: usize = 500;

/// What is to be said on this page.
pub(super) struct Flash {
    pub(super) told: Option<Told>,
}

impl FromRequestParts<App> for Flash {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Flash, Failure> {
        let told = cookie(&parts.headers, TOLD).filter(|text| !text.is_empty());
        Ok(Flash { told: told.map(|text| Told::Done(decoded(text))) })
    }
}

/// Leads on, and says there what was done.
pub(super) fn lead_to(address: &str, words: &str) -> Response {
    let words: String = words.chars().take(MOST).collect();
    let told = format!("{TOLD}={}; Path=/; Max-Age=30; HttpOnly; SameSite=Strict", segment(&words));
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, HeaderValue::from_str(address).unwrap_or(HeaderValue::from_static("/")));
    headers.append(header::SET_COOKIE, HeaderValue::from_str(&told).unwrap_or(HeaderValue::from_static("")));
    response
}

/// It was said.
pub(super) fn forget(response: &mut Response) {
    let gone = HeaderValue::from_static("wilco_told=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
    response.headers_mut().append(header::SET_COOKIE, gone);
}

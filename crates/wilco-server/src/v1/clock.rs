//! `POST /v1/test/clock`: moves the test clock. There only with `--test-clock`.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use wilco_language::parse::FieldError;
use wilco_protocol::Span;

use super::body::{bytes, unambiguous};
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    advance: Span,
}

pub(crate) async fn advance(
    State(app): State<App>,
    caller: Caller,
    body: Body,
) -> Result<Json<Value>, Failure> {
    caller.may_write()?;
    let body = bytes(body, &app.config.limits).await?;
    unambiguous(&body)?;
    let by: Advance = serde_json::from_slice(&body).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => {
            Failure::invalid(vec![FieldError { pointer: "/advance".to_owned(), detail: error.to_string() }])
        }
        _ => Failure::bad_request(format!("the body is not JSON: {error}")),
    })?;
    let now = app.handle.advance(by.advance).await?;
    Ok(Json(json!({"now": now})))
}

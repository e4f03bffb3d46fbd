//! The native API, asked from within: by `/mcp` and by the dashboard.

use axum::Router;
use axum::body::Body;
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use tower::ServiceExt;

use crate::app::App;
use crate::problem::Failure;
use crate::v1;

/// The routes of the native API, made once for all who ask.
#[derive(Debug, Clone)]
pub(crate) struct NativeRoutes(Router);

impl NativeRoutes {
    pub(crate) fn new(app: &App) -> NativeRoutes {
        NativeRoutes(v1::router(app).with_state(app.clone()))
    }

    /// The status and the body of an answer. A refusal comes back as what it was made from.
    pub(crate) async fn ask(&self, request: Request<Body>) -> Result<(StatusCode, Vec<u8>), Failure> {
        let response = self.0.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
        if let Some(failure) = response.extensions().get::<Failure>() {
            return Err(failure.clone());
        }
        let status = response.status();
        let body = response.into_body().collect().await.map_err(|_| {
            Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the answer broke off")
        })?;
        Ok((status, body.to_bytes().to_vec()))
    }
}

//! Errors as problem documents. The one place where causes become status codes.

use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use wilco_engine::Refused;
use wilco_language::parse::{FieldError, ParseError};
use wilco_runtime::{Overloaded, ReadError};
use wilco_store::StoreError;
use wilco_wire::{FieldProblem, Problem};

/// An error on its way out.
#[derive(Debug, Clone)]
pub(crate) struct Failure(pub(crate) Box<Problem>);

impl Failure {
    pub(crate) fn new(status: StatusCode, kind: &str, detail: impl Into<String>) -> Failure {
        Failure(Box::new(Problem {
            kind: format!("tag:wilco,2026:{kind}"),
            title: status.canonical_reason().unwrap_or("Error").to_owned(),
            status: status.as_u16(),
            detail: detail.into(),
            errors: Vec::new(),
            exchange: None,
        }))
    }

    /// What one connection too many is told.
    pub(crate) fn too_many_connections(most: usize) -> Failure {
        let detail = format!("there are {most} connections already; close some, or try again later");
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "too-many-connections", detail)
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Failure {
        Failure::new(StatusCode::NOT_FOUND, "not-found", detail)
    }

    /// The same, said of the whole server and not of one request.
    pub(crate) fn unavailable(mut self) -> Failure {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        (self.0.status, self.0.title) =
            (status.as_u16(), status.canonical_reason().unwrap_or("Error").to_owned());
        self
    }

    /// The last word of its type.
    pub(crate) fn kind(&self) -> &str {
        self.0.kind.rsplit(':').next().unwrap_or_default()
    }

    pub(crate) fn is_not_found(&self) -> bool {
        self.0.status == StatusCode::NOT_FOUND.as_u16()
    }

    pub(crate) fn bad_request(detail: impl Into<String>) -> Failure {
        Failure::new(StatusCode::BAD_REQUEST, "bad-request", detail)
    }

    pub(crate) fn invalid(errors: Vec<FieldError>) -> Failure {
        let one = |error: &FieldError| format!("{}: {}", error.pointer, error.detail);
        let detail = errors.iter().map(one).collect::<Vec<_>>().join("; ");
        let mut failure = Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "validation", detail);
        let field = |error: FieldError| FieldProblem { pointer: error.pointer, detail: error.detail };
        failure.0.errors = errors.into_iter().map(field).collect();
        failure
    }
}

impl Failure {
    /// A whole answer, for connections on which there is no request to answer. They are closed after it.
    pub(crate) fn written_out(&self) -> String {
        let body = serde_json::to_string(&self.0).unwrap_or_default();
        format!(
            "HTTP/1.1 {} {}\r\ncontent-type: application/problem+json\r\ncontent-length: {}\r\n\
             retry-after: 1\r\nconnection: close\r\n\r\n{body}",
            self.0.status,
            self.0.title,
            body.len()
        )
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_string(&self.0).unwrap_or_default();
        let mut response =
            (status, [(header::CONTENT_TYPE, "application/problem+json")], body).into_response();
        // A door that words its errors otherwise finds here what went wrong.
        response.extensions_mut().insert(self);
        response
    }
}

impl From<ParseError> for Failure {
    fn from(error: ParseError) -> Failure {
        match error {
            ParseError::Syntax(_) => {
                Failure::bad_request(format!("{error}; send a JSON object with from, to and content"))
            }
            ParseError::TooDeep(_) | ParseError::Twice(_) => Failure::bad_request(error.to_string()),
            ParseError::UnknownExchange(_) => Failure::not_found(error.to_string()),
            ParseError::Fields { errors, .. } => Failure::invalid(errors),
        }
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Failure {
        match refused {
            Refused::NotFound { detail } => Failure::not_found(detail),
            Refused::Forbidden { detail } => Failure::new(StatusCode::FORBIDDEN, "forbidden", detail),
            Refused::Conflict { detail, exchange } => {
                let mut failure = Failure::new(StatusCode::CONFLICT, "conflict", detail);
                failure.0.exchange = exchange.map(|id| id.to_string());
                failure
            }
            Refused::Invalid { errors } => Failure::invalid(errors),
            Refused::KeyReused => Failure::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "key-reused",
                "this Idempotency-Key or id came with another message before; use a new one for a new message",
            ),
            Refused::TooMany { detail } => Failure::new(StatusCode::TOO_MANY_REQUESTS, "too-many", detail),
            Refused::Store(error) => Failure::from(&*error),
        }
    }
}

impl From<&StoreError> for Failure {
    fn from(error: &StoreError) -> Failure {
        match error {
            StoreError::Full(_) => Failure::new(
                StatusCode::INSUFFICIENT_STORAGE,
                "disk-full",
                "the disk is full and nothing was stored; make room and send it again",
            ),
            StoreError::NotStored(_) | StoreError::Unknown(_) => Failure::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "store-failed",
                "the store failed, and whether this was stored is not known; send it again with the same Idempotency-Key",
            ),
            StoreError::Distrusted { .. } => {
                Failure::new(StatusCode::SERVICE_UNAVAILABLE, "store-distrusted", error.to_string())
            }
            StoreError::Fenced { .. } => Failure::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "not-the-writer",
                "another node writes by now, and nothing was stored here; send it again",
            ),
            StoreError::Damaged { .. } => {
                Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "store-damaged", error.to_string())
            }
        }
    }
}

impl From<Overloaded> for Failure {
    fn from(overloaded: Overloaded) -> Failure {
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "overloaded", overloaded.to_string())
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Failure {
        match error {
            ReadError::Store(error) => Failure::from(&error),
            ReadError::CutOff { reason } => Failure::new(StatusCode::SERVICE_UNAVAILABLE, "cut-off", reason),
            ReadError::Lost => {
                Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "read-failed", "the read failed")
            }
        }
    }
}

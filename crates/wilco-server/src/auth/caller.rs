//! On whose behalf a request comes.

use axum::extract::FromRequestParts;
use http::request::Parts;
use wilco_engine::Viewer;
use wilco_protocol::Name;

use crate::door::Door;
use crate::problem::Failure;

#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) viewer: Viewer,
    /// Who it says it is: by its token, or by the header `Wilco-Agent`.
    pub(crate) agent: Option<Name>,
}

impl FromRequestParts<Door> for Caller {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &Door) -> Result<Caller, Failure> {
        let viewer = parts.extensions.get::<Viewer>().cloned().unwrap_or(Viewer::ReadOnly);
        let claimed = parts.headers.get("wilco-agent").and_then(|value| value.to_str().ok());
        let agent = match &viewer {
            Viewer::Agent(agent) => Some(agent.clone()),
            Viewer::Local | Viewer::Operator => claimed.filter(|name| !name.is_empty()).map(Name::new),
            Viewer::ReadOnly => None,
        };
        Ok(Caller { viewer, agent })
    }
}

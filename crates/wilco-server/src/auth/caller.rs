//! On whose behalf a request comes.

use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use wilco_engine::Viewer;
use wilco_protocol::Name;
use wilco_protocol::directory::{Agent, Interface};

use super::Owner;
use crate::app::App;
use crate::forward::Forwarded;
use crate::problem::Failure;

/// By which a client of Wilco says what it is.
pub(crate) const SPEAKS: &str = "wilco-speaks";

#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) viewer: Viewer,
    /// Who it says it is: by its token, or by the header `Wilco-Agent`.
    pub(crate) agent: Option<Name>,
    /// What it speaks by, where its client says so in the header `Wilco-Speaks`.
    pub(crate) speaks: Option<Interface>,
    /// Whether its token is of role orchestrator.
    pub(crate) orchestrates: bool,
    /// The operator who acts in somebody else's name, on the dashboard.
    pub(crate) sent_by: Option<Name>,
    /// The node that it called, if that forwarded the call.
    pub(crate) node: Option<String>,
    /// Whom it counts for.
    pub(crate) owner: Owner,
}

/// Goes with a request whose token is of role orchestrator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Orchestrates;

/// Goes with a request that the dashboard makes for an operator; nothing from outside has it.
#[derive(Debug, Clone)]
struct SentBy(Name);

impl Caller {
    pub(crate) fn new(viewer: Viewer, orchestrates: bool, headers: &HeaderMap) -> Caller {
        let claimed = headers.get("wilco-agent").and_then(|value| value.to_str().ok());
        let agent = match &viewer {
            Viewer::Agent(agent) => Some(agent.clone()),
            Viewer::Local | Viewer::Operator => claimed.filter(|name| !name.is_empty()).map(Name::new),
            Viewer::ReadOnly => None,
        };
        let speaks = headers.get(SPEAKS).and_then(|value| value.to_str().ok()?.parse().ok());
        Caller { viewer, agent, speaks, orchestrates, sent_by: None, node: None, owner: Owner::default() }
    }

    /// Whoever asks in a request that was let in. One that was not may only read.
    pub(crate) fn of(parts: &Parts) -> Caller {
        let viewer = parts.extensions.get::<Viewer>().cloned().unwrap_or(Viewer::ReadOnly);
        let sent_by = parts.extensions.get::<SentBy>().map(|operator| operator.0.clone());
        let orchestrates = parts.extensions.get::<Orchestrates>().is_some();
        let (owner, forwarded) = (Owner::of(parts), parts.extensions.get::<Forwarded>());
        let node = forwarded.and_then(|call| call.node.clone());
        Caller { sent_by, node, owner, ..Caller::new(viewer, orchestrates, &parts.headers) }
    }

    /// An agent as the caller may know it: where others are and how they are woken is not for agents.
    pub(crate) fn shown(&self, agent: &Agent) -> Agent {
        let mut shown = agent.clone();
        self.hide(&mut shown);
        shown
    }

    /// Takes out of it what the caller may not know.
    pub(crate) fn hide(&self, agent: &mut Agent) {
        if self.hides(&agent.name) {
            (agent.profile.session, agent.profile.host, agent.profile.nudge) = (None, None, None);
        }
    }

    /// Whether an agent is somebody else to an agent's token.
    pub(crate) fn hides(&self, name: &Name) -> bool {
        match &self.viewer {
            Viewer::Agent(own) => !own.as_str().eq_ignore_ascii_case(name.as_str()),
            Viewer::Local | Viewer::Operator | Viewer::ReadOnly => false,
        }
    }

    /// Lets a request that is made here come on its behalf.
    pub(crate) fn goes_with(&self, extensions: &mut http::Extensions) {
        extensions.insert(self.viewer.clone());
        extensions.insert(self.owner.clone());
        if self.orchestrates {
            extensions.insert(Orchestrates);
        }
        if let Some(operator) = &self.sent_by {
            extensions.insert(SentBy(operator.clone()));
        }
    }

    /// Whether its token proves who it is.
    pub(crate) fn is_proven(&self) -> bool {
        matches!(self.viewer, Viewer::Agent(_))
    }

    /// Whoever may only read changes nothing.
    pub(crate) fn may_write(&self) -> Result<(), Failure> {
        match self.viewer {
            Viewer::Local | Viewer::Operator | Viewer::Agent(_) => Ok(()),
            Viewer::ReadOnly => {
                let detail = "this token may only read; use an agent's or an operator's";
                Err(Failure::new(StatusCode::FORBIDDEN, "forbidden", detail))
            }
        }
    }
}

impl FromRequestParts<App> for Caller {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Caller, Failure> {
        Ok(Caller::of(parts))
    }
}

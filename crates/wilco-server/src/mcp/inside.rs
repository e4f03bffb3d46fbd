//! The native API, asked from within.

use axum::body::Body;
use http::request::Parts;
use http::{Method, Request, header};
use serde_json::Value;
use wilco_engine::Viewer;
use wilco_protocol::directory::Interface;
use wilco_wire::Problem;

use super::{Native, NativeRequest};
use crate::app::App;
use crate::auth::{Caller, Credential, Orchestrates, Owner, SPEAKS, bearer};
use crate::problem::Failure;
use crate::within::NativeRoutes;

/// The routes of the native API, and on whose behalf they are asked.
#[derive(Clone)]
pub(crate) struct Inside {
    app: App,
    routes: NativeRoutes,
    viewer: Viewer,
    orchestrates: bool,
    agent: Option<String>,
    secret: Option<String>,
    /// Whom it counts for.
    owner: Owner,
}

impl Inside {
    /// Asked for nobody yet: whoever is not known may only read.
    pub(crate) fn new(app: &App, routes: NativeRoutes) -> Inside {
        Inside {
            app: app.clone(),
            routes,
            viewer: Viewer::ReadOnly,
            orchestrates: false,
            agent: None,
            secret: None,
            owner: Owner::default(),
        }
    }
}

/// To whom a session belongs; letter case does not tell agents apart.
pub(crate) fn owner(viewer: &Viewer) -> String {
    format!("{viewer:?}").to_ascii_lowercase()
}

impl Native for Inside {
    fn for_caller(&self, parts: Option<&Parts>) -> Inside {
        let Some(parts) = parts else { return self.clone() };
        let Caller { viewer, agent, orchestrates, owner, .. } = Caller::of(parts);
        let secret = bearer(&parts.headers).map(str::to_owned);
        let agent = agent.map(|name| name.to_string());
        Inside { viewer, orchestrates, agent, secret, owner, ..self.clone() }
    }

    fn me(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    fn is_allowed(&self) -> bool {
        let Some(secret) = &self.secret else { return true };
        Credential::Token(secret.clone()).still_means(&self.app, &self.viewer)
    }

    fn position(&self) -> Option<u64> {
        Some(*self.app.handle.waiters().head().borrow())
    }

    async fn ask(&self, asked: NativeRequest) -> Result<Value, Box<Problem>> {
        let (method, body) = match asked.body {
            Some(body) => (Method::POST, Body::from(body.to_string())),
            None => (Method::GET, Body::empty()),
        };
        let mut request = Request::builder().method(method).uri(asked.target);
        request = request.header(header::CONTENT_TYPE, "application/json");
        request = request.header(SPEAKS, Interface::Mcp.word());
        if let Some(agent) = &self.agent {
            request = request.header("wilco-agent", agent);
        }
        // Whoever waits is asked for it again when something came.
        if let Some(secret) = &self.secret {
            request = request.header(header::AUTHORIZATION, format!("Bearer {secret}"));
        }
        let mut request = request.body(body).map_err(|error| {
            Failure::bad_request(format!("this cannot be asked for: {error}; use plain names and ids")).0
        })?;
        request.extensions_mut().insert(self.viewer.clone());
        request.extensions_mut().insert(self.owner.clone());
        if self.orchestrates {
            request.extensions_mut().insert(Orchestrates);
        }
        let (_, body) = self.routes.ask(request).await.map_err(|failure| failure.0)?;
        let text = String::from_utf8_lossy(&body).into_owned();
        Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }
}

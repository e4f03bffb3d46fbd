//! Whose mailbox or entry is meant.

use wilco_engine::Viewer;
use wilco_protocol::Name;
use wilco_protocol::directory::{Agent, Unresolved};

use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::query::Query;
use crate::v1::agents::unknown;

/// The keys under which scripts name an agent, the newest first.
const KEYS: [&str; 3] = ["agentId", "agent", "session"];

/// The agent that a query names; none when it names nobody.
pub(super) fn named(query: &Query) -> Option<&str> {
    KEYS.iter().find_map(|key| query.text(key))
}

/// The name of the caller's own mailbox: its token's agent, who it says it is, or the default.
pub(super) fn own(app: &App, caller: &Caller) -> Name {
    caller.agent.clone().unwrap_or_else(|| app.config.default_sender.clone())
}

/// The mailbox that a query is about. An agent that nobody knows has one with nothing in it.
pub(super) fn mailbox(app: &App, caller: &Caller, query: &Query) -> Name {
    let text = named(query).map_or_else(|| own(app, caller).to_string(), str::to_owned);
    known(app, &text).unwrap_or_else(|| Name::new(text))
}

/// Who is meant by an id, a name, an alias or a session; none when nobody is.
pub(super) fn known(app: &App, text: &str) -> Option<Name> {
    app.handle.find_agent(text).map(|agent| agent.name)
}

/// The same when it must be somebody.
pub(super) fn agent(app: &App, text: &str) -> Result<Agent, Failure> {
    app.handle.find_agent(text).ok_or_else(|| unknown(text))
}

/// Whom a text addresses, as a message would.
pub(super) fn addressed(app: &App, text: &str) -> Result<Agent, Failure> {
    let found = app.handle.ask_directory(|all| all.resolve(text).cloned());
    found.map_err(|why| {
        let detail = wilco_language::render::unresolved(text, &why);
        match why {
            Unresolved::Unknown { .. } | Unresolved::UnknownHost { .. } => Failure::not_found(detail),
            Unresolved::Ambiguous { .. } => Failure::new(http::StatusCode::CONFLICT, "conflict", detail),
        }
    })
}

/// An agent's token is for its own mailbox; others do not exist for it.
pub(super) fn may_use(caller: &Caller, mailbox: &Name) -> bool {
    match &caller.viewer {
        Viewer::Agent(agent) => agent == mailbox,
        Viewer::Local | Viewer::Operator | Viewer::ReadOnly => true,
    }
}

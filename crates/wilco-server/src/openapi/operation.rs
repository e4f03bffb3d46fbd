//! What can be asked of the native API: one list, from which both the router and the document are made.

use axum::routing::{MethodRouter, delete, get, post, put};

use crate::app::App;
use crate::openapi;
use crate::v1::{
    agents, audit, clock, events, exchanges, handoffs, inbox, messages, nodes, nudges, reports, scene,
    search, todo,
};
use crate::{health, metrics};

pub(crate) struct Operation {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) about: &'static str,
    pub(crate) query: &'static [&'static str],
    pub(crate) body: Body,
    pub(crate) answer: Answer,
    pub(crate) route: fn() -> MethodRouter<App>,
}

/// What is sent along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    None,
    /// A JSON object of this name; an empty body says nothing.
    Json(&'static str),
    /// One message, or many in lines.
    Messages,
}

/// What comes back when all went well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Json(&'static str),
    /// 201 when it is new.
    Put(&'static str),
    Page(&'static str),
    /// A page, or a stream of the same.
    PageOrStream(&'static str),
    /// A page, lines or a table.
    Report,
    Text(&'static str),
    /// Lines of JSON or YAML.
    Trail,
    Posted,
    /// Any JSON object.
    Object,
    Nothing,
}

/// With `--test-clock` only.
pub(crate) const CLOCK: &str = "/v1/test/clock";

const fn reading(
    path: &'static str,
    about: &'static str,
    query: &'static [&'static str],
    answer: Answer,
    route: fn() -> MethodRouter<App>,
) -> Operation {
    Operation { method: "get", path, about, query, body: Body::None, answer, route }
}

const fn writing(
    method: &'static str,
    path: &'static str,
    about: &'static str,
    body: Body,
    answer: Answer,
    route: fn() -> MethodRouter<App>,
) -> Operation {
    Operation { method, path, about, query: &[], body, answer, route }
}

const MARKDOWN: Answer = Answer::Text("text/markdown");

pub(crate) const OPERATIONS: &[Operation] = &[
    reading(
        "/v1/messages",
        "Messages by what they say, newest first",
        &search::KEYS,
        Answer::Page("Message"),
        || get(search::list),
    ),
    writing(
        "post",
        "/v1/messages",
        "Send a message, or many in lines",
        Body::Messages,
        Answer::Posted,
        || post(messages::post),
    ),
    reading("/v1/messages/{id}", "A message, as sent and as delivered", &[], Answer::Json("Message"), || {
        get(messages::get)
    }),
    writing("post", "/v1/messages/{id}/read", "Mark a message as read", Body::None, Answer::Nothing, || {
        post(messages::read)
    }),
    writing(
        "post",
        "/v1/messages/{id}/injected",
        "Say that a message entered the agent's context",
        Body::None,
        Answer::Nothing,
        || post(messages::injected),
    ),
    reading("/v1/nodes", "The servers of this realm", &[], Answer::Page("Node"), || get(nodes::list)),
    reading("/v1/nudges", "How the nudges of all agents stand", &[], Answer::Page("Nudge"), || {
        get(nudges::list)
    }),
    writing(
        "post",
        "/v1/agents/{name}/nudge",
        "Nudge an agent now",
        Body::None,
        Answer::Json("NudgeTest"),
        || post(nudges::test),
    ),
    reading("/v1/agents", "All agents, newest first", &["after", "limit"], Answer::Page("Agent"), || {
        get(agents::list)
    }),
    reading("/v1/agents/{name}", "An agent", &[], Answer::Json("Agent"), || get(agents::get)),
    writing(
        "put",
        "/v1/agents/{name}",
        "Register or change an agent",
        Body::Json("AgentSpec"),
        Answer::Put("Agent"),
        || put(agents::put),
    ),
    writing("delete", "/v1/agents/{name}", "Remove an agent", Body::None, Answer::Nothing, || {
        delete(agents::remove)
    }),
    reading(
        "/v1/agents/{name}/inbox",
        "An inbox, oldest first, as pages or as a stream",
        &inbox::KEYS,
        Answer::PageOrStream("Message"),
        || get(inbox::inbox),
    ),
    reading(
        "/v1/agents/{name}/todo",
        "Everything that waits for an agent, most urgent first",
        &[],
        Answer::Json("TodoList"),
        || get(todo::list),
    ),
    writing(
        "post",
        "/v1/agents/{name}/hook",
        "Say what a hook of the agent's client saw of its session",
        Body::Json("HookCall"),
        Answer::Json("Agent"),
        || post(agents::hook),
    ),
    writing("post", "/v1/agents/{name}/heartbeat", "A sign of life", Body::None, Answer::Nothing, || {
        post(agents::heartbeat)
    }),
    reading("/v1/exchanges", "Exchanges, newest first", &exchanges::KEYS, Answer::Page("Exchange"), || {
        get(exchanges::list)
    }),
    reading("/v1/exchanges/{id}", "An exchange", &[], Answer::Json("Exchange"), || get(exchanges::get)),
    reading(
        "/v1/exchanges/{id}/events",
        "The events of an exchange, oldest first",
        &["after", "limit", "wait"],
        Answer::Page("Event"),
        || get(exchanges::events),
    ),
    reading(
        "/v1/exchanges/{id}/at/{seq}",
        "An exchange as it was after one of its events",
        &[],
        Answer::Json("Exchange"),
        || get(exchanges::at),
    ),
    reading("/v1/exchanges/{id}/log.md", "Who said what, and what happened", &[], MARKDOWN, || {
        get(scene::log_md)
    }),
    reading("/v1/exchanges/{id}/log.json", "The same as JSON", &[], Answer::Object, || get(scene::log_json)),
    reading(
        "/v1/exchanges/{id}/diagram.mmd",
        "A sequence diagram for Mermaid",
        &[],
        Answer::Text("text/vnd.mermaid"),
        || get(scene::diagram_mmd),
    ),
    reading(
        "/v1/exchanges/{id}/diagram.svg",
        "A sequence diagram as a picture",
        &[],
        Answer::Text("image/svg+xml"),
        || get(scene::diagram_svg),
    ),
    reading(
        "/v1/exchanges/{id}/diagram.txt",
        "A sequence diagram for terminals",
        &["width"],
        Answer::Text("text/plain"),
        || get(scene::diagram_txt),
    ),
    reading("/v1/handoffs/{id}/document", "The document of a handoff", &[], MARKDOWN, || {
        get(handoffs::document)
    }),
    reading(
        "/v1/events",
        "The journal, oldest first, as pages or as a stream",
        &events::KEYS,
        Answer::PageOrStream("Event"),
        || get(events::list),
    ),
    reading(
        "/v1/escalations",
        "What waits, or waited, for a decision",
        &["open", "after", "limit"],
        Answer::Page("Escalation"),
        || get(reports::escalations),
    ),
    reading("/v1/reports/{report}", "A report, newest first", &reports::KEYS, Answer::Report, || {
        get(reports::report)
    }),
    reading("/v1/audit", "The journal, exported to the byte", &audit::KEYS, Answer::Trail, || {
        get(audit::export)
    }),
    reading("/v1/audit/verify", "Whether the journal is whole", &[], Answer::Json("Verified"), || {
        get(audit::verify)
    }),
    writing("post", CLOCK, "Move the test clock", Body::Json("Advance"), Answer::Json("Clock"), || {
        post(clock::advance)
    }),
    reading("/v1/openapi.json", "This document", &[], Answer::Object, || get(openapi::serve)),
    reading("/healthz", "Whether the server is there", &[], Answer::Object, || get(health::healthz)),
    reading("/readyz", "Whether the server can work", &[], Answer::Object, || get(health::readyz)),
    reading("/metrics", "What is counted, for Prometheus", &[], Answer::Text("text/plain"), || {
        get(metrics::metrics)
    }),
];

//! The names under which events stand in the journal, as the types themselves tell them.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use wilco_protocol::journal::{Entry, Fact, MessageEvent, ServerEvent};
use wilco_protocol::{Protocol, delegation, directory, exchange, handoff, operation, validation};

/// Of every event that exists: `del assigned`, `agent agent-registered`.
pub fn all_tags() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for protocol in [Protocol::Delegation, Protocol::Operation, Protocol::Validation, Protocol::Handoff] {
        all.extend(of(word(protocol), events(protocol)));
    }
    all.extend(of("agent", variants::<directory::Event>()));
    all.extend(of("message", variants::<MessageEvent>()));
    all.extend(of("server", variants::<ServerEvent>()));
    all
}

/// The one of an entry, whose exact bytes these are.
pub fn tag(entry: &Entry, bytes: &[u8]) -> Result<String, serde_json::Error> {
    #[derive(serde::Deserialize)]
    struct Typed {
        r#type: String,
    }
    // Another kind of fact needs a line of its own in `all_tags`.
    let kind = match &entry.fact {
        Fact::Exchange(exchange::Event::Delegation(_)) => word(Protocol::Delegation),
        Fact::Exchange(exchange::Event::Operation(_)) => word(Protocol::Operation),
        Fact::Exchange(exchange::Event::Validation(_)) => word(Protocol::Validation),
        Fact::Exchange(exchange::Event::Handoff(_)) => word(Protocol::Handoff),
        Fact::Agent(_) => "agent",
        Fact::Message(_) => "message",
        Fact::Server(_) => "server",
    };
    Ok(format!("{kind} {}", serde_json::from_slice::<Typed>(bytes)?.r#type))
}

fn word(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Delegation => "delegation",
        Protocol::Operation => "operation",
        Protocol::Validation => "validation",
        Protocol::Handoff => "handoff",
    }
}

fn events(protocol: Protocol) -> Vec<String> {
    match protocol {
        Protocol::Delegation => variants::<delegation::Event>(),
        Protocol::Operation => variants::<operation::Event>(),
        Protocol::Validation => variants::<validation::Event>(),
        Protocol::Handoff => variants::<handoff::Event>(),
    }
}

fn of(kind: &str, names: Vec<String>) -> impl Iterator<Item = String> {
    names.into_iter().map(move |name| format!("{kind} {name}"))
}

/// Who is asked for a variant that does not exist names all that do: no list is kept by hand.
fn variants<T: DeserializeOwned>() -> Vec<String> {
    let Err(error) = serde_json::from_str::<T>(r#"{"type": "?", "data": {}}"#) else { return Vec::new() };
    let text = error.to_string();
    let names = text.split_once("expected").map_or("", |(_, names)| names);
    names.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

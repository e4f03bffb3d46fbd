//! What can be read and watched by address: inboxes, exchanges and their logs.

use rmcp::model::{
    ErrorData, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use serde_json::{Value, json};
use wilco_language::render::fence::Fenced;
use wilco_wire::{Event, Problem, segment};

use crate::mcp::fence::fenced;
use crate::mcp::native::Native;
use crate::mcp::request::Request;
use crate::mcp::structured::structured;

const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown";
/// Messages of an inbox that are read at once.
const MESSAGES: &str = "100";

/// A resource, by what it shows. Names are encoded as they stand in an address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ResourceUri {
    Inbox(String),
    Exchange(String),
    Log(String),
}

impl ResourceUri {
    pub(crate) fn read(uri: &str) -> Option<ResourceUri> {
        let parts: Vec<_> = uri.strip_prefix("wilco://")?.split('/').collect();
        match parts.as_slice() {
            ["agents", name, "inbox"] => Some(ResourceUri::Inbox(encoded(name)?)),
            ["exchanges", id] => Some(ResourceUri::Exchange(encoded(id)?)),
            ["exchanges", id, "log.md"] => Some(ResourceUri::Log(encoded(id)?)),
            _ => None,
        }
    }

    fn uri(&self) -> String {
        match self {
            ResourceUri::Inbox(name) => format!("wilco://agents/{name}/inbox"),
            ResourceUri::Exchange(id) => format!("wilco://exchanges/{id}"),
            ResourceUri::Log(id) => format!("wilco://exchanges/{id}/log.md"),
        }
    }

    fn request(&self) -> Request {
        match self {
            ResourceUri::Inbox(name) => {
                let query = [("status", Some("unread".to_owned())), ("limit", Some(MESSAGES.to_owned()))];
                Request::get(format!("/v1/agents/{name}/inbox"), &query)
            }
            ResourceUri::Exchange(id) => Request::get(format!("/v1/exchanges/{id}"), &[]),
            ResourceUri::Log(id) => Request::get(format!("/v1/exchanges/{id}/log.md"), &[]),
        }
    }

    /// Whose words it shows, where it is a text.
    fn whose(&self) -> Fenced<'_> {
        match self {
            ResourceUri::Inbox(_) => Fenced::Several,
            ResourceUri::Exchange(id) | ResourceUri::Log(id) => Fenced::Exchange { id },
        }
    }

    fn mime(&self) -> &'static str {
        match self {
            ResourceUri::Inbox(_) | ResourceUri::Exchange(_) => JSON,
            ResourceUri::Log(_) => MARKDOWN,
        }
    }

    /// What an event changes.
    pub(crate) fn changed_by(event: &Event) -> Vec<ResourceUri> {
        let names = event.data["inboxes"].as_array().into_iter().flatten().chain([&event.data["agent"]]);
        let is_mail = event.kind.starts_with("message-");
        let inboxes =
            names.filter(|_| is_mail).filter_map(Value::as_str).map(|name| ResourceUri::Inbox(segment(name)));
        let exchange = event.exchange.iter().map(|id| segment(id));
        inboxes
            .chain(exchange.flat_map(|id| [ResourceUri::Exchange(id.clone()), ResourceUri::Log(id)]))
            .collect()
    }
}

/// A segment as it stands in an address: encoded already, or encoded here.
fn encoded(text: &str) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte);
    match text {
        "" | "." | ".." => None,
        text if text.bytes().all(plain) => Some(text.to_owned()),
        text => Some(segment(text)),
    }
}

/// The caller's inbox and the open exchanges that it may see.
pub(crate) async fn list<S: Native>(
    server: &S,
    cursor: Option<String>,
) -> Result<ListResourcesResult, ErrorData> {
    let mut resources = Vec::new();
    if let (Some(me), None) = (server.me(), &cursor) {
        let inbox = resource(&ResourceUri::Inbox(segment(me)), "inbox", "Your inbox");
        resources.push(inbox.with_description("Your unread messages, oldest first"));
    }
    let query = [("open", Some("true".to_owned())), ("after", cursor)];
    let page = server.ask(Request::get("/v1/exchanges".to_owned(), &query)).await.map_err(failed)?;
    for exchange in page["items"].as_array().into_iter().flatten() {
        let Some(id) = exchange["id"].as_str() else { continue };
        let key = segment(id);
        let about = format!("{}, {}", text(&exchange["protocol"]), text(&exchange["state"]));
        resources.push(resource(&ResourceUri::Exchange(key.clone()), id, id).with_description(about));
        resources.push(resource(
            &ResourceUri::Log(key),
            &format!("{id} log"),
            &format!("What was said in {id}"),
        ));
    }
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = page["next"].as_str().map(str::to_owned);
    Ok(result)
}

fn resource(place: &ResourceUri, name: &str, title: &str) -> Resource {
    Resource::new(place.uri(), name).with_title(title).with_mime_type(place.mime())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub(crate) fn templates() -> ListResourceTemplatesResult {
    let template = |place: ResourceUri, name: &str, about: &str| {
        ResourceTemplate::new(place.uri(), name).with_description(about).with_mime_type(place.mime())
    };
    ListResourceTemplatesResult::with_all_items(vec![
        template(
            ResourceUri::Inbox("{agent}".to_owned()),
            "inbox",
            "The unread messages of an agent, oldest first",
        ),
        template(ResourceUri::Exchange("{id}".to_owned()), "exchange", "How an exchange stands"),
        template(
            ResourceUri::Log("{id}".to_owned()),
            "log",
            "What was said and what happened in an exchange",
        ),
    ])
}

pub(crate) async fn read<S: Native>(server: &S, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let place = ResourceUri::read(uri).ok_or_else(|| missing(uri))?;
    match server.ask(place.request()).await {
        Ok(value) => {
            let text = match value {
                Value::String(text) => fenced(place.whose(), &text),
                value => serde_json::to_string_pretty(&structured(value)).unwrap_or_default(),
            };
            let contents = ResourceContents::text(text, uri).with_mime_type(place.mime());
            Ok(ReadResourceResult::new(vec![contents]))
        }
        Err(problem) if problem.status == 404 => Err(missing(uri)),
        Err(problem) => Err(failed(problem)),
    }
}

/// What a caller may not see is not there.
pub(crate) fn missing(uri: &str) -> ErrorData {
    let detail = format!(
        "there is no resource {uri:?}; there are wilco://agents/NAME/inbox, wilco://exchanges/ID and wilco://exchanges/ID/log.md"
    );
    ErrorData::resource_not_found(detail, Some(json!({"uri": uri})))
}

pub(crate) fn failed(problem: Box<Problem>) -> ErrorData {
    let (detail, data) = (problem.detail.clone(), Some(json!(problem)));
    match problem.status {
        400..=499 => ErrorData::invalid_params(detail, data),
        _ => ErrorData::internal_error(detail, data),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mcp_1_a_resource_has_an_address_and_others_have_none() {
        let place = ResourceUri::read("wilco://agents/bob/inbox").unwrap();
        assert_eq!(place, ResourceUri::Inbox("bob".to_owned()));
        assert_eq!(place.request().target, "/v1/agents/bob/inbox?status=unread&limit=100");
        assert_eq!(
            ResourceUri::read("wilco://agents/a b/inbox").unwrap().uri(),
            "wilco://agents/a%20b/inbox"
        );
        assert_eq!(
            ResourceUri::read("wilco://exchanges/del-4/log.md"),
            Some(ResourceUri::Log("del-4".to_owned()))
        );
        for odd in
            ["", "wilco://agents//inbox", "wilco://agents/../inbox", "http://x/", "wilco://exchanges/a/b"]
        {
            assert_eq!(ResourceUri::read(odd), None, "{odd}");
        }
    }

    #[test]
    fn mcp_1_an_event_changes_the_inboxes_and_the_exchange_it_names() {
        let event = |kind: &str, exchange: Option<&str>, data: Value| {
            serde_json::from_value(json!({
                "position": 1, "exchange": exchange, "seq": null, "type": kind, "at": "", "by": "x", "data": data, "hash": "",
            }))
            .unwrap()
        };
        let uris =
            |event: Event| ResourceUri::changed_by(&event).iter().map(ResourceUri::uri).collect::<Vec<_>>();
        assert_eq!(
            uris(event("message-accepted", Some("del-4"), json!({"id": "m", "inboxes": ["bob", "anna"]}))),
            [
                "wilco://agents/bob/inbox",
                "wilco://agents/anna/inbox",
                "wilco://exchanges/del-4",
                "wilco://exchanges/del-4/log.md"
            ]
        );
        assert_eq!(
            uris(event("message-read", None, json!({"id": "m", "agent": "bob"}))),
            ["wilco://agents/bob/inbox"]
        );
        assert!(uris(event("agent-registered", None, json!({"agent": "bob"}))).is_empty());
    }
}

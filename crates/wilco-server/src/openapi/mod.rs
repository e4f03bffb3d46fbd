//! The native API as an OpenAPI document, made from the list of operations and the types on the wire.

mod operation;
mod page;
mod parameter;

use axum::Json;
use axum::extract::{RawQuery, State};
use serde_json::{Map, Value, json};
use utoipa::PartialSchema;
use wilco_language::message::{MessageType, Strictness, content_schema, contents_schema};
use wilco_wire as wire;

use crate::app::App;
use crate::problem::Failure;
use crate::query::Query;

use operation::{Answer, Body, Operation};
pub(crate) use operation::{CLOCK, OPERATIONS};
pub(crate) use page::{page, style};

pub(crate) async fn serve(State(app): State<App>, RawQuery(query): RawQuery) -> Result<Json<Value>, Failure> {
    Query::read(query.as_deref(), &[])?;
    Ok(Json(document(&app.config.version)))
}

/// The whole document.
pub fn document(version: &str) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for operation in OPERATIONS {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method] = described(operation);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Wilco",
            "version": version,
            "description": "Makes agents' handshakes reliable: acknowledged, timed, escalated, audited.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "Made with: wilco token create NAME"},
            },
            "schemas": schemas(),
        },
    })
}

fn described(operation: &Operation) -> Value {
    let Operation { method, path, about, query, body, answer, .. } = operation;
    let mut parameters = parameter::of_path(path);
    parameters.extend(query.iter().map(|key| parameter::of_query(path, key)));
    if matches!(answer, Answer::PageOrStream(_)) {
        parameters.push(parameter::last_event());
    }
    if *body == Body::Messages {
        parameters.push(parameter::idempotency_key());
    }
    let mut responses = answers(*answer);
    responses["default"] = json!({
        "description": "What was wrong, and what would be right",
        "content": {"application/problem+json": {"schema": reference("Problem")}},
    });
    let mut described = json!({
        "operationId": operation_id(method, path),
        "summary": about,
        "parameters": parameters,
        "responses": responses,
    });
    if let Some(body) = sent(*body) {
        described["requestBody"] = body;
    }
    described
}

/// `get /v1/agents/{name}/inbox` is `get_agents_name_inbox`.
fn operation_id(method: &str, path: &str) -> String {
    let words = path.trim_start_matches("/v1").split(['/', '.', '{', '}']).filter(|word| !word.is_empty());
    words.fold(method.to_owned(), |id, word| format!("{id}_{word}"))
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn sent(body: Body) -> Option<Value> {
    match body {
        Body::None => None,
        Body::Json(name) => {
            let required = name != "AgentSpec";
            Some(json!({"required": required, "content": {"application/json": {"schema": reference(name)}}}))
        }
        Body::Messages => Some(json!({"required": true, "content": {
            "application/json": {"schema": reference("NewMessage")},
            "application/x-ndjson": {"schema": {"type": "string", "description": "A message in each line"}},
        }})),
    }
}

fn answers(answer: Answer) -> Value {
    let of =
        |kind: &str, schema: Value| json!({"description": "Done", "content": {kind: {"schema": schema}}});
    let text = || json!({"type": "string"});
    let page = |item: Value| {
        json!({
            "type": "object",
            "required": ["items", "next"],
            "properties": {"items": {"type": "array", "items": item}, "next": {"type": ["string", "null"]}},
        })
    };
    let lines = "application/x-ndjson";
    let both = |first: Value, kinds: &[&str]| {
        let mut answer = first;
        kinds.iter().for_each(|kind| answer["content"][*kind] = json!({"schema": text()}));
        answer
    };
    match answer {
        Answer::Json(name) => json!({"200": of("application/json", reference(name))}),
        Answer::Put(name) => {
            let agent = of("application/json", reference(name));
            json!({"200": agent, "201": agent})
        }
        Answer::Page(name) => json!({"200": of("application/json", page(reference(name)))}),
        Answer::PageOrStream(name) => {
            let first = of("application/json", page(reference(name)));
            json!({"200": both(first, &["text/event-stream"])})
        }
        Answer::Report => {
            let first = of("application/json", page(json!({"type": "object"})));
            json!({"200": both(first, &[lines, "text/markdown"])})
        }
        Answer::Text(kind) => json!({"200": of(kind, text())}),
        Answer::Trail => {
            let mut trail = of(lines, text());
            // A list of events to those who read YAML.
            trail["content"]["application/yaml"] = json!({"schema": {}});
            json!({"200": trail})
        }
        Answer::Posted => json!({
            "201": of("application/json", reference("Posted")),
            "200": of(lines, text()),
        }),
        Answer::Object => json!({"200": of("application/json", json!({"type": "object"}))}),
        Answer::Nothing => json!({"204": {"description": "Done"}}),
    }
}

/// The types on the wire, by their names.
fn schemas() -> Value {
    let mut schemas = Map::new();
    let mut add = |name: &str, schema: utoipa::openapi::RefOr<utoipa::openapi::Schema>| {
        schemas.insert(name.to_owned(), named(json!(schema)));
    };
    add("Agent", wire::Agent::schema());
    add("AgentSpec", wire::AgentSpec::schema());
    add("ChecklistItem", wire::ChecklistItem::schema());
    add("Clock", wire::Clock::schema());
    add("Escalation", wire::Escalation::schema());
    add("Event", wire::Event::schema());
    add("Exchange", wire::Exchange::schema());
    add("FieldProblem", wire::FieldProblem::schema());
    add("HookCall", wire::HookCall::schema());
    add("Message", wire::Message::schema());
    add("NewMessage", wire::NewMessage::schema());
    add("Node", wire::Node::schema());
    add("Nudge", wire::Nudge::schema());
    add("NudgeTest", wire::NudgeTest::schema());
    add("Participant", wire::Participant::schema());
    add("Posted", wire::Posted::schema());
    add("BroadcastCopy", wire::BroadcastCopy::schema());
    add("Problem", wire::Problem::schema());
    add("Reading", wire::Reading::schema());
    add("Summary", wire::Summary::schema());
    add("Timer", wire::Timer::schema());
    add("TodoEntry", wire::TodoEntry::schema());
    add("TodoList", wire::TodoList::schema());
    add("Advance", wire::Advance::schema());
    add("Verified", wire::Verified::schema());
    if let Some(message) = schemas.get_mut("NewMessage") {
        message["properties"]["content"] = reference("Content");
    }
    schemas.insert("Content".to_owned(), contents_schema(reference));
    for known in MessageType::ALL {
        let mut schema = content_schema(*known, Strictness::Open);
        let examples = known.entry().examples.iter().map(|text| serde_json::from_str::<Value>(text));
        // A test of the catalogue reads them all.
        schema["examples"] = examples.filter_map(Result::ok).collect();
        schemas.insert(known.name().to_owned(), schema);
    }
    schemas.sort_keys();
    Value::Object(schemas)
}

/// A type over any JSON stands under its own name, and any JSON needs no name at all.
fn named(schema: Value) -> Value {
    let is_any = |value: &Value| value["$ref"] == "#/components/schemas/Value";
    match schema {
        Value::Object(mut fields) => {
            let any =
                fields.get("oneOf").and_then(Value::as_array).is_some_and(|list| list.iter().any(is_any));
            if any || fields.get("$ref").is_some_and(|to| to == "#/components/schemas/Value") {
                fields.remove("oneOf");
                fields.remove("$ref");
            }
            let each = |(key, value): (String, Value)| match value {
                Value::String(to) if key == "$ref" => (key, json!(to.replace("Message_Value", "Message"))),
                other => (key, named(other)),
            };
            Value::Object(fields.into_iter().map(each).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(named).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `cargo xtask openapi` writes it anew.
    #[test]
    fn api_1_the_committed_document_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
        let committed: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let made = document(env!("CARGO_PKG_VERSION"));
        assert!(committed == made, "run: cargo xtask openapi");
    }

    #[test]
    fn api_1_every_reference_leads_somewhere() {
        let document = document("0");
        let text = document.to_string();
        let names = text.split("#/components/schemas/").skip(1).filter_map(|rest| rest.split('"').next());
        for name in names {
            assert!(document["components"]["schemas"].get(name).is_some(), "{name} is not described");
        }
    }
}

//! `/docs`: the reference as a page. Made on the server from the same document, without scripts, and nothing is
//! fetched from elsewhere.

use std::fmt::Write;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use serde_json::Value;

use super::document;
use crate::app::App;

const STYLE: &str = include_str!("style.css");

/// Nothing runs, nothing is embedded; the style comes from here.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(crate) async fn page(State(app): State<App>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, html(&document(&app.config.version))).into_response()
}

pub(crate) async fn style() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE).into_response()
}

/// Writing to a text does not fail, so results of `write!` are not looked at here.
fn html(document: &Value) -> String {
    let mut out = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Wilco API</title>\n<link rel=\"stylesheet\" href=\"/docs/style.css\">\n",
    );
    let info = &document["info"];
    let _ = writeln!(
        out,
        "<header><h1>Wilco API {}</h1>\n<p>{}",
        text(&info["version"]),
        text(&info["description"])
    );
    out.push_str(
        "<p>As a document for programs: <a href=\"/v1/openapi.json\">/v1/openapi.json</a></header>\n<main>\n",
    );
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            described(&mut out, method, path, operation);
        }
    }
    out.push_str("<h2 id=\"types\">Types</h2>\n");
    for (name, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
        typed(&mut out, name, schema);
    }
    out.push_str("</main>\n</html>\n");
    out
}

fn described(out: &mut String, method: &str, path: &str, operation: &Value) {
    let id = escaped(operation["operationId"].as_str().unwrap_or_default());
    let (verb, path) = (escaped(&method.to_uppercase()), escaped(path));
    let _ = writeln!(out, "<section id=\"{id}\">\n<h2><code>{verb}</code> <a href=\"#{id}\">{path}</a></h2>");
    let _ = writeln!(out, "<p>{}", text(&operation["summary"]));
    let parameters = operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
    if !parameters.is_empty() {
        out.push_str("<table><tr><th>where<th>name<th>type<th>meaning\n");
    }
    for one in parameters {
        let (place, name) = (text(&one["in"]), text(&one["name"]));
        let (kind, about) = (kind(&one["schema"]), text(&one["description"]));
        let _ = writeln!(out, "<tr><td>{place}<td><code>{name}</code><td>{kind}<td>{about}");
    }
    if !parameters.is_empty() {
        out.push_str("</table>\n");
    }
    for (name, schema) in contents(&operation["requestBody"]) {
        let _ = writeln!(out, "<p>Body: <code>{}</code> {}", escaped(name), kind(schema));
    }
    for (status, answer) in operation["responses"].as_object().into_iter().flatten() {
        let _ = write!(out, "<p>{}: {}", escaped(status), text(&answer["description"]));
        for (name, schema) in contents(answer) {
            let _ = write!(out, "; <code>{}</code> {}", escaped(name), kind(schema));
        }
        out.push('\n');
    }
    out.push_str("</section>\n");
}

fn contents(holder: &Value) -> Vec<(&str, &Value)> {
    let contents = holder["content"].as_object().into_iter().flatten();
    contents.map(|(name, content)| (name.as_str(), &content["schema"])).collect()
}

fn typed(out: &mut String, name: &str, schema: &Value) {
    let name = escaped(name);
    let _ =
        writeln!(out, "<section id=\"type-{name}\">\n<h3>{name}</h3>\n<p>{}", text(&schema["description"]));
    out.push_str("<table><tr><th>field<th>type<th>meaning\n");
    for (field, one) in schema["properties"].as_object().into_iter().flatten() {
        let about = text(&one["description"]);
        let _ = writeln!(out, "<tr><td><code>{}</code><td>{}<td>{about}", escaped(field), kind(one));
    }
    out.push_str("</table>\n</section>\n");
}

/// A type in a word or two.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        let name = escaped(name);
        return format!("<a href=\"#type-{name}\">{name}</a>");
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().map(text).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" | ");
    }
    if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        return choices.iter().map(kind).collect::<Vec<_>>().join(" | ");
    }
    match &schema["type"] {
        Value::String(word) if word == "array" => format!("list of {}", kind(&schema["items"])),
        Value::String(word) if word == "object" && schema["properties"]["items"].is_object() => {
            format!("page of {}", kind(&schema["properties"]["items"]["items"]))
        }
        Value::String(word) => escaped(word),
        Value::Array(words) => words.iter().map(text).collect::<Vec<_>>().join(" | "),
        _ => "any".to_owned(),
    }
}

fn text(value: &Value) -> String {
    escaped(value.as_str().unwrap_or_default())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

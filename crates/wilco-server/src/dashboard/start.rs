//! What begins with a form of its own: a delegation, an operation.

use axum::response::Response;
use http::Method;
use maud::{Markup, html};
use serde_json::json;
use wilco_language::message::MessageType;
use wilco_wire::segment;

use super::actions::{content, form_key, input};
use super::flash::lead_to;
use super::form::{Filled, hidden_token};
use super::look::Look;
use crate::problem::Failure;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    Delegate,
    Operate,
}

/// What its form is called, where it is sent, and the message that it makes.
struct StartForm {
    action: &'static str,
    address: &'static str,
    title: &'static str,
    kind: MessageType,
    fields: &'static [&'static str],
}

impl Start {
    fn form(self) -> StartForm {
        match self {
            Start::Delegate => StartForm {
                action: "delegate",
                address: "/exchanges",
                title: "New delegation",
                kind: MessageType::TaskAssignment,
                fields: &["title", "task_id", "description", "acceptance_criteria", "candidates"],
            },
            Start::Operate => StartForm {
                action: "operate",
                address: "/operations",
                title: "New operation",
                kind: MessageType::PreOperation,
                fields: &["operation", "message", "kind", "quorum", "execute", "pre_notice"],
            },
        }
    }
}

/// The form that begins it. With what was typed it is open.
pub(super) fn start_form(look: &Look, start: Start, typed: Option<&Filled>) -> Markup {
    let StartForm { action, address, title, kind, fields } = start.form();
    let value = |name: &str| typed.and_then(|filled| filled.text(name)).unwrap_or("").to_owned();
    let several = match start {
        Start::Delegate => false,
        Start::Operate => true,
    };
    html! {
        section.card {
            details id=(format!("start-{action}")) open[typed.is_some()] {
                summary { (title) }
                form.action method="post" action=(address) data-action=(action) {
                    (hidden_token(look))
                    input type="hidden" name="key" value=(form_key());
                    label for=(format!("{action}-to")) {
                        "To" span.small { " " (if several { "The agents, one a line" } else { "The agent" }) }
                    }
                    @if several { textarea id=(format!("{action}-to")) name="to" required { (value("to")) } }
                    @else { input id=(format!("{action}-to")) name="to" required value=(value("to")); }
                    @for field in kind.entry().fields.iter().filter(|field| fields.contains(&field.name)) {
                        (input(action, field, &value(field.name)))
                    }
                    button { (title) }
                }
            }
        }
    }
}

/// Begins it, and leads to the exchange.
pub(super) async fn begin(look: &Look, start: Start, filled: &Filled) -> Result<Response, Failure> {
    look.caller.may_write()?;
    let StartForm { kind, fields, .. } = start.form();
    let to = filled.lines("to");
    let to = if let [one] = to.as_slice() { json!(one) } else { json!(to) };
    let message = json!({"from": look.name, "to": to, "content": content(kind, fields, filled)});
    let look = if look.looks_as { look.for_another() } else { look.clone() };
    let answer = look.send(Method::POST, "/v1/messages", filled.text("key"), &message).await?;
    let id = answer["exchange"]["id"].as_str().unwrap_or("").to_owned();
    Ok(lead_to(&format!("/exchanges/{}", segment(&id)), &format!("{id} has begun.")))
}

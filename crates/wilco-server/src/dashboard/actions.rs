//! What a viewer may do with an exchange now: forms made from the catalogue of message types, and the messages that
//! they send through the same door as everybody.

use axum::body::Body;
use axum::response::Response;
use http::{Method, StatusCode};
use maud::{Markup, html};
use serde_json::{Map, Value, json};
use strum::IntoEnumIterator;
use wilco_language::message::{Field, FieldKind, MessageType};
use wilco_wire::{Escalation, Exchange, segment};

use super::exchange;
use super::flash::lead_to;
use super::form::{Filled, hidden_token};
use super::look::Look;
use super::page::Told;
use crate::problem::Failure;
use crate::v1::path::Path;

/// Something that can be done with an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Action {
    Verdict,
    Answer,
    Amend,
    Extend,
    Pause,
    Resume,
    Stop,
    Ready,
    Wait,
    Cancel,
    Result,
    Override,
    Decide,
}

/// Who may do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Initiator,
    /// Only the agent that is asked, for itself.
    Asked,
}

impl Action {
    fn word(self) -> &'static str {
        self.into()
    }

    /// What it is called on its button.
    fn label(self) -> &'static str {
        match self {
            Action::Verdict => "Judge",
            Action::Answer => "Answer",
            Action::Amend => "Amend the task",
            Action::Extend => "Give more time",
            Action::Pause => "Pause",
            Action::Resume => "Resume",
            Action::Stop => "Stop it",
            Action::Ready => "I am ready",
            Action::Wait => "I need more time",
            Action::Cancel => "It must not be done",
            Action::Result => "Say how it went",
            Action::Override => "Go on without an ACK",
            Action::Decide => "Decide",
        }
    }

    /// The message that does it, and the fields that its form has.
    fn message(self, protocol: &str) -> (MessageType, &'static [&'static str]) {
        match self {
            Action::Verdict => (MessageType::Verdict, &["verdict", "correction", "missing", "note"]),
            Action::Answer => (MessageType::TaskClarification, &["answers", "message"]),
            Action::Amend => {
                (MessageType::TaskAmend, &["title", "description", "acceptance_criteria", "message"])
            }
            Action::Extend => (MessageType::TaskExtend, &["time"]),
            Action::Pause => (MessageType::TaskPause, &["reason", "expected_duration"]),
            Action::Resume => (MessageType::TaskResume, &["message"]),
            Action::Stop if protocol == "operation" => (MessageType::OperationCancelled, &["message"]),
            Action::Stop => (MessageType::TaskCancel, &["reason"]),
            Action::Ready | Action::Wait | Action::Cancel => (MessageType::Acknowledgment, &["notes"]),
            Action::Result => (MessageType::OperationResult, &["status", "message"]),
            Action::Override => (MessageType::HandoffOverride, &["reason"]),
            Action::Decide => {
                (MessageType::Decision, &["option", "agent", "time", "iterations", "phase", "status", "note"])
            }
        }
    }

    /// What the message says besides its fields.
    fn fixed(self) -> Option<(&'static str, &'static str)> {
        match self {
            Action::Ready => Some(("message", "ok")),
            Action::Wait => Some(("message", "wait")),
            Action::Cancel => Some(("message", "cancel")),
            Action::Verdict
            | Action::Answer
            | Action::Amend
            | Action::Extend
            | Action::Pause
            | Action::Resume
            | Action::Stop
            | Action::Result
            | Action::Override
            | Action::Decide => None,
        }
    }

    fn by(self) -> By {
        match self {
            Action::Ready | Action::Wait | Action::Cancel => By::Asked,
            Action::Verdict
            | Action::Answer
            | Action::Amend
            | Action::Extend
            | Action::Pause
            | Action::Resume
            | Action::Stop
            | Action::Result
            | Action::Override
            | Action::Decide => By::Initiator,
        }
    }

    /// Whether the exchange takes it as it is.
    fn fits(self, exchange: &Exchange) -> bool {
        let (protocol, state) = (exchange.protocol.as_str(), exchange.state.as_str());
        let task = protocol == "delegation" && exchange.outcome.is_none();
        match self {
            Action::Verdict => state == "in-review",
            Action::Answer => task && state == "clarifying",
            Action::Amend => task && state != "paused",
            Action::Extend => task && !exchange.timers.is_empty(),
            Action::Pause => task && state == "working",
            Action::Resume => task && state == "paused",
            Action::Stop => exchange.outcome.is_none() && matches!(protocol, "delegation" | "operation"),
            Action::Ready | Action::Wait | Action::Cancel => {
                protocol == "operation" && exchange.outcome.is_none() && state == "asking"
            }
            Action::Result => protocol == "operation" && exchange.outcome.is_none() && state == "authorized",
            Action::Override => protocol == "handoff" && exchange.outcome.is_none(),
            // Escalations have a form of their own.
            Action::Decide => false,
        }
    }

    fn allowed(self, look: &Look, exchange: &Exchange) -> bool {
        let name = look.name.as_str();
        match self.by() {
            By::Initiator => look.is_operator() || exchange.initiator == name,
            By::Asked => {
                exchange.participants.iter().any(|one| one.agent == name && one.role != "initiator")
                    && !look.is_operator()
            }
        }
    }
}

/// The forms that this viewer may send now.
pub(super) fn offered_forms(look: &Look, exchange: &Exchange) -> Markup {
    let offered: Vec<_> = Action::iter()
        .filter(|action| look.may_act() && action.fits(exchange) && action.allowed(look, exchange))
        .collect();
    html! {
        @if let Some(open) = open_escalation(exchange) { section.card.bad data-escalation=(open.id) {
            h2 { "Needs a decision" }
            p { (super::text::line(&open.text, 600)) }
            (decide(look, &open))
        } }
        @if !offered.is_empty() {
            section.card {
                h2 { "What you can do" }
                @for action in offered { (action_form(look, exchange, action)) }
            }
        }
    }
}

/// The escalation that is open, as the exchange itself shows it.
fn open_escalation(exchange: &Exchange) -> Option<Escalation> {
    serde_json::from_value(exchange.data.get("escalation")?.clone()).ok()
}

fn action_form(look: &Look, exchange: &Exchange, action: Action) -> Markup {
    let (kind, fields) = action.message(&exchange.protocol);
    let known = kind.entry().fields;
    let open = matches!(
        action,
        Action::Verdict | Action::Answer | Action::Ready | Action::Wait | Action::Cancel | Action::Result
    );
    let form = html! {
        form.action method="post" action=(format!("/exchanges/{}/{}", segment(&exchange.id), action.word())) data-action=(action.word()) {
            (hidden_token(look))
            input type="hidden" name="key" value=(form_key());
            input type="hidden" name="seen" value=(exchange.updated);
            @for name in fields {
                @if let Some(field) = known.iter().find(|field| field.name == *name) { (input(action.word(), field, "")) }
            }
            button { (action.label()) }
        }
    };
    match open {
        true => form,
        false => {
            html! { details id=(format!("a-{}", action.word())) { summary { (action.label()) } (form) } }
        }
    }
}

/// The options of an escalation, each a button.
pub(super) fn decide(look: &Look, escalation: &Escalation) -> Markup {
    let known = MessageType::Decision.entry().fields;
    let needs = |name: &str, options: &[&str]| {
        let wanted = escalation.options.iter().any(|option| options.contains(&option.as_str()));
        known.iter().find(|field| field.name == name).filter(|_| wanted)
    };
    let extra = [
        needs("agent", &["reassign", "replace", "alternative"]),
        needs("time", &["extend"]),
        needs("note", &["abort", "retry", "reassign", "proceed"]),
    ];
    html! {
        @if look.may_act() && !escalation.options.is_empty() {
            form.action method="post" action=(format!("/exchanges/{}/decide", segment(&escalation.exchange))) data-action="decide" {
                (hidden_token(look))
                input type="hidden" name="key" value=(form_key());
                input type="hidden" name="escalation" value=(escalation.id);
                @for field in extra.into_iter().flatten() { (input(&escalation.id, field, "")) }
                @for option in &escalation.options { button name="option" value=(option) { (option) } }
            }
        }
    }
}

/// A field of a message as a field of a form.
pub(super) fn input(scope: &str, field: &Field, value: &str) -> Markup {
    let id = format!("i-{scope}-{}", field.name);
    html! {
        label for=(id) { (field.name) span.small { " " (field.about) } }
        @match field.kind {
            FieldKind::OneOf(words) => select id=(id) name=(field.name) {
                @if !field.required { option value="" { "" } }
                @for word in words { option value=(word) selected[*word == value] { (word) } }
            },
            FieldKind::LongText | FieldKind::Texts => textarea id=(id) name=(field.name) placeholder=[matches!(field.kind, FieldKind::Texts).then_some("one a line")] { (value) },
            FieldKind::Flag => select id=(id) name=(field.name) { option value="" { "" } option value="true" { "true" } option value="false" { "false" } },
            _ => input id=(id) name=(field.name) value=(value) required[field.required];
        }
    }
}

/// A key that makes sending a form twice safe.
fn form_key() -> String {
    let mut bytes = [0u8; 16];
    // Without a key the form still works; it may only be sent twice.
    let _ = getrandom::fill(&mut bytes);
    wilco_store::hex(&bytes)
}

/// What was filled in, as the content of a message.
pub(super) fn content(kind: MessageType, fields: &[&str], filled: &Filled) -> Map<String, Value> {
    let mut content = Map::new();
    content.insert("type".to_owned(), json!(kind));
    for field in kind.entry().fields.iter().filter(|field| fields.contains(&field.name)) {
        let value = match field.kind {
            FieldKind::Texts => {
                Some(filled.lines(field.name)).filter(|lines| !lines.is_empty()).map(|lines| json!(lines))
            }
            FieldKind::Number(..) | FieldKind::Minutes => filled
                .text(field.name)
                .map(|text| text.parse::<u64>().map_or_else(|_| json!(text), |number| json!(number))),
            FieldKind::Flag => filled.text(field.name).map(|text| json!(text == "true")),
            _ => filled.text(field.name).map(|text| json!(text)),
        };
        if let Some(value) = value {
            content.insert(field.name.to_owned(), value);
        }
    }
    content
}

/// `POST /exchanges/{id}/{action}`.
pub(super) async fn act(
    look: Look,
    Path((id, word)): Path<(String, String)>,
    body: Body,
) -> Result<Response, Failure> {
    let filled = Filled::read(&look, body).await?;
    let action: Action =
        word.parse().map_err(|_| Failure::not_found(format!("there is no action {word:?}")))?;
    look.caller.may_write()?;
    let address = format!("/exchanges/{}", segment(&id));
    match send(&look, &id, action, &filled).await {
        Ok(words) => Ok(lead_to(&address, &words)),
        Err(failure) => refused(&look, &id, failure).await,
    }
}

async fn send(look: &Look, id: &str, action: Action, filled: &Filled) -> Result<String, Failure> {
    let exchange: Exchange = look.get(&format!("/v1/exchanges/{}", segment(id)), &[]).await?;
    if let Some(seen) = filled.text("seen")
        && !action.fits(&exchange)
    {
        let detail = format!("{id} is {} now, it moved on since {seen}; nothing was sent", exchange.state);
        return Err(Failure::new(StatusCode::CONFLICT, "conflict", detail));
    }
    let (kind, fields) = action.message(&exchange.protocol);
    let mut content = content(kind, fields, filled);
    if let Some((field, word)) = action.fixed() {
        content.insert(field.to_owned(), json!(word));
    }
    if let Some(escalation) = filled.text("escalation") {
        content.insert("escalation".to_owned(), json!(escalation));
    }
    let from = match (action, action.by()) {
        (Action::Decide, _) | (_, By::Asked) => look.name.to_string(),
        (_, By::Initiator) => exchange.initiator.clone(),
    };
    let message = json!({"from": from, "exchange": id, "content": content});
    let answer = look.send(Method::POST, "/v1/messages", filled.text("key"), &message).await?;
    let state = answer["exchange"]["state"].as_str().unwrap_or("changed").to_owned();
    Ok(format!("Sent {kind}. {id} is {state}."))
}

/// The exchange as it is, and why nothing was done.
async fn refused(look: &Look, id: &str, failure: Failure) -> Result<Response, Failure> {
    let status = StatusCode::from_u16(failure.0.status).unwrap_or(StatusCode::BAD_REQUEST);
    let mut page = exchange::shown(look, id, None).await?;
    page.status = status;
    page.told = Some(Told::Refused(failure.0.detail.clone()));
    Ok(page.shown(look))
}

/// What begins with a form of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    Delegate,
    Operate,
}

/// The form that begins a delegation or an operation.
pub(super) fn start_form(look: &Look, start: Start, told: Option<&Filled>) -> Markup {
    let (action, address, title, kind, fields) = parts(start);
    let known = kind.entry().fields;
    let value = |name: &str| told.and_then(|filled| filled.text(name)).unwrap_or("").to_owned();
    html! {
        section.card {
            details id=(format!("start-{action}")) open[told.is_some()] {
                summary { (title) }
                form.action method="post" action=(address) data-action=(action) {
                    (hidden_token(look))
                    input type="hidden" name="key" value=(form_key());
                    label for=(format!("{action}-to")) { "to " span.small { "Whom. Several: one a line." } }
                    textarea id=(format!("{action}-to")) name="to" required { (value("to")) }
                    @for name in fields {
                        @if let Some(field) = known.iter().find(|field| field.name == *name) { (input(action, field, &value(name))) }
                    }
                    button { (title) }
                }
            }
        }
    }
}

fn parts(start: Start) -> (&'static str, &'static str, &'static str, MessageType, &'static [&'static str]) {
    match start {
        Start::Delegate => (
            "delegate",
            "/exchanges",
            "New delegation",
            MessageType::TaskAssignment,
            &["title", "task_id", "description", "acceptance_criteria", "candidates"],
        ),
        Start::Operate => (
            "operate",
            "/operations",
            "New operation",
            MessageType::PreOperation,
            &["operation", "message", "kind"],
        ),
    }
}

/// Begins a delegation or an operation.
pub(super) async fn begin(look: &Look, start: Start, filled: &Filled) -> Result<Response, Failure> {
    look.caller.may_write()?;
    let (_, _, _, kind, fields) = parts(start);
    let to = filled.lines("to");
    let to = if let [one] = to.as_slice() { json!(one) } else { json!(to) };
    let message = json!({"from": look.name, "to": to, "content": content(kind, fields, filled)});
    let answer = look.send(Method::POST, "/v1/messages", filled.text("key"), &message).await?;
    let id = answer["exchange"]["id"].as_str().unwrap_or("").to_owned();
    Ok(lead_to(&format!("/exchanges/{}", segment(&id)), &format!("{id} has begun.")))
}

//! What a viewer may do with an exchange now: forms made from the catalogue of message types, and the messages that
//! they send through the same door as everybody.

use axum::body::Body;
use axum::response::Response;
use http::{Method, StatusCode};
use maud::{Markup, html};
use serde_json::{Map, Value, json};
use strum::IntoEnumIterator;
use wilco_engine::reads;
use wilco_language::message::{Field, FieldKind, MessageType};
use wilco_wire::{Escalation, Event, Exchange, Page as Items, segment};

use super::exchange;
use super::flash::lead_to;
use super::form::{Filled, hidden_token};
use super::look::Look;
use super::operations::events_of;
use super::sign_in::redirect;
use super::words::as_words;
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
    /// Only the agent that is asked, for itself, by this word.
    Asked(&'static str),
}

/// What an action is: the words on its button, who may do it, the message that does it, and the fields of its form.
struct ActionRow {
    label: &'static str,
    by: By,
    kind: MessageType,
    fields: &'static [&'static str],
}

const DECISION: [&str; 7] = ["option", "agent", "time", "iterations", "phase", "status", "note"];
const AMENDED: [&str; 4] = ["title", "description", "acceptance_criteria", "message"];

impl Action {
    fn word(self) -> &'static str {
        self.into()
    }

    fn row(self, protocol: &str) -> ActionRow {
        use By::{Asked, Initiator};
        use MessageType as Kind;
        let (label, by, kind, fields): (_, _, _, &'static [&'static str]) = match self {
            Action::Verdict => {
                ("Judge", Initiator, Kind::Verdict, &["verdict", "correction", "missing", "note"])
            }
            Action::Answer => ("Answer", Initiator, Kind::TaskClarification, &["answers", "message"]),
            Action::Amend => ("Amend the task", Initiator, Kind::TaskAmend, &AMENDED),
            Action::Extend => ("Give more time", Initiator, Kind::TaskExtend, &["time"]),
            Action::Pause => ("Pause", Initiator, Kind::TaskPause, &["reason", "expected_duration"]),
            Action::Resume => ("Resume", Initiator, Kind::TaskResume, &["message"]),
            Action::Stop if protocol == "operation" => {
                ("Stop it", Initiator, Kind::OperationCancelled, &["message"])
            }
            Action::Stop => ("Stop it", Initiator, Kind::TaskCancel, &["reason"]),
            Action::Ready => ("I am ready", Asked("ok"), Kind::Acknowledgment, &["notes"]),
            Action::Wait => ("I need more time", Asked("wait"), Kind::Acknowledgment, &["notes"]),
            Action::Cancel => ("It must not be done", Asked("cancel"), Kind::Acknowledgment, &["notes"]),
            Action::Result => ("Say how it went", Initiator, Kind::OperationResult, &["status", "message"]),
            Action::Override => ("Go on without an ACK", Initiator, Kind::HandoffOverride, &["reason"]),
            Action::Decide => ("Decide", Initiator, Kind::Decision, &DECISION),
        };
        ActionRow { label, by, kind, fields }
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
                protocol == "operation"
                    && exchange.outcome.is_none()
                    && matches!(state, "notifying" | "waiting")
            }
            Action::Result => protocol == "operation" && exchange.outcome.is_none() && state == "authorized",
            Action::Override => protocol == "handoff" && exchange.outcome.is_none(),
            // Escalations have a form of their own.
            Action::Decide => false,
        }
    }

    fn allowed(self, look: &Look, exchange: &Exchange) -> bool {
        let name = look.name.as_str();
        match self.row(&exchange.protocol).by {
            By::Initiator => look.is_operator() || exchange.initiator == name,
            By::Asked(_) => {
                exchange.participants.iter().any(|one| one.agent == name && one.role != "initiator")
                    && !look.is_operator()
            }
        }
    }
}

/// What waits in an exchange, so that a form can tell whether something else waits by the time it is sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Waiting {
    /// The state, and the newest event that asks somebody for something else. A reminder does not.
    mark: String,
    /// The acknowledgement that waits for a verdict.
    ack: Option<String>,
}

impl Waiting {
    pub(super) fn of(exchange: &Exchange, events: &[Event]) -> Waiting {
        let asks = |event: &&Event| {
            let kinds =
                ["acknowledged", "asked", "answered", "amended", "escalated", "reassigned", "handed-over"];
            kinds.contains(&event.kind.as_str())
        };
        let newest = events.iter().rev().find(asks).and_then(|event| event.seq).unwrap_or(0);
        let ack = events.iter().rev().find(|event| event.kind == "acknowledged").and_then(|event| {
            let ack = &event.data["ack"];
            ack.as_str().or(ack["message"].as_str()).map(str::to_owned)
        });
        Waiting { mark: format!("{}.{newest}", exchange.state), ack }
    }
}

/// What was filled in and refused: the form shows it again.
pub(super) struct Typed<'f> {
    pub(super) action: Action,
    pub(super) filled: &'f Filled,
}

/// The forms that this viewer may send now.
pub(super) fn offered_forms(
    look: &Look,
    exchange: &Exchange,
    open: Option<&Escalation>,
    waiting: &Waiting,
    typed: Option<&Typed<'_>>,
) -> Markup {
    let offered: Vec<_> = Action::iter()
        .filter(|action| look.may_act() && action.fits(exchange) && action.allowed(look, exchange))
        .collect();
    html! {
        @if let Some(open) = open { section.card.bad data-escalation=(open.id) {
            h2 { "Needs a decision" }
            p { (super::text::line(&open.text, 600)) }
            (decide(look, open, typed.filter(|typed| typed.action == Action::Decide).map(|typed| typed.filled)))
        } }
        @if !offered.is_empty() {
            section.card {
                h2 { "What you can do" }
                @for action in offered { (action_form(look, exchange, action, waiting, typed.filter(|typed| typed.action == action).map(|typed| typed.filled))) }
            }
        }
    }
}

/// The escalation that is open in an exchange, where the viewer may see it.
pub(super) async fn open_escalation(look: &Look, exchange: &Exchange) -> Result<Option<Escalation>, Failure> {
    let Some(id) = exchange.data["escalation"].as_str() else { return Ok(None) };
    let mut after = String::new();
    loop {
        let query = [("open", "true"), ("limit", "1000"), ("after", after.as_str())];
        let page: Items<Escalation> = look.get("/v1/escalations", &query).await?;
        if let Some(found) = page.items.into_iter().find(|one| one.id == id) {
            return Ok(Some(found));
        }
        match page.next {
            Some(next) => after = next,
            None => return Ok(None),
        }
    }
}

fn action_form(
    look: &Look,
    exchange: &Exchange,
    action: Action,
    waiting: &Waiting,
    typed: Option<&Filled>,
) -> Markup {
    let ActionRow { label, kind, fields, .. } = action.row(&exchange.protocol);
    let entry = kind.entry();
    let open = matches!(
        action,
        Action::Verdict | Action::Answer | Action::Ready | Action::Wait | Action::Cancel | Action::Result
    );
    let form = html! {
        form.action method="post" action=(format!("/exchanges/{}/{}", segment(&exchange.id), action.word())) data-action=(action.word()) {
            (hidden_token(look))
            input type="hidden" name="key" value=(form_key());
            input type="hidden" name="waiting" value=(waiting.mark);
            @if let (Action::Verdict, Some(ack)) = (action, &waiting.ack) { input type="hidden" name="ack" value=(ack); }
            @for name in fields {
                @if let Some(field) = entry.fields.iter().find(|field| field.name == *name) { (input(action.word(), field, typed.and_then(|filled| filled.text(name)).unwrap_or(""))) }
            }
            p.small.soft { (entry.leads_to) "." }
            button { (label) }
        }
    };
    match open {
        true => form,
        false => {
            html! { details id=(format!("a-{}", action.word())) open[typed.is_some()] { summary { (label) } (form) } }
        }
    }
}

/// The options of an escalation, each a button under what it does. One that says more has a form of its own, so that
/// Enter in its fields never sends another.
pub(super) fn decide(look: &Look, escalation: &Escalation, typed: Option<&Filled>) -> Markup {
    let offered: Vec<_> =
        escalation.options.iter().map(|option| (option, fields_of(option, escalation))).collect();
    let (alone, with_fields): (Vec<_>, Vec<_>) = offered.iter().partition(|(_, fields)| fields.is_empty());
    let form = |options: &[&(&String, Vec<&'static Field>)]| {
        html! {
            form method="post" action=(format!("/exchanges/{}/decide", segment(&escalation.exchange))) data-action="decide" {
                (hidden_token(look))
                input type="hidden" name="key" value=(form_key());
                input type="hidden" name="escalation" value=(escalation.id);
                @for (option, fields) in options { div.choice {
                    p.small.soft { (does(option)) }
                    @for field in fields {
                        @let id = format!("i-{}-{option}-{}", escalation.id, field.name);
                        label.unseen for=(id) { (as_words(field.name)) }
                        (control(&id, field, typed.and_then(|filled| filled.text(field.name)).unwrap_or(""), Some(field.name)))
                    }
                    button name="option" value=(option) { (as_words(option)) }
                } }
            }
        }
    };
    html! {
        @if look.may_act() && !offered.is_empty() {
            div.choices {
                @if !alone.is_empty() { (form(&alone)) }
                @for option in with_fields { (form(&[option])) }
            }
        }
    }
}

/// What an option does, and what a decision for it may say besides.
const OPTIONS: [(&str, &str, &[&str]); 10] = [
    ("retry", "Asks once more", &[]),
    ("reassign", "Gives it to another agent", &["agent"]),
    ("accept-as", "Takes the answer as this", &["status"]),
    ("extend", "Waits longer", &["time", "iterations"]),
    ("proceed", "Goes on with those who are ready", &[]),
    ("provide_alternative_agent", "Asks another replacement", &["agent"]),
    ("override", "Hands over without an ACK", &[]),
    ("manual-fix", "It was fixed by hand: checks again", &[]),
    ("skip", "Goes on without this phase", &[]),
    ("abort", "Ends it", &["note"]),
];

fn does(option: &str) -> &'static str {
    OPTIONS.iter().find(|(known, ..)| *known == option).map_or("", |(_, does, _)| does)
}

fn fields_of(option: &str, escalation: &Escalation) -> Vec<&'static Field> {
    let known = MessageType::Decision.entry().fields;
    // Only a validation has rounds, and only it can be fixed by hand.
    let has_rounds = escalation.options.iter().any(|offered| offered == "manual-fix");
    let names = OPTIONS.iter().filter(|(known, ..)| *known == option).flat_map(|(_, _, fields)| *fields);
    let names = names.filter(|name| **name != "iterations" || has_rounds);
    names.filter_map(|name| known.iter().find(|field| field.name == *name)).collect()
}

/// A field of a message as a field of a form.
pub(super) fn input(scope: &str, field: &Field, value: &str) -> Markup {
    let id = format!("i-{scope}-{}", field.name);
    html! { div.field { label for=(id) { (as_words(field.name)) " " span.small { (field.about) } } (control(&id, field, value, None)) } }
}

fn control(id: &str, field: &Field, value: &str, hint: Option<&str>) -> Markup {
    let choose = hint.or(field.required.then_some("choose…")).unwrap_or("");
    let lines = matches!(field.kind, FieldKind::Texts).then_some("one a line");
    html! {
        @match field.kind {
            // Nothing is chosen until somebody chooses it.
            FieldKind::OneOf(words) => select id=(id) name=(field.name) required[field.required] {
                option value="" { (choose) }
                @for word in words { option value=(word) selected[*word == value] { (word) } }
            },
            FieldKind::LongText | FieldKind::Texts => textarea id=(id) name=(field.name) placeholder=[lines] { (value) },
            FieldKind::Flag => select id=(id) name=(field.name) { option value="" { "" } option value="true" { "true" } option value="false" { "false" } },
            _ => input id=(id) name=(field.name) value=(value) placeholder=[hint] required[field.required];
        }
    }
}

/// A key that makes sending a form twice safe.
pub(super) fn form_key() -> String {
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
            FieldKind::Number(..) | FieldKind::Minutes => filled.text(field.name).map(number),
            FieldKind::Flag => filled.text(field.name).map(|text| json!(text == "true")),
            FieldKind::Either(kinds) if kinds.iter().any(|kind| matches!(kind, FieldKind::Number(..))) => {
                filled.text(field.name).map(number)
            }
            _ => filled.text(field.name).map(|text| json!(text)),
        };
        if let Some(value) = value {
            content.insert(field.name.to_owned(), value);
        }
    }
    content
}

/// What is no number is said to be none by whoever reads the message.
fn number(text: &str) -> Value {
    text.parse::<u64>().map_or_else(|_| json!(text), |number| json!(number))
}

/// `GET /exchanges/{id}/{action}`: a refused form, loaded again. The exchange shows how things stand.
pub(super) async fn shown_again(
    _look: Look,
    Path((id, word)): Path<(String, String)>,
) -> Result<Response, Failure> {
    named(&word)?;
    Ok(redirect(&format!("/exchanges/{}", segment(&id))))
}

fn named(word: &str) -> Result<Action, Failure> {
    word.parse().map_err(|_| Failure::not_found(format!("there is no action {word:?}")))
}

/// `POST /exchanges/{id}/{action}`.
pub(super) async fn act(
    mut look: Look,
    Path((id, word)): Path<(String, String)>,
    body: Body,
) -> Result<Response, Failure> {
    let filled = Filled::read(&look, body).await?;
    let action = named(&word)?;
    look.caller.may_write()?;
    let address = format!("/exchanges/{}", segment(&id));
    match send(&look, &id, action, &filled).await {
        Ok(words) => Ok(lead_to(&address, &words)),
        Err(failure) => {
            // The form's own address shows nothing: what follows and leads back is the exchange.
            look.address = address;
            let page = exchange::shown(&look, &id, None, Some(&Typed { action, filled: &filled })).await?;
            Ok(page.refused(&failure).shown(&look))
        }
    }
}

async fn send(look: &Look, id: &str, action: Action, filled: &Filled) -> Result<String, Failure> {
    let exchange: Exchange = look.get(&format!("/v1/exchanges/{}", segment(id)), &[]).await?;
    let ActionRow { label, by, kind, fields } = action.row(&exchange.protocol);
    let mut content = content(kind, fields, filled);
    if let By::Asked(word) = by {
        content.insert("message".to_owned(), json!(word));
    }
    if let Some(escalation) = filled.text("escalation") {
        content.insert("escalation".to_owned(), json!(escalation));
    }
    let from = match (action, by) {
        (Action::Decide, _) | (_, By::Asked(_)) => look.name.to_string(),
        (_, By::Initiator) => exchange.initiator.clone(),
    };
    let mut message = json!({"from": from, "exchange": exchange.id, "content": content});
    if let (Action::Verdict, Some(ack)) = (action, filled.text("ack")) {
        message["in_reply_to"] = json!(ack);
    }
    // What was sent before is answered as it was then, however things stand now.
    let was_sent = was_sent(look, &from, filled.text("key")).await?;
    if !was_sent {
        still_waits(look, &exchange, action, filled).await?;
    }
    let sender = if look.looks_as || from != look.name.as_str() { look.for_another() } else { look.clone() };
    let answer = match sender.send(Method::POST, "/v1/messages", filled.text("key"), &message).await {
        Ok(answer) => answer,
        // The same form, sent with something else in it: what it answered does not wait any more.
        Err(_) if was_sent => return Err(moved(&exchange, "was answered with this form before")),
        Err(failure) => return Err(failure),
    };
    let state = answer["exchange"]["state"].as_str().unwrap_or("changed").to_owned();
    Ok(format!("{label}: sent. {} is {state}.", exchange.id))
}

async fn was_sent(look: &Look, from: &str, key: Option<&str>) -> Result<bool, Failure> {
    let Some(key) = key.map(|key| format!("key:{key}")) else { return Ok(false) };
    let from = look.app.agent(from);
    Ok(look.app.handle.read(move |reader| reads::kept_answer(reader, &from, &key)).await?.is_some())
}

/// Refuses what answers something that does not wait any more.
async fn still_waits(
    look: &Look,
    exchange: &Exchange,
    action: Action,
    filled: &Filled,
) -> Result<(), Failure> {
    if action == Action::Decide {
        let open = exchange.data["escalation"].as_str();
        let named = filled.text("escalation");
        return match named.is_none() || named == open || is_open_phase(exchange, named) {
            true => Ok(()),
            false => Err(moved(exchange, "was decided meanwhile, or asks something else")),
        };
    }
    let waiting = Waiting::of(exchange, &events_of(look, &exchange.id).await?);
    if filled.text("waiting").is_some_and(|seen| seen != waiting.mark) || !action.fits(exchange) {
        return Err(moved(exchange, "moved on since you looked"));
    }
    Ok(())
}

fn moved(exchange: &Exchange, what: &str) -> Failure {
    let detail = format!("{} {what}; it is {} now, and nothing was sent", exchange.id, exchange.state);
    Failure::new(StatusCode::CONFLICT, "conflict", detail)
}

/// A validation may have an escalation for each phase.
fn is_open_phase(exchange: &Exchange, named: Option<&str>) -> bool {
    let mut phases = exchange.data["phases"].as_array().into_iter().flatten();
    phases.any(|phase| phase["escalation"].as_str() == named)
}

//! `POST /api/messages/forward`: a message goes on to somebody else.

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use serde_json::{Map, Value, json};
use wilco_engine::reads::{self, InboxEntry, Mailbox};
use wilco_language::message::MessageType;
use wilco_language::render::{Forwarded, forwarded};
use wilco_protocol::MessageId;

use super::{fields, messages, owner};
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::shape;
use crate::v1::body::bytes;
use crate::v1::messages::idempotency_key;

pub(super) async fn post(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Failure> {
    let key = idempotency_key(&headers)?;
    let body = fields::object(&bytes(body, &app.config.limits).await?)?;
    let id = fields::needed(&body, "messageId", "the id of the message that goes on")?;
    let to = fields::needed(&body, "toSession", "the agent that gets it")?;
    let note = fields::text(&body, "forwardNote")?;
    let from = match fields::text(&body, "fromSession")? {
        Some(text) => owner::agent(&app, text)?.name,
        None => owner::own(&app, &caller),
    };
    let (viewer, wanted, holder) = (caller.viewer.clone(), MessageId::new(id), from.clone());
    let found = app.handle.read(move |reader| {
        let inbox = reads::letter(reader, &viewer, &holder, Mailbox::Inbox, &wanted)?;
        match inbox {
            None => reads::letter(reader, &viewer, &holder, Mailbox::Sent, &wanted),
            found => Ok(found),
        }
    });
    let letter = found.await?.ok_or_else(|| messages::missing(id))?;
    let message = forwarding(&letter, from.as_str(), to, note).to_string();
    messages::posted(&app, caller, key, message.as_bytes(), true).await
}

/// The message that carries another one on.
fn forwarding(letter: &InboxEntry, from: &str, to: &str, note: Option<&str>) -> Value {
    let message = &letter.message;
    let content: Map<String, Value> = serde_json::from_str(message.delivered().get()).unwrap_or_default();
    let timestamp = message.timestamp.to_string();
    let letter = Forwarded {
        from: message.from.as_str(),
        to: message.to.as_str(),
        subject: &message.subject,
        timestamp: &timestamp,
        content: &content,
    };
    let text = forwarded(&letter, note);
    json!({
        "from": from,
        "to": to,
        "subject": text.subject,
        "priority": shape::priority_word(message.priority),
        "content": {
            "type": MessageType::Notification,
            "message": text.message,
            "forwardedFrom": {
                "originalMessageId": message.id,
                "originalFrom": message.from,
                "originalTo": message.to,
                "originalTimestamp": timestamp,
                "originalType": content.get("type"),
                "forwardedBy": from,
                "forwardNote": note,
            },
        },
    })
}

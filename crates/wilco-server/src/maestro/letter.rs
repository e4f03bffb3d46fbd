//! A message in the shape of AI Maestro.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use wilco_engine::Accepted;
use wilco_engine::reads::{self, InboxEntry};
use wilco_protocol::Name;
use wilco_protocol::directory::Agent;
use wilco_store::{InboxStatus, Message, Reader, StoreError};

use super::agent::host;
use crate::shape::{self, Content};

/// Characters of the text that a list shows before it is opened.
const PREVIEW: usize = 100;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Shape<'a> {
    id: &'a str,
    from: &'a str,
    from_alias: &'a str,
    from_host: &'a str,
    from_verified: bool,
    to: &'a str,
    to_alias: &'a str,
    to_host: &'a str,
    timestamp: String,
    subject: &'a str,
    priority: &'static str,
    status: &'static str,
    #[serde(rename = "type")]
    kind: String,
    preview: String,
    content: Content<'a>,
    in_reply_to: Option<&'a str>,
    exchange: Option<String>,
    #[serde(rename = "broadcast_id")]
    broadcast_id: Option<&'a str>,
}

/// Letters with those who wrote and got them.
#[derive(Debug)]
pub(super) struct Mail {
    pub(super) letters: Vec<InboxEntry>,
    people: BTreeMap<Name, Agent>,
}

impl Mail {
    pub(super) fn of(reader: &dyn Reader, letters: Vec<InboxEntry>) -> Result<Mail, StoreError> {
        let people = reads::people(reader, &letters)?;
        Ok(Mail { letters, people })
    }

    /// As their readers get them.
    pub(super) fn delivered(&self) -> Vec<Shape<'_>> {
        let letters = self.letters.iter();
        letters
            .map(|InboxEntry { message, status, .. }| {
                self.shape(message, *status, shape::delivered_content(message))
            })
            .collect()
    }

    fn shape<'a>(&'a self, message: &'a Message, status: InboxStatus, content: Content<'a>) -> Shape<'a> {
        let (from, to) = (message.from.as_str(), message.to.as_str());
        let person = |name: &Name| self.people.get(name);
        let alias = |name: &'a Name| {
            person(name).and_then(|agent| agent.profile.alias.as_deref()).unwrap_or(name.as_str())
        };
        let at = |name: &Name| person(name).map_or(super::agent::HERE, host);
        let value: Value = serde_json::from_str(content.get()).unwrap_or_default();
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or("");
        Shape {
            id: message.id.as_str(),
            from,
            from_alias: alias(&message.from),
            from_host: at(&message.from),
            from_verified: message.from_verified,
            to,
            to_alias: alias(&message.to),
            to_host: at(&message.to),
            timestamp: message.timestamp.to_string(),
            subject: &message.subject,
            priority: shape::priority_word(message.priority),
            status: shape::status_word(status),
            kind: text("type").to_owned(),
            preview: text("message").chars().take(PREVIEW).collect(),
            content,
            in_reply_to: message.in_reply_to.as_ref().map(|id| id.as_str()),
            exchange: message.exchange.map(|id| id.to_string()),
            broadcast_id: message.broadcast_id.as_deref(),
        }
    }

    /// As they were sent.
    pub(super) fn originals(&self) -> Vec<Shape<'_>> {
        let letters = self.letters.iter();
        letters
            .map(|InboxEntry { message, status, .. }| {
                self.shape(message, *status, shape::content(&message.content))
            })
            .collect()
    }
}

/// The letters that a message became, as new as they are.
pub(super) fn new_letters(accepted: &Accepted) -> Vec<InboxEntry> {
    let letter = |message: &std::sync::Arc<Message>| InboxEntry {
        position: 0,
        status: InboxStatus::Unread,
        message: Message::clone(message),
    };
    accepted.messages.iter().map(letter).collect()
}

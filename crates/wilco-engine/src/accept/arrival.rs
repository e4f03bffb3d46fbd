//! A message on its way in, and how it is stored.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::{Arc, OnceLock};

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use wilco_language::parse::Incoming;
use wilco_language::read::classify::Task;
use wilco_language::render::{Rendered, delivered, identified, passed_subject, usual_subject};
use wilco_protocol::decision::Routing;
use wilco_protocol::{Exchange, ExchangeId, Meaning, MessageId, Name, delegation};
use wilco_store::{Message, Priority, Reading, StoreError};

use super::is_wilco;
use crate::agents::mark_message;
use crate::command::{MarkAs, Post, Refused, Viewer};
use crate::digest::Announcement;
use crate::exact;
use crate::execute::{Cause, citing, priority, send, store_message};
use crate::workspace::Workspace;

/// A message whose sender and recipients are known.
pub(crate) struct Arrival<'a> {
    pub(crate) id: MessageId,
    pub(crate) from: Name,
    /// Agents, or Wilco itself. Empty when it was left out, and the exchange says.
    pub(crate) to: Vec<Name>,
    /// Who is known and may have been meant by a sender that was not.
    pub(crate) near: Option<Name>,
    /// The plain text of its content, which every rule of reading looks at.
    pub(crate) text: &'a str,
    /// The task that the text is, once it was looked for.
    pub(crate) task: OnceCell<Option<Task>>,
    pub(crate) post: &'a Post,
}

impl Arrival<'_> {
    pub(crate) fn incoming(&self) -> &Incoming {
        &self.post.incoming
    }

    pub(crate) fn subject(&self) -> &str {
        self.incoming().subject.as_deref().unwrap_or("")
    }

    pub(crate) fn operator(&self, default_sender: &Name) -> bool {
        match self.post.viewer {
            Viewer::Operator => true,
            // Whoever names nobody on this machine is its operator.
            Viewer::Local => self.from == *default_sender,
            Viewer::ReadOnly | Viewer::Agent(_) => false,
        }
    }

    /// What its copies have in common, when there are several.
    pub(crate) fn broadcast_id(&self, position: u64) -> String {
        self.incoming().broadcast_id.clone().unwrap_or_else(|| format!("broadcast-{position}"))
    }

    pub(crate) fn cause(&self) -> Cause<'_> {
        let Incoming { content, raw, .. } = self.incoming();
        Cause { id: &self.id, subject: self.subject(), content, raw: Some(raw) }
    }
}

/// The place of a message in the journal, and in its exchange.
pub(crate) struct JournalPlace {
    pub(crate) position: u64,
    pub(crate) exchange: Option<(ExchangeId, u64)>,
}

/// Where a message goes, and in which form.
#[derive(Default)]
pub(crate) struct Outgoing {
    /// One for each recipient.
    pub(crate) copies: Vec<MessageCopy>,
    pub(crate) reading: Option<Reading>,
    pub(crate) defaults: Option<Defaults>,
    /// Subject and priority of such a message, when its sender gave none.
    pub(crate) usual: Option<(String, &'static str)>,
    /// Of the exchange it belongs to, if that asks several.
    pub(crate) broadcast_id: Option<String>,
    /// Of what Wilco tells its readers in a message of its own: it lies in their inboxes as read, and nobody is nudged.
    pub(crate) announcement: Announcement,
    /// Messages of Wilco's own that carry it on to others.
    pub(crate) passed: Vec<(Name, Rendered)>,
}

/// A message's copy for one recipient.
pub(crate) struct MessageCopy {
    pub(crate) to: Name,
    pub(crate) inboxes: Vec<Name>,
    pub(crate) delivered: Option<Box<RawValue>>,
}

/// What a message that begins an exchange is stored with.
pub(crate) struct Defaults {
    /// When its sender gave none.
    pub(crate) subject: String,
    pub(crate) priority: Priority,
    /// By what it was taken for a beginning, and of what.
    pub(crate) rule: Cow<'static, str>,
    pub(crate) meaning: Meaning,
}

impl Outgoing {
    /// To whom it is addressed, as it is.
    pub(crate) fn plain(to: &[Name]) -> Outgoing {
        let copy = |to: &Name| MessageCopy {
            to: to.clone(),
            inboxes: Some(to.clone()).filter(|to| !is_wilco(to)).into_iter().collect(),
            delivered: None,
        };
        Outgoing { copies: to.iter().map(copy).collect(), ..Outgoing::default() }
    }

    /// Lets the message reach an agent too, unless it does already.
    pub(crate) fn reach(&mut self, agent: Name) {
        if !self.copies.iter().any(|copy| copy.to == agent || copy.inboxes.contains(&agent)) {
            self.copies[0].inboxes.push(agent);
        }
    }
}

impl Outgoing {
    /// Whoever gets the message sees that it was not understood.
    pub(crate) fn mark_unread(&mut self, arrival: &Arrival<'_>) -> Result<(), Refused> {
        for copy in &mut self.copies {
            let form = copy.delivered.as_deref().unwrap_or(&arrival.incoming().raw);
            let Ok(mut content) = serde_json::from_str::<Map<String, Value>>(form.get()) else { continue };
            if copy.delivered.is_none() {
                // Only Wilco teaches.
                content.remove("teaching");
            }
            content.insert("not_understood".to_owned(), Value::Bool(true));
            let raw = exact::written(&content, &[&arrival.incoming().raw]);
            copy.delivered = Some(raw.map_err(|error| StoreError::NotStored(Box::new(error)))?);
        }
        Ok(())
    }
}

/// Stores the message as one copy per recipient; the first takes the reserved position.
pub(crate) fn store_arrival(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    place: JournalPlace,
    outgoing: Outgoing,
) -> Result<Vec<Arc<Message>>, Refused> {
    let incoming = arrival.incoming();
    let several = outgoing.copies.len() > 1;
    let broadcast_id = match incoming.broadcast_id.as_ref().or(outgoing.broadcast_id.as_ref()) {
        None if several => Some(arrival.broadcast_id(place.position)),
        given => given.cloned(),
    };
    let (usual_subject, usual_priority) = outgoing.usual.unwrap_or((String::new(), "normal"));
    let given = Some(arrival.subject().to_owned()).filter(|given| !given.trim().is_empty());
    let (mut subject, mut urgency) =
        (given.unwrap_or(usual_subject), priority(incoming.priority.as_deref().unwrap_or(usual_priority)));
    if let Some(defaults) = outgoing.defaults {
        subject = if subject.trim().is_empty() { defaults.subject } else { subject };
        urgency = defaults.priority;
    }
    let kind = incoming.type_word().to_owned();
    let mut stored: Vec<Arc<Message>> = Vec::new();
    for copy in outgoing.copies {
        for agent in &copy.inboxes {
            has_room(workspace, agent)?;
        }
        let first = stored.is_empty();
        let (position, seq) = if first {
            (place.position, place.exchange.map(|(_, seq)| seq))
        } else {
            (workspace.reserve(), workspace.count(place.exchange.map(|(id, _)| id))?)
        };
        let message = Message {
            id: if first { arrival.id.clone() } else { MessageId::made(workspace.now(), position) },
            from: arrival.from.clone(),
            // An operator who looks as an agent is not that agent.
            from_verified: matches!(arrival.post.viewer, Viewer::Agent(_)) && arrival.post.sent_by.is_none(),
            from_unknown: arrival.near.is_some(),
            sent_by: arrival.post.sent_by.clone(),
            to: copy.to,
            subject: subject.clone(),
            priority: urgency,
            content: incoming.raw.clone(),
            delivered: copy.delivered,
            in_reply_to: incoming.in_reply_to.clone(),
            exchange: place.exchange.map(|(id, _)| id),
            broadcast_id: broadcast_id.clone(),
            timestamp: workspace.now(),
            reading: outgoing.reading.clone(),
            // What stands in the text is no part of what was sent.
            parsed: if incoming.in_text { OnceLock::new() } else { OnceLock::from(incoming.content.clone()) },
        };
        let readers = copy.inboxes.clone();
        let announcement = outgoing.announcement;
        let message =
            store_message(workspace, position, seq, message, copy.inboxes, kind.clone(), announcement);
        for reader in readers.iter().filter(|_| announcement == Announcement::Elsewhere) {
            mark_message(workspace, reader, &message.id, MarkAs::Read)?;
        }
        stored.push(message);
    }
    Ok(stored)
}

/// Where a message of an exchange goes: an answer always reaches the initiator too.
pub(crate) fn outgoing(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    exchange: &Exchange,
    routing: &Routing,
) -> Result<Outgoing, Refused> {
    let initiator = exchange.initiator().clone();
    let by_initiator = arrival.from == initiator;
    let mut outgoing = match arrival.to.as_slice() {
        [] if by_initiator => Outgoing::plain(&[exchange.voice()]),
        [] => Outgoing::plain(std::slice::from_ref(&initiator)),
        to => Outgoing::plain(to),
    };
    let named = arrival.incoming().content.get("handoff_id").and_then(|id| id.as_str());
    outgoing.usual = usual_subject(exchange, arrival.incoming().message_type(), named);
    outgoing.broadcast_id = exchange.broadcast_id().map(str::to_owned);
    if matches!(routing, Routing::Withheld) {
        outgoing.copies.iter_mut().for_each(|copy| copy.inboxes.clear());
        return Ok(outgoing);
    }
    if !by_initiator {
        outgoing.reach(initiator);
    }
    if is_under_review(exchange, arrival) {
        outgoing.announcement = Announcement::Elsewhere;
    }
    if let Routing::Reach { agents, teach } = routing {
        let cited = citing(workspace, exchange, Some(&arrival.cause()))?;
        for agent in agents {
            let setting = workspace.setting(agent, &cited);
            let content = delivered(exchange, agent, &arrival.incoming().content, *teach, &setting);
            if let Some(copy) = outgoing.copies.iter_mut().find(|copy| copy.to == *agent) {
                let raw = exact::written(&content, &[&arrival.incoming().raw]);
                copy.delivered = Some(raw.map_err(|error| StoreError::NotStored(Box::new(error)))?);
            } else {
                let subject = match arrival.subject().trim() {
                    "" => passed_subject(exchange, arrival.incoming().message_type()),
                    given => given.to_owned(),
                };
                outgoing.passed.push((agent.clone(), Rendered { subject, priority: "high", content }));
            }
        }
    }
    if let Some(content) = identified(exchange, &arrival.incoming().content) {
        let raw = exact::written(&content, &[&arrival.incoming().raw]);
        let raw = raw.map_err(|error| StoreError::NotStored(Box::new(error)))?;
        for copy in outgoing.copies.iter_mut().filter(|copy| copy.delivered.is_none()) {
            copy.delivered = Some(raw.clone());
        }
    }
    Ok(outgoing)
}

/// Whether this is the ACK of a task that somebody is asked to judge: the review shows it.
fn is_under_review(exchange: &Exchange, arrival: &Arrival<'_>) -> bool {
    let Exchange::Delegation(state) = exchange else { return false };
    let reviewed = matches!(state.phase, delegation::Phase::InReview { .. });
    reviewed && state.assignee == arrival.from && state.ack.as_ref() == Some(&arrival.id)
}

/// Sends what carries the message on to others.
pub(crate) fn pass_on(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    exchange: &Exchange,
    outgoing: &mut Outgoing,
) -> Result<(), StoreError> {
    for (agent, rendered) in std::mem::take(&mut outgoing.passed) {
        send(workspace, exchange, &agent, rendered, &[&arrival.incoming().raw])?;
    }
    Ok(())
}

/// An inbox takes only so many unread messages, Wilco's own apart.
fn has_room(workspace: &mut Workspace<'_>, agent: &Name) -> Result<(), Refused> {
    let most = workspace.settings().inbox_limit;
    if workspace.unread(agent, most)? >= most as i64 {
        let detail = format!("{agent} has {most} unread messages; wait until it has read some");
        return Err(Refused::TooMany { detail });
    }
    Ok(())
}

//! A message on its way in, and how it is stored.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use serde_json::value::RawValue;
use wilco_language::parse::Incoming;
use wilco_language::render::{Rendered, Setting, delivered, identified, passed_subject, usual_subject};
use wilco_protocol::decision::Routing;
use wilco_protocol::{Exchange, ExchangeId, MessageId, Name};
use wilco_store::{Message, Priority, Reading, StoreError};

use super::is_wilco;
use crate::execute::{Cause, priority};
use crate::command::{Post, Refused, Viewer};
use crate::exact;
use crate::workspace::Workspace;

/// A message whose sender and recipients are known.
pub(crate) struct Arrival<'a> {
    pub(crate) id: MessageId,
    pub(crate) from: Name,
    /// Agents, or Wilco itself. Empty when it was left out, and the exchange says.
    pub(crate) to: Vec<Name>,
    /// The plain text of its content, which every rule of reading looks at.
    pub(crate) text: &'a str,
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
pub(crate) struct Place {
    pub(crate) position: u64,
    pub(crate) exchange: Option<(ExchangeId, u64)>,
}

/// Where a message goes, and in which form.
#[derive(Default)]
pub(crate) struct Course {
    /// One for each recipient.
    pub(crate) letters: Vec<Letter>,
    pub(crate) reading: Option<Reading>,
    pub(crate) dress: Option<Dress>,
    /// Subject and priority of such a message, when its sender gave none.
    pub(crate) usual: Option<(String, &'static str)>,
    /// Of the exchange it belongs to, if that asks several.
    pub(crate) broadcast_id: Option<String>,
}

/// A message's copy for one recipient.
pub(crate) struct Letter {
    pub(crate) to: Name,
    pub(crate) inboxes: Vec<Name>,
    pub(crate) delivered: Option<Box<RawValue>>,
}

/// What a message that begins an exchange is stored with.
pub(crate) struct Dress {
    /// When its sender gave none.
    pub(crate) subject: String,
    pub(crate) priority: Priority,
    /// By what it was taken for a beginning, and of what.
    pub(crate) rule: Cow<'static, str>,
    pub(crate) meaning: &'static str,
}

impl Course {
    /// To whom it is addressed, as it is.
    pub(crate) fn plain(to: &[Name]) -> Course {
        let letter = |to: &Name| Letter {
            to: to.clone(),
            inboxes: Some(to.clone()).filter(|to| !is_wilco(to)).into_iter().collect(),
            delivered: None,
        };
        Course { letters: to.iter().map(letter).collect(), ..Course::default() }
    }

    /// Lets the message reach an agent too, unless it does already.
    pub(crate) fn reach(&mut self, agent: Name) {
        if !self.letters.iter().any(|letter| letter.to == agent || letter.inboxes.contains(&agent)) {
            self.letters[0].inboxes.push(agent);
        }
    }
}

impl Workspace<'_> {
    /// Stores the message as one copy per recipient; the first takes the reserved position.
    pub(crate) fn store_arrival(
        &mut self,
        arrival: &Arrival<'_>,
        place: Place,
        course: Course,
    ) -> Result<Vec<Arc<Message>>, Refused> {
        let incoming = arrival.incoming();
        let several = course.letters.len() > 1;
        let broadcast_id = match incoming.broadcast_id.as_ref().or(course.broadcast_id.as_ref()) {
            None if several => Some(arrival.broadcast_id(place.position)),
            given => given.cloned(),
        };
        let (usual_subject, usual_priority) = course.usual.unwrap_or((String::new(), "normal"));
        let given = Some(arrival.subject().to_owned()).filter(|given| !given.trim().is_empty());
        let (mut subject, mut urgency) = (
            given.unwrap_or(usual_subject),
            priority(incoming.priority.as_deref().unwrap_or(usual_priority)),
        );
        if let Some(dress) = course.dress {
            subject = if subject.trim().is_empty() { dress.subject } else { subject };
            urgency = dress.priority;
        }
        let kind = incoming.kind().to_owned();
        let mut stored: Vec<Arc<Message>> = Vec::new();
        for letter in course.letters {
            for agent in &letter.inboxes {
                self.has_room(agent)?;
            }
            let first = stored.is_empty();
            let (position, seq) = if first {
                (place.position, place.exchange.map(|(_, seq)| seq))
            } else {
                (self.reserve(), self.count(place.exchange.map(|(id, _)| id))?)
            };
            let message = Message {
                id: if first { arrival.id.clone() } else { MessageId::made(self.now, position) },
                from: arrival.from.clone(),
                from_verified: matches!(arrival.post.viewer, Viewer::Agent(_)),
                to: letter.to,
                subject: subject.clone(),
                priority: urgency,
                content: incoming.raw.clone(),
                delivered: letter.delivered,
                in_reply_to: incoming.in_reply_to.clone(),
                exchange: place.exchange.map(|(id, _)| id),
                broadcast_id: broadcast_id.clone(),
                timestamp: self.now,
                reading: course.reading.clone(),
                parsed: OnceLock::from(incoming.content.clone()),
            };
            stored.push(self.store_message(position, seq, message, letter.inboxes, kind.clone()));
        }
        Ok(stored)
    }

    /// Where a message of an exchange goes: an answer always reaches the initiator too.
    pub(crate) fn course(
        &mut self,
        arrival: &Arrival<'_>,
        exchange: &Exchange,
        routing: &Routing,
    ) -> Result<Course, Refused> {
        let initiator = exchange.initiator().clone();
        let by_initiator = arrival.from == initiator;
        let mut course = match arrival.to.as_slice() {
            [] if by_initiator => Course::plain(&[exchange.voice()]),
            [] => Course::plain(std::slice::from_ref(&initiator)),
            to => Course::plain(to),
        };
        let named = arrival.incoming().content.get("handoff_id").and_then(|id| id.as_str());
        course.usual = usual_subject(exchange, arrival.incoming().kind(), named);
        course.broadcast_id = exchange.broadcast_id().map(str::to_owned);
        if matches!(routing, Routing::Withheld) {
            course.letters.iter_mut().for_each(|letter| letter.inboxes.clear());
            return Ok(course);
        }
        if !by_initiator {
            course.reach(initiator);
        }
        if let Routing::Reach { agents, teach } = routing {
            let cited = self.citing(exchange, Some(&arrival.cause()))?;
            let url = self.settings.url.clone();
            let setting = Setting { url: &url, now: self.now, cited: &cited };
            for agent in agents {
                let content = delivered(exchange, agent, &arrival.incoming().content, *teach, &setting);
                if let Some(letter) = course.letters.iter_mut().find(|letter| letter.to == *agent) {
                    let raw = exact::written(&content, &[&arrival.incoming().raw]);
                    letter.delivered = Some(raw.map_err(|error| StoreError::Failed(Box::new(error)))?);
                } else {
                    let subject = match arrival.subject().trim() {
                        "" => passed_subject(exchange, arrival.incoming().kind()),
                        given => given.to_owned(),
                    };
                    let rendered = Rendered { subject, priority: "high", content };
                    self.send(exchange, agent, rendered, &[&arrival.incoming().raw])?;
                }
            }
        }
        if let Some(content) = identified(exchange, &arrival.incoming().content) {
            let raw = exact::written(&content, &[&arrival.incoming().raw]);
            let raw = raw.map_err(|error| StoreError::Failed(Box::new(error)))?;
            for letter in course.letters.iter_mut().filter(|letter| letter.delivered.is_none()) {
                letter.delivered = Some(raw.clone());
            }
        }
        Ok(course)
    }

    /// An inbox takes only so many unread messages, Wilco's own apart.
    fn has_room(&mut self, agent: &Name) -> Result<(), Refused> {
        let most = self.settings.inbox_limit;
        let submitted = self.submitted.and_then(|layer| layer.unread.get(agent).copied());
        let known = match self.state.presence.unread(agent) {
            Some(count) => count + submitted.unwrap_or(0),
            None => {
                let count = self.store.unread(agent, most)? as i64;
                // What is being committed may be counted already or not, so it is asked again.
                if submitted.is_none() {
                    self.state.presence.set_unread(agent, count);
                }
                count
            }
        };
        let pending = [&self.batch, &self.changes].map(|layer| layer.unread.get(agent).copied().unwrap_or(0));
        if known + pending.iter().sum::<i64>() >= most as i64 {
            let detail = format!("{agent} has {most} unread messages; wait until it has read some");
            return Err(Refused::TooMany { detail });
        }
        Ok(())
    }
}

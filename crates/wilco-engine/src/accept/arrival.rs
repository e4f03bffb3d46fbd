//! A message on its way in, and how it is stored.

use std::sync::Arc;

use serde_json::value::RawValue;
use wilco_language::parse::Incoming;
use wilco_language::render::{Rendered, Setting, delivered, passed_subject};
use wilco_protocol::decision::Passage;
use wilco_protocol::{Exchange, ExchangeId, MessageId, Name};
use wilco_store::{Message, Reading, StoreError};

use super::is_wilco;
use crate::carry::{Cause, priority};
use crate::command::{Post, Refused, Viewer};
use crate::work::Work;

/// A message whose sender and recipients are known.
pub(crate) struct Arrival<'a> {
    pub(crate) id: MessageId,
    pub(crate) from: Name,
    /// Agents, or Wilco itself. Empty when it was left out, and the exchange says.
    pub(crate) to: Vec<Name>,
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

    pub(crate) fn cause(&self) -> Cause<'_> {
        Cause { id: &self.id, subject: self.subject(), content: &self.incoming().content }
    }
}

/// The place of a message in the journal, and in its exchange.
pub(crate) struct Place {
    pub(crate) position: u64,
    pub(crate) exchange: Option<(ExchangeId, u64)>,
}

/// Where a message goes, and in which form.
pub(crate) struct Course {
    pub(crate) to: Name,
    pub(crate) inboxes: Vec<Name>,
    pub(crate) delivered: Option<Box<RawValue>>,
    pub(crate) reading: Option<Reading>,
}

impl Work<'_> {
    /// Stores the message as one copy per recipient; the first takes the reserved position.
    pub(crate) fn store_arrival(
        &mut self,
        arrival: &Arrival<'_>,
        place: Place,
        course: Course,
    ) -> Result<Vec<Arc<Message>>, Refused> {
        let incoming = arrival.incoming();
        let several = arrival.to.len() > 1;
        let broadcast_id = match &incoming.broadcast_id {
            None if several => Some(format!("broadcast-{}", place.position)),
            given => given.clone(),
        };
        let first = Message {
            id: arrival.id.clone(),
            from: arrival.from.clone(),
            from_verified: matches!(arrival.post.viewer, Viewer::Agent(_)),
            to: course.to,
            subject: arrival.subject().to_owned(),
            priority: priority(incoming.priority.as_deref().unwrap_or("normal")),
            content: incoming.raw.clone(),
            delivered: course.delivered,
            in_reply_to: incoming.in_reply_to.clone(),
            exchange: place.exchange.map(|(id, _)| id),
            broadcast_id,
            timestamp: self.now,
            reading: course.reading,
        };
        for agent in &course.inboxes {
            self.has_room(agent)?;
        }
        let kind = incoming.kind().to_owned();
        let seq = place.exchange.map(|(_, seq)| seq);
        let first = self.store_message(place.position, seq, first, course.inboxes, kind.clone());
        let mut stored = vec![first.clone()];
        for to in arrival.to.iter().skip(1) {
            self.has_room(to)?;
            let id = self.new_id();
            let copy =
                Message { id, to: to.clone(), delivered: None, reading: None, ..Message::clone(&first) };
            let (position, seq) = (self.reserve(), self.count(copy.exchange)?);
            let inboxes = Some(to.clone()).filter(|to| !is_wilco(to)).into_iter().collect();
            stored.push(self.store_message(position, seq, copy, inboxes, kind.clone()));
        }
        Ok(stored)
    }

    /// Where a message of an exchange goes: an answer always reaches the initiator too.
    pub(crate) fn course(
        &mut self,
        arrival: &Arrival<'_>,
        exchange: &Exchange,
        passage: &Passage,
    ) -> Result<Course, Refused> {
        let initiator = exchange.initiator().clone();
        let by_initiator = arrival.from == initiator;
        let to = match arrival.to.first() {
            Some(to) => to.clone(),
            None if by_initiator => Name::wilco(),
            None => initiator.clone(),
        };
        let mut course = Course { to: to.clone(), inboxes: Vec::new(), delivered: None, reading: None };
        if matches!(passage, Passage::Withheld) {
            return Ok(course);
        }
        course.inboxes.extend(Some(to.clone()).filter(|to| !is_wilco(to)));
        if !by_initiator && to != initiator {
            course.inboxes.push(initiator);
        }
        if let Passage::Reach { agent, teach } = passage {
            let cited = self.citing(exchange, Some(&arrival.cause()))?;
            let url = self.settings.url.clone();
            let setting = Setting { url: &url, now: self.now, cited: &cited };
            let content = delivered(exchange, agent, &arrival.incoming().content, *teach, &setting);
            if *agent == to {
                let raw = serde_json::value::to_raw_value(&content);
                course.delivered = Some(raw.map_err(|error| StoreError::Failed(Box::new(error)))?);
            } else {
                let subject = match arrival.subject().trim() {
                    "" => passed_subject(exchange, arrival.incoming().kind()),
                    given => given.to_owned(),
                };
                let rendered = Rendered { subject, priority: "high", content };
                self.send(exchange.id(), agent, rendered)?;
            }
        }
        Ok(course)
    }

    /// An inbox takes only so many unread messages, Wilco's own apart.
    fn has_room(&mut self, agent: &Name) -> Result<(), Refused> {
        let most = self.settings.inbox_limit;
        let submitted = self.submitted.and_then(|layer| layer.unread.get(agent).copied());
        let known = match self.state.unread.get(agent) {
            Some(count) => *count + submitted.unwrap_or(0),
            None => {
                let count = self.store.unread(agent, most)? as i64;
                // What is being committed may be counted already or not, so it is asked again.
                if submitted.is_none() {
                    self.state.unread.insert(agent.clone(), count);
                }
                count
            }
        };
        let pending = [&self.batch, &self.draft].map(|layer| layer.unread.get(agent).copied().unwrap_or(0));
        if known + pending.iter().sum::<i64>() >= most as i64 {
            let detail = format!("{agent} has {most} unread messages; wait until it has read some");
            return Err(Refused::TooMany { detail });
        }
        Ok(())
    }
}

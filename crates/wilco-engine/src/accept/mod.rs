//! The one door for messages: who sends it, to whom, what it belongs to, what follows.

mod again;
mod arrival;
mod by_task;
mod converse;
mod correlate;
mod examine;
mod hand_over;
mod operate;
mod parties;
mod start;
mod validate;

use wilco_language::parse::{Delegation, Handoff, Incoming, Operation, Typed, Validation};
use wilco_protocol::{Exchange, MessageId, Name};
use wilco_store::{Reach, ReachRow};

use crate::command::{Accepted, Post, Refused, Summary, Viewer};
use crate::ids;
use crate::workspace::Workspace;
pub(crate) use again::keys as answer_keys;
use arrival::Arrival;
use correlate::Correlated;
use start::Taken;

impl Workspace<'_> {
    /// Accepts a message, or refuses it and changes nothing.
    pub(crate) fn accept(&mut self, mut post: Post) -> Result<Accepted, Refused> {
        if let Some(detail) = read_only(&post.viewer) {
            return Err(Refused::Forbidden { detail });
        }
        let mut answered = None;
        if let Some(parent) = &post.incoming.in_reply_to
            && let Some((position, message)) = self.message_named(parent)?
        {
            post.incoming.in_reply_to = Some(message.id.clone());
            answered = Some(position);
        }
        let from = self.sender(&post)?;
        if let Some(first) = self.answered_before(&from, &post)? {
            return Ok(first);
        }
        self.sign_of_life(&from)?;
        let to = self.recipients(&post.incoming, &from)?;
        let id = self.message_id(&post.incoming)?;
        let arrival = Arrival { id, from: from.clone(), to, text: post.incoming.text(), post: &post };
        let (messages, exchange) = self.take_in(&arrival)?;
        if let Some(position) = answered {
            let reach = ReachRow { agent: from.clone(), position, reach: Reach::Answered };
            self.changes.reaches.push(reach);
        }
        let nudged = messages.iter().any(|message| self.is_being_nudged(&message.to));
        let accepted =
            Accepted { messages, exchange: exchange.as_deref().map(summary), nudged, again: false };
        self.remember(&from, &post, &accepted)?;
        Ok(accepted)
    }

    fn take_in(&mut self, arrival: &Arrival<'_>) -> Result<Taken, Refused> {
        match &arrival.incoming().typed {
            Typed::Delegation(Delegation::Assign(assignment)) => return self.assign(arrival, assignment),
            Typed::Operation(Operation::Announce(announcement)) => {
                return self.operate(arrival, announcement);
            }
            Typed::Handoff(Handoff::Replace(said)) => return self.replace(arrival, said),
            Typed::Handoff(Handoff::HandOver(said)) => return self.hand_over(arrival, said),
            Typed::Validation(Validation::Start(start)) => return self.validate(arrival, start),
            Typed::Delegation(_)
            | Typed::Operation(_)
            | Typed::Handoff(_)
            | Typed::Validation(_)
            | Typed::Decision(_)
            | Typed::Conversation
            | Typed::Talk => {}
        }
        match self.correlate(arrival)? {
            Correlated::To(targets) => self.say_to(arrival, targets),
            Correlated::Ambiguous(ids) => self.converse_ambiguous(arrival, &ids),
            Correlated::Nothing { may_classify } => self.converse(arrival, may_classify),
        }
    }

    fn message_id(&mut self, incoming: &Incoming) -> Result<MessageId, Refused> {
        let Some(chosen) = &incoming.id else { return Ok(self.new_id()) };
        if ids::may_clash(chosen, self.now, self.next_position()) {
            let detail = "ids of this form are made by the server; leave it out, or choose another";
            return Err(Refused::invalid("/id", detail));
        }
        if self.message(chosen)?.is_some() {
            let detail =
                format!("there is a message {:?} already, from somebody else or long ago", chosen.as_str());
            return Err(Refused::Conflict { detail, exchange: None });
        }
        Ok(chosen.clone())
    }
}

fn read_only(viewer: &Viewer) -> Option<String> {
    match viewer {
        Viewer::ReadOnly => Some("this token may only read; use an agent's or an operator's".to_owned()),
        Viewer::Local | Viewer::Operator | Viewer::Agent(_) => None,
    }
}

/// The exchange as the answer to a message shows it.
pub(crate) fn summary(exchange: &Exchange) -> Summary {
    let task_id = match exchange {
        Exchange::Delegation(state) => Some(state.task_id.clone()),
        Exchange::Operation(_) | Exchange::Handoff(_) | Exchange::Validation(_) => None,
    };
    let id = exchange.id();
    Summary { id, protocol: id.protocol, state: exchange.state_name().to_owned(), task_id }
}

/// Whether a recipient means Wilco itself.
pub(crate) fn is_wilco(name: &Name) -> bool {
    name.is_wilco()
}

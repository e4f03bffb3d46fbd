//! Messages: each is stored once, lies in the right inboxes, and is marked only by its reader.

use wilco_protocol::{MessageId, Name, Protocol};
use wilco_store::{InboxStatus, Reader};

use super::record::{Accepted, Acknowledged, Documented, Marked, Message, Parties, Reading, Record};
use super::{Broken, Change, Followed, Model, broken};
use crate::disk::Disk;

/// What only Wilco is to hear.
const WITHHELD: [&str; 6] =
    ["correct", "wrong-task", "wrong-summary", "partial", "unfinished-verdict", "decision"];
/// What must reach the assignee, whoever it was addressed to.
const PASSED_ON: [&str; 7] =
    ["amendment", "cancel", "pause", "resume", "answers", "assigned-again", "ack-request"];

/// A message to one or several: each gets a copy, stored one behind the other. What Wilco says to the first of them may
/// stand between.
pub(super) struct Post {
    from: Name,
    first: Name,
    mark: Option<String>,
    content: String,
}

impl Post {
    fn begun(message: &Message<'_>) -> Post {
        Post {
            from: message.from.clone(),
            first: message.to.clone(),
            mark: message.broadcast_id.clone().map(Into::into),
            content: message.content.get().to_owned(),
        }
    }

    fn has_copy(&self, message: &Message<'_>) -> bool {
        self.from == message.from
            && self.first != message.to
            && self.mark.is_some()
            && self.mark.as_deref() == message.broadcast_id.as_deref()
            && self.content == message.content.get()
    }
}

impl Model {
    pub(super) fn accepted(
        &mut self,
        disk: &Disk,
        position: u64,
        record: &Record<'_>,
        change: &mut Change,
    ) -> Result<(), Broken> {
        let accepted: Accepted = serde_json::from_str(record.data.get())?;
        let Some(row) = disk.tables.letter(position) else {
            return broken("G4", format!("the message at {position} is not stored"));
        };
        let message: Message<'_> = serde_json::from_slice(&row.body)?;
        if (&row.id, &message.id, message.timestamp) != (&accepted.id, &accepted.id, record.at) {
            return broken("G4", format!("another message than {} is stored at {position}", accepted.id));
        }
        self.messages += 1;
        // What Wilco says in an operation carries the mark of the message that began it.
        if let Some(mark) = message.broadcast_id.as_ref().filter(|_| !message.from.is_wilco()) {
            let stored = self.stored.entry(mark.clone().into_owned()).or_default();
            stored.push((position, accepted.id.clone()));
        }
        let copy = change.post.as_ref().is_some_and(|post| post.has_copy(&message));
        match &mut change.post {
            Some(_) if copy || message.from.is_wilco() => {}
            post => *post = Some(Post::begun(&message)),
        }
        let opens_handoff = record.exchange.is_some_and(|id| id.protocol == Protocol::Handoff);
        if opens_handoff && record.seq == Some(1) {
            // Its first event says whom it is about, and so where it lies.
            change.addressed.insert(position, message.to.clone());
        } else {
            self.lies_right(position, &message, &accepted, copy)?;
        }
        change.lies.insert(accepted.id.clone(), (message.from.clone(), accepted.inboxes.clone()));
        if accepted.kind == "status-change" && message.from.is_wilco() {
            self.quiet.insert(position);
        }
        // The review announces the ACK that it is about.
        let reviewed = message.reading.as_ref().is_some_and(|reading| {
            let delegation = reading.exchange.is_some_and(|id| id.protocol == Protocol::Delegation);
            let in_review = reading.effect.ends_with("-> in-review") || &*reading.effect == "recorded";
            delegation && in_review && !message.from.is_wilco()
        });
        for agent in &accepted.inboxes {
            match disk.inbox_status(agent, position)? {
                Some(InboxStatus::Unread) => {}
                // Wilco marks it as read, by an event of the same commit.
                Some(InboxStatus::Read) if reviewed => self.asks_to_mark(agent, &accepted.id),
                Some(_) | None => {
                    return broken("G4", format!("{} does not lie unread in {agent}'s inbox", accepted.id));
                }
            }
            self.inboxes.insert((agent.clone(), position), InboxStatus::Unread);
        }
        if let Some(id) = message.exchange.filter(|_| message.from.is_wilco()) {
            let confirms = accepted.kind == "replacement_confirmation";
            let to = if confirms { &message.from } else { &message.to };
            change.debts.heard(id.number, id.protocol, &accepted.kind, to);
        }
        if let Some(asked) = message.exchange.and_then(|id| self.operations.get_mut(&id.number)) {
            let told = accepted.inboxes.iter().filter(|_| message.from == Name::wilco());
            told.into_iter().try_for_each(|agent| asked.heard(agent, &accepted.kind))?;
        }
        self.gave(record, &message, &accepted, change);
        Ok(())
    }

    /// The inboxes are those that follow from who wrote what to whom.
    fn lies_right(
        &self,
        position: u64,
        message: &Message<'_>,
        accepted: &Accepted,
        copy: bool,
    ) -> Result<(), Broken> {
        let initiator = message.exchange.and_then(|id| self.initiator_of(id.number));
        let withheld = |reading: &Reading<'_>| match reading.exchange.map(|id| id.protocol) {
            None => false,
            // What is amended while it is handed over is for the replacement, which gets the task as it is then.
            Some(Protocol::Delegation) if &*reading.meaning == "amendment" => reading
                .exchange
                .and_then(|id| self.tracks.get(&id.number))
                .is_some_and(|track| track.held.is_some()),
            Some(Protocol::Delegation) => WITHHELD.contains(&&*reading.meaning),
            Some(Protocol::Operation) => match &*reading.meaning {
                "result" | "decision" => true,
                "cancel" => initiator == Some(&message.from),
                _ => false,
            },
            Some(Protocol::Handoff) => {
                let verdict = WITHHELD.contains(&&*reading.meaning);
                verdict || &*reading.meaning == "override" || Self::waits_for_document(message, reading)
            }
            Some(Protocol::Validation) => matches!(&*reading.meaning, "validation-start" | "decision"),
        };
        let mut right = Vec::new();
        // What a command found is for Wilco alone.
        let by_command = message.from.is_reserved() && !message.from.is_wilco();
        if !by_command && !message.reading.as_ref().is_some_and(withheld) {
            right.extend(Some(&message.to).filter(|to| !to.is_reserved()));
            if let (Some(initiator), Some(_)) = (initiator, &message.reading)
                && message.from != *initiator
                && message.to != *initiator
                && !copy
            {
                right.push(initiator);
            }
        }
        // A text may acknowledge tasks of others too, and reaches them.
        let others = accepted.inboxes.get(right.len()..).unwrap_or_default();
        let asks = |name: &Name| self.tracks.values().any(|track| track.initiator() == name);
        let said = message.reading.as_ref().is_some_and(|reading| reading.exchange.is_some());
        if said && others.iter().all(|name| asks(name) && !right.contains(&name)) {
            right.extend(others);
        }
        if !right.iter().copied().eq(&accepted.inboxes) {
            let what = format!("{} at {position} lies in {:?}, not {right:?}", accepted.id, accepted.inboxes);
            return broken("G4", what);
        }
        Ok(())
    }

    /// Who asked for a task gets what acknowledges it, whatever else that says and whomever it is for.
    pub(super) fn has_heard(&self, number: u64, record: &Record<'_>, change: &Change) -> Result<(), Broken> {
        let said: Acknowledged = serde_json::from_str(record.data.get())?;
        let (Some(initiator), Some((from, inboxes))) =
            (self.initiator_of(number), change.lies.get(&said.ack))
        else {
            return Ok(());
        };
        if from == initiator || inboxes.contains(initiator) {
            return Ok(());
        }
        broken("G4", format!("{} acknowledges {number}, and {initiator} does not get it", said.ack))
    }

    /// Answers that come with a document are told with it.
    fn waits_for_document(message: &Message<'_>, reading: &Reading<'_>) -> bool {
        let documented = || serde_json::from_str::<Documented>(message.content.get());
        &*reading.meaning == "answers" && documented().is_ok_and(|content| content.document.is_some())
    }

    /// A request to replace somebody is read by whom it is for, unless that is one of those it is about.
    pub(super) fn is_addressed_right(
        &self,
        number: u64,
        record: &Record<'_>,
        change: &mut Change,
    ) -> Result<(), Broken> {
        let parties: Parties = serde_json::from_str(record.data.get())?;
        let lies = change.first.remove(&number).unwrap_or_default();
        let Some(to) = change.addressed.remove(&number) else {
            return broken("G3", format!("handoff {number} begins without a message"));
        };
        let about = to == parties.replacement.id || parties.failed.is_some_and(|failed| failed.id == to);
        let read = parties.given_url.is_some() || !to.is_wilco() && !about;
        if lies.contains(&to) != read || lies.len() != usize::from(read) {
            return broken("G4", format!("the request to {to} of handoff {number} lies in {lies:?}"));
        }
        Ok(())
    }

    /// Who holds the task by what was said, and who had to hear it.
    fn gave(&mut self, record: &Record<'_>, message: &Message<'_>, accepted: &Accepted, change: &mut Change) {
        let Some(id) = message.exchange else { return };
        let reached = accepted.inboxes.iter().map(|agent| (id.number, agent.clone()));
        change.reached.extend(reached);
        if let Some(handoff) = self.handoffs.get(&id.number) {
            let answers =
                |reading: &Reading<'_>| &*reading.meaning == "answers" && &*reading.effect != "none";
            let passes = message.reading.as_ref().is_some_and(answers) && !accepted.inboxes.is_empty();
            change.owed.extend(passes.then(|| (id.number, handoff.agent.clone())));
            return;
        }
        let Some(track) = self.tracks.get_mut(&id.number) else {
            change.first.entry(id.number).or_default().extend(accepted.inboxes.iter().cloned());
            return;
        };
        match accepted.kind.as_str() {
            "task-assignment" if record.by == Name::wilco() => {
                track.holders.extend(accepted.inboxes.iter().cloned());
            }
            "task-cancel" => track.holders.retain(|holder| !accepted.inboxes.contains(holder)),
            _ => {}
        }
        if let Some(reading) = &message.reading
            && PASSED_ON.contains(&&*reading.meaning)
            && &*reading.effect != "none"
            // What is handed over is amended for the replacement: its agent was told to stop.
            && !(&*reading.meaning == "amendment" && track.held.is_some())
        {
            change.owed.insert((id.number, track.assignee.clone()));
        }
    }

    /// Somebody asks to have its own message marked.
    pub(crate) fn asks_to_mark(&mut self, agent: &Name, id: &MessageId) {
        self.asked.insert((agent.clone(), id.clone()));
    }

    pub(super) fn marked(&mut self, disk: &Disk, record: &Record<'_>) -> Result<(), Broken> {
        let marked: Marked = serde_json::from_str(record.data.get())?;
        let status = match &*record.kind {
            // Told or not: where it lies stays the same.
            "message-nudged" | "message-nudge-failed" => return Ok(()),
            "message-read" => InboxStatus::Read,
            "message-archived" => InboxStatus::Archived,
            _ => InboxStatus::Deleted,
        };
        let position = disk.message(&marked.id)?.map_or(0, |row| row.position);
        let place = (marked.agent, position);
        if !self.asked.contains(&(place.0.clone(), marked.id.clone())) {
            return broken("G4", format!("{} was marked, and {} did not ask for it", marked.id, place.0));
        }
        if disk.inbox_status(&place.0, position)? != Some(status) {
            return broken("G4", format!("{} is not marked in {}'s inbox", marked.id, place.0));
        }
        self.inboxes.insert(place, status);
        Ok(())
    }
}

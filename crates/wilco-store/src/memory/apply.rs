//! Brings a checked batch into the tables, kind by kind.

use std::sync::Arc;

use wilco_protocol::{Name, Time};

use crate::batch::{AgentChange, Batch, EffectChange, IdempotencyRow, InboxStatus, KeyChange};

use super::{Derived, Inbox, Operational, Record, Tables};

impl Tables {
    pub(super) fn apply(&mut self, batch: &Batch) {
        self.at = Some(batch.at);
        if !batch.journal.is_empty() || !batch.messages.is_empty() {
            Arc::make_mut(&mut self.record).apply(batch);
        }
        Arc::make_mut(&mut self.derived).apply(batch);
        Arc::make_mut(&mut self.operational).apply(batch);
    }
}

impl Record {
    fn apply(&mut self, batch: &Batch) {
        for row in &batch.journal {
            if let (Some(exchange), Some(seq)) = (row.exchange, row.seq) {
                self.events.insert((exchange, seq), row.position);
            }
            self.journal.push(row.clone());
        }
        for row in &batch.messages {
            self.ids.insert(row.id.clone(), row.position);
            self.spoken.extend(row.exchange.map(|exchange| (exchange, row.position)));
            self.messages.insert(row.position, row.clone());
        }
    }
}

impl Derived {
    fn apply(&mut self, batch: &Batch) {
        for row in &batch.inbox {
            if !self.inboxes.contains_key(&row.agent) {
                self.inboxes.insert(row.agent.clone(), Inbox::default());
            }
            if let Some(inbox) = self.inboxes.get_mut(&row.agent) {
                inbox.put(row.position, row.status);
            }
        }
        for mark in &batch.marks {
            if let Some(inbox) = self.inboxes.get_mut(&mark.agent)
                && inbox.messages.contains_key(&mark.position)
            {
                inbox.put(mark.position, mark.status);
            }
        }
        for row in &batch.reaches {
            let reached = self.reached.entry((row.position, row.agent.clone())).or_default();
            *reached = reached.and(row.reach);
        }
        for row in &batch.exchanges {
            self.exchanges.insert(row.id.number, row.clone());
        }
        for change in &batch.keys {
            self.change_key(change);
        }
        for change in &batch.agents {
            match change {
                AgentChange::Put(agent) => self.agents.insert(agent.name.clone(), agent.clone()),
                AgentChange::Removed(name) => self.agents.remove(name),
            };
        }
    }

    fn change_key(&mut self, change: &KeyChange) {
        if change.added {
            match self.keys.get_mut(&change.key) {
                Some(numbers) => numbers.insert(change.exchange),
                None => self.keys.insert(change.key.clone(), [change.exchange].into()).is_none(),
            };
        } else if let Some(numbers) = self.keys.get_mut(&change.key) {
            numbers.remove(&change.exchange);
            if numbers.is_empty() {
                self.keys.remove(&change.key);
            }
        }
    }
}

impl Inbox {
    fn put(&mut self, position: u64, status: InboxStatus) {
        self.messages.insert(position, status);
        match status {
            InboxStatus::Unread => self.unread.insert(position),
            InboxStatus::Read | InboxStatus::Archived | InboxStatus::Deleted => self.unread.remove(&position),
        };
    }
}

impl Operational {
    fn apply(&mut self, batch: &Batch) {
        for change in &batch.effects {
            match change {
                EffectChange::Put(row) => self.effects.insert((row.position, row.index), row.clone()),
                EffectChange::Settled { position, index } => self.effects.remove(&(*position, *index)),
            };
        }
        self.presence.extend(batch.presence.iter().map(|row| (row.name.clone(), row.clone())));
        for row in &batch.idempotency {
            self.remember(row);
        }
        if let Some(before) = batch.forget_before {
            self.forget(before);
        }
    }

    fn remember(&mut self, row: &IdempotencyRow) {
        let key = (row.sender.clone(), row.key.clone());
        self.ages.insert((row.at, row.sender.clone(), row.key.clone()));
        if let Some(former) = self.idempotency.insert(key, row.clone())
            && former.at != row.at
        {
            self.ages.remove(&(former.at, former.sender.clone(), former.key.clone()));
        }
    }

    fn forget(&mut self, before: Time) {
        // No sender has an empty name, so this bound lies before every record of that instant.
        let kept = self.ages.split_off(&(before, Name::new(""), String::new()));
        for (_, sender, key) in std::mem::replace(&mut self.ages, kept) {
            self.idempotency.remove(&(sender, key));
        }
    }
}

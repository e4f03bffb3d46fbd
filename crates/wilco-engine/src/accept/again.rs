//! The same message twice: the first answer again, no second effect.

use serde::{Deserialize, Serialize};
use wilco_protocol::{MessageId, Name};
use wilco_store::{Hash, IdempotencyRow};

use crate::command::{Accepted, Post, Refused, Summary};
use crate::lookup::damaged;
use crate::workspace::Workspace;

/// What is needed to give an answer again.
#[derive(Serialize, Deserialize)]
struct Kept {
    messages: Vec<MessageId>,
    exchange: Option<Summary>,
    #[serde(default)]
    nudged: bool,
}

impl Workspace<'_> {
    /// The answer that an earlier request of the same key or id got.
    pub(crate) fn answered_before(&mut self, from: &Name, post: &Post) -> Result<Option<Accepted>, Refused> {
        for key in keys(post) {
            let place = (from.clone(), key);
            let pending = self.layers().find_map(|layer| layer.idempotency.get(&place)).cloned();
            let row = match pending {
                Some(row) => Some(row),
                None => self.lookup.answer(&place)?,
            };
            if let Some(row) = row {
                return self.answer_again(&row, post).map(Some);
            }
        }
        Ok(None)
    }

    /// Whether an answer stands under this key, as far as it was looked up.
    pub(crate) fn is_answered(&mut self, place: &(Name, String)) -> bool {
        self.lookup.answer(place).is_ok_and(|row| row.is_some())
    }

    fn answer_again(&mut self, row: &IdempotencyRow, post: &Post) -> Result<Accepted, Refused> {
        if row.request != post.incoming.fingerprint() {
            return Err(Refused::KeyReused);
        }
        let kept: Kept = serde_json::from_slice(&row.answer).map_err(|error| damaged(0, error))?;
        let mut messages = Vec::new();
        for id in &kept.messages {
            messages.extend(self.message(id)?.map(|(_, message)| message));
        }
        Ok(Accepted { messages, exchange: kept.exchange, nudged: kept.nudged, again: true })
    }

    pub(crate) fn remember(&mut self, from: &Name, post: &Post, accepted: &Accepted) -> Result<(), Refused> {
        let keys = keys(post);
        if keys.is_empty() {
            return Ok(());
        }
        let kept = Kept {
            messages: accepted.messages.iter().map(|message| message.id.clone()).collect(),
            exchange: accepted.exchange.clone(),
            nudged: accepted.nudged,
        };
        let answer = serde_json::to_vec(&kept).map_err(|error| damaged(0, error))?;
        let request = post.incoming.fingerprint();
        for key in keys {
            self.keep_answer(from.clone(), key, request, answer.clone());
        }
        Ok(())
    }

    /// Keeps an answer under its key.
    pub(crate) fn keep_answer(&mut self, sender: Name, key: String, request: Hash, answer: Vec<u8>) {
        let place = (sender.clone(), key.clone());
        let row = IdempotencyRow { sender, key, request, at: self.now, answer };
        self.changes.idempotency.insert(place, row);
    }
}

/// What makes two requests the same: the key, and the id that the client chose.
pub(crate) fn keys(post: &Post) -> Vec<String> {
    let key = post.idempotency_key.as_ref().map(|key| format!("key:{key}"));
    let id = post.incoming.id.as_ref().map(|id| format!("id:{id}"));
    key.into_iter().chain(id).collect()
}

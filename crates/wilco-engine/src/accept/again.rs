//! The same message twice: the first answer again, no second effect.

use serde::{Deserialize, Serialize};
use wilco_protocol::{MessageId, Name};
use wilco_store::IdempotencyRow;

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

/// The answer that an earlier request of the same key or id got.
pub(crate) fn answered_before(
    workspace: &mut Workspace<'_>,
    from: &Name,
    post: &Post,
) -> Result<Option<Accepted>, Refused> {
    for key in keys(post) {
        let place = (from.clone(), key);
        if let Some(row) = workspace.answer(&place)? {
            return answer_again(workspace, &row, post).map(Some);
        }
    }
    Ok(None)
}

fn answer_again(
    workspace: &mut Workspace<'_>,
    row: &IdempotencyRow,
    post: &Post,
) -> Result<Accepted, Refused> {
    if row.request != post.incoming.fingerprint() {
        return Err(Refused::KeyReused);
    }
    let kept: Kept = serde_json::from_slice(&row.answer).map_err(|error| damaged(0, error))?;
    let mut messages = Vec::new();
    for id in &kept.messages {
        messages.extend(workspace.message(id)?.map(|(_, message)| message));
    }
    Ok(Accepted { messages, exchange: kept.exchange, nudged: kept.nudged, again: true })
}

pub(crate) fn remember(
    workspace: &mut Workspace<'_>,
    from: &Name,
    post: &Post,
    accepted: &Accepted,
) -> Result<(), Refused> {
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
        workspace.keep_answer(from.clone(), key, request, answer.clone());
    }
    Ok(())
}

/// What makes two requests the same: the key, and the id that the client chose.
pub(crate) fn keys(post: &Post) -> Vec<String> {
    let key = post.idempotency_key.as_ref().map(|key| format!("key:{key}"));
    let id = post.incoming.id.as_ref().map(|id| format!("id:{id}"));
    key.into_iter().chain(id).collect()
}

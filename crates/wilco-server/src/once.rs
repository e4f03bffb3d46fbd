//! Requests that do something outside and are no messages: under an Idempotency-Key they are done once, and their
//! first answer is given again.

use http::{HeaderMap, StatusCode};
use serde_json::Value;
use wilco_engine::{Command, reads};
use wilco_language::parse::fingerprint;

use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::v1::messages::idempotency_key;

/// Does it, unless it was done under this key before. `what`: everything that makes two requests the same. Only
/// what went well is remembered.
pub(crate) async fn once(
    app: &App,
    caller: &Caller,
    headers: &HeaderMap,
    what: &Value,
    done: impl Future<Output = Result<Value, Failure>>,
) -> Result<Value, Failure> {
    let Some(key) = idempotency_key(headers)? else { return done.await };
    // One at a time: a twin waits for the answer of the first. Nobody closes it.
    let _turn = app.keyed.acquire().await;
    let sender = caller.agent.clone().unwrap_or_else(|| app.config.default_sender.clone());
    let (key, request) = (format!("key:{key}"), fingerprint(what));
    let (of, under) = (sender.clone(), key.clone());
    match app.handle.read(move |reader| reads::kept_answer(reader, &of, &under)).await? {
        Some(row) if row.request != request => Err(wilco_engine::Refused::KeyReused.into()),
        Some(row) => serde_json::from_slice(&row.answer).map_err(|error| {
            Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "store-damaged", error.to_string())
        }),
        None => {
            let answer = done.await?;
            let kept = answer.to_string().into_bytes();
            app.handle.send(Command::Keep { sender, key, request, answer: kept }).await??;
            Ok(answer)
        }
    }
}

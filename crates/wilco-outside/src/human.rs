//! Reaching a person about an escalation: by a configured program, a webhook, or both.

use serde_json::{Value, json};
use wilco_protocol::Time;
use wilco_protocol::decision::Report;

use crate::command::run;
use crate::webhook::Hook;
use crate::{EffectResult, Outside};

/// The escalation goes to the program's standard input as JSON, and to the webhook as its data. One that
/// succeeds is enough.
pub(crate) async fn call(outside: &Outside, escalation: u32, payload: &Value, now: Time) -> EffectResult {
    let mut failed = Vec::new();
    if let Some(program) = &outside.human
        && let Err(reason) = run(program, &payload.to_string()).await
    {
        failed.push(reason);
    }
    if let Some(url) = &outside.human_webhook {
        let id = format!("escalation-{}", payload["escalation"].as_str().unwrap_or_default());
        let body = json!({"type": "escalation.opened", "timestamp": now, "data": payload}).to_string();
        let hook = Hook { url, id: &id, timestamp: now.millis() / 1000, body };
        failed.extend(outside.webhooks.call_configured(&hook).await.err());
    }
    let ways = usize::from(outside.human.is_some()) + usize::from(outside.human_webhook.is_some());
    match failed.len() {
        0 => EffectResult::Reported(Report::HumanCalled { escalation, reached: ways > 0 }),
        lost if lost < ways => EffectResult::Reported(Report::HumanCalled { escalation, reached: true }),
        _ => EffectResult::NotYet { reason: failed.join("; "), after: None, otherwise: None },
    }
}

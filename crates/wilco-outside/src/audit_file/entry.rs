//! One entry of the audit file.

use wilco_protocol::Time;
use wilco_protocol::handoff::{AuditEntry, Progress};

use crate::stamp::seconds;
use crate::yaml::{Value, items};

fn progress(known: Option<&Progress>) -> Value {
    match known {
        Some(Progress::Percent(percent)) => Value::Whole(i64::from(*percent)),
        Some(Progress::Checkpoint(name)) => Value::text(name),
        None => Value::Null,
    }
}

/// An entry as an item of the file's list.
pub(crate) fn text(entry: &AuditEntry) -> String {
    let time = |time: Option<Time>| Value::maybe(time.map(seconds));
    let whole = |number: Option<u64>| {
        number.and_then(|number| i64::try_from(number).ok()).map_or(Value::Null, Value::Whole)
    };
    let AuditEntry { ecos_notification: told, failed_agent: failed, replacement_agent: new, .. } = entry;
    let AuditEntry { handoff, github, ack, ecos_confirmation: confirmed, .. } = entry;
    let item = Value::Map(vec![
        ("timestamp", Value::text(seconds(entry.timestamp))),
        ("event", Value::text(&entry.event)),
        ("orchestrator", Value::text(&entry.orchestrator)),
        (
            "ecos_notification",
            Value::Map(vec![
                ("received_at", Value::text(seconds(told.received_at))),
                ("notification_id", Value::text(&told.notification_id)),
                ("urgency", Value::text(&told.urgency)),
            ]),
        ),
        (
            "failed_agent",
            Value::Map(vec![
                ("id", Value::text(&failed.id)),
                ("session", Value::text(&failed.session)),
                ("reason", Value::text(&failed.reason)),
                ("tasks_assigned", Value::texts(&failed.tasks_assigned)),
                ("last_known_progress", progress(failed.last_known_progress.as_ref())),
            ]),
        ),
        (
            "replacement_agent",
            Value::Map(vec![("id", Value::text(&new.id)), ("session", Value::text(&new.session))]),
        ),
        (
            "handoff",
            Value::Map(vec![
                ("id", Value::text(&handoff.id)),
                ("url", Value::maybe(handoff.url.clone())),
                ("generated_at", time(handoff.generated_at)),
                ("size_bytes", whole(handoff.size_bytes)),
            ]),
        ),
        (
            "github",
            Value::Map(vec![
                ("issues_updated", Value::texts(&github.issues_updated)),
                ("labels_changed", Value::texts(&github.labels_changed)),
                ("comments_added", Value::texts(&github.comments_added)),
            ]),
        ),
        (
            "ack",
            Value::Map(vec![
                ("received_at", time(ack.received_at)),
                ("status", Value::maybe(ack.status.clone())),
                ("understanding_verified", Value::Flag(ack.understanding_verified)),
            ]),
        ),
        (
            "ecos_confirmation",
            Value::Map(vec![
                ("sent_at", time(Some(confirmed.sent_at))),
                ("status", Value::text(&confirmed.status)),
            ]),
        ),
        ("total_duration", Value::text(&entry.total_duration)),
        ("outcome", Value::text(&entry.outcome)),
    ]);
    items(&[item])
}

//! The communication log of a validation: every message in and out, with what it changed.

use crate::message::MessageType;
use std::collections::BTreeMap;

use serde::Serialize;
use wilco_protocol::validation::Status;
use wilco_protocol::{Name, Time};

use super::short;

/// A loop from its first message to its last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Communication {
    pub issue: String,
    pub feature: Option<String>,
    pub started: Time,
    /// When it ended; none while it is open.
    pub completed: Option<Time>,
    pub entries: Vec<LogEntry>,
    pub statistics: Statistics,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogEntry {
    pub entry_id: String,
    pub time: Time,
    pub sender: Name,
    pub recipient: Name,
    #[serde(rename = "type")]
    pub kind: String,
    pub message_id: String,
    /// One line.
    pub summary: String,
    pub status_before: &'static str,
    pub status_after: &'static str,
    pub iteration: u32,
    pub max_iterations: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Statistics {
    pub total_messages: usize,
    /// How many of each type.
    pub messages: BTreeMap<String, usize>,
    /// Of all phases together.
    pub iterations: u32,
    pub phases: usize,
    /// Phases that somebody decided to go on without.
    pub skipped: usize,
    pub escalations: u32,
    /// The status of the loop.
    pub outcome: &'static str,
}

impl Statistics {
    pub fn of(
        entries: &[LogEntry],
        iterations: u32,
        phases: usize,
        skipped: usize,
        escalations: u32,
        outcome: Status,
    ) -> Statistics {
        let mut messages = BTreeMap::new();
        for entry in entries {
            *messages.entry(entry.kind.clone()).or_insert(0) += 1;
        }
        Statistics {
            total_messages: entries.len(),
            messages,
            iterations,
            phases,
            skipped,
            escalations,
            outcome: outcome.code(),
        }
    }
}

/// Types in the order and with the words of the log; others follow by their own name.
const COUNTED: [(MessageType, &str); 9] = [
    (MessageType::ValidationRequest, "Validation Requests"),
    (MessageType::ValidationResult, "Validation Results"),
    (MessageType::FailureReport, "Failure Reports"),
    (MessageType::FixRequest, "Fix Requests"),
    (MessageType::FixAcknowledgment, "Fix Acknowledgments"),
    (MessageType::FixCompletion, "Fix Completions"),
    (MessageType::RevalidationTrigger, "Re-validation Triggers"),
    (MessageType::RevalidationResult, "Re-validation Results"),
    (MessageType::SuccessNotification, "Success Notifications"),
];

/// The log as people read it.
pub fn communication(log: &Communication) -> String {
    let plain = |text: &str| super::log::escaped(&short(text, 200));
    let issue = plain(&log.issue);
    let feature = log.feature.as_deref().map(|text| format!(" - {}", plain(text))).unwrap_or_default();
    let end = log.completed.or(log.entries.last().map(|entry| entry.time)).unwrap_or(log.started);
    let mut out = format!(
        "## Full Communication Log: Feature #{issue}\n\n\
         **Issue**: #{issue}{feature}\n\
         **Started**: {}\n\
         **Completed**: {}\n\
         **Total Duration**: {}\n\
         **Total Messages**: {}\n\
         **Total Iterations**: {}\n\n---\n\n### Chronological Message Log\n",
        clock(log.started),
        log.completed.map_or_else(|| "still open".to_owned(), clock),
        duration(end.since(log.started).as_seconds()),
        log.statistics.total_messages,
        log.statistics.iterations,
    );
    for entry in &log.entries {
        out.push_str(&format!(
            "\n**[{}]** @{} → @{}: {}\n- Entry ID: {}\n- Message ID: {}\n- Summary: {}\n- Status: {} → {}\n- Iteration: {}/{}\n",
            clock(entry.time),
            plain(entry.sender.as_str()),
            plain(entry.recipient.as_str()),
            plain(&entry.kind),
            plain(&entry.entry_id),
            plain(&entry.message_id),
            plain(&entry.summary),
            entry.status_before,
            entry.status_after,
            entry.iteration,
            entry.max_iterations,
        ));
    }
    out.push_str(&statistics(&log.statistics));
    out
}

fn statistics(of: &Statistics) -> String {
    let mut out =
        format!("\n---\n\n### Communication Statistics\n\n**Total Messages**: {}\n", of.total_messages);
    for (kind, words) in COUNTED {
        out.push_str(&format!("**{words}**: {}\n", of.messages.get(kind.name()).unwrap_or(&0)));
    }
    let counted = |kind: &String| COUNTED.iter().any(|(known, _)| known.name() == kind);
    for (kind, count) in of.messages.iter().filter(|(kind, _)| !counted(kind)) {
        out.push_str(&format!("**{}**: {count}\n", super::log::escaped(kind)));
    }
    let again = of.iterations.saturating_sub(of.phases as u32);
    let first = of.iterations - again;
    let outcome = match of.outcome {
        "COMPLETED" if of.skipped == 0 => "Success (all validations passed)",
        "COMPLETED" => "Success (all validations passed or were skipped)",
        "ABORTED" => "Aborted",
        open => open,
    };
    out.push_str(&format!(
        "\n**Iterations**: {} ({first} initial + {again} retry)\n**Escalations**: {}\n**Outcome**: {outcome}\n",
        of.iterations, of.escalations
    ));
    out
}

/// `2026-03-01 12:00:00`.
fn clock(at: Time) -> String {
    let written = at.to_string();
    written.split('.').next().unwrap_or_default().replace('T', " ")
}

/// `HH:MM:SS`.
fn duration(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

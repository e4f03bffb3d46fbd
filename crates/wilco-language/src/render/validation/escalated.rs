//! The report of an escalation: why, what failed in each iteration, what may be decided.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use wilco_protocol::escalation::Reason;
use wilco_protocol::exchange::Texts;
use wilco_protocol::validation::{Phase, Round, State, escalation_id, options};
use wilco_protocol::{EscalationId, Exchange, Name};

use super::super::form;
use super::super::operation::capital;
use super::super::{Rendered, Setting, escalation as escalations};
use super::{Draft, SENDER, about, clock, counted, found};
use crate::read::failures::Failure;
use crate::read::fingerprint::{Fingerprint, fingerprint, fingerprints};
use crate::read::form::FormKind;
use crate::table;

/// One round as the report shows it.
struct Lap {
    iteration: u32,
    failures: Vec<Failure>,
    fixes: Vec<String>,
    files: Vec<String>,
}

fn laps(phase: &Phase, setting: &Setting<'_>) -> Vec<Lap> {
    let lap = |round: &Round| {
        let failures = round.failed.as_ref().map(|id| setting.cited.failures(id)).unwrap_or_default();
        let (fixes, files) = round.fixed.as_ref().map(|id| setting.cited.fixes(id)).unwrap_or_default();
        Lap { iteration: round.iteration, failures, fixes, files }
    };
    phase.rounds.iter().map(lap).collect()
}

pub(super) fn escalation(
    state: &State,
    to: &Name,
    number: u32,
    again: bool,
    setting: &Setting<'_>,
) -> Rendered {
    let exchange = Exchange::Validation(state.clone());
    let base = escalations::message(&exchange, to, number, again, setting);
    let opened = state.escalations.iter().find(|one| one.number == number);
    let (Some(base), Some(opened)) = (base, opened) else {
        return Rendered { subject: String::new(), priority: "urgent", content: Map::new() };
    };
    let stuck = opened.evidence.stuck.as_ref();
    let phase = state.phases.iter().find(|phase| stuck.is_some_and(|stuck| stuck.phase == phase.name));
    let Some(phase) = phase else { return base };
    let id = escalation_id(state, phase, opened.opened);
    let laps = laps(phase, setting);
    let persistent = persistent(&laps, &found(phase, setting));
    let took = opened.opened.since(phase.started.unwrap_or(opened.opened));
    let draft = Draft { state, to, kind: FormKind::Escalation, id, priority: "urgent", now: setting.now };
    let still = if again { "Still undecided. " } else { "" };
    let why = format!("{still}{}", escalations::escalation_text(&exchange, opened, setting.cited));
    let summary = format!(
        "**Reason**: {} - {}\n**Iterations**: {} of {}\n**Time**: {}",
        reason_name(opened.reason),
        why,
        phase.iteration,
        phase.max_iterations,
        clock(took)
    );
    let listed = if persistent.is_empty() { NO_FAILURES.to_owned() } else { form::failures(&persistent) };
    let side_by_side = if opened.reason == Reason::Deadlock { sets(&laps) } else { String::new() };
    let text = draft
        .form()
        .section("Escalation Summary", &summary)
        .section("Persistent Failures", &listed)
        .section("The Same Failures Again", &side_by_side)
        .section("Iteration History", &history(&laps))
        .section("Recommended Actions", RECOMMENDED)
        .sent_by(SENDER, Some("User Decision"));
    let id = EscalationId { exchange: state.id, number };
    let mut message = base;
    message.content.insert("message".into(), json!(text));
    message.content.insert("message_id".into(), json!(draft.id));
    message.content.extend(about(state, Some(phase)));
    message
        .teaching(super::super::teaching::decide(id, to, &options(state), None, setting))
        .with("iterations", json!(phase.iteration))
        .with("time", json!(clock(took)))
        .with("persistent_failures", json!(persistent))
        .with("history", history_json(&laps))
}

const NO_FAILURES: &str = "None: no check has reported a failure.";

const RECOMMENDED: &str = "- manual-fix: somebody fixed it; it is checked again\n\
     - skip: go on without this phase\n\
     - abort: end the validation\n\
     - extend: more iterations or more time";

fn reason_name(reason: Reason) -> String {
    match reason {
        Reason::MaxIterations => "Max Iterations Exceeded".to_owned(),
        Reason::IterationTimeout => "Iteration Timeout".to_owned(),
        other => {
            let words = other.word().split('-').map(capital);
            words.collect::<Vec<_>>().join(" ")
        }
    }
}

/// What failed in every iteration, else what failed last.
fn persistent(laps: &[Lap], last: &[Failure]) -> Vec<Failure> {
    let failed: Vec<_> =
        laps.iter().filter(|lap| !lap.failures.is_empty()).map(|lap| fingerprints(&lap.failures)).collect();
    let always = |failure: &&Failure| failed.iter().all(|set| set.contains(&fingerprint(failure)));
    let kept: Vec<Failure> = last.iter().filter(always).cloned().collect();
    if kept.is_empty() { last.to_vec() } else { kept }
}

fn history(laps: &[Lap]) -> String {
    let rows = laps.iter().map(|lap| {
        let failures: Vec<_> =
            lap.failures.iter().map(|one| format!("{} - {}", one.location, one.error)).collect();
        let failed = match failures.len() {
            0 => "none".to_owned(),
            some => format!("{}: {}", counted(some, "failure"), failures.join("; ")),
        };
        Map::from_iter([
            ("Iteration".to_owned(), json!(lap.iteration)),
            ("Failures".to_owned(), json!(failed)),
            ("Fixes".to_owned(), json!(lap.fixes.join("; "))),
        ])
    });
    table::rows(&["Iteration", "Failures", "Fixes"], &rows.collect::<Vec<_>>())
}

fn history_json(laps: &[Lap]) -> Value {
    let lap = |lap: &Lap| {
        json!({
            "iteration": lap.iteration,
            "failures": lap.failures,
            "fixes": lap.fixes,
            "files": lap.files,
        })
    };
    Value::Array(laps.iter().map(lap).collect())
}

/// Which failures were found in which iteration.
fn sets(laps: &[Lap]) -> String {
    let sets: Vec<(String, BTreeSet<Fingerprint>)> = laps
        .iter()
        .filter(|lap| !lap.failures.is_empty())
        .map(|lap| (format!("Iteration {}", lap.iteration), fingerprints(&lap.failures)))
        .collect();
    let all: BTreeSet<&Fingerprint> = sets.iter().flat_map(|(_, set)| set).collect();
    let row = |print: &&Fingerprint| {
        let mut row =
            Map::from_iter([("Failure".to_owned(), json!(format!("{} - {}", print.location, print.error)))]);
        for (name, set) in &sets {
            row.insert(name.clone(), json!(if set.contains(*print) { "yes" } else { "no" }));
        }
        row
    };
    let columns: Vec<&str> =
        ["Failure"].into_iter().chain(sets.iter().map(|(name, _)| name.as_str())).collect();
    table::rows(&columns, &all.iter().map(row).collect::<Vec<_>>())
}

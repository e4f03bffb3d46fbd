//! Does an exchange go on by itself, and if not, who must do what?

use wilco_client::ExchangeParameters;
use wilco_protocol::{Span, Time};
use wilco_wire::Exchange;

use super::Exam;
use super::agent;
use super::finding::Finding;
use crate::output::age::rough;
use crate::output::board::waits_for;

/// A timer that is late by less is being handled.
const LATE: Span = Span::seconds(5);
/// Pages of open exchanges that are looked at; a page has a thousand.
const PAGES: usize = 100;

/// Everything about one exchange, and about whoever must answer next.
pub(super) fn examine(exam: &mut Exam<'_>, exchange: &Exchange) -> anyhow::Result<()> {
    let task = exchange.data["task_id"].as_str().unwrap_or_default();
    let whose: Vec<_> = waits_for(exchange).into_iter().map(str::to_owned).collect();
    let state = match exchange.outcome {
        Some(_) => format!("{task} has ended: {}", exchange.state),
        None => format!("{task} is {}, and waits for {}", exchange.state, whose.join(", ")),
    };
    exam.found.push(Finding::fine(&exchange.id, state.trim()));
    exam.found.extend(troubles(exchange, exam.now));
    if let Some(open) = exchange.data["escalation"].as_str().filter(|_| exchange.outcome.is_none()) {
        let all = exam.caller.checked(exam.client.escalations(Some(true)))?.value.items;
        // An agent's token does not see all of them.
        exam.found.extend(all.iter().find(|one| one.id == open).map(|one| {
            let why = format!("{open} was opened because of {}: {}", one.reason, one.text);
            Finding::note(&exchange.id, crate::output::escape::one_line(&why))
        }));
    }
    if exchange.outcome.is_some() {
        return Ok(());
    }
    for who in &whose {
        super::reach::stage(exam, exchange, who)?;
        super::answers::examine(exam, exchange, who)?;
        let finding = match agent::find(exam, who)? {
            Some(known) => agent::presence(&known, true, exam.now),
            None => Finding::wrong(&exchange.id, format!("{who} must answer, and is not known"))
                .next(format!("wilco agent register {who}")),
        };
        exam.found.push(finding);
    }
    Ok(())
}

/// Only what is wrong, of everything that is open.
pub(super) fn examine_all(exam: &mut Exam<'_>) -> anyhow::Result<()> {
    let mut query =
        ExchangeParameters { open: Some(true), limit: Some(1000), ..ExchangeParameters::default() };
    let (mut open, before) = (0, exam.found.len());
    for _ in 0..PAGES {
        let page = exam.caller.checked(exam.client.exchanges(&query))?.value;
        open += page.items.len();
        exam.found.extend(page.items.iter().flat_map(|exchange| troubles(exchange, exam.now)));
        query.after = page.next;
        if query.after.is_none() {
            break;
        }
    }
    if exam.found.len() == before {
        exam.found
            .push(Finding::fine("exchanges", format!("{open} open, each goes on by itself or is at work")));
    }
    Ok(())
}

/// Whether a command runs, which has a time limit of its own.
fn runs_command(exchange: &Exchange) -> bool {
    let steps = exchange.data["execution"]["steps"].as_array();
    steps.into_iter().flatten().any(|step| step["state"] == "running")
}

/// What keeps an exchange from going on.
fn troubles(exchange: &Exchange, now: Time) -> Vec<Finding> {
    let (id, mut found) = (&exchange.id, Vec::new());
    for timer in &exchange.timers {
        let Ok(due) = timer.due.parse::<Time>() else { continue };
        if due < now && now.since(due) > LATE {
            let text = format!("its timer {} is overdue by {}", timer.name, rough(now.since(due)));
            found.push(Finding::wrong(id, text).next("WILCO_LOG=info wilco serve, and read what it says"));
        }
    }
    if exchange.outcome.is_some() {
        return found;
    }
    if let Some(escalation) = exchange.data["escalation"].as_str() {
        let text = format!("waits for a decision about {escalation}");
        found.push(
            Finding::wrong(id, text)
                .next(format!("wilco decide {escalation} OPTION; wilco show {id} lists them")),
        );
    } else if let Some(handoff) = exchange.data["handoff"].as_str() {
        // Its own time stands still meanwhile; the handoff has timers.
        found.push(
            Finding::note(id, format!("is handed over by {handoff}, and goes on when that ends"))
                .next(format!("wilco doctor {handoff}")),
        );
    } else if exchange.timers.is_empty() && !runs_command(exchange) {
        // What G6 allows to wait for ever.
        found.push(match exchange.state.as_str() {
            "working" => Finding::note(id, "is at work without a deadline")
                .next("wilco delegate … --policy checkpoint_timeout=30m, the next time"),
            "paused" => Finding::note(id, "is paused without an end").next(format!("wilco resume {id}")),
            state => Finding::wrong(id, format!("is {state}, and nothing will ever wake it"))
                .next(format!("wilco show {id} --events")),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn exchange(state: &str, timers: Value, escalation: Value) -> Exchange {
        serde_json::from_value(json!({
            "id": "del-4", "protocol": "delegation", "state": state, "outcome": null, "initiator": "anna",
            "participants": [], "subject": "S", "policy": {}, "timers": timers, "checklist": [],
            "created": "2026-01-01T11:00:00.000Z", "updated": "2026-01-01T11:00:00.000Z",
            "data": {"task_id": "GH-1", "assignee": "bob", "escalation": escalation},
        }))
        .unwrap()
    }

    #[test]
    fn cli_9_overdue_timers_and_exchanges_that_nothing_wakes_are_found() {
        let now = "2026-01-01T12:00:00.000Z".parse().unwrap();
        let said = |exchange: Exchange| {
            let found = troubles(&exchange, now);
            found
                .iter()
                .map(|finding| format!("{} {}", finding.json()["level"], finding.json()["text"]))
                .collect::<Vec<_>>()
        };
        let due = |time: &str| json!([{"name": "ack", "due": time}]);
        assert!(said(exchange("awaiting-ack", due("2026-01-01T12:05:00.000Z"), Value::Null)).is_empty());
        assert!(said(exchange("awaiting-ack", due("2026-01-01T11:59:58.000Z"), Value::Null)).is_empty());
        let late = said(exchange("awaiting-ack", due("2026-01-01T11:50:00.000Z"), Value::Null));
        assert_eq!(late, ["\"wrong\" \"its timer ack is overdue by 10m\""]);
        let stuck = said(exchange("awaiting-ack", json!([]), Value::Null));
        assert_eq!(stuck, ["\"wrong\" \"is awaiting-ack, and nothing will ever wake it\""]);
        let works = said(exchange("working", json!([]), Value::Null));
        assert_eq!(works, ["\"note\" \"is at work without a deadline\""]);
        let mut held = exchange("awaiting-ack", json!([]), Value::Null);
        held.data["handoff"] = json!("ho-9");
        assert_eq!(said(held), ["\"note\" \"is handed over by ho-9, and goes on when that ends\""]);
        let asks = said(exchange("escalated", json!([]), json!("del-4-e1")));
        assert_eq!(asks, ["\"wrong\" \"waits for a decision about del-4-e1\""]);
    }
}

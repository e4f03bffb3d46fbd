//! One exchange in words: its state, people, timers, checklist, understanding, checkpoints and events.

use serde_json::Value;
use wilco_protocol::Time;
use wilco_wire::{ChecklistItem, Event, Exchange};

use super::Screen;
use super::age::{after, ago, left};
use super::board::{called, party};
use super::escape::one_line;
use super::table::Table;
use super::width::cut;

pub(crate) fn describe(exchange: &Exchange, now: Time, screen: &Screen) -> String {
    let task = super::board::called(exchange).map(one_line).unwrap_or_default();
    let title = format!("{}  {task}  {}", exchange.id, one_line(&exchange.subject));
    let mut lines = vec![screen.paint.bold(title.trim_end())];
    let mut line = |name: &str, text: String| {
        if !text.is_empty() {
            lines.push(format!("  {name:<14} {text}"));
        }
    };
    line("state", state(exchange, screen));
    for person in &exchange.participants {
        line(&person.role, one_line(&person.agent));
    }
    line("begun", format!("{}, changed {}", ago(now, &exchange.created), ago(now, &exchange.updated)));
    for timer in &exchange.timers {
        line("timer", format!("{} {}", timer.name, left(now, &timer.due)));
    }
    if is_unbounded(exchange) {
        line("timer", NO_DEADLINE.to_owned());
    }
    for track in super::tracks::lines(exchange, now, screen) {
        line("track", track.trim_start().to_owned());
    }
    for phase in super::phases::lines(exchange, screen) {
        line("phase", phase.trim_start().to_owned());
    }
    line("checklist", checklist(exchange));
    line("understanding", understanding(&exchange.data["understanding"]));
    texts(&exchange.data["understanding"]["missing"]).for_each(|text| line("  missing", text));
    texts(&exchange.data["questions"]).for_each(|text| line("question", text));
    for point in exchange.data["checkpoints"].as_array().into_iter().flatten() {
        line("checkpoint", checkpoint(point, now));
    }
    if let Some(id) = exchange.data["escalation"].as_str() {
        let options: Vec<_> = texts(&exchange.data["options"]).collect();
        line("decide", format!("wilco decide {} {}", one_line(id), options.join("|")));
    }
    lines.join("\n")
}

/// What G6 allows to wait for ever is shown as such.
const NO_DEADLINE: &str = "no deadline";

fn is_unbounded(exchange: &Exchange) -> bool {
    exchange.outcome.is_none() && exchange.timers.is_empty() && exchange.data["escalation"].is_null()
}

fn state(exchange: &Exchange, screen: &Screen) -> String {
    let number = |key: &str| exchange.data[key].as_u64().filter(|number| *number > 1);
    let attempt = number("attempt").map(|number| format!(", attempt {number}")).unwrap_or_default();
    let revision = number("revision").map(|number| format!(", revision {number}")).unwrap_or_default();
    format!("{}{attempt}{revision}", screen.paint.state(&exchange.state))
}

fn checklist(exchange: &Exchange) -> String {
    let mark = |done| match done {
        Some(true) => "[x]",
        Some(false) => "[ ]",
        None => "[-]",
    };
    let sections = exchange.checklist.iter().any(|item| item.section.is_some());
    let line = |item: &ChecklistItem| {
        let section = item.section.as_deref().map(|section| format!("{section}: ")).unwrap_or_default();
        let evidence = item.evidence.iter().flatten().find(|text| !text.is_empty());
        let evidence = evidence.map(|text| format!(" ({})", one_line(text))).unwrap_or_default();
        format!("{} {section}{}{evidence}", mark(item.done), item.item)
    };
    let items: Vec<_> = exchange.checklist.iter().map(line).collect();
    // A long list has a line for each item, below each other.
    items.join(if sections { "\n                 " } else { "  " })
}

fn understanding(judged: &Value) -> String {
    let Some(score) = judged["score"].as_f64() else { return String::new() };
    let verdict = judged["verdict"].as_str().map(one_line).unwrap_or_else(|| "not judged yet".to_owned());
    let covered = judged["covered"].as_array().map_or(0, Vec::len);
    let missing = judged["missing"].as_array().map_or(0, Vec::len);
    let by = match (judged["by"].as_str(), judged["judge"]["asked"].as_bool()) {
        (Some(by), _) => format!(" by {}", one_line(by)),
        (None, Some(true)) => ", the judge is asked".to_owned(),
        (None, _) => String::new(),
    };
    let left = judged["judge"]["left"].as_str().map(|why| format!("; {}", one_line(why))).unwrap_or_default();
    format!("{verdict}{by}, score {score:.2}, {covered} of {} criteria covered{left}", covered + missing)
}

fn checkpoint(point: &Value, now: Time) -> String {
    let text = |key: &str| point[key].as_str().map(one_line).filter(|text| !text.is_empty());
    let when = text("at").map(|at| ago(now, &at));
    let number = point["checkpoint"].to_string();
    let parts = [Some(number), text("name"), text("status"), text("summary"), when];
    parts.into_iter().flatten().collect::<Vec<_>>().join("  ")
}

fn texts(list: &Value) -> impl Iterator<Item = String> + '_ {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(one_line)
}

/// How much of an event's data a line shows.
const SHOWN: usize = 100;

pub(crate) fn events(events: &[Event], screen: &Screen) -> String {
    let start = events.first().map(|event| event.at.as_str()).unwrap_or_default();
    let mut table = Table::new(&["SEQ", "AT", "EVENT", "BY", "DATA"]);
    for event in events {
        let seq = event.seq.map(|seq| seq.to_string()).unwrap_or_default();
        let data = cut(&event.data.to_string(), SHOWN);
        table.row([&seq, &after(start, &event.at), &event.kind, &event.by, &data]);
    }
    table.show(screen)
}

/// What the names of several agents may take of a line.
const OTHERS: usize = 24;

/// Who stands on the other side: one agent, or as many as fit.
fn to(exchange: &Exchange) -> String {
    let others = exchange.participants.iter().filter(|party| party.agent != exchange.initiator);
    match party(exchange) {
        Some(one) => one.to_owned(),
        None => cut(&others.map(|party| party.agent.as_str()).collect::<Vec<_>>().join(","), OTHERS),
    }
}

/// A table of exchanges, newest first.
pub(crate) fn list(exchanges: &[Exchange], now: Time, screen: &Screen) -> String {
    let mut table = Table::new(&["EXCHANGE", "ABOUT", "STATE", "FROM", "TO", "NEXT", "TITLE"]);
    for exchange in exchanges {
        let next = exchange.timers.first().map(|timer| format!("{} {}", timer.name, left(now, &timer.due)));
        let next = next.unwrap_or_else(|| if is_unbounded(exchange) { NO_DEADLINE } else { "" }.to_owned());
        let (state, initiator) = (&exchange.state, &exchange.initiator);
        table.row([
            &exchange.id,
            called(exchange).unwrap_or_default(),
            state,
            initiator,
            &to(exchange),
            &next,
            &exchange.subject,
        ]);
    }
    table.show(screen)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn exchange() -> Exchange {
        serde_json::from_value(json!({
            "id": "del-4", "protocol": "delegation", "state": "escalated", "outcome": null, "initiator": "anna",
            "participants": [{"agent": "anna", "role": "initiator"}, {"agent": "bob", "role": "assignee"}],
            "subject": "Add a \u{1b}[31mlogin page", "policy": {},
            "timers": [{"name": "escalation", "due": "2026-01-01T12:30:00.000Z"}],
            "checklist": [
                {"item": "sent", "done": true, "at": null}, {"item": "ack-in-time", "done": false, "at": null},
                {"item": "questions", "done": null, "at": null},
            ],
            "created": "2026-01-01T11:50:00.000Z", "updated": "2026-01-01T12:00:00.000Z",
            "data": {
                "task_id": "GH-1", "assignee": "bob", "attempt": 2, "revision": 1, "escalation": "del-4-e1",
                "options": ["retry", "abort"], "questions": ["Which one?"],
                "understanding": {"score": 0.5, "verdict": "partial", "covered": ["a"], "missing": ["tests"]},
                "checkpoints": [{"checkpoint": 1, "name": null, "status": "done", "summary": "Half", "at": null}],
            },
        }))
        .unwrap()
    }

    #[test]
    fn cli_4_an_exchange_shows_everything_about_it() {
        let now = "2026-01-01T12:00:10.000Z".parse().unwrap();
        assert_eq!(
            describe(&exchange(), now, &Screen::plain(None)),
            "del-4  GH-1  Add a \\x1b[31mlogin page\n  \
             state          escalated, attempt 2\n  \
             initiator      anna\n  \
             assignee       bob\n  \
             begun          10m10s ago, changed 10s ago\n  \
             timer          escalation in 29m50s\n  \
             checklist      [x] sent  [ ] ack-in-time  [-] questions\n  \
             understanding  partial, score 0.50, 1 of 2 criteria covered\n    \
               missing      tests\n  \
             question       Which one?\n  \
             checkpoint     1  done  Half\n  \
             decide         wilco decide del-4-e1 retry|abort"
        );
    }

    #[test]
    fn cli_4_exchanges_are_a_table() {
        let now = "2026-01-01T12:00:10.000Z".parse().unwrap();
        let shown = list(&[exchange()], now, &Screen::plain(None));
        let row = shown.lines().nth(1).unwrap();
        assert_eq!(
            row,
            "del-4     GH-1   escalated  anna  bob  escalation in 29m50s  Add a \\x1b[31mlogin page"
        );
    }
}

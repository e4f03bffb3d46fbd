//! An exchange as somebody watches it: a line for each participant, with what it waits for and how long yet.

use serde_json::Value;
use wilco_protocol::{Span, Time};
use wilco_wire::{Exchange, Participant};

use super::Screen;
use super::age::left;
use super::escape::one_line;
use super::paint::Paint;
use super::phases;
use super::tracks;
use super::width::{cut, width};

/// Whose turn it is.
pub(crate) fn awaits(exchange: &Exchange) -> &str {
    match exchange.state.as_str() {
        "clarifying" | "in-review" | "returned" | "escalated" => &exchange.initiator,
        _ => party(exchange).unwrap_or_default(),
    }
}

/// The agent on the other side, where there is one.
pub(crate) fn party(exchange: &Exchange) -> Option<&str> {
    ["assignee", "replacement"].iter().find_map(|key| exchange.data[*key].as_str())
}

/// Everybody whose turn it is: the agents of an operation that have not answered, else one.
pub(crate) fn waits_for(exchange: &Exchange) -> Vec<&str> {
    if exchange.data["phases"].is_array() {
        return phases::awaited(exchange);
    }
    let Some(tracks) = exchange.data["tracks"].as_array() else { return vec![awaits(exchange)] };
    let waiting: Vec<_> = tracks.iter().filter(|track| track["state"] == "waiting").collect();
    match exchange.state.as_str() {
        "waiting" => waiting.iter().filter_map(|track| track["agent"].as_str()).collect(),
        _ => vec![&exchange.initiator],
    }
}

/// How to decide, when somebody must.
pub(crate) fn way_out(exchange: &Exchange) -> Option<String> {
    let id = exchange.data["escalation"].as_str()?;
    let options: Vec<_> =
        exchange.data["options"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let options = if options.is_empty() { "OPTION".to_owned() } else { one_line(&options.join("|")) };
    Some(format!("wilco decide {} {options}", one_line(id)))
}

/// The lines of a board. None is wider than the screen, so that they can be drawn over again.
pub(crate) fn lines(exchange: &Exchange, now: Time, screen: &Screen) -> Vec<String> {
    let most = screen.columns.unwrap_or(usize::MAX);
    let time = |text: &str| text.parse::<Time>().unwrap_or_default();
    let end = if exchange.outcome.is_some() { time(&exchange.updated) } else { now };
    let elapsed = Span::seconds(end.since(time(&exchange.created)).as_seconds());
    let about = called(exchange);
    let task = about.map(|about| format!("{} ", one_line(about))).unwrap_or_default();
    let (before, state) = (format!("{task}({})  ", exchange.id), one_line(&exchange.state));
    let after = format!("  {elapsed}");
    let whole = width(&before) + width(&state) + width(&after);
    let mut lines = vec![match whole <= most {
        true => format!("{before}{}{after}", screen.paint.state(&state)),
        false => cut(&format!("{before}{state}{after}"), most),
    }];
    let tracks = of_parts(exchange, now, screen, most);
    match tracks.is_empty() {
        true => lines.extend(of_people(exchange, now, most)),
        false => lines.extend(tracks),
    }
    lines.extend(way_out(exchange).map(|command| cut(&format!("  decide with: {command}"), most)));
    lines
}

/// What people call what an exchange is about.
pub(crate) fn called(exchange: &Exchange) -> Option<&str> {
    ["task_id", "operation", "issue"].iter().find_map(|key| exchange.data[*key].as_str())
}

/// The agents of an operation or the phases of a validation; those that do not fit lose their colours with what is
/// cut off.
fn of_parts(exchange: &Exchange, now: Time, screen: &Screen, most: usize) -> Vec<String> {
    let bare = Screen { columns: screen.columns, paint: Paint { on: false } };
    let parts = |screen: &Screen| {
        let mut parts = tracks::lines(exchange, now, screen);
        parts.extend(phases::lines(exchange, screen));
        parts
    };
    let both = parts(screen).into_iter().zip(parts(&bare));
    both.map(|(painted, bare)| if width(&bare) <= most { painted } else { cut(&bare, most) }).collect()
}

/// Everybody else, by role.
fn of_people(exchange: &Exchange, now: Time, most: usize) -> Vec<String> {
    let widest = |text: fn(&Participant) -> &str| {
        exchange.participants.iter().map(|person| width(&one_line(text(person)))).max().unwrap_or(0)
    };
    let (names, roles) = (widest(|person| &person.agent), widest(|person| &person.role));
    let mut lines = Vec::new();
    for person in &exchange.participants {
        let (name, role) = (one_line(&person.agent), one_line(&person.role));
        let pad = |text: &str, most: usize| format!("{text}{}", " ".repeat(most - width(text).min(most)));
        let line =
            format!("  {}  {}  {}", pad(&name, names), pad(&role, roles), doing(exchange, person, now));
        lines.push(cut(line.trim_end(), most));
    }
    lines
}

/// What a participant does, or owes.
fn doing(exchange: &Exchange, person: &Participant, now: Time) -> String {
    if exchange.outcome.is_some() || person.agent != awaits(exchange) {
        return String::new();
    }
    match (exchange.timers.first(), exchange.state.as_str()) {
        (None, "working" | "paused") => format!("{}, no deadline", exchange.state),
        (None, _) => "to answer".to_owned(),
        (Some(timer), _) => format!("to answer, {} {}", timer.name, left(now, &timer.due)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn exchange(state: &str, data: Value) -> Exchange {
        serde_json::from_value(json!({
            "id": "del-4", "protocol": "delegation", "state": state, "outcome": null, "initiator": "anna",
            "participants": [{"agent": "anna", "role": "initiator"}, {"agent": "bob\u{1b}", "role": "assignee"}],
            "subject": "S", "policy": {}, "timers": [{"name": "ack", "due": "2026-01-01T12:05:00.000Z"}],
            "checklist": [], "created": "2026-01-01T12:00:00.000Z", "updated": "2026-01-01T12:00:00.000Z",
            "data": data,
        }))
        .unwrap()
    }

    #[test]
    fn cli_3_a_line_per_participant_with_its_countdown() {
        let now = "2026-01-01T12:00:28.000Z".parse().unwrap();
        let data = json!({"task_id": "GH-1", "assignee": "bob\u{1b}", "escalation": null});
        let board = lines(&exchange("awaiting-ack", data), now, &Screen::plain(Some(80)));
        assert_eq!(
            board,
            [
                "GH-1 (del-4)  awaiting-ack  28s",
                "  anna     initiator",
                "  bob\\x1b  assignee   to answer, ack in 4m32s",
            ]
        );
    }

    #[test]
    fn cli_3_an_operation_shows_the_track_of_each_agent() {
        let now = "2026-01-01T12:00:30.000Z".parse().unwrap();
        let track = json!({"agent": "bob\u{1b}", "state": "waiting", "deadline": "2026-01-01T12:02:00.000Z"});
        let tracks = json!({"operation": "restart", "tracks": [track]});
        let board = lines(&exchange("waiting", tracks), now, &Screen::plain(None));
        assert_eq!(board, ["restart (del-4)  waiting  30s", "  bob\\x1b              waiting  in 1m30s"]);
    }

    #[test]
    fn cli_3_no_line_is_wider_than_the_screen() {
        let now = "2026-01-01T12:00:28.000Z".parse().unwrap();
        let data = json!({"task_id": "日本語".repeat(20), "assignee": "x", "escalation": "del-4-e1", "options": ["retry", "abort"]});
        for columns in [1, 10, 25, 60] {
            let screen = Screen { columns: Some(columns), paint: Paint { on: true } };
            for line in lines(&exchange("escalated", data.clone()), now, &screen) {
                assert!(width(&line) <= columns, "{columns}: {line}");
            }
        }
    }
}

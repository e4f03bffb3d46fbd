//! The agents of an operation: each with its track and, on a terminal, a countdown that goes on.

use serde_json::Value;
use wilco_protocol::Time;
use wilco_wire::Exchange;

use super::Screen;
use super::age::left;
use super::escape::one_line;

/// `ann ready`, `bob running`: what each agent's part has come to. Empty where there are none.
pub(crate) fn states(exchange: &Exchange) -> Vec<String> {
    let tracks = exchange.data["tracks"].as_array().into_iter().flatten();
    tracks.map(|track| format!("{} {}", text(&track["agent"]), stands(exchange, track))).collect()
}

/// The state of its step, once there is one; else of its track.
fn stands(exchange: &Exchange, track: &Value) -> String {
    let steps = exchange.data["execution"]["steps"].as_array().into_iter().flatten();
    let step = steps.into_iter().find(|step| step["agent"] == track["agent"]);
    text(step.map_or(&track["state"], |step| &step["state"]))
}

fn text(value: &Value) -> String {
    value.as_str().map(one_line).unwrap_or_default()
}

/// One line for each agent, with the time it has left.
pub(crate) fn lines(exchange: &Exchange, now: Time, screen: &Screen) -> Vec<String> {
    let tracks = exchange.data["tracks"].as_array().into_iter().flatten();
    let line = |track: &Value| {
        let state = stands(exchange, track);
        let deadline =
            track["deadline"].as_str().filter(|_| state == "waiting" && exchange.state == "waiting");
        let more = [
            deadline.map(|due| left(now, due)),
            track["extended"].as_bool().filter(|extended| *extended).map(|_| "extended".to_owned()),
            track["reminders_sent"].as_u64().filter(|sent| *sent > 0).map(|sent| format!("{sent} reminders")),
        ];
        let more: Vec<_> = more.into_iter().flatten().collect();
        format!("  {:<20} {}  {}", text(&track["agent"]), screen.paint.state(&state), more.join(", "))
    };
    tracks.map(|track| line(track).trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cli_3_a_track_per_agent_with_its_countdown() {
        let exchange: Exchange = serde_json::from_value(json!({
            "id": "op-4", "protocol": "operation", "state": "waiting", "outcome": null, "initiator": "anna",
            "participants": [], "subject": "S", "policy": {}, "timers": [], "checklist": [],
            "created": "2026-01-01T00:00:00.000Z", "updated": "2026-01-01T00:00:00.000Z",
            "data": {
                "operation": "restart", "escalation": null,
                "tracks": [
                    {"agent": "bob", "state": "waiting", "deadline": "2026-01-01T00:02:00.000Z", "extended": true, "reminders_sent": 1},
                    {"agent": "carl", "state": "ready", "deadline": "2026-01-01T00:02:00.000Z", "extended": false, "reminders_sent": 0},
                ],
                "execution": {"mode": "manual", "steps": []},
            },
        }))
        .unwrap();
        let now = "2026-01-01T00:01:00.000Z".parse().unwrap();
        assert_eq!(states(&exchange), ["bob waiting", "carl ready"]);
        assert_eq!(
            lines(&exchange, now, &Screen::plain(None)),
            ["  bob                  waiting  in 1m, extended, 1 reminders", "  carl                 ready"]
        );
    }
}

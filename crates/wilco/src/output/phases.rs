//! The phases of a validation: each with its status, its round and what is wrong.

use serde_json::Value;
use wilco_wire::Exchange;

use super::Screen;
use super::escape::one_line;

/// `unit AWAITING_FIX 2/5`: what each phase has come to. Empty where there are none.
pub(crate) fn states(exchange: &Exchange) -> Vec<String> {
    phases(exchange)
        .map(|phase| format!("{} {} {}", text(&phase["name"]), text(&phase["status"]), round(phase)))
        .collect()
}

/// Who is awaited: the main agent, or specialists.
pub(crate) fn awaited(exchange: &Exchange) -> Vec<&str> {
    let of = |phase: &'_ Value| match phase["status"].as_str().unwrap_or_default() {
        "IN_PROGRESS" | "RE_CHECKING" => Some(false),
        "AWAITING_FIX" | "FIXING" => Some(true),
        _ => None,
    };
    let mut names = Vec::new();
    for phase in exchange.data["phases"].as_array().into_iter().flatten() {
        let name = match of(phase) {
            Some(true) => exchange.data["main_agent"].as_str(),
            Some(false) => phase["specialist"].as_str().filter(|name| !name.starts_with("cmd:")),
            None => None,
        };
        names.extend(name.filter(|name| !names.contains(name)));
    }
    if exchange.data["escalation"].is_string() {
        names.push(&exchange.initiator);
    }
    names
}

/// One line for each phase.
pub(crate) fn lines(exchange: &Exchange, screen: &Screen) -> Vec<String> {
    let line = |phase: &Value| {
        let status = text(&phase["status"]).to_lowercase().replace('_', "-");
        let wrong = phase["failures"].as_array().map_or(0, Vec::len);
        let wrong = match wrong {
            0 => String::new(),
            1 => ", 1 failure".to_owned(),
            many => format!(", {many} failures"),
        };
        let (name, by) = (text(&phase["name"]), text(&phase["specialist"]));
        format!("  {name:<16} {by:<20} {}  {}{wrong}", screen.paint.state(&status), round(phase))
    };
    phases(exchange).map(line).collect()
}

fn phases(exchange: &Exchange) -> impl Iterator<Item = &Value> {
    exchange.data["phases"].as_array().into_iter().flatten()
}

fn round(phase: &Value) -> String {
    format!("{}/{}", phase["iteration"], phase["max_iterations"])
}

fn text(value: &Value) -> String {
    value.as_str().map(one_line).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cli_3_a_line_per_phase_with_its_round() {
        let exchange: Exchange = serde_json::from_value(json!({
            "id": "val-4", "protocol": "validation", "state": "awaiting-fix", "outcome": null,
            "initiator": "anna", "participants": [], "subject": "S", "policy": {}, "timers": [],
            "checklist": [], "created": "2026-01-01T00:00:00.000Z", "updated": "2026-01-01T00:00:00.000Z",
            "data": {
                "issue": "42", "escalation": null, "main_agent": "bob",
                "phases": [
                    {"name": "unit", "specialist": "ula", "status": "AWAITING_FIX", "iteration": 2,
                     "max_iterations": 5, "failures": [{"location": "a", "error": "b"}]},
                    {"name": "lint", "specialist": "cmd:lint", "status": "PENDING", "iteration": 0,
                     "max_iterations": 5, "failures": []},
                ],
            },
        }))
        .unwrap();
        assert_eq!(states(&exchange), ["unit AWAITING_FIX 2/5", "lint PENDING 0/5"]);
        assert_eq!(awaited(&exchange), ["bob"]);
        assert_eq!(
            lines(&exchange, &Screen::plain(None)),
            [
                "  unit             ula                  awaiting-fix  2/5, 1 failure",
                "  lint             cmd:lint             pending  0/5",
            ]
        );
    }
}

//! An exchange followed to its end: a line for each change of state, and an exit code for the outcome.

use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Args;
use wilco_client::{Answer, Client};
use wilco_protocol::{Span, Time};
use wilco_wire::{Exchange, Posted};

use crate::caller::Caller;
use crate::output::escape::one_line;
use crate::output::tracks::{self, Board};
use crate::output::{self, Screen};
use crate::{commands, posted};

/// An option of verbs that start or move an exchange.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Follow {
    /// Follow it to its end: exit 0 success, 3 failed or aborted, 4 cancelled, 5 escalated
    #[arg(long)]
    pub(crate) wait: bool,
}

/// How long one call waits for the next event.
const POLL: Duration = Duration::from_secs(30);
/// How often countdowns are drawn anew.
const TICK: Duration = Duration::from_secs(1);
/// The pause between two looks at what others do.
const PAUSE: Duration = Duration::from_millis(200);

impl Follow {
    /// Shows what came of a message and, if asked, everything that follows.
    pub(crate) fn show(self, caller: &Caller, answer: &Answer<Posted>) -> anyhow::Result<ExitCode> {
        let code = posted::show(caller, answer);
        match &answer.value.exchange {
            Some(exchange) if self.wait => to_end(caller, &caller.client(), &exchange.id),
            _ => Ok(code),
        }
    }
}

fn to_end(caller: &Caller, client: &Client, id: &str) -> anyhow::Result<ExitCode> {
    // Where the journal stood before the first look, so that nothing slips through in between.
    let past = caller.checked(client.events_of(id, None))?.value.items;
    let mut after = past.last().map_or(0, |event| event.position).to_string();
    let (mut shown, mut board) = (None, Board::default());
    loop {
        let answer = caller.checked(client.exchange(id))?;
        let exchange = &answer.value;
        let live = !caller.json && board.is_live() && exchange.data["tracks"].is_array();
        let now = (exchange.state.clone(), exchange.data["assignee"].clone(), tracks::states(exchange));
        if live {
            board.draw(exchange, commands::now(answer.at.as_deref()));
        } else if shown.as_ref() != Some(&now) {
            if caller.json {
                output::print_json(&answer.text);
            } else {
                output::print(&line(exchange, &Screen::of_stdout()));
            }
            shown = Some(now);
        }
        if let Some(code) = exit_code(exchange) {
            return Ok(ExitCode::from(code));
        }
        after = next_event(caller, client, id, after, if live { TICK } else { POLL })?;
    }
}

/// Waits until something happens in this exchange; returns where the journal stood then.
fn next_event(
    caller: &Caller,
    client: &Client,
    id: &str,
    mut after: String,
    patience: Duration,
) -> anyhow::Result<String> {
    loop {
        let page = caller.checked(client.events(&after, patience))?.value;
        after = page.next.unwrap_or(after);
        if page.items.is_empty() && patience == TICK {
            return Ok(after);
        }
        if page.items.iter().any(|event| event.exchange.as_deref() == Some(id)) {
            return Ok(after);
        }
        // Others are busy: look again soon, not at each of their events.
        thread::sleep(PAUSE);
    }
}

fn line(exchange: &Exchange, screen: &Screen) -> String {
    let time = |text: &str| text.parse::<Time>().unwrap_or_default();
    let since = time(&exchange.updated).since(time(&exchange.created));
    let elapsed = Span::seconds(since.as_seconds()).to_string();
    let assignee = exchange.data["assignee"].as_str().map(one_line);
    let assignee = assignee.unwrap_or_else(|| tracks::states(exchange).join(", "));
    let more = match exchange.data["escalation"].as_str() {
        Some(id) => format!("; decide with: wilco decide {id} OPTION"),
        None => String::new(),
    };
    format!("{elapsed:>7}  {}  {assignee}{more}", screen.paint.state(&exchange.state)).trim_end().to_owned()
}

/// None while it goes on. An escalation waits for somebody, so nothing more follows by itself.
fn exit_code(exchange: &Exchange) -> Option<u8> {
    match (exchange.outcome.as_deref(), exchange.state.as_str()) {
        (Some("completed" | "done"), _) => Some(0),
        (Some("cancelled"), _) => Some(4),
        (Some(_), _) => Some(3),
        (None, _) if exchange.data["escalation"].is_string() => Some(5),
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn exchange(state: &str, outcome: Option<&str>) -> Exchange {
        let escalation = (state == "escalated").then_some("del-4-e1");
        serde_json::from_value(json!({
            "id": "del-4", "protocol": "delegation", "state": state, "outcome": outcome, "initiator": "anna",
            "participants": [], "subject": "S", "policy": {}, "timers": [], "checklist": [],
            "created": "2026-01-01T00:00:00.000Z", "updated": "2026-01-01T00:01:05.200Z",
            "data": {"task_id": "GH-1", "assignee": "bob", "escalation": escalation},
        }))
        .unwrap()
    }

    #[test]
    fn cli_8_the_exit_code_tells_the_outcome() {
        for (state, outcome, code) in [
            ("completed", Some("completed"), Some(0)),
            ("failed", Some("failed"), Some(3)),
            ("cancelled", Some("cancelled"), Some(4)),
            ("escalated", None, Some(5)),
            ("done", Some("done"), Some(0)),
            ("aborted", Some("aborted"), Some(3)),
            ("working", None, None),
        ] {
            assert_eq!(exit_code(&exchange(state, outcome)), code, "{state}");
        }
    }

    #[test]
    fn cli_3_a_line_per_state() {
        let plain = Screen::plain(None);
        assert_eq!(line(&exchange("working", None), &plain), "   1m5s  working  bob");
        let escalated = line(&exchange("escalated", None), &plain);
        assert_eq!(escalated, "   1m5s  escalated  bob; decide with: wilco decide del-4-e1 OPTION");
    }
}

//! An exchange followed to its end: live on a terminal, a line for each change of state elsewhere, and an exit
//! code for the outcome.

use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Args;
use wilco_client::{Answer, Client};
use wilco_protocol::{Span, Time};
use wilco_wire::{Exchange, Posted};

use crate::caller::Caller;
use crate::output::board::{self, way_out};
use crate::output::escape::one_line;
use crate::output::{self, Screen};
use crate::output::{phases, tracks};
use crate::{commands, posted};

/// An option of verbs that start or move an exchange.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Follow {
    /// Follow it to its end: exit 0 success, 3 failed, 4 cancelled, 5 escalated, 6 partial
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
    let live = !caller.json && output::is_live();
    let mut shown = Shown::new(live);
    // Where the journal stood before the first look, so that nothing slips through in between.
    let past = caller.checked(client.events_of(id, None))?.value.items;
    let mut after = past.last().map_or(0, |event| event.position).to_string();
    loop {
        let answer = caller.checked(client.exchange(id))?;
        shown.take(caller, &answer);
        if let Some(code) = exit_code(&answer.value) {
            return Ok(ExitCode::from(code));
        }
        loop {
            let page = caller.checked(client.events(&after, if live { TICK } else { POLL }))?;
            after = page.value.next.unwrap_or(after);
            if page.value.items.iter().any(|event| event.exchange.as_deref() == Some(id)) {
                break;
            }
            shown.tick(&answer.value, page.at.as_deref());
            if !page.value.items.is_empty() {
                // Others are busy: look again soon, not at each of their events.
                thread::sleep(PAUSE);
            }
        }
    }
}

/// What stands on the screen already.
struct Shown {
    live: bool,
    /// Lines of the board that the next one is drawn over.
    drawn: usize,
    /// State, assignee, and tracks or phases.
    last: Option<(String, serde_json::Value, Vec<String>)>,
}

impl Shown {
    fn new(live: bool) -> Shown {
        Shown { live, drawn: 0, last: None }
    }

    /// The exchange as it is now; elsewhere than on a terminal only if it changed.
    fn take(&mut self, caller: &Caller, answer: &Answer<Exchange>) {
        let exchange = &answer.value;
        if self.live {
            return self.tick(exchange, answer.at.as_deref());
        }
        let now = (exchange.state.clone(), exchange.data["assignee"].clone(), parts(exchange));
        if self.last.as_ref() != Some(&now) {
            match caller.json {
                true => output::print_json(&answer.text),
                false => output::print(&line(exchange, &Screen::of_stdout())),
            }
            self.last = Some(now);
        }
    }

    /// The same exchange a little later, on a terminal.
    fn tick(&mut self, exchange: &Exchange, at: Option<&str>) {
        if !self.live {
            return;
        }
        let lines = board::lines(exchange, commands::now(at), &Screen::of_stdout());
        // Up to where the last one began, and everything below goes.
        let over = if self.drawn > 0 { format!("\x1b[{}A\x1b[J", self.drawn) } else { String::new() };
        output::print(&format!("{over}{}", lines.join("\n")));
        self.drawn = lines.len();
    }
}

/// What each agent's part, or each phase, has come to.
fn parts(exchange: &Exchange) -> Vec<String> {
    [tracks::states(exchange), phases::states(exchange)].concat()
}

fn line(exchange: &Exchange, screen: &Screen) -> String {
    let time = |text: &str| text.parse::<Time>().unwrap_or_default();
    let since = time(&exchange.updated).since(time(&exchange.created));
    let elapsed = Span::seconds(since.as_seconds()).to_string();
    let assignee = exchange.data["assignee"].as_str().map(one_line);
    let assignee = assignee.unwrap_or_else(|| parts(exchange).join(", "));
    let more = way_out(exchange).map(|command| format!("; decide with: {command}")).unwrap_or_default();
    format!("{elapsed:>7}  {}  {assignee}{more}", screen.paint.state(&exchange.state)).trim_end().to_owned()
}

/// None while it goes on. An escalation waits for somebody, so nothing more follows by itself.
fn exit_code(exchange: &Exchange) -> Option<u8> {
    match exchange.outcome.as_deref() {
        Some("completed" | "complete" | "done" | "passed" | "success") => Some(0),
        Some("cancelled") => Some(4),
        Some("partial") => Some(6),
        Some(_) => Some(3),
        None if exchange.data["escalation"].is_string() => Some(5),
        None => None,
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
            "data": {"task_id": "GH-1", "assignee": "bob", "escalation": escalation, "options": ["retry", "abort"]},
        }))
        .unwrap()
    }

    #[test]
    fn cli_8_the_exit_code_tells_the_outcome() {
        for (state, outcome, code) in [
            ("completed", Some("completed"), Some(0)),
            ("done", Some("done"), Some(0)),
            ("failed", Some("failed"), Some(3)),
            ("aborted", Some("aborted"), Some(3)),
            ("cancelled", Some("cancelled"), Some(4)),
            ("partial", Some("partial"), Some(6)),
            ("escalated", None, Some(5)),
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
        assert_eq!(escalated, "   1m5s  escalated  bob; decide with: wilco decide del-4-e1 retry|abort");
    }
}

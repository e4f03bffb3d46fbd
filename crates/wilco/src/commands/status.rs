//! `wilco status`: what wants attention first, then all that is open, then the agents.

use std::process::ExitCode;

use serde_json::value::RawValue;
use wilco_client::{Answer, Client, ExchangeParameters};
use wilco_protocol::Time;
use wilco_wire::{Escalation, TodoList};

use super::{agents, todo};
use crate::caller::Caller;
use crate::output::age::ago;
use crate::output::escape::one_line;
use crate::output::{self, Screen, exchange};

/// Show open escalations, open exchanges and agents
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco status\n  wilco status --as anna\n  wilco status --json")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (caller, client) = (&args.caller, args.caller.client());
    let escalations = caller.checked(client.escalations(Some(true)))?;
    let query = ExchangeParameters { open: Some(true), ..ExchangeParameters::default() };
    let exchanges = caller.checked(client.exchanges(&query))?;
    let known = caller.checked(client.agents())?;
    let todo = waiting_for(caller, &client)?;
    if caller.json {
        let raw = |text: String| RawValue::from_string(text);
        let parts = [
            ("escalations", raw(escalations.text)?),
            ("exchanges", raw(exchanges.text)?),
            ("agents", raw(known.text)?),
        ];
        let mut document: std::collections::BTreeMap<_, _> = parts.into_iter().collect();
        if let Some((_, list)) = todo {
            document.insert("todo", raw(list.text)?);
        }
        output::print_json(&serde_json::to_string(&document)?);
        return Ok(ExitCode::SUCCESS);
    }
    let (screen, now) = (Screen::of_stdout(), super::now(known.at.as_deref()));
    let more =
        |next: &Option<String>| if next.is_some() { "\nThere are more: wilco exchanges --open" } else { "" };
    let sections = [
        section(
            "Escalations",
            escalations.value.items.is_empty(),
            || waiting(&escalations.value.items, now, &screen),
            &screen,
        ),
        section(
            "Open exchanges",
            exchanges.value.items.is_empty(),
            || exchange::list(&exchanges.value.items, now, &screen) + more(&exchanges.value.next),
            &screen,
        ),
        section(
            "Agents",
            known.value.items.is_empty(),
            || agents::list(&known.value.items, now, &screen),
            &screen,
        ),
    ];
    let first = todo.map(|(agent, list)| {
        let title = format!("Waits for {}", one_line(&agent));
        let words = || todo::words(&list.value, &agent, now, &screen);
        section(&title, list.value.items.is_empty(), words, &screen)
    });
    output::print(&first.into_iter().chain(sections).collect::<Vec<_>>().join("\n\n"));
    Ok(ExitCode::SUCCESS)
}

/// What waits for the agent that `--as` names; nothing is said of one that is not known.
fn waiting_for(caller: &Caller, client: &Client) -> anyhow::Result<Option<(String, Answer<TodoList>)>> {
    let Some(agent) = caller.name.clone() else { return Ok(None) };
    match client.todo(&agent) {
        Err(error) if error.status() == Some(404) => Ok(None),
        list => Ok(Some((agent, caller.checked(list)?))),
    }
}

fn section(title: &str, empty: bool, text: impl FnOnce() -> String, screen: &Screen) -> String {
    let title = screen.paint.bold(title);
    if empty { format!("{title}\nnone") } else { format!("{title}\n{}", text()) }
}

/// What waits for somebody's decision.
fn waiting(escalations: &[Escalation], now: Time, screen: &Screen) -> String {
    let one = |escalation: &Escalation| {
        let head = format!(
            "{}  for {}, {}: {}",
            escalation.id,
            one_line(&escalation.addressee),
            ago(now, &escalation.opened),
            one_line(&escalation.text)
        );
        let options = escalation.options.join("|");
        format!("{}\n  decide with: wilco decide {} {options}", screen.paint.red(&head), escalation.id)
    };
    escalations.iter().map(one).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn msg_31_an_escalation_says_what_to_type() {
        let now = "2026-01-01T12:00:10.000Z".parse().unwrap();
        let escalation = serde_json::from_value(json!({
            "id": "del-4-e1", "exchange": "del-4", "reason": "no-acknowledgment",
            "text": "bob has not acknowledged GH-1.", "evidence": {}, "options": ["retry", "abort"],
            "addressee": "anna", "opened": "2026-01-01T12:00:00.000Z", "closed": null, "decision": null,
        }));
        assert_eq!(
            waiting(&[escalation.unwrap()], now, &Screen::plain(None)),
            "del-4-e1  for anna, 10s ago: bob has not acknowledged GH-1.\n  \
             decide with: wilco decide del-4-e1 retry|abort"
        );
    }
}

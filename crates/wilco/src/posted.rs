//! What came of a message, in a sentence.

use std::process::ExitCode;

use wilco_client::{Answer, Client, IdempotencyKey, Outgoing};
use wilco_wire::{Exchange, Posted};

use crate::caller::Caller;
use crate::output::escape::one_line;
use crate::output::{self, Screen};
use crate::values::Content;

/// Says something in an exchange.
pub(crate) fn say_in(
    caller: &Caller,
    client: &Client,
    from: Option<String>,
    exchange: &Exchange,
    content: Content,
) -> anyhow::Result<Answer<Posted>> {
    let (exchange, content) = (Some(exchange.id.clone()), content.into_value());
    caller.checked(
        client.send(&Outgoing { from, exchange, content, ..Outgoing::default() }, &IdempotencyKey::fresh()),
    )
}

/// Prints the answer to a message.
pub(crate) fn show(caller: &Caller, answer: &Answer<Posted>) -> ExitCode {
    if caller.json {
        output::print_json(&answer.text);
    } else {
        output::print(&words(&answer.value, &Screen::of_stdout()));
    }
    ExitCode::SUCCESS
}

fn words(posted: &Posted, screen: &Screen) -> String {
    let message = &posted.message;
    let effect = message.reading.as_ref().map(|reading| reading.effect.as_str());
    let Some(exchange) = &posted.exchange else {
        return match (&posted.messages, effect) {
            (Some(several), _) if several.len() > 1 => {
                let names: Vec<_> = several.iter().map(|message| one_line(&message.to)).collect();
                format!("Sent to {}.", names.join(", "))
            }
            _ => format!("Sent {} to {}.", message.id, one_line(&message.to)),
        };
    };
    let state = screen.paint.state(&exchange.state);
    let whole = match exchange.task_id.as_deref() {
        Some(task) => format!("{} ({})", one_line(task), exchange.id),
        None => exchange.id.clone(),
    };
    match effect {
        Some("none") => {
            format!("Nothing changed: {whole} is still {state}. Your inbox may say why: wilco inbox")
        }
        Some("recorded") => format!("Recorded: {whole} is {state}."),
        _ => format!("{whole} is {state}."),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn posted(exchange: Value, effect: &str) -> String {
        let posted: Posted = serde_json::from_value(json!({
            "message": {
                "id": "msg-1-abc", "from": "bob", "fromVerified": false, "to": "anna", "subject": "",
                "priority": "normal", "content": {}, "in_reply_to": null, "exchange": null,
                "broadcast_id": null, "timestamp": "", "status": "unread",
                "reading": {"exchange": null, "rule": null, "meaning": "x", "effect": effect},
            },
            "exchange": exchange,
        }))
        .unwrap();
        words(&posted, &Screen::plain(None))
    }

    #[test]
    fn cli_5_an_answer_says_what_came_of_it() {
        let del = json!({"id": "del-4", "protocol": "delegation", "state": "working", "task_id": "GH-1"});
        assert_eq!(posted(del.clone(), "awaiting-ack -> working"), "GH-1 (del-4) is working.");
        assert_eq!(posted(del.clone(), "recorded"), "Recorded: GH-1 (del-4) is working.");
        assert!(posted(del, "none").starts_with("Nothing changed: GH-1 (del-4) is still working."));
        assert_eq!(posted(Value::Null, "none"), "Sent msg-1-abc to anna.");
    }
}

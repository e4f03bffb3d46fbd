//! `wilco reply`: an answer to a message.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use serde_json::json;
use wilco_client::{IdempotencyKey, Outgoing};
use wilco_wire::Message;

use crate::caller::Caller;
use crate::posted;

/// Answer a message in plain words, or with an [ACK] line
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco reply msg-1767150000007-a1b2c3d \"Yes, go ahead\"\n  \
    wilco reply msg-1767150000007-a1b2c3d \"[ACK] GH-42 - RECEIVED\n  Understanding: Add a login page with tests\"")]
pub(crate) struct Args {
    /// The message's id
    pub(crate) id: String,
    /// The text; - reads it from stdin
    pub(crate) text: String,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (client, from) = (args.caller.client(), args.caller.sender()?);
    let answered = args.caller.checked(client.message(&args.id))?.value;
    let message = outgoing(&answered, from, args.text.clone());
    let answer = args.caller.checked(client.send(&message, &IdempotencyKey::fresh()))?;
    Ok(posted::show(&args.caller, &answer))
}

fn outgoing(answered: &Message, from: Option<String>, text: String) -> Outgoing {
    // An answer to one's own message goes where that one went.
    let own = from.as_deref() == Some(answered.from.as_str());
    let to = if own { &answered.to } else { &answered.from };
    Outgoing {
        from,
        to: vec![to.clone()],
        subject: subject(&answered.subject),
        in_reply_to: Some(answered.id.clone()),
        content: json!({"type": MessageType::Response, "message": text}),
        ..Outgoing::default()
    }
}

fn subject(subject: &str) -> Option<String> {
    let subject = subject.trim();
    let replied = subject.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("re:"));
    match (subject.is_empty(), replied) {
        (true, _) => None,
        (false, true) => Some(subject.to_owned()),
        (false, false) => Some(format!("RE: {subject}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(from: &str, to: &str, subject: &str) -> Message {
        serde_json::from_value(json!({
            "id": "msg-1-a", "from": from, "fromVerified": false, "to": to, "subject": subject,
            "priority": "normal", "content": {}, "in_reply_to": null, "exchange": null, "broadcast_id": null,
            "timestamp": "", "status": "unread",
        }))
        .unwrap()
    }

    #[test]
    fn cli_2_a_reply_goes_back_with_its_subject() {
        let reply = outgoing(&message("anna", "bob", "Build"), Some("bob".to_owned()), "ok".to_owned());
        assert_eq!(
            serde_json::to_value(reply).unwrap(),
            json!({
                "from": "bob", "to": "anna", "subject": "RE: Build", "in_reply_to": "msg-1-a",
                "content": {"type": "response", "message": "ok"},
            })
        );
        let again = outgoing(&message("bob", "anna", "re: Build"), Some("bob".to_owned()), "so?".to_owned());
        assert_eq!((again.to, again.subject), (vec!["anna".to_owned()], Some("re: Build".to_owned())));
    }
}

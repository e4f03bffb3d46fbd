//! `wilco forward`: a message goes on to somebody else.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use serde_json::{Map, Value, json};
use wilco_client::{IdempotencyKey, Outgoing};
use wilco_language::render::{Forwarded, forwarded};
use wilco_wire::Message;

use crate::caller::Caller;
use crate::posted;

/// Pass a message on to another agent
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco forward msg-1767150000007-a1b2c3d carl\n  \
    wilco forward msg-1767150000007-a1b2c3d carl --note \"Is this yours?\"\n\n\
    What goes on is quoted: an ACK in it acknowledges nothing.")]
pub(crate) struct Args {
    /// The message's id
    pub(crate) id: String,
    /// Who gets it
    pub(crate) to: String,
    /// A word of your own to go with it
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (client, from) = (args.caller.client(), args.caller.sender()?);
    args.caller.spelt_right([args.to.as_str()])?;
    let message = args.caller.checked(client.message(&args.id))?.value;
    let message = outgoing(&message, from, args.to.clone(), args.note.as_deref());
    let answer = args.caller.checked(client.send(&message, &IdempotencyKey::fresh()))?;
    Ok(posted::show(&args.caller, &answer))
}

fn outgoing(message: &Message, from: Option<String>, to: String, note: Option<&str>) -> Outgoing {
    let content = message.delivered.as_ref().unwrap_or(&message.content);
    let content: Map<String, Value> = content.as_object().cloned().unwrap_or_default();
    let letter = Forwarded {
        from: &message.from,
        to: &message.to,
        subject: &message.subject,
        timestamp: &message.timestamp,
        content: &content,
    };
    let text = forwarded(&letter, note);
    Outgoing {
        from,
        to: vec![to],
        subject: Some(text.subject),
        priority: Some(message.priority.clone()),
        content: json!({
            "type": MessageType::Notification,
            "message": text.message,
            "forwardedFrom": {
                "originalMessageId": message.id,
                "originalFrom": message.from,
                "originalTo": message.to,
                "originalTimestamp": message.timestamp,
                "forwardNote": note,
            },
        }),
        ..Outgoing::default()
    }
}

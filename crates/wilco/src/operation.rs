//! From an operation's name to its exchange, and something said in it.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use anyhow::bail;
use wilco_client::{Answer, Client, ExchangeParameters};
use wilco_wire::{Exchange, Posted};

use crate::caller::Caller;
use crate::posted;
use crate::task::by_id;
use crate::values::Content;

/// More open operations than this are not looked at.
const LOOKED_AT: u32 = 1000;

/// What an answer to an operation takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Answering {
    /// The operation's id, or its name
    pub(crate) operation: String,
    /// What the initiator should know; it changes nothing. - reads it from stdin
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) notes: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

/// Answers an operation with one of its words.
pub(crate) fn answer(args: &Answering, word: &str) -> anyhow::Result<ExitCode> {
    let notes = args.notes.clone();
    let content = Content::new(MessageType::Acknowledgment).with("message", word).with("notes", notes);
    let answer = say(&args.caller, &args.operation, content)?;
    Ok(posted::show(&args.caller, &answer))
}

pub(crate) fn say(caller: &Caller, operation: &str, content: Content) -> anyhow::Result<Answer<Posted>> {
    let (client, from) = (caller.client(), caller.sender()?);
    let exchange = find(caller, &client, from.as_deref(), operation)?;
    say_in(caller, &client, from, &exchange, content)
}

pub(crate) fn say_in(
    caller: &Caller,
    client: &Client,
    from: Option<String>,
    exchange: &Exchange,
    content: Content,
) -> anyhow::Result<Answer<Posted>> {
    let content = content.with("operation_id", exchange.id.clone());
    posted::say_in(caller, client, from, exchange, content)
}

/// The operation of this id, or the only open one of this name in which the caller takes part.
pub(crate) fn find(
    caller: &Caller,
    client: &Client,
    me: Option<&str>,
    operation: &str,
) -> anyhow::Result<Exchange> {
    match by_id(client, operation) {
        Some(Err(error)) if error.status() == Some(404) => {
            bail!("there is no operation {operation}; list them with: wilco exchanges --protocol operation")
        }
        Some(found) => return caller.checked(found),
        None => {}
    }
    let query = ExchangeParameters {
        protocol: Some("operation".to_owned()),
        agent: me.map(str::to_owned),
        open: Some(true),
        limit: Some(LOOKED_AT),
        ..ExchangeParameters::default()
    };
    let open = caller.checked(client.exchanges(&query))?.value.items;
    let named = |exchange: &Exchange| exchange.data["operation"] == operation;
    let mut found: Vec<_> = open.into_iter().filter(named).collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => bail!(
            "no operation {operation} is open for you; list them with: wilco exchanges --protocol operation"
        ),
        _ => {
            let ids: Vec<_> = found.iter().map(|exchange| exchange.id.as_str()).collect();
            bail!("{operation} is open more than once; name one of {}", ids.join(", "))
        }
    }
}

//! From an issue to its open validation, and something said in it.

use anyhow::bail;
use wilco_client::{Answer, Client, ExchangeParameters, IdempotencyKey, Outgoing};
use wilco_language::parse::unmarked;
use wilco_wire::{Exchange, Posted};

use crate::caller::Caller;
use crate::task::by_id;
use crate::values::Content;

/// More open validations than this are not looked at.
const LOOKED_AT: u32 = 1000;

pub(crate) fn say(caller: &Caller, issue: &str, content: Content) -> anyhow::Result<Answer<Posted>> {
    let (client, from) = (caller.client(), caller.sender()?);
    let exchange = find(caller, &client, from.as_deref(), issue)?;
    let (exchange, content) = (Some(exchange.id), content.into_value());
    caller.checked(
        client.send(&Outgoing { from, exchange, content, ..Outgoing::default() }, &IdempotencyKey::fresh()),
    )
}

/// The validations of an issue, open or ended, newest first.
pub(crate) fn of_issue(caller: &Caller, client: &Client, issue: &str) -> anyhow::Result<Vec<Exchange>> {
    let issue = unmarked(issue);
    let query = ExchangeParameters {
        protocol: Some("validation".to_owned()),
        q: Some(issue.to_owned()),
        limit: Some(LOOKED_AT),
        ..ExchangeParameters::default()
    };
    let mut found = caller.checked(client.exchanges(&query))?.value.items;
    found.retain(|exchange| of(exchange, issue));
    Ok(found)
}

fn of(exchange: &Exchange, issue: &str) -> bool {
    exchange.data["issue"].as_str().is_some_and(|known| unmarked(known).eq_ignore_ascii_case(issue))
}

/// The validation of this id, or the only open one of this issue in which the caller takes part.
fn find(caller: &Caller, client: &Client, me: Option<&str>, issue: &str) -> anyhow::Result<Exchange> {
    match by_id(client, issue) {
        Some(Err(error)) if error.status() == Some(404) => {
            bail!("there is no validation {issue}; list them with: wilco exchanges --protocol validation")
        }
        Some(found) => return caller.checked(found),
        None => {}
    }
    let query = ExchangeParameters {
        protocol: Some("validation".to_owned()),
        agent: me.map(str::to_owned),
        open: Some(true),
        limit: Some(LOOKED_AT),
        ..ExchangeParameters::default()
    };
    let open = caller.checked(client.exchanges(&query))?.value.items;
    let issue = unmarked(issue);
    let mut found: Vec<_> = open.into_iter().filter(|exchange| of(exchange, issue)).collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => bail!(
            "no validation of {issue} is open for you; list them with: wilco exchanges --protocol validation"
        ),
        _ => {
            let ids: Vec<_> = found.iter().map(|exchange| exchange.id.as_str()).collect();
            bail!("{issue} is being validated more than once; name one of {}", ids.join(", "))
        }
    }
}

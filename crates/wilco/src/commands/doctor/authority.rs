//! Who is believed, and whose token may less than it did.

use wilco_client::{Client, ExchangeParameters};
use wilco_server::{Role, Tokens};

use super::Exam;
use super::finding::Finding;
use crate::place::Place;

/// Exchanges of one agent that are looked at.
const LOOKED_AT: u32 = 100;

pub(super) fn examine(exam: &mut Exam<'_>, place: &Place) -> anyhow::Result<()> {
    // Asked without a token: whoever is answered is believed.
    if Client::new(exam.client.url()).agents().is_ok() {
        let text =
            "callers are believed without tokens: whoever can connect on this machine may do everything";
        let next = "wilco token create NAME, then auth = \"required\" in the configuration";
        exam.found.push(Finding::note("authority", text).next(next));
    }
    let tokens = place.data().ok().and_then(|data| Tokens::new(&data).list().ok()).unwrap_or_default();
    for token in tokens.iter().filter(|token| token.role == Role::Agent) {
        let began: Vec<_> = ["operation", "handoff"]
            .into_iter()
            .filter(|protocol| began(exam, token.name.as_str(), protocol))
            .map(|protocol| format!("{protocol}s"))
            .collect();
        if !began.is_empty() {
            let text = format!(
                "began {} before; a token of role agent begins no operations and hands over only its own tasks",
                began.join(" and ")
            );
            let about = format!("token {} of {}", token.id, token.name);
            exam.found.push(
                Finding::note(&about, text).next(format!("wilco token role {} orchestrator", token.id)),
            );
        }
    }
    Ok(())
}

/// Whether an agent began such an exchange. Whoever may not ask is told nothing.
fn began(exam: &Exam<'_>, agent: &str, protocol: &str) -> bool {
    let query = ExchangeParameters {
        protocol: Some(protocol.to_owned()),
        agent: Some(agent.to_owned()),
        limit: Some(LOOKED_AT),
        ..ExchangeParameters::default()
    };
    exam.client.exchanges(&query).is_ok_and(|page| {
        page.value.items.iter().any(|exchange| exchange.initiator.eq_ignore_ascii_case(agent))
    })
}

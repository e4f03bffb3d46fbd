//! The document of a handoff: the name of its file, for whoever may see the exchange.

use wilco_protocol::exchange::key;
use wilco_protocol::{Exchange, ExchangeId};
use wilco_store::{Reader, StoreError};

use super::sight::{load, sees_exchange};
use crate::command::Viewer;

/// Exchanges that are looked at: a script may use an id for its handoff that was used before.
const MAX_FOUND: usize = 100;

/// By the handoff's id or the exchange's. The newest exchange with a document wins.
pub fn handoff_document(
    reader: &dyn Reader,
    viewer: &Viewer,
    id: &str,
) -> Result<Option<String>, StoreError> {
    let mut numbers = match id.parse::<ExchangeId>() {
        Ok(exchange) => vec![exchange.number],
        Err(_) => reader.find(&key("handoff", &id.to_lowercase()), MAX_FOUND)?,
    };
    numbers.sort_unstable();
    for number in numbers.into_iter().rev() {
        let Some((exchange, _)) = load(reader, number)? else { continue };
        let Exchange::Handoff(state) = &exchange else { continue };
        if !sees_exchange(reader, viewer, &exchange)? {
            continue;
        }
        let former = state.former.iter().find(|former| former.handoff_id.eq_ignore_ascii_case(id));
        let name = match former {
            Some(former) => former.document.clone(),
            None => state.document.as_ref().map(|document| document.name.clone()),
        };
        if name.is_some() {
            return Ok(name);
        }
    }
    Ok(None)
}

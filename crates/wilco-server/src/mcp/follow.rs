//! Watching resources: events of the journal become notices that something changed.

use std::collections::BTreeSet;
use std::future::Future;
use std::time::Duration;

use serde_json::Value;
use wilco_wire::{Event, Page, Problem, Ready};

use crate::mcp::native::Native;
use crate::mcp::request::Request;
use crate::mcp::resources::ResourceUri;

/// How long one call for events is held back: so long a watcher that went away unseen is kept.
const HELD: Duration = Duration::from_secs(20);

/// Whoever watched is gone.
#[derive(Debug)]
pub(crate) struct Gone;

/// Where the journal ends now: what comes behind it is news.
pub(crate) async fn now<S: Native>(server: &S) -> Result<u64, Box<Problem>> {
    let ready = server.ask(Request::get("/readyz".to_owned(), &[])).await?;
    Ok(serde_json::from_value::<Ready>(ready).map(|ready| ready.position).unwrap_or_default())
}

/// Tells of every change behind `after`, each place once per batch of events, until nobody listens, the server
/// stops, or the caller may no longer ask.
pub(crate) async fn follow<S, F>(server: &S, mut after: u64, mut tell: impl FnMut(ResourceUri) -> F)
where
    S: Native,
    F: Future<Output = Result<(), Gone>>,
{
    loop {
        let query = [("after", Some(after.to_string())), ("wait", Some(format!("{}s", HELD.as_secs())))];
        let request = Request::get("/v1/events".to_owned(), &query).within(HELD);
        let Ok(page) = server.ask(request).await else { return };
        if !server.is_allowed() {
            return;
        }
        let Some(page) = events(page) else { return };
        let changed: BTreeSet<_> = page.items.iter().flat_map(ResourceUri::changed_by).collect();
        for place in changed {
            let Ok(()) = tell(place).await else { return };
        }
        let Some(next) = page.next.and_then(|next| next.parse().ok()) else { return };
        after = next;
    }
}

fn events(page: Value) -> Option<Page<Event>> {
    serde_json::from_value(page).ok()
}

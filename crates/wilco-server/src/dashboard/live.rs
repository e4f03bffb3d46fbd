//! `/live`: says that something happened, at most twice a second, that the server is there, and what time it is.

use std::time::Duration;

use axum::extract::State;
use axum::response::Response;

use super::look::Look;
use crate::app::App;
use crate::problem::Failure;
use crate::stream::{self, Outlet, Reader};

/// A person reads no faster.
const PAUSE: Duration = Duration::from_millis(500);
/// How often a page hears that the server is there.
const BEAT: Duration = Duration::from_secs(2);

pub(super) async fn live(State(app): State<App>, _look: Look, reader: Reader) -> Result<Response, Failure> {
    let (outlet, response) = stream::open(&app, reader)?;
    tokio::spawn(beat(app, outlet));
    Ok(response)
}

/// Sends where the journal ends until somebody ends it.
async fn beat(app: App, outlet: Outlet) {
    let (mut head, mut stopping) = (app.handle.waiters().head(), app.stopping.clone());
    loop {
        let position = *head.borrow_and_update();
        let now = format!("{{\"now\":{}}}", app.handle.now().millis());
        if *stopping.borrow() || outlet.send(position, &now).await.is_err() {
            return;
        }
        tokio::time::sleep(PAUSE).await;
        tokio::select! {
            _ = head.changed() => {}
            () = tokio::time::sleep(BEAT) => {}
            _ = stopping.changed() => return,
            () = outlet.closed() => return,
        }
    }
}

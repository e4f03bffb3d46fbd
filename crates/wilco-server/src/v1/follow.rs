//! The journal and an inbox as streams: what is there first, then what follows, without a gap.

use http::StatusCode;
use wilco_engine::reads::{self, EventQuery, InboxEntry, InboxQuery, Part};
use wilco_protocol::Name;
use wilco_store::InboxStatus;

use super::{events, inbox};
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::shape;
use crate::stream::{Gone, KEEP_ALIVE, Outlet};
use crate::v1::inbox::waits_there;

/// Events or messages read at once.
pub(super) const PAGE: usize = 100;
/// Bytes of messages read at once: what a stream holds besides its buffer.
pub(super) const PAGE_BYTES: usize = 64 << 10;

/// Refuses a place that a restore lost. Who goes on from there would miss what was given out anew, or not know that
/// something is gone.
pub(super) async fn check_cursor(app: &App, after: Option<u64>) -> Result<(), Failure> {
    let Some(position) = after.filter(|position| *position > 0) else { return Ok(()) };
    match app.handle.read(move |reader| reads::is_lost(reader, position)).await? {
        true => Err(gone(position)),
        false => Ok(()),
    }
}

/// Refuses to go on from a place that nobody can have been given: where data went back, its reader would miss what comes
/// there.
pub(super) async fn check_resumed(app: &App, last_event: Option<u64>) -> Result<(), Failure> {
    let Some(position) = last_event else { return Ok(()) };
    match app.handle.read(move |reader| Ok(reader.head()?.position < position)).await? {
        true => Err(gone(position)),
        false => Ok(()),
    }
}

fn gone(position: u64) -> Failure {
    let detail = format!(
        "position {position} is not there: the data went back to an earlier state, by a restore or to a standby that was \
         behind; begin anew, without after or Last-Event-ID"
    );
    Failure::new(StatusCode::GONE, "cursor-gone", detail)
}

/// Sends events until somebody ends it: the reader, the server, or the one who revokes its token.
pub(super) async fn journal(app: App, caller: Caller, mut wanted: EventQuery, outlet: Outlet) {
    let (mut head, mut stopping) = (app.handle.waiters().head(), app.stopping.clone());
    loop {
        let Ok(part) = events::page(&app, &caller, &wanted).await else { return };
        for event in &part.items {
            let json = shape::event(event).to_string();
            let Ok(()) = outlet.send(event.position, &json).await else { return };
        }
        wanted.after = part.next.unwrap_or(wanted.after);
        if *stopping.borrow() || !outlet.is_allowed() {
            return;
        }
        tokio::select! {
            _ = head.wait_for(|head| *head > wanted.after) => {}
            () = tokio::time::sleep(KEEP_ALIVE) => outlet.keep_alive(),
            _ = stopping.changed() => return,
            () = outlet.closed() => return,
        }
    }
}

/// Sends the messages of an inbox. A stream that resumes nothing begins with what is unread.
pub(super) async fn messages(app: App, caller: Caller, mut query: InboxQuery, outlet: Outlet) {
    let notify = app.handle.waiters().inbox(&query.agent);
    let mut stopping = app.stopping.clone();
    if query.after.is_none() {
        match unread(&app, &caller, &query, &outlet).await {
            Ok(end) => query.after = Some(end),
            Err(Gone) => return,
        }
    }
    loop {
        let notified = notify.notified();
        tokio::pin!(notified);
        notified.as_mut().enable();
        let Ok(part) = send_page(&app, &caller, &query, u64::MAX, &outlet).await else { return };
        query.after = part.next;
        if *stopping.borrow() || !outlet.is_allowed() {
            return;
        }
        // A page ends early when it has many bytes; only an empty one is the last.
        if part.items.len() == query.limit || bytes(&part.items) >= query.bytes / 2 {
            continue;
        }
        tokio::select! {
            () = notified => {}
            () = tokio::time::sleep(KEEP_ALIVE) => {
                outlet.keep_alive();
                is_there(&app, &caller, &query.agent).await;
            }
            _ = stopping.changed() => return,
            () = outlet.closed() => return,
        }
    }
}

/// What was unread when the stream began; returns where the inbox ended then.
async fn unread(app: &App, caller: &Caller, query: &InboxQuery, outlet: &Outlet) -> Result<u64, Gone> {
    let (viewer, agent) = (caller.viewer.clone(), query.agent.clone());
    let end = app.handle.read(move |reader| reads::inbox_end(reader, &viewer, &agent));
    let end = end.await.map_err(|_| Gone)?.ok_or(Gone)?;
    let wants_unread = query.statuses.contains(&InboxStatus::Unread);
    let statuses = if wants_unread { vec![InboxStatus::Unread] } else { query.statuses.clone() };
    let mut first = InboxQuery { statuses, after: Some(0), ..query.clone() };
    loop {
        let part = send_page(app, caller, &first, end, outlet).await?;
        if part.items.last().is_none_or(|last| last.position >= end) {
            return Ok(end);
        }
        first.after = part.next;
    }
}

/// Reads a page and sends what of it is not behind `end`. What is read and not yet written counts as held back too.
async fn send_page(
    app: &App,
    caller: &Caller,
    query: &InboxQuery,
    end: u64,
    outlet: &Outlet,
) -> Result<Part<InboxEntry>, Gone> {
    let turn = outlet.turn().await?;
    let part = inbox::page(app, caller, query.clone()).await.map_err(|_| Gone)?.ok_or(Gone)?;
    let _held = outlet.hold(bytes(&part.items)).await?;
    drop(turn);
    for letter in part.items.iter().take_while(|letter| letter.position <= end) {
        sent(letter, outlet).await?;
    }
    Ok(part)
}

/// About as many as the letters take.
fn bytes(letters: &[InboxEntry]) -> usize {
    let size =
        |letter: &InboxEntry| letter.message.content.get().len() + letter.message.delivered().get().len();
    letters.iter().map(size).sum()
}

async fn sent(letter: &InboxEntry, outlet: &Outlet) -> Result<(), Gone> {
    let json = serde_json::to_string(&shape::delivered(letter)).map_err(|_| Gone)?;
    outlet.send(letter.position, &json).await
}

/// Whoever listens to its own inbox is there. A writer that is too busy need not know.
async fn is_there(app: &App, caller: &Caller, agent: &Name) {
    if caller.agent.as_ref().is_some_and(|caller| caller.as_str().eq_ignore_ascii_case(agent.as_str())) {
        let _ = waits_there(app, caller, agent.as_str()).await;
    }
}

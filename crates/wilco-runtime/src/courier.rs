//! What the courier does with an order: carries it out, and brings back what came of it.

use std::collections::BTreeMap;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use tokio::sync::oneshot;
use wilco_engine::{Command, Order, Refused};
use wilco_outside::{Outcome, Outside};
use wilco_protocol::{Span, Time};
use wilco_store::EffectRow;

use crate::writer::Job;

/// Orders by when they are due, and where they come from.
pub(crate) type Pending = BTreeMap<(Time, u64, u32), EffectRow>;

/// An order that failed this often is given up.
const MAX_ATTEMPTS: u32 = 6;
/// The wait after the first failure; it doubles each time.
const FIRST_WAIT: Span = Span::seconds(5);
/// How long a report waits when it could not be stored.
const REPORT_AGAIN: Duration = Duration::from_secs(1);

/// Orders of an earlier run: what must not be repeated is reported as interrupted, the rest goes on.
pub(crate) fn left_over(rows: Vec<EffectRow>) -> (Vec<Command>, Pending) {
    let (mut interrupted, mut pending) = (Vec::new(), BTreeMap::new());
    for row in rows {
        let (position, index) = (row.position, row.index);
        let order = serde_json::from_slice::<Order>(&row.body).ok();
        match order.and_then(|order| order.effect.interrupted()) {
            Some(report) => interrupted.push(Command::Report { position, index, report }),
            None => _ = pending.insert((row.due, position, index), row),
        }
    }
    (interrupted, pending)
}

/// Brings a report to the writer. It must not be lost: while it cannot be stored it is brought again.
pub(crate) async fn report(queue: SyncSender<Job>, command: Command) {
    // Blocking is right here: the queue is bounded.
    let send = |job: Job| {
        let queue = queue.clone();
        async move { tokio::task::spawn_blocking(move || queue.send(job)).await.is_ok_and(|sent| sent.is_ok()) }
    };
    loop {
        let (answer, answered) = oneshot::channel();
        if !send(Job::Commands(vec![command.clone()], answer)).await {
            return;
        }
        match answered.await.ok().and_then(|answers| answers.into_iter().next()) {
            Some(Err(Refused::Store(_))) => tokio::time::sleep(REPORT_AGAIN).await,
            Some(_) | None => break,
        }
    }
    send(Job::Carried).await;
}

/// Carries out an order; what came of it is a command again.
pub(crate) async fn carried_out(outside: &Outside, row: EffectRow, now: Time) -> Command {
    let (position, index) = (row.position, row.index);
    let order: Order = match serde_json::from_slice(&row.body) {
        Ok(order) => order,
        Err(error) => {
            tracing::error!(%error, position, "an order cannot be read and is put off");
            return Command::Postpone { position, index, due: now.plus(Span::minutes(60)) };
        }
    };
    match outside.carry_out(&order).await {
        Outcome::Reported(report) => Command::Report { position, index, report },
        Outcome::NotYet { reason } if row.attempts + 1 >= MAX_ATTEMPTS => {
            let report = Outside::given_up(&order, reason);
            Command::Report { position, index, report }
        }
        Outcome::NotYet { reason } => {
            tracing::warn!(reason, position, "an order failed and is tried again");
            Command::Postpone { position, index, due: now.plus(FIRST_WAIT.doubled(row.attempts)) }
        }
    }
}

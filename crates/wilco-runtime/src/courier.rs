//! What the courier does with an order: carries it out, and brings back what came of it.

use std::collections::BTreeMap;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use tokio::sync::oneshot;
use wilco_engine::{Command, How, NEVER, Nudge, NudgeJob, NudgeOutcome, Order, Refused};
use wilco_outside::{EffectResult, Outside};
use wilco_protocol::decision::Effect;
use wilco_protocol::{Span, Time};
use wilco_store::{EffectRow, StoreError};

use crate::meters::Meters;
use crate::writer::Job;

/// Orders by when they are due, and where they come from.
pub(crate) type Pending = BTreeMap<(Time, u64, u32), EffectRow>;

/// An order that failed this often is given up.
const MAX_ATTEMPTS: u32 = 6;
/// The wait after the first failure; it doubles each time.
const FIRST_WAIT: Span = Span::seconds(5);
/// How long a report waits when it could not be stored.
const REPORT_AGAIN: Duration = Duration::from_secs(1);

/// How long to wait before each further try of a nudge; after the last it is a dead letter. A service that
/// is called may be down for a night.
const WEBHOOK_WAITS: [Span; 6] = [
    Span::seconds(5),
    Span::minutes(5),
    Span::minutes(30),
    Span::minutes(120),
    Span::minutes(300),
    Span::minutes(600),
];
/// What runs on this machine is there soon, or not at all.
const LOCAL_WAITS: [Span; 4] = [Span::seconds(2), Span::seconds(10), Span::minutes(1), Span::minutes(5)];

/// Orders of an earlier run: what must not be repeated is reported as interrupted, the rest goes on.
pub(crate) fn recover(rows: Vec<EffectRow>, outside: &Outside) -> (Vec<Command>, Pending) {
    let (mut interrupted, mut pending) = (Vec::new(), BTreeMap::new());
    // A dead letter waits for nothing.
    for row in rows.into_iter().filter(|row| row.due < NEVER) {
        let (position, index) = (row.position, row.index);
        let effect = serde_json::from_slice::<Order>(&row.body).ok().map(|order| order.effect);
        let run = match &effect {
            Some(Effect::RunStep { exchange, agent, run }) => Some((exchange, agent.clone(), run)),
            Some(Effect::RunCheck { exchange, phase, run }) => {
                Some((exchange, wilco_outside::phase(*phase), run))
            }
            Some(Effect::Judge { .. } | Effect::CallHuman { .. } | Effect::Handoff { .. }) | None => None,
        };
        if let Some((exchange, agent, run)) = run {
            let ended = outside.end_left_running(*exchange, &agent, *run);
            tracing::warn!(%exchange, %agent, ended, "a command was interrupted; what it left running was ended");
        }
        match effect.and_then(|effect| effect.interrupted()) {
            Some(report) => interrupted.push(Command::Report { position, index, report }),
            None => _ = pending.insert((row.due, position, index), row),
        }
    }
    (interrupted, pending)
}

/// Brings a report to the writer. It must not be lost: while it cannot be stored it is brought again.
pub(crate) async fn report(queue: SyncSender<Job>, meters: Meters, command: Command) {
    // Blocking is right here: the queue is bounded.
    let send = |job: Job| {
        let queue = queue.clone();
        meters.queued();
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

/// What is to be done for a row of the table of effects.
pub(crate) enum CourierJob {
    Order(EffectRow, Box<Order>),
    /// The job is none when everything was read meanwhile, and an error when the nudge makes no sense.
    Nudge(EffectRow, Nudge, Result<Option<Result<NudgeJob, String>>, StoreError>),
    Unreadable(EffectRow, String),
}

/// Carries it out; what came of it is a command again.
pub(crate) async fn carried_out(
    outside: &Outside,
    errand: CourierJob,
    now: Time,
    meters: &Meters,
) -> Command {
    match errand {
        CourierJob::Order(row, order) => ordered(outside, row, &order, now, meters).await,
        CourierJob::Nudge(row, nudge, job) => {
            let (position, index) = (row.position, row.index);
            let outcome = nudged(outside, &row, job, now).await;
            let word = match &outcome {
                NudgeOutcome::Delivered => "done",
                NudgeOutcome::Moot => "moot",
                NudgeOutcome::Again { .. } => "retried",
                NudgeOutcome::Dead { .. } => "given-up",
            };
            meters.ordered("nudge", word);
            Command::Nudged { position, index, agent: nudge.agent, through: nudge.through, outcome }
        }
        CourierJob::Unreadable(row, error) => {
            tracing::error!(error, position = row.position, "an order cannot be read and is put off");
            let due = now.plus(Span::minutes(60));
            Command::Postpone { position: row.position, index: row.index, due }
        }
    }
}

async fn ordered(outside: &Outside, row: EffectRow, order: &Order, now: Time, meters: &Meters) -> Command {
    let (position, index) = (row.position, row.index);
    let word = order.effect.word();
    match outside.carry_out(order, now).await {
        EffectResult::Reported(report) => {
            meters.ordered(word, "done");
            Command::Report { position, index, report }
        }
        EffectResult::NotYet { reason, otherwise, .. } if row.attempts + 1 >= MAX_ATTEMPTS => {
            meters.ordered(word, "given-up");
            let report = otherwise.unwrap_or_else(|| Outside::given_up(order, reason));
            Command::Report { position, index, report }
        }
        EffectResult::NotYet { reason, after, .. } => {
            meters.ordered(word, "retried");
            tracing::warn!(reason, position, "an order failed and is tried again");
            let wait = FIRST_WAIT.doubled(row.attempts).max(after.unwrap_or_default());
            Command::Postpone { position, index, due: now.plus(wait) }
        }
    }
}

async fn nudged(
    outside: &Outside,
    row: &EffectRow,
    job: Result<Option<Result<NudgeJob, String>>, StoreError>,
    now: Time,
) -> NudgeOutcome {
    let job = match job {
        Ok(None) => return NudgeOutcome::Moot,
        Ok(Some(Ok(job))) => job,
        Ok(Some(Err(reason))) => return NudgeOutcome::Dead { reason },
        Err(error) => {
            return NudgeOutcome::Again { due: now.plus(FIRST_WAIT), reason: error.to_string() };
        }
    };
    let waits: &[Span] = match job.how {
        How::Webhook { .. } => &WEBHOOK_WAITS,
        How::Tmux { .. } | How::Command { .. } => &LOCAL_WAITS,
    };
    match (outside.nudge(&job, now).await, waits.get(row.attempts as usize)) {
        (Ok(()), _) => NudgeOutcome::Delivered,
        (Err(reason), Some(wait)) => NudgeOutcome::Again { due: now.plus(*wait), reason },
        (Err(reason), None) => {
            tracing::warn!(reason, agent = %job.agent, "a nudge failed for good");
            NudgeOutcome::Dead { reason }
        }
    }
}

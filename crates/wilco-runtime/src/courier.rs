//! What the courier does with an order: carries it out, and brings back what came of it.

use std::collections::BTreeMap;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use tokio::sync::oneshot;
use wilco_engine::{Command, Digest, How, NEVER, Nudge, NudgeOutcome, NudgeTurn, Order, Refused, WAKE_TAKES};
use wilco_outside::{EffectResult, Outside};
use wilco_protocol::decision::Effect;
use wilco_protocol::{Span, Time};
use wilco_store::{EffectRow, StoreError};

use crate::host;
use crate::meters::Meters;
use crate::places::PlaceKind;
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

/// Orders of an earlier run: what must not be repeated is reported as interrupted, the rest goes on. What names a node is
/// its own, unless that is gone.
pub(crate) fn recover(rows: Vec<EffectRow>, outside: &Outside, gone: &[String]) -> (Vec<Command>, Pending) {
    let (mut interrupted, mut pending) = (Vec::new(), BTreeMap::new());
    // A dead letter waits for nothing.
    for row in rows.into_iter().filter(|row| row.due < NEVER) {
        let (position, index) = (row.position, row.index);
        if row.node.is_some() {
            let report = host::interrupted(&row, gone);
            interrupted.extend(report.map(|report| Command::Report { position, index, report }));
            continue;
        }
        let effect = serde_json::from_slice::<Order>(&row.body).ok().map(|order| order.effect);
        if let Some(effect) = &effect {
            end_left_running(outside, effect);
        }
        match effect.and_then(|effect| effect.interrupted()) {
            Some(report) => interrupted.push(Command::Report { position, index, report }),
            None => _ = pending.insert((row.due, position, index), row),
        }
    }
    (interrupted, pending)
}

/// Ends what an interrupted command left running on this machine.
pub(crate) fn end_left_running(outside: &Outside, effect: &Effect) {
    let (exchange, agent, run) = match effect {
        Effect::RunStep { exchange, agent, run } => (exchange, agent.clone(), run),
        Effect::RunCheck { exchange, phase, run } => (exchange, wilco_outside::phase(*phase), run),
        Effect::Judge { .. } | Effect::CallHuman { .. } | Effect::Handoff { .. } => return,
    };
    let ended = outside.end_left_running(*exchange, &agent, *run);
    tracing::warn!(%exchange, %agent, ended, "a command was interrupted; what it left running was ended");
}

/// Brings a report to the writer. It must not be lost: while it cannot be stored it is brought again.
pub(crate) async fn report(queue: SyncSender<Job>, meters: Meters, command: Command, kind: PlaceKind) {
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
    send(Job::Carried(kind)).await;
}

/// What is to be done for a row of the table of effects.
pub(crate) enum CourierJob {
    Order(EffectRow, Box<Order>),
    Nudge(EffectRow, Nudge, Result<NudgeTurn, StoreError>),
    /// The engine sends it itself.
    Digest(EffectRow, Digest),
    Unreadable(EffectRow, String),
}

impl CourierJob {
    pub(crate) fn into_row(self) -> EffectRow {
        match self {
            CourierJob::Order(row, _)
            | CourierJob::Nudge(row, ..)
            | CourierJob::Digest(row, _)
            | CourierJob::Unreadable(row, _) => row,
        }
    }
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
        CourierJob::Nudge(row, nudge, turn) => {
            let (position, index) = (row.position, row.index);
            let outcome = nudged(outside, &row, turn, now).await;
            let word = match &outcome {
                NudgeOutcome::Delivered => "done",
                NudgeOutcome::Moot => "moot",
                NudgeOutcome::Again { .. } => "retried",
                NudgeOutcome::Dead { .. } => "given-up",
                NudgeOutcome::Woken { .. } => "handed-over",
                NudgeOutcome::Later { .. } => "put-off",
            };
            meters.ordered("nudge", word);
            Command::Nudged { position, index, agent: nudge.agent, through: nudge.through, outcome }
        }
        CourierJob::Digest(row, digest) => {
            Command::Digest { position: row.position, index: row.index, agent: digest.agent }
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
    let came = outside.carry_out(order, now).await;
    if let Some(judge) = &outside.judge {
        meters.spent(judge.spent());
    }
    match came {
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
    turn: Result<NudgeTurn, StoreError>,
    now: Time,
) -> NudgeOutcome {
    let job = match turn {
        Ok(NudgeTurn::Nudge(job)) => job,
        Ok(NudgeTurn::Moot) => return NudgeOutcome::Moot,
        Ok(NudgeTurn::Later(due)) => return NudgeOutcome::Later { due },
        Ok(NudgeTurn::Wrong(reason)) => return NudgeOutcome::Dead { reason },
        Ok(NudgeTurn::Missed(reason)) => return failed(&LOCAL_WAITS, row, now, reason),
        Err(error) => {
            return NudgeOutcome::Again { due: now.plus(FIRST_WAIT), reason: error.to_string() };
        }
    };
    let waits: &[Span] = match job.how {
        How::Webhook { .. } => &WEBHOOK_WAITS,
        How::Tmux { .. } | How::Command { .. } | How::Codex { .. } => &LOCAL_WAITS,
    };
    match outside.nudge(&job, now).await {
        Ok(()) if job.has_hooks => NudgeOutcome::Woken { due: now.plus(WAKE_TAKES) },
        Ok(()) => NudgeOutcome::Delivered,
        Err(reason) => failed(waits, row, now, reason),
    }
}

/// Tried again after a while, until it is given up.
fn failed(waits: &[Span], row: &EffectRow, now: Time, reason: String) -> NudgeOutcome {
    match waits.get(row.attempts as usize) {
        Some(wait) => NudgeOutcome::Again { due: now.plus(*wait), reason },
        None => {
            tracing::warn!(reason, position = row.position, "a nudge failed for good");
            NudgeOutcome::Dead { reason }
        }
    }
}

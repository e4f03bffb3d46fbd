//! Effects that name this node: it finds them in the database and carries them out itself, whoever writes. What comes of
//! them it brings to the writer. What must run only once is marked as begun there first: from then on it runs here, or
//! was interrupted.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, watch};
use wilco_engine::{Command, NudgeJob, NudgeOutcome, NudgeTurn, Refused, StoredEffect, is_begun};
use wilco_protocol::decision::{Effect, Report};
use wilco_protocol::{Name, Time};
use wilco_store::EffectRow;

use crate::courier::{CourierJob, carried_out, end_left_running};
use crate::handle::Handle;
use crate::node::Node;
use crate::places::OrderKey;
use crate::writer::Job;

/// Effects that are carried out here at the same time.
pub(crate) const MOST: usize = 64;
/// How long a report waits when the writer could not take it.
const REPORT_AGAIN: Duration = Duration::from_secs(1);
/// How long what runs may take to end when the node leaves.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

/// What a node asks or tells the writer about an effect that names it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "call", rename_all = "kebab-case")]
pub enum HostCall {
    /// It is about to carry out what must be carried out only once.
    Begin {
        position: u64,
        index: u32,
        node: String,
    },
    /// What is to be done for a nudge that is due?
    Turn {
        position: u64,
        index: u32,
        node: String,
    },
    Report {
        position: u64,
        index: u32,
        report: Report,
    },
    Postpone {
        position: u64,
        index: u32,
        due: Time,
    },
    Nudged {
        position: u64,
        index: u32,
        agent: Name,
        through: u64,
        outcome: NudgeOutcome,
    },
}

/// What the writer answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostAnswer {
    Done,
    /// It was not to be done any more.
    Refused,
    /// None: the writer sees to it itself.
    Turn(Option<Box<NudgeJob>>),
}

/// What is carried out here, and what was found and waits for it.
#[derive(Debug)]
pub(crate) struct HostEffects {
    /// Held only to look or to change it.
    running: Mutex<BTreeSet<OrderKey>>,
    found: mpsc::Sender<EffectRow>,
    waiting: tokio::sync::Mutex<mpsc::Receiver<EffectRow>>,
    /// Told when everything that runs is to end.
    ending: watch::Sender<()>,
}

impl HostEffects {
    pub(crate) fn new() -> HostEffects {
        let (found, waiting) = mpsc::channel(MOST);
        let (running, waiting) = (Mutex::default(), tokio::sync::Mutex::new(waiting));
        HostEffects { running, found, waiting, ending: watch::channel(()).0 }
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeSet<OrderKey>) -> T) -> T {
        change(&mut self.running.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What is carried out, or is about to be. Asked before the database is: what has ended meanwhile is not begun anew.
    pub(crate) fn running(&self) -> BTreeSet<OrderKey> {
        self.change(|running| running.clone())
    }

    pub(crate) fn found(&self, row: EffectRow) {
        let place = (row.position, row.index);
        self.change(|running| running.insert(place));
        if self.found.try_send(row).is_err() {
            // No room now: it is found again.
            self.change(|running| running.remove(&place));
        }
    }

    /// Ends what runs: nobody else may take this node for alive any more.
    pub(crate) fn end_all(&self) {
        self.ending.send_replace(());
    }

    /// The same, and waits until it has ended.
    pub(crate) fn leave(&self, runtime: &tokio::runtime::Handle) {
        self.end_all();
        let ended = async { tokio::time::timeout(ENDS_WITHIN, self.ending.closed()).await };
        if runtime.block_on(ended).is_err() {
            tracing::warn!("commands are still running; they are left behind");
        }
    }
}

impl Handle {
    /// The next effect that this node is to carry out. Never returns where there is one node only.
    pub async fn next_host_effect(&self) -> EffectRow {
        if let Some(node) = &self.node
            && let Some(row) = node.host.waiting.lock().await.recv().await
        {
            return row;
        }
        std::future::pending().await
    }

    /// Carries out an effect that names this node. `ask`: how the writer is asked, once; none: it is not known what it
    /// heard.
    pub async fn carry_out_here<F>(&self, row: EffectRow, ask: impl Fn(HostCall) -> F)
    where
        F: Future<Output = Option<HostAnswer>>,
    {
        let Some(node) = &self.node else { return };
        let place = (row.position, row.index);
        if let Some(call) = self.came_of(node, row, &ask).await {
            // It must not be lost. If somebody else reported on it meanwhile, this one says nothing.
            while ask(call.clone()).await.is_none() {
                tokio::time::sleep(REPORT_AGAIN).await;
            }
        }
        node.host.change(|running| running.remove(&place));
    }

    async fn came_of<F>(&self, node: &Node, row: EffectRow, ask: &impl Fn(HostCall) -> F) -> Option<HostCall>
    where
        F: Future<Output = Option<HostAnswer>>,
    {
        let mut ending = node.host.ending.subscribe();
        let (position, index, name) = (row.position, row.index, node.name.clone());
        let job = match serde_json::from_slice(&row.body) {
            Ok(StoredEffect::Order(order)) => {
                match order.effect.interrupted() {
                    Some(report) if is_begun(&row) => {
                        let (outside, effect) = (self.outside.clone(), order.effect);
                        let ended = tokio::task::spawn_blocking(move || end_left_running(&outside, &effect));
                        ended.await.ok()?;
                        return Some(HostCall::Report { position, index, report });
                    }
                    Some(report) => match ask(HostCall::Begin { position, index, node: name }).await {
                        Some(HostAnswer::Done) => {}
                        // Nobody waits for it any more: it did not run, and is over.
                        Some(HostAnswer::Refused) => {
                            return Some(HostCall::Report { position, index, report });
                        }
                        Some(HostAnswer::Turn(_)) | None => return None,
                    },
                    None => {}
                }
                CourierJob::Order(row, Box::new(order))
            }
            Ok(StoredEffect::Nudge { nudge }) => {
                match ask(HostCall::Turn { position, index, node: name }).await {
                    Some(HostAnswer::Turn(Some(job))) => {
                        CourierJob::Nudge(row, nudge, Ok(NudgeTurn::Nudge(job)))
                    }
                    Some(HostAnswer::Turn(None) | HostAnswer::Done | HostAnswer::Refused) | None => {
                        return None;
                    }
                }
            }
            Ok(StoredEffect::Digest { digest }) => CourierJob::Digest(row, digest),
            Err(error) => CourierJob::Unreadable(row, error.to_string()),
        };
        let command = tokio::select! {
            biased;
            // Others may take this node for gone: dropping it ends the programs that it runs.
            _ = ending.changed() => return None,
            () = node.is_cut_off() => return None,
            command = carried_out(&self.outside, job, self.now(), &self.meters) => command,
        };
        HostCall::of(command)
    }

    /// As the writer: does what a node asks for. None: it could not be stored, or there is no writer here.
    pub async fn host_call(&self, call: HostCall) -> Option<HostAnswer> {
        let command = match call {
            HostCall::Turn { position, index, node } => {
                let turn = self.ask(|answer| Job::Turn { place: (position, index), node, answer }).await;
                return turn.ok().map(HostAnswer::Turn);
            }
            HostCall::Begin { position, index, node } => Command::Begin { position, index, node },
            HostCall::Report { position, index, report } => Command::Report { position, index, report },
            HostCall::Postpone { position, index, due } => Command::Postpone { position, index, due },
            HostCall::Nudged { position, index, agent, through, outcome } => {
                Command::Nudged { position, index, agent, through, outcome }
            }
        };
        match self.send(command).await {
            Ok(Ok(_)) => Some(HostAnswer::Done),
            Ok(Err(Refused::Store(_))) | Err(_) => None,
            Ok(Err(_)) => Some(HostAnswer::Refused),
        }
    }
}

impl HostCall {
    /// What the courier brought back.
    fn of(command: Command) -> Option<HostCall> {
        match command {
            Command::Report { position, index, report } => Some(HostCall::Report { position, index, report }),
            Command::Postpone { position, index, due } => Some(HostCall::Postpone { position, index, due }),
            Command::Nudged { position, index, agent, through, outcome } => {
                Some(HostCall::Nudged { position, index, agent, through, outcome })
            }
            // The courier brings nothing else back for what names a node.
            _ => None,
        }
    }
}

/// The effects of an earlier writer that were begun at nodes that are gone: what must run only once was interrupted.
pub(crate) fn interrupted(row: &EffectRow, gone: &[String]) -> Option<Report> {
    let is_gone = row.node.as_ref().is_some_and(|node| gone.contains(node));
    let effect = wilco_engine::runs_once(row).filter(|_| is_gone && is_begun(row));
    effect.as_ref().and_then(Effect::interrupted)
}

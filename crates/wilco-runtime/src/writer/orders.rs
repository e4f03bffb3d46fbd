//! Sending the courier off with what was ordered, and calling it back.

use std::time::Duration;

use tokio::sync::watch;
use wilco_engine::{NudgeJob, NudgeTurn};
use wilco_store::EffectRow;

use super::Writer;
use crate::courier::{CourierJob, carried_out, report};
use crate::places::{OrderKey, PlaceKind};

/// How long the courier may take to drop what it does when the server stops.
const RECALL: Duration = Duration::from_secs(2);

impl Writer {
    /// Starts orders that are due.
    pub(super) fn send_courier(&mut self) {
        let now = self.clock.now();
        while let Some(row) = self.places.take_due(now) {
            let errand = self.courier_job(row);
            let kind = PlaceKind::of(&errand);
            match self.places.begin(kind) {
                true => self.send_off(errand, kind),
                false => self.places.hold(kind, errand.into_row()),
            }
        }
    }

    fn send_off(&mut self, errand: CourierJob, kind: PlaceKind) {
        let (outside, queue, meters) = (self.outside.clone(), self.queue.clone(), self.meters.clone());
        let (mut ending, now) = (self.ending.subscribe(), self.clock.now());
        self.courier.spawn(async move {
            tokio::select! {
                command = carried_out(&outside, errand, now, &meters) => {
                    report(queue, meters.clone(), command, kind).await;
                }
                // Dropping it ends the programs that it runs.
                _ = ending.changed() => {}
            }
        });
    }

    /// What a node is to do for a nudge that names it. What needs no program is done here.
    pub(super) fn turn_of(&mut self, (position, index): OrderKey, node: &str) -> Option<Box<NudgeJob>> {
        let row = self.reader.effect(position, index).ok().flatten()?;
        if row.node.as_deref() != Some(node) || row.due > self.clock.now() {
            return None;
        }
        match self.courier_job(row) {
            CourierJob::Nudge(_, _, Ok(NudgeTurn::Nudge(job))) => Some(job),
            errand => {
                let kind = PlaceKind::of(&errand);
                if self.places.begin(kind) {
                    self.send_off(errand, kind);
                }
                None
            }
        }
    }

    /// Lets the courier drop what it does, and waits until it has.
    pub(super) fn recall_courier(&mut self) {
        let ending = std::mem::replace(&mut self.ending, watch::channel(()).0);
        let _ = ending.send(());
        let dropped = async { tokio::time::timeout(RECALL, ending.closed()).await };
        if self.courier.block_on(dropped).is_err() {
            tracing::warn!("the courier is still busy; what it does is left behind");
        }
    }

    /// What is to be done for a row, looked up at the last moment.
    fn courier_job(&self, row: EffectRow) -> CourierJob {
        match serde_json::from_slice(&row.body) {
            Ok(wilco_engine::StoredEffect::Order(order)) => CourierJob::Order(row, Box::new(order)),
            Ok(wilco_engine::StoredEffect::Nudge { nudge }) => {
                let turn = self.engine.nudge_turn(&nudge, &row, self.clock.now(), &*self.reader);
                CourierJob::Nudge(row, nudge, turn)
            }
            Ok(wilco_engine::StoredEffect::Digest { digest }) => CourierJob::Digest(row, digest),
            Err(error) => CourierJob::Unreadable(row, error.to_string()),
        }
    }
}

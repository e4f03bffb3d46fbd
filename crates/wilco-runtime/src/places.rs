//! Orders that wait for the courier, and its places: every kind of order has its own, so that what hangs delays only its
//! like.

use std::collections::BTreeMap;

use wilco_engine::{How, NudgeTurn};
use wilco_protocol::Time;
use wilco_protocol::decision::Effect;
use wilco_store::EffectRow;

use crate::courier::{CourierJob, Pending};

/// The kinds of orders that have places of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PlaceKind {
    /// Commands of operations and validations; one operation runs half of them at the most.
    Programs,
    Judge,
    /// Calls of people about escalations.
    People,
    /// Documents, files and issues of handoffs.
    Handoffs,
    /// Nudges on this machine, and whatever is settled without a call.
    Nudges,
    Webhooks,
    /// Webhooks that failed before: they never take the places of those that may be well.
    FailedWebhooks,
}

impl PlaceKind {
    pub(crate) fn of(job: &CourierJob) -> PlaceKind {
        match job {
            CourierJob::Order(_, order) => match order.effect {
                Effect::RunStep { .. } | Effect::RunCheck { .. } => PlaceKind::Programs,
                Effect::Judge { .. } => PlaceKind::Judge,
                Effect::CallHuman { .. } => PlaceKind::People,
                Effect::Handoff { .. } => PlaceKind::Handoffs,
            },
            CourierJob::Nudge(row, _, Ok(NudgeTurn::Nudge(nudge))) => match nudge.how {
                How::Webhook { .. } if row.attempts > 0 => PlaceKind::FailedWebhooks,
                How::Webhook { .. } => PlaceKind::Webhooks,
                How::Tmux { .. } | How::Command { .. } | How::Codex { .. } => PlaceKind::Nudges,
            },
            CourierJob::Nudge(..) | CourierJob::Digest(..) | CourierJob::Unreadable(..) => PlaceKind::Nudges,
        }
    }

    /// Orders of this kind that are carried out at the same time. A call that waits costs a socket and little else, so
    /// webhooks have more. An agent has one nudge at a time, so its webhooks never take more than one.
    fn places(self) -> usize {
        match self {
            PlaceKind::Programs
            | PlaceKind::Judge
            | PlaceKind::People
            | PlaceKind::Handoffs
            | PlaceKind::Nudges => 64,
            PlaceKind::Webhooks => 256,
            PlaceKind::FailedWebhooks => 64,
        }
    }
}

/// Where an order stands: its position and index.
pub(crate) type OrderKey = (u64, u32);

/// What waits, by when it is due, and how many are carried out.
#[derive(Debug, Default)]
pub(crate) struct Places {
    pending: Pending,
    /// Due, and of a kind that has no place free.
    held: BTreeMap<PlaceKind, Pending>,
    /// When each of them is due, and in which of the two it is.
    dues: BTreeMap<OrderKey, (Time, Option<PlaceKind>)>,
    running: BTreeMap<PlaceKind, usize>,
}

impl Places {
    pub(crate) fn new(pending: Pending) -> Places {
        let mut places = Places::default();
        pending.into_values().for_each(|row| places.put(row));
        places
    }

    /// An order that is wanted at another time is the same order. One that names a node is carried out there.
    pub(crate) fn put(&mut self, row: EffectRow) {
        let place = (row.position, row.index);
        if let Some((due, held)) = self.dues.remove(&place) {
            let rows = match held {
                Some(kind) => self.held.entry(kind).or_default(),
                None => &mut self.pending,
            };
            rows.remove(&(due, place.0, place.1));
        }
        if row.node.is_some() {
            return;
        }
        self.dues.insert(place, (row.due, None));
        self.pending.insert((row.due, row.position, row.index), row);
    }

    /// When the next order is due that does not wait for a place.
    pub(crate) fn next_due(&self) -> Option<Time> {
        self.pending.first_key_value().map(|((due, ..), _)| *due)
    }

    pub(crate) fn take_due(&mut self, now: Time) -> Option<EffectRow> {
        self.next_due().filter(|due| *due <= now)?;
        let (_, row) = self.pending.pop_first()?;
        self.dues.remove(&(row.position, row.index));
        Some(row)
    }

    /// Takes a place for an order; false: there is none.
    pub(crate) fn begin(&mut self, kind: PlaceKind) -> bool {
        let running = self.running.entry(kind).or_default();
        let free = *running < kind.places();
        *running += usize::from(free);
        free
    }

    /// Puts an order aside until a place of its kind is free.
    pub(crate) fn hold(&mut self, kind: PlaceKind, row: EffectRow) {
        self.dues.insert((row.position, row.index), (row.due, Some(kind)));
        self.held.entry(kind).or_default().insert((row.due, row.position, row.index), row);
    }

    /// A place is free again: the next of its kind may have it.
    pub(crate) fn end(&mut self, kind: PlaceKind) {
        let running = self.running.entry(kind).or_default();
        *running = running.saturating_sub(1);
        if let Some((_, row)) = self.held.get_mut(&kind).and_then(BTreeMap::pop_first) {
            self.dues.insert((row.position, row.index), (row.due, None));
            self.pending.insert((row.due, row.position, row.index), row);
        }
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.running.values().all(|running| *running == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(position: u64, due: i64) -> EffectRow {
        EffectRow {
            position,
            index: 0,
            due: Time::from_millis(due),
            attempts: 0,
            body: Vec::new(),
            node: None,
        }
    }

    /// G13: a full kind holds its own back and nobody else, in the order in which they are due.
    #[test]
    fn g13_what_hangs_delays_only_its_like() {
        let mut places = Places::default();
        let kind = PlaceKind::Programs;
        (0..64).for_each(|_| assert!(places.begin(kind)));
        assert!(!places.begin(kind) && places.begin(PlaceKind::Nudges));
        places.hold(kind, row(2, 20));
        places.hold(kind, row(1, 10));
        places.hold(kind, row(3, 30));
        assert_eq!(places.next_due(), None, "who waits for a place makes nobody wake up");
        // Wanted later: it waits for that, and for no place.
        places.put(row(1, 99));
        let later = Time::from_millis(90);
        places.end(kind);
        assert_eq!(places.take_due(later).map(|row| row.position), Some(2));
        assert!(places.begin(kind), "the place that became free");
        assert_eq!(places.take_due(later), None);
        places.end(kind);
        assert_eq!(places.take_due(later).map(|row| row.position), Some(3));
        assert_eq!(places.next_due(), Some(Time::from_millis(99)));
        assert!(!places.is_idle());
    }
}

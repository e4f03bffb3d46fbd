//! Defects that can be planted, to show that the simulation finds such. None of them is in the product:
//! each is a fault of the simulated disk, or of how the world carries the engine's answers.

use wilco_protocol::Time;
use wilco_store::{Batch, EffectChange, InboxStatus, Reader};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// An exchange is stored without its next wake.
    LostWake,
    /// A wake once stored stays where it is.
    StuckTimer,
    /// An order to the courier stays after it was reported on.
    DoubledEffect,
    /// The caller is answered before the commit that then fails.
    EarlyAnswer,
    /// What was answered under a key is not remembered.
    ForgottenKey,
    /// An open delegation of the same task is not found.
    TwoAssignees,
    /// The journal leaves a position out.
    SkippedPosition,
    /// The engine goes on as if a refused commit had taken place.
    StaleCache,
    /// A message is missing in an inbox.
    LostInboxRow,
    /// A message is read without its reader.
    ReadByItself,
    /// A commit that is cut short keeps the record and loses what follows from it.
    TornCommit,
    /// A key that an exchange no longer has is kept.
    StaleKey,
    /// Timers are asked on a clock that is ahead.
    FastClock,
    /// A start does not say that the server was down.
    ForgottenDowntime,
    /// A retry loses its key on the way.
    LostKey,
    /// A command that was under way when the server stopped is run again.
    RepeatedCommand,
    /// A nudge that was ordered is not kept.
    LostNudge,
}

impl Bug {
    pub const ALL: [Bug; 17] = [
        Bug::LostWake,
        Bug::StuckTimer,
        Bug::DoubledEffect,
        Bug::EarlyAnswer,
        Bug::ForgottenKey,
        Bug::TwoAssignees,
        Bug::SkippedPosition,
        Bug::StaleCache,
        Bug::LostInboxRow,
        Bug::ReadByItself,
        Bug::TornCommit,
        Bug::StaleKey,
        Bug::FastClock,
        Bug::ForgottenDowntime,
        Bug::LostKey,
        Bug::RepeatedCommand,
        Bug::LostNudge,
    ];

    /// Every how many commits a defect of the disk shows.
    const RARITY: u64 = 16;

    /// The batch as the defective disk stores it.
    pub(crate) fn spoil(self, batch: &mut Batch, commits: u64, stored: &dyn Reader) {
        if !commits.is_multiple_of(Bug::RARITY) {
            return;
        }
        match self {
            Bug::LostWake => batch.exchanges.iter_mut().for_each(|row| row.wake_at = None),
            Bug::StuckTimer => {
                for row in &mut batch.exchanges {
                    let former = stored.exchange(row.id.number).ok().flatten();
                    row.wake_at = former.map_or(row.wake_at, |former| former.wake_at);
                }
            }
            Bug::DoubledEffect => {
                batch.effects.retain(|change| !matches!(change, EffectChange::Settled { .. }));
            }
            Bug::ForgottenKey => batch.idempotency.clear(),
            Bug::LostInboxRow => {
                batch.inbox.pop();
            }
            Bug::ReadByItself => batch.inbox.iter_mut().for_each(|row| row.status = InboxStatus::Read),
            Bug::LostNudge => batch.effects.retain(|change| !nudges(change)),
            Bug::StaleKey => batch.keys.retain(|change| change.added),
            Bug::EarlyAnswer
            | Bug::TwoAssignees
            | Bug::SkippedPosition
            | Bug::StaleCache
            | Bug::TornCommit
            | Bug::FastClock
            | Bug::ForgottenDowntime
            | Bug::LostKey
            | Bug::RepeatedCommand => {}
        }
    }

    /// What a torn commit leaves.
    pub(crate) fn tear(batch: &mut Batch) {
        batch.exchanges.clear();
        batch.keys.clear();
        batch.inbox.clear();
    }

    /// The instant at which a step is done.
    pub(crate) fn clock(self, now: Time) -> Time {
        match self {
            Bug::FastClock => now.plus(wilco_protocol::Span::seconds(2)),
            _ => now,
        }
    }
}

fn nudges(change: &EffectChange) -> bool {
    let EffectChange::Put(row) = change else { return false };
    matches!(serde_json::from_slice(&row.body), Ok(wilco_engine::Errand::Nudge { .. }))
}

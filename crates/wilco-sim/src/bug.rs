//! Defects that can be planted, to show that the simulation finds such. None of them is in the product:
//! each is a fault of the simulated disk, or of how the world carries the engine's answers.

use wilco_protocol::decision::Effect;
use wilco_protocol::{Exchange, Time};
use wilco_store::{Batch, EffectChange, ExchangeRow, InboxStatus, Reader};

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
    /// A command that checked a phase when the server stopped is run again.
    RepeatedCheck,
    /// An open validation of the same issue is not found.
    TwoLoops,
    /// How often a phase may fail is read wrongly.
    EndlessLoop,
    /// What a handoff ordered from the courier is not kept.
    LostOrder,
    /// An open handoff of the same task is not found.
    TwoHandoffs,
    /// The database does not look at the epoch of a commit.
    UncheckedEpoch,
    /// A node takes over by the time that stands in the row and its own calendar.
    TrustedClock,
    /// A call that may have been taken is sent again without a key.
    ResentWithoutKey,
    /// A node that is cut off reads for its callers.
    ServedCutOff,
    /// A node decides by its machine's calendar.
    TrustedCalendar,
    /// A writer answers from memory though its lease has run out.
    AnsweredLate,
    /// A commit that may have taken place counts as one that did not.
    DoubtDenied,
}

impl Bug {
    pub const ALL: [Bug; 29] = [
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
        Bug::RepeatedCheck,
        Bug::TwoLoops,
        Bug::EndlessLoop,
        Bug::LostOrder,
        Bug::TwoHandoffs,
        Bug::UncheckedEpoch,
        Bug::TrustedClock,
        Bug::ResentWithoutKey,
        Bug::ServedCutOff,
        Bug::TrustedCalendar,
        Bug::AnsweredLate,
        Bug::DoubtDenied,
    ];

    /// Whether only several nodes can have it.
    pub fn is_of_nodes(self) -> bool {
        matches!(
            self,
            Bug::UncheckedEpoch
                | Bug::TrustedClock
                | Bug::ResentWithoutKey
                | Bug::ServedCutOff
                | Bug::TrustedCalendar
                | Bug::AnsweredLate
                | Bug::DoubtDenied
        )
    }

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
            Bug::LostOrder => batch.effects.retain(|change| !hands_over(change)),
            Bug::StaleKey => batch.keys.retain(|change| change.added),
            Bug::EarlyAnswer
            | Bug::TwoAssignees
            | Bug::SkippedPosition
            | Bug::StaleCache
            | Bug::TornCommit
            | Bug::FastClock
            | Bug::ForgottenDowntime
            | Bug::LostKey
            | Bug::RepeatedCommand
            | Bug::RepeatedCheck
            | Bug::TwoLoops
            | Bug::EndlessLoop
            | Bug::TwoHandoffs
            | Bug::UncheckedEpoch
            | Bug::TrustedClock
            | Bug::ResentWithoutKey
            | Bug::ServedCutOff
            | Bug::TrustedCalendar
            | Bug::AnsweredLate
            | Bug::DoubtDenied => {}
        }
    }

    /// Whether what is looked for under this key is not found.
    pub(crate) fn hides(self, key: &str) -> bool {
        match self {
            Bug::TwoAssignees => key.starts_with("task:"),
            Bug::TwoLoops => key.starts_with("issue:"),
            Bug::TwoHandoffs => key.starts_with("handed:"),
            _ => false,
        }
    }

    /// The exchange as the defective disk reads it.
    pub(crate) fn misread(self, row: &mut ExchangeRow) {
        let read = Some(&row.body).filter(|_| self == Bug::EndlessLoop);
        let Some(Ok(Exchange::Validation(mut state))) = read.map(|body| serde_json::from_slice(body)) else {
            return;
        };
        state.phases.iter_mut().for_each(|phase| phase.max_iterations += 1);
        if let Ok(body) = serde_json::to_vec(&Exchange::Validation(state)) {
            row.body = body;
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
    matches!(serde_json::from_slice(&row.body), Ok(wilco_engine::StoredEffect::Nudge { .. }))
}

fn hands_over(change: &EffectChange) -> bool {
    let EffectChange::Put(row) = change else { return false };
    match serde_json::from_slice(&row.body) {
        Ok(wilco_engine::StoredEffect::Order(order)) => matches!(order.effect, Effect::Handoff { .. }),
        Ok(wilco_engine::StoredEffect::Nudge { .. } | wilco_engine::StoredEffect::Digest { .. }) | Err(_) => {
            false
        }
    }
}

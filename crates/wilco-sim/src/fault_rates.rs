//! How rough a run is. Every seed has a climate of its own: some faults are left out, some come often, so
//! that rare combinations are met too.

use crate::rng::Rng;

#[derive(Debug, Clone)]
pub(crate) struct FaultRates {
    /// How often somebody delegates something.
    pub(crate) tasks: u64,
    pub(crate) workers: u64,
    pub(crate) initiators: u64,
    /// Requests that never arrive, arrive twice, or whose answer never arrives, per mille.
    pub(crate) lost: u64,
    pub(crate) doubled: u64,
    pub(crate) unanswered: u64,
    /// Commits at which the process dies, or that the disk refuses, per mille.
    pub(crate) deaths: u64,
    pub(crate) refusals: u64,
    /// Steps before which the clock jumps forward, per mille.
    pub(crate) jumps: u64,
    /// Letters that nobody answers, that are answered late, and that are answered oddly, per cent.
    pub(crate) silence: u64,
    pub(crate) lateness: u64,
    pub(crate) oddity: u64,
    /// Delegations into which their initiator meddles later, per cent.
    pub(crate) meddling: u64,
    /// Requests that are done in one commit.
    pub(crate) group: u64,
    /// Agents that are nudged, and nudges that fail, per cent.
    pub(crate) nudged: u64,
    pub(crate) deafness: u64,
    /// Documents, files and issues that cannot be written, per cent.
    pub(crate) mishaps: u64,
}

impl FaultRates {
    pub(crate) fn of(rng: &mut Rng) -> FaultRates {
        FaultRates {
            tasks: rng.between(4, 24),
            workers: rng.between(1, 4),
            initiators: rng.between(1, 3),
            lost: some(rng, 30, 200),
            doubled: some(rng, 30, 200),
            unanswered: some(rng, 30, 200),
            deaths: some(rng, 5, 60),
            refusals: some(rng, 10, 100),
            jumps: some(rng, 3, 30),
            silence: some(rng, 10, 50),
            lateness: some(rng, 10, 50),
            oddity: some(rng, 20, 60),
            meddling: some(rng, 10, 60),
            group: rng.between(1, 8),
            nudged: some(rng, 50, 100),
            deafness: some(rng, 20, 90),
            mishaps: some(rng, 10, 60),
        }
    }
}

/// Nothing, a little, or a lot.
pub(crate) fn some(rng: &mut Rng, little: u64, lot: u64) -> u64 {
    match rng.below(4) {
        0 => 0,
        1 | 2 => rng.between(1, little),
        _ => rng.between(little, lot),
    }
}

//! Which runs of the simulation are kept: few and short ones that together have every event.

use std::collections::BTreeSet;

use wilco_protocol::journal::Entry;
use wilco_store::Batch;

use super::tags::tag;
use crate::history::history;

/// Runs that are looked at.
const SEEDS: u64 = 600;
/// What one costs besides its bytes: a few long histories are better than many short ones.
const EACH: usize = 150_000;

/// A run by its seed, with the tags of each of its commits and their bytes.
struct Candidate {
    seed: u64,
    commits: Vec<(BTreeSet<String>, usize)>,
}

impl Candidate {
    /// How many commits it takes to get everything that it has of this, how many tags that is, and in how many bytes.
    fn offer(&self, missing: &BTreeSet<String>) -> (usize, usize, usize) {
        let (mut found, mut bytes, mut best) = (BTreeSet::new(), EACH, (0, 0, EACH));
        for (index, (tags, size)) in self.commits.iter().enumerate() {
            bytes += size;
            let before = found.len();
            found.extend(tags.intersection(missing));
            if found.len() > before && found.len() * best.2 >= best.1 * bytes {
                best = (index + 1, found.len(), bytes);
            }
        }
        best
    }
}

type Chosen = Vec<(u64, Vec<Batch>)>;

/// The beginnings of runs that have what the script has not, and the tags that nobody has.
pub(super) fn histories(
    wanted: &BTreeSet<String>,
    scripted: &[Batch],
) -> anyhow::Result<(Chosen, BTreeSet<String>)> {
    let mut missing = wanted.clone();
    for batch in scripted {
        missing = &missing - &tags_of(batch)?;
    }
    let mut candidates = Vec::new();
    for seed in 0..SEEDS {
        let batches = history(seed).map_err(anyhow::Error::msg)?;
        let commits = batches.iter().map(|batch| Ok((tags_of(batch)?, size(batch))));
        candidates.push(Candidate { seed, commits: commits.collect::<anyhow::Result<_>>()? });
    }
    let mut chosen = Vec::new();
    // A run that gives most for its bytes comes first; every round takes at least one tag.
    while let Some((best, (commits, _, _))) = candidates
        .iter()
        .map(|candidate| (candidate, candidate.offer(&missing)))
        .filter(|(_, (_, found, _))| *found > 0)
        .max_by(|(_, (_, one, bytes)), (_, (_, two, others))| (one * others).cmp(&(two * bytes)))
    {
        for (tags, _) in &best.commits[..commits] {
            missing = &missing - tags;
        }
        let mut batches = history(best.seed).map_err(anyhow::Error::msg)?;
        batches.truncate(commits);
        chosen.retain(|(seed, kept): &(u64, Vec<Batch>)| *seed != best.seed || kept.len() > commits);
        if !chosen.iter().any(|(seed, _)| *seed == best.seed) {
            chosen.push((best.seed, batches));
        }
    }
    Ok((chosen, missing))
}

fn tags_of(batch: &Batch) -> anyhow::Result<BTreeSet<String>> {
    batch.journal.iter().map(|row| Ok(tag(&Entry::from_bytes(&row.bytes)?, &row.bytes)?)).collect()
}

fn size(batch: &Batch) -> usize {
    let messages: usize = batch.messages.iter().map(|row| row.body.len()).sum();
    batch.journal.iter().map(|row| row.bytes.len()).sum::<usize>() + messages
}

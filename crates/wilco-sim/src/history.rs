//! A run whose commits are kept, so that another store can be given the same past.

use wilco_store::Batch;

use crate::run::Options;
use crate::world::World;

/// Everything that was committed in the run of this seed, and which law it broke if it broke one.
pub(crate) fn history(seed: u64) -> Result<Vec<Batch>, String> {
    let mut world = World::new(seed, Options { alone: true, ..Options::default() });
    world.disk.kept = Some(Vec::new());
    world.live().map_err(|broken| format!("seed {seed}: {} broken: {}", broken.law, broken.what))?;
    Ok(world.disk.kept.take().unwrap_or_default())
}

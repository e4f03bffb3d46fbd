//! Many runs of the simulation, over all cores; the first seed that fails is told with everything that
//! happened in it.

mod campaign;
mod plain;
mod replies;

use anyhow::bail;
use clap::Parser;
use wilco_sim::simulate;

use crate::campaign::campaign;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Plays whole worlds by seed and says which do not hold
#[derive(Parser)]
struct Options {
    /// How many seeds to run
    #[arg(long, default_value_t = 1000)]
    seeds: u64,
    /// The first of them; alone, the only one
    #[arg(long)]
    seed: Option<u64>,
    /// Tell everything that happens, also in a run that holds
    #[arg(long)]
    trace: bool,
    /// How many cores to use; all of them by default
    #[arg(long)]
    cores: Option<usize>,
    /// One process with a disk of its own in every world, and never several nodes
    #[arg(long)]
    alone: bool,
    /// Instead of worlds, so many plain delegations, and what one costs
    #[arg(long, conflicts_with_all = ["seed", "seeds", "trace", "cores"])]
    delegations: Option<u64>,
    /// Instead of worlds, tables of replies, and how each is read end to end
    #[arg(long, num_args = 1.., conflicts_with_all = ["seed", "seeds", "trace", "cores", "delegations"])]
    replies: Option<Vec<std::path::PathBuf>>,
    /// Instead of worlds, what the participant who replies was told, in each situation of those tables
    #[arg(long, conflicts_with_all = ["seed", "seeds", "trace", "cores", "delegations", "replies"])]
    situations: bool,
    /// Instead of worlds, the golden journal of this version, into this new directory
    #[arg(long, conflicts_with_all = ["seed", "seeds", "trace", "cores", "delegations"])]
    golden: Option<std::path::PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    if let Some(directory) = &options.golden {
        return wilco_sim::golden::write(directory);
    }
    if let Some(tables) = &options.replies {
        return replies::rate(tables);
    }
    if options.situations {
        return replies::situations();
    }
    if let Some(number) = options.delegations {
        return plain::delegations(number);
    }
    match options.seed {
        Some(seed) if options.trace => tell(seed, options.alone),
        first => {
            let first = first.unwrap_or(0);
            campaign(first, first.saturating_add(options.seeds), options.cores, options.alone)
        }
    }
}

/// One run with all that happens in it.
fn tell(seed: u64, alone: bool) -> anyhow::Result<()> {
    match simulate(seed, wilco_sim::Options { bug: None, trace: true, alone }) {
        Ok(run) => {
            run.trace.iter().for_each(|line| println!("{line}"));
            println!(
                "seed {seed} holds: {} exchanges, {} messages, {} deaths and {} refused commits in {}, {} takeovers of {} nodes",
                run.exchanges, run.messages, run.deaths, run.refusals, run.passed, run.takeovers, run.nodes
            );
            Ok(())
        }
        Err(failure) => bail!("{failure}"),
    }
}

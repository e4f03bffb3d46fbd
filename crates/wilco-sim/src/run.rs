//! One run by its seed, and what came of it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use wilco_protocol::Span;

use crate::bug::Bug;
use crate::model::Broken;
use crate::world::{START, World};

#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// A defect to plant.
    pub bug: Option<Bug>,
    /// Whether to write down what happens.
    pub trace: bool,
    /// One process with a disk of its own, whatever the seed says.
    pub alone: bool,
}

/// A run in which every law held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub seed: u64,
    pub exchanges: u64,
    pub messages: u64,
    pub events: u64,
    pub steps: u64,
    pub deaths: u64,
    pub refusals: u64,
    /// How many nodes shared the data; none where it was one process with a disk.
    pub nodes: u64,
    pub takeovers: u64,
    /// How much virtual time passed.
    pub passed: Span,
    /// The hash of the last event: equal for equal histories.
    pub hash: [u8; 32],
    pub trace: Vec<String>,
}

/// A run in which a law did not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFailure {
    pub seed: u64,
    /// The law, by the name it has in the documentation.
    pub law: &'static str,
    pub what: String,
    /// When, from the start of the run.
    pub at: Span,
    pub trace: Vec<String>,
}

impl std::fmt::Display for RunFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.trace.iter().try_for_each(|line| writeln!(f, "{line}"))?;
        write!(f, "seed {}: {} broken after {}: {}", self.seed, self.law, self.at, self.what)
    }
}

/// Lives through the run of this seed.
pub fn simulate(seed: u64, options: Options) -> Result<Run, Box<RunFailure>> {
    let mut world = World::new(seed, options);
    let lived = catch_unwind(AssertUnwindSafe(|| world.live()));
    let passed = Span::millis((world.now.millis() - START).unsigned_abs());
    let trace = world.trace.take().unwrap_or_default();
    let broken = match lived {
        Ok(Ok(())) => {
            let (events, hash) = world.model.head();
            return Ok(Run {
                seed,
                exchanges: world.model.exchanges() as u64,
                messages: world.model.messages,
                events,
                steps: world.tally.steps,
                deaths: world.tally.deaths,
                refusals: world.tally.refusals,
                nodes: world.realm.nodes(),
                takeovers: world.realm.takeovers,
                passed,
                hash,
                trace,
            });
        }
        Ok(Err(broken)) => broken,
        Err(panic) => Broken { law: "no panic", what: said(&*panic) },
    };
    Err(Box::new(RunFailure { seed, law: broken.law, what: broken.what, at: passed, trace }))
}

fn said(panic: &dyn std::any::Any) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned())).unwrap_or_default()
}

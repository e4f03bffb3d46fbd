//! Who takes part in a run, and what there is to do.

use wilco_protocol::Name;

use crate::fault_rates::FaultRates;
use crate::rng::Rng;

#[derive(Debug)]
pub(crate) struct Cast {
    pub(crate) workers: Vec<Name>,
    pub(crate) initiators: Vec<Name>,
}

/// A piece of work: its title and what it must fulfil.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) title: &'static str,
    pub(crate) criteria: [&'static str; 2],
}

const WORKERS: [&str; 4] = ["ada", "bob", "cyd", "dee"];
const INITIATORS: [&str; 3] = ["boss", "lead", "chief"];

/// What some agents can do, by their place in the cast.
pub(crate) const CAPABILITIES: [&str; 2] = ["rust", "deploy"];

const JOBS: [Job; 4] = [
    Job {
        title: "Add a health endpoint to the billing service",
        criteria: ["GET /health answers 200", "the answer names the running version"],
    },
    Job {
        title: "Rotate the signing keys of the mail gateway",
        criteria: ["old keys stay valid for one day", "the rotation is logged"],
    },
    Job {
        title: "Write a migration for the orders table",
        criteria: ["the migration runs twice without harm", "no order is lost"],
    },
    Job {
        title: "Measure the latency of the search page",
        criteria: ["the report shows p50 and p99", "the numbers cover one week"],
    },
];

impl Cast {
    pub(crate) fn of(fault_rates: &FaultRates) -> Cast {
        let some = |names: &[&str], count| names.iter().take(count as usize).map(Name::new).collect();
        Cast {
            workers: some(&WORKERS, fault_rates.workers),
            initiators: some(&INITIATORS, fault_rates.initiators),
        }
    }

    pub(crate) fn everybody(&self) -> impl Iterator<Item = &Name> {
        self.workers.iter().chain(&self.initiators)
    }

    pub(crate) fn is_worker(&self, name: &Name) -> bool {
        self.workers.contains(name)
    }
}

/// The work behind a task id; ids that Wilco made up lead to some other.
pub(crate) fn job(task_id: &str) -> &'static Job {
    let digits: u64 = task_id.bytes().filter(u8::is_ascii_digit).map(|digit| u64::from(digit - b'0')).sum();
    &JOBS[(digits % JOBS.len() as u64) as usize]
}

/// A task id from a small pool, so that the same one comes up again.
pub(crate) fn task_id(rng: &mut Rng, tasks: u64) -> String {
    format!("GH-{}", rng.below(tasks * 2))
}

/// How somebody who read the task would put it.
pub(crate) fn understood(job: &Job) -> String {
    format!("{}, so that {} and {}", job.title, job.criteria[0], job.criteria[1])
}

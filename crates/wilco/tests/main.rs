//! The shipped binary, from outside: over HTTP and as a program.

mod agents;
mod backup;
mod cli;
mod clock;
mod config;
mod correlation;
mod decisions;
mod delegation;
mod disk;
mod events;
mod execution;
mod failing_disk;
mod fields;
#[path = "../../wilco-outside/tests/github_server/mod.rs"]
#[allow(dead_code, reason = "the faults of the network are for the tests of the client")]
mod github_server;
mod handoff;
mod handoff_trouble;
mod idempotency;
mod inbox;
mod kill;
mod ledger;
mod limits;
mod maestro;
mod maestro_agents;
mod mcp;
mod messages;
mod nudges;
mod openapi;
mod operation;
mod power_cut;
mod programs;
mod readme;
mod replacement;
mod replacement_issues;
mod reports;
mod restart;
mod scripts;
mod search;
mod security;
mod server;
mod stages;
mod streams;
mod validation;
mod verdicts;
mod wall_clock;

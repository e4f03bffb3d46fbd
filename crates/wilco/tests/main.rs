//! The shipped binary, from outside: over HTTP and as a program.

mod agents;
mod asking;
mod backup;
#[path = "../../../fuzz/src/checks.rs"]
#[allow(unreachable_pub, dead_code, reason = "replayed by the tests of the language; here its names count")]
mod checks;
mod cli;
mod clock;
mod completion;
mod config;
mod correlation;
mod decisions;
mod delegation;
mod disk;
mod events;
mod execution;
mod failing_disk;
mod fields;
mod found;
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
mod operation_policy;
#[path = "../../../fuzz/src/outer.rs"]
#[allow(unreachable_pub, reason = "the fuzz targets use the same file")]
mod outer;
mod power_cut;
mod programs;
mod quotes;
mod readme;
mod replacement;
mod replacement_issues;
#[path = "../../../fuzz/replay.rs"]
mod replay;
mod reports;
mod restart;
mod scripts;
mod search;
mod security;
#[path = "../../../fuzz/seeds.rs"]
mod seeds;
mod server;
mod several;
mod stages;
mod streams;
#[path = "../../wilco-language/tests/table/mod.rs"]
#[allow(dead_code, reason = "the names of the entries are for the tests of the language")]
mod table;
mod validation;
mod verdicts;
mod wall_clock;

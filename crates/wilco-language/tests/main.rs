//! What is read and written, by tables and by properties.

mod ack;
mod answers;
#[path = "../../../fuzz/src/checks.rs"]
#[allow(unreachable_pub, reason = "the fuzz targets use the same file")]
mod checks;
mod classify;
mod found;
#[path = "../../wilco-protocol/tests/delegation/invariants.rs"]
#[allow(dead_code, reason = "of the ground only the world is needed here")]
mod ground;
mod long;
mod outputs;
mod properties;
mod questions;
mod rendering;
#[path = "../../../fuzz/replay.rs"]
mod replay;
#[path = "../../../fuzz/seeds.rs"]
mod seeds;
mod table;
mod told;
mod understanding;
mod validation;
mod validation_said;
mod verdict;

//! Threads and clocks around the engine: the writer, the alarm, the courier, waiting readers.
//!
//! This is the only place that reads a clock. Doors get a `Handle`.

mod agent_index;
mod clock;
mod committer;
mod complaint;
mod courier;
mod handle;
mod host;
mod lease;
mod meters;
mod node;
mod places;
mod readers;
mod search;
mod test_clock;
mod waiters;
mod writer;

pub use clock::{Clock, ticks};
pub use handle::{Handle, Overloaded, ReadError, Seen};
pub use host::{HostAnswer, HostCall};
pub use meters::{Measured, Readings};
pub use node::{ClusterSecret, Node, NodeNow, NodeRole, NodeStart, join, nodes};
pub use readers::OpenReader;
pub use test_clock::TestClock;
pub use waiters::Waiters;
pub use wilco_outside::{Replacements, Sleep};
pub use writer::{StartError, WriterStart, start};

//! What a node of several decides: when it may answer, when it takes over, what became of a commit, whether a call may be
//! sent again. Without a clock, a thread or a connection: whoever asks brings the time by its own boot-time clock, in
//! milliseconds, and the row as it was read. The nodes on PostgreSQL and those of the simulator decide by the same code.

mod clock;
mod fence;
mod forwarding;
mod known;
mod lease;

pub use clock::CarriedClock;
pub use fence::{Fence, Tenure};
pub use forwarding::{Forwarding, GivenUp, NextTry, Tried};
pub use known::{KnownWriter, WayToWriter};
pub use lease::{LeaseTurn, NodeLease, lasts};

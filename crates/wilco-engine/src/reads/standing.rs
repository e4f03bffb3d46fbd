//! How things stand, in numbers. They say nothing about anybody; who gets to see them is the door's rule.

use wilco_protocol::Protocol;
use wilco_store::{Reader, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub events: u64,
    /// Exchanges with an open escalation.
    pub escalated: u64,
    /// Open exchanges by protocol and state.
    pub open: Vec<(Protocol, String, u64)>,
}

/// More are not counted.
const MAX_ESCALATED: usize = 100_000;

pub fn standing(reader: &dyn Reader) -> Result<Standing, StoreError> {
    Ok(Standing {
        events: reader.head()?.position,
        escalated: reader.find("escalated:open", MAX_ESCALATED)?.len() as u64,
        open: reader.open_exchanges()?,
    })
}

/// How many exchanges are open.
pub fn open_total(reader: &dyn Reader) -> Result<u64, StoreError> {
    reader.open_total()
}

//! What callers were told is what was stored: once, in order, and the same each time they ask.

use wilco_engine::{Answer, Done};
use wilco_protocol::MessageId;
use wilco_store::EffectRow;

use super::{Broken, Model, broken};

impl Model {
    /// The answer to a request of this mark, that is stored in so many copies. `after` is the position before
    /// the step; the position of what it newly stored is returned.
    pub(crate) fn answered(
        &self,
        mark: &str,
        copies: usize,
        after: u64,
        answer: &Answer,
    ) -> Result<Option<u64>, Broken> {
        let stored = self.stored.get(mark).map(Vec::as_slice).unwrap_or_default();
        let accepted = match answer {
            Ok(Done::Accepted(accepted)) => accepted,
            Ok(other) => return broken("G4", format!("{mark} was answered with {other:?}")),
            // A later copy of it, in the same step, may have found what this one did not.
            Err(_) if stored.iter().all(|(position, _)| *position > after) => return Ok(None),
            Err(refused) => {
                return broken("G4", format!("{mark} is stored as {stored:?}, but refused: {refused:?}"));
            }
        };
        let told: Vec<&MessageId> = accepted.messages.iter().map(|message| &message.id).collect();
        let kept: Vec<&MessageId> = stored.iter().map(|(_, id)| id).collect();
        if told != kept || told.len() != copies {
            return broken("G4", format!("{mark} was acknowledged as {told:?}, stored are {kept:?}"));
        }
        let first = stored.first().map_or(0, |(position, _)| *position);
        if accepted.again == (first > after) {
            let what = format!("{mark} at {first}, after {after}: answered again is {}", accepted.again);
            return broken("MSG-12", what);
        }
        Ok((!accepted.again).then_some(first))
    }

    /// How often a request of this mark was stored.
    pub(crate) fn copies(&self, mark: &str) -> usize {
        self.stored.get(mark).map_or(0, Vec::len)
    }

    /// Orders for the courier: none that was reported on already.
    pub(crate) fn ordered(&self, orders: &[EffectRow]) -> Result<(), Broken> {
        match orders.iter().find(|row| self.reported.contains(&(row.position, row.index))) {
            Some(row) => broken("G4", format!("the order {}/{} is given again", row.position, row.index)),
            None => Ok(()),
        }
    }

    pub(crate) fn reported(&mut self, position: u64, index: u32) {
        self.reported.insert((position, index));
    }
}

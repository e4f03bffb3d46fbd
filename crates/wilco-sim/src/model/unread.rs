//! What could not be read: whoever said it is told at most once in each state of its exchange.

use serde::Deserialize;
use wilco_protocol::Name;

use super::record::Record;
use super::{Broken, Model, broken, unborn};

#[derive(Deserialize)]
struct NotUnderstood {
    by: Name,
    state: String,
    told: bool,
}

impl Model {
    pub(super) fn not_understood(&mut self, number: u64, record: &Record<'_>) -> Result<(), Broken> {
        if self.followed(number).is_none() {
            return unborn(number, &record.kind);
        }
        let said: NotUnderstood = serde_json::from_str(record.data.get())?;
        if record.by != said.by {
            return broken("TALK-1", format!("words of {} were said by {}", said.by, record.by));
        }
        let told = (number, said.by.clone(), said.state.clone());
        match said.told && !self.told_unread.insert(told) {
            true => {
                broken("TALK-1", format!("{} is told again in {number}, which is {}", said.by, said.state))
            }
            false => Ok(()),
        }
    }
}

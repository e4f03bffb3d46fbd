//! Nudges: how far messages got is the same after a rebuild, and no unread message is forgotten: its agent was
//! told of it, or every try to do so failed, or a nudge is on its way.

use serde::Deserialize;
use wilco_protocol::Name;
use wilco_store::{InboxStatus, Memory, Reach, Reader};

use super::record::{Message, Record};
use super::whole::same;
use super::{Broken, Model, broken};

/// A nudge as it stands among the effects, not by the product's own type.
#[derive(Deserialize)]
struct Row {
    nudge: Standing,
}

#[derive(Deserialize)]
struct Standing {
    agent: Name,
    dead: bool,
}

#[derive(Deserialize)]
struct Removed {
    name: Name,
}

impl Model {
    pub(super) fn left(&mut self, record: &Record<'_>) -> Result<(), Broken> {
        let removed: Removed = serde_json::from_str(record.data.get())?;
        self.left.insert(removed.name);
        Ok(())
    }

    pub(super) fn same_reach(&self, stored: &Memory, rebuilt: &Memory) -> Result<(), Broken> {
        for (agent, position) in self.inboxes.keys() {
            let (mine, theirs) = (stored.reached(agent, *position)?, rebuilt.reached(agent, *position)?);
            same("how far a message got", &mine, &theirs)?;
        }
        Ok(())
    }

    pub(super) fn everybody_is_told(&self, stored: &Memory) -> Result<(), Broken> {
        let rows = stored.effects()?;
        let nudges: Vec<Row> = rows.iter().filter_map(|row| serde_json::from_slice(&row.body).ok()).collect();
        for agent in stored.agents()?.iter().filter(|agent| agent.profile.nudge.is_some()) {
            let mut standing = nudges.iter().filter(|row| row.nudge.agent == agent.name);
            let under_way = standing.next().is_some_and(|row| !row.nudge.dead);
            if standing.next().is_some() {
                return broken("MSG-21", format!("{} is nudged twice at a time", agent.name));
            }
            if !under_way && !self.left.contains(&agent.name) {
                self.is_told(stored, &agent.name)?;
            }
        }
        Ok(())
    }

    /// Of every unread message that somebody else wrote.
    fn is_told(&self, stored: &Memory, agent: &Name) -> Result<(), Broken> {
        let unread = self
            .inboxes
            .iter()
            .filter(|((owner, _), status)| owner == agent && **status == InboxStatus::Unread);
        for ((_, position), _) in unread {
            let Some(row) = stored.message_at(*position)? else { continue };
            let message: Message<'_> = serde_json::from_slice(&row.body)?;
            let reached = stored.reached(agent, *position)?;
            let told = reached.has(Reach::Nudged) || reached.has(Reach::NudgeFailed);
            if message.from != *agent && !told {
                return broken("MSG-21", format!("nobody tells {agent} of {}", row.id));
            }
        }
        Ok(())
    }
}

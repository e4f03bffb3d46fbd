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
struct Named {
    name: Name,
}

#[derive(Deserialize)]
struct Changed {
    agent: Marked,
}

#[derive(Deserialize)]
struct Marked {
    name: Name,
    #[serde(default)]
    mark: Option<String>,
}

impl Model {
    /// Who was replaced stays inactive, whatever it sends (HO-23).
    pub(super) fn agent_changed(&mut self, record: &Record<'_>) -> Result<(), Broken> {
        self.agents_touched = true;
        match &*record.kind {
            "agent-removed" => {
                let removed: Named = serde_json::from_str(record.data.get())?;
                self.replaced.remove(&removed.name);
                self.left.insert(removed.name);
            }
            "agent-replaced" => {
                let replaced: Named = serde_json::from_str(record.data.get())?;
                self.replaced.insert(replaced.name);
            }
            "agent-returned" => {
                let returned: Named = serde_json::from_str(record.data.get())?;
                if self.replaced.contains(&returned.name) {
                    return broken("HO-23", format!("{} was replaced, and returns", returned.name));
                }
            }
            "agent-registered" | "agent-changed" => {
                let changed: Changed = serde_json::from_str(record.data.get())?;
                // Of what lay there before it was registered nobody was to tell it.
                let has_mail = self.inboxes.keys().any(|(owner, _)| *owner == changed.agent.name);
                if &*record.kind == "agent-registered" && has_mail {
                    self.left.insert(changed.agent.name.clone());
                }
                if changed.agent.mark.as_deref() != Some("inactive") {
                    self.replaced.remove(&changed.agent.name);
                }
            }
            _ => {}
        }
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
            .filter(|((owner, _), status)| owner == agent && **status == InboxStatus::Unread)
            .filter(|((_, position), _)| !self.quiet.contains(position));
        for ((_, position), _) in unread {
            let Some(row) = stored.letter(*position) else { continue };
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

//! The whole store against itself: the record verifies, and a rebuild gives the same derived rows.

use std::collections::BTreeSet;
use std::fmt::Debug;

use wilco_engine::{Viewer, reads, rebuild};
use wilco_protocol::exchange::key;
use wilco_protocol::{Exchange, Name};
use wilco_store::{ExchangeFilter, InboxFilter, InboxStatus, Memory, Reader, Walk, verify};

use super::{Broken, Model, broken};

const ALL: [InboxStatus; 4] =
    [InboxStatus::Unread, InboxStatus::Read, InboxStatus::Archived, InboxStatus::Deleted];
/// More rows than any run has.
const MANY: usize = 1_000_000;

impl Model {
    /// G8, and that every inbox is as the model has it.
    pub(crate) fn whole(&self, stored: &Memory) -> Result<(), Broken> {
        let head = verify(stored, None).map_err(|error| Broken { law: "G8", what: error.to_string() })?;
        if (head.position, head.hash) != (self.head, self.hash) {
            return broken("G8", format!("the record ends at {}, not {}", head.position, self.head));
        }
        let mut rebuilt = stored.clone();
        rebuild(&mut rebuilt).map_err(|error| Broken { law: "G8", what: error.to_string() })?;
        let mut agents: BTreeSet<Name> = stored.agents()?.into_iter().map(|agent| agent.name).collect();
        agents.extend(self.inboxes.keys().map(|(agent, _)| agent.clone()));
        self.same_rows(stored, &rebuilt)?;
        self.same_keys(stored, &rebuilt, &agents)?;
        self.same_inboxes(stored, &rebuilt, &agents)?;
        self.same_reach(stored, &rebuilt)?;
        self.everybody_is_told(stored)
    }

    fn same_rows(&self, stored: &Memory, rebuilt: &Memory) -> Result<(), Broken> {
        same("head", &stored.head()?, &rebuilt.head()?)?;
        same("agents", &stored.agents()?, &rebuilt.agents()?)?;
        let all = ExchangeFilter { limit: MANY, ..ExchangeFilter::default() };
        same("exchanges", &stored.exchanges(&all)?, &rebuilt.exchanges(&all)?)?;
        same("wakes", &stored.wakes()?, &rebuilt.wakes()?)?;
        same("the model's wakes", &stored.wakes()?, &self.wakes.iter().copied().collect())?;
        same("effects", &stored.effects()?, &rebuilt.effects()?)?;
        for number in self.tracks.keys().chain(self.operations.keys()) {
            same("an exchange", &stored.exchange(*number)?, &rebuilt.exchange(*number)?)?;
            let (mine, theirs) =
                (stored.journal_of(*number, 0, MANY)?, rebuilt.journal_of(*number, 0, MANY)?);
            same("events of an exchange", &mine, &theirs)?;
        }
        Ok(())
    }

    fn same_keys(&self, stored: &Memory, rebuilt: &Memory, agents: &BTreeSet<Name>) -> Result<(), Broken> {
        let mut keys: BTreeSet<String> =
            ["escalated:open", "escalated:ever", "incident:ever", "operation:ever"].map(str::to_owned).into();
        for kind in ["party", "works", "owes"] {
            keys.extend(agents.iter().map(|agent| key(kind, agent.as_str())));
        }
        for track in self.tracks.values() {
            keys.extend([key("task", &track.task_id), key("uuid", &track.task_uuid)]);
        }
        for key in keys {
            same(&key, &stored.find(&key, MANY)?, &rebuilt.find(&key, MANY)?)?;
            let having = ExchangeFilter { keys: vec![key.clone()], limit: MANY, ..ExchangeFilter::default() };
            same(&key, &stored.exchanges(&having)?, &rebuilt.exchanges(&having)?)?;
        }
        Ok(())
    }

    fn same_inboxes(&self, stored: &Memory, rebuilt: &Memory, agents: &BTreeSet<Name>) -> Result<(), Broken> {
        for agent in agents {
            for statuses in [ALL.to_vec(), vec![InboxStatus::Unread]] {
                let filter =
                    InboxFilter { agent: agent.clone(), statuses, walk: Walk::Behind(0), limit: MANY };
                same("an inbox", &stored.inbox(&filter)?, &rebuilt.inbox(&filter)?)?;
            }
            same("an inbox's end", &stored.inbox_end(agent)?, &rebuilt.inbox_end(agent)?)?;
            same("unread", &stored.unread(agent, MANY)?, &rebuilt.unread(agent, MANY)?)?;
            let filter = InboxFilter {
                agent: agent.clone(),
                statuses: ALL.to_vec(),
                walk: Walk::Behind(0),
                limit: MANY,
            };
            let lies: Vec<_> =
                stored.inbox(&filter)?.into_iter().map(|(status, row)| (row.position, status)).collect();
            let expected = self.inboxes.iter().filter(|((owner, _), _)| owner == agent);
            let expected: Vec<_> = expected.map(|((_, position), status)| (*position, *status)).collect();
            same("an inbox as the model has it", &lies, &expected)?;
        }
        Ok(())
    }

    /// Reading: every exchange can be shown, and its past ends where it stands now.
    pub(crate) fn readable(&self, stored: &Memory) -> Result<(), Broken> {
        let delegated = self.tracks.iter().map(|(number, track)| (number, track.seq));
        let operated = self.operations.iter().map(|(number, asked)| (number, asked.seq));
        for (number, seq) in delegated.chain(operated) {
            let Some(row) = stored.exchange(*number)? else { continue };
            let now = reads::exchange(stored, &Viewer::Operator, row.id)?;
            let then = reads::exchange_at(stored, &Viewer::Operator, row.id, seq)?;
            same("the newest past of an exchange", &then, &now)?;
            let exchange: Exchange = serde_json::from_slice(&row.body)?;
            let stuck = exchange.is_open() && exchange.wake_at().is_none() && !exchange.rests();
            if stuck || exchange.wake_at() != row.wake_at {
                return broken("G6", format!("{} says of itself that it is stuck", row.id));
            }
        }
        Ok(())
    }
}

pub(super) fn same<T: PartialEq + Debug>(what: &str, stored: &T, rebuilt: &T) -> Result<(), Broken> {
    if stored == rebuilt {
        return Ok(());
    }
    broken("G8", format!("{what} differ:\n  stored  {stored:?}\n  rebuilt {rebuilt:?}"))
}

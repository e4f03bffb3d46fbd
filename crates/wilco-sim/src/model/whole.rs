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
/// Keys that are not about somebody or something.
const EVER: [&str; 7] = [
    "judge:ever",
    "escalated:open",
    "escalated:ever",
    "incident:ever",
    "operation:ever",
    "handoff:ever",
    "validation:ever",
];
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
        self.lie_as_told(stored)?;
        same("the model's wakes", &stored.wakes()?, &self.wakes.iter().copied().collect())?;
        if !stored.answers_like(&rebuilt) {
            self.differences(stored, &rebuilt)?;
            return broken("G8", "a rebuild gives other rows");
        }
        // What looks at each row must see the same.
        if let Some(difference) = wilco_engine::differs(stored)? {
            return broken("G8", difference);
        }
        self.everybody_is_told(stored)
    }

    /// What differs, in words.
    fn differences(&self, stored: &Memory, rebuilt: &Memory) -> Result<(), Broken> {
        let mut agents: BTreeSet<Name> = stored.agents()?.into_iter().map(|agent| agent.name).collect();
        agents.extend(self.inboxes.keys().map(|(agent, _)| agent.clone()));
        self.same_rows(stored, rebuilt)?;
        self.same_keys(stored, rebuilt, &agents)?;
        self.same_inboxes(stored, rebuilt, &agents)?;
        self.same_reach(stored, rebuilt)
    }

    /// Every message lies where, and as, the model has it; that none lies elsewhere the rebuild shows.
    fn lie_as_told(&self, stored: &Memory) -> Result<(), Broken> {
        for ((agent, position), status) in &self.inboxes {
            let lies = stored.inbox_status(agent, *position)?;
            same("an inbox as the model has it", &lies, &Some(*status))?;
        }
        Ok(())
    }

    fn same_rows(&self, stored: &Memory, rebuilt: &Memory) -> Result<(), Broken> {
        same("head", &stored.head()?, &rebuilt.head()?)?;
        same("agents", &stored.agents()?, &rebuilt.agents()?)?;
        let all = ExchangeFilter { limit: MANY, ..ExchangeFilter::default() };
        same("exchanges", &stored.exchanges(&all)?, &rebuilt.exchanges(&all)?)?;
        same("wakes", &stored.wakes()?, &rebuilt.wakes()?)?;
        same("effects", &stored.effects()?, &rebuilt.effects()?)?;
        for number in self.numbers() {
            same("an exchange", &stored.exchange(number)?, &rebuilt.exchange(number)?)?;
            let (mine, theirs) = (stored.journal_of(number, 0, MANY)?, rebuilt.journal_of(number, 0, MANY)?);
            same("events of an exchange", &mine, &theirs)?;
        }
        Ok(())
    }

    fn same_keys(&self, stored: &Memory, rebuilt: &Memory, agents: &BTreeSet<Name>) -> Result<(), Broken> {
        let mut keys: BTreeSet<String> = EVER.map(str::to_owned).into();
        for kind in ["party", "works", "owes"] {
            keys.extend(agents.iter().map(|agent| key(kind, agent.as_str())));
        }
        for track in self.tracks.values() {
            keys.extend([key("task", &track.task_id), key("uuid", &track.task_uuid)]);
        }
        keys.extend(self.loops.values().map(|looped| key("issue", &looped.issue)));
        let tasks = self.handoffs.values().flat_map(|handoff| &handoff.tasks);
        keys.extend(tasks.map(|task| key("handed", &task.task)));
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
        }
        Ok(())
    }

    /// Reading: every exchange can be shown, and its past ends where it stands now.
    pub(crate) fn readable(&self, stored: &Memory) -> Result<(), Broken> {
        for number in self.numbers() {
            let seq = self.followed(number).map_or(0, |followed| followed.seq());
            let Some(row) = stored.exchange(number)? else { continue };
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

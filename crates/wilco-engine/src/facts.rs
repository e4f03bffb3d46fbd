//! What a decision may know of the world, read from the working set.

use std::cell::RefCell;
use std::sync::Arc;

use wilco_protocol::decision::{Facts, Stage};
use wilco_protocol::delegation::Judge;
use wilco_protocol::directory::Mark;
use wilco_protocol::exchange::key;
use wilco_protocol::{Exchange, ExchangeId, Name, Span, Time};
use wilco_store::StoreError;

use crate::nudge::nudge_fails;
use crate::reads::delivery::lies;
use crate::workspace::Workspace;

/// The working set as a source of facts. A read that fails answers "nothing", and the failure is
/// returned before anything of the decision is used.
pub(crate) struct World<'w, 'a> {
    workspace: RefCell<&'w mut Workspace<'a>>,
    failed: RefCell<Option<StoreError>>,
}

/// An agent is idle, not gone, for this long after it was last seen.
pub(crate) const IDLE_FOR: Span = Span::minutes(30);
/// Messages of an exchange that are looked at to see how far they got.
const MAX_DELIVERIES: usize = 200;

impl<'w, 'a> World<'w, 'a> {
    pub(crate) fn new(workspace: &'w mut Workspace<'a>) -> World<'w, 'a> {
        World { workspace: RefCell::new(workspace), failed: RefCell::new(None) }
    }

    /// The first read that failed while deciding.
    pub(crate) fn finish(self) -> Result<(), StoreError> {
        self.failed.into_inner().map_or(Ok(()), Err)
    }

    fn ask<T: Default>(&self, read: impl FnOnce(&mut Workspace<'a>) -> Result<T, StoreError>) -> T {
        read(&mut self.workspace.borrow_mut()).unwrap_or_else(|error| {
            self.failed.borrow_mut().get_or_insert(error);
            T::default()
        })
    }

    /// Open delegations under a key.
    fn open(&self, key: &str) -> Vec<Arc<Exchange>> {
        self.ask(|workspace| {
            let mut open = Vec::new();
            for number in workspace.find(key)? {
                open.extend(
                    workspace.live(number)?.map(|live| live.exchange).filter(|exchange| exchange.is_open()),
                );
            }
            Ok(open)
        })
    }
}

impl Facts for World<'_, '_> {
    fn down_across(&self, due: Time) -> bool {
        let down = self.workspace.borrow().downtime();
        down.is_some_and(|(from, to)| from <= due && due <= to)
    }

    fn can_take(&self, agent: &Name) -> bool {
        self.workspace.borrow().directory().get(agent).is_some_and(|agent| match agent.mark {
            None => true,
            Some(Mark::Unresponsive | Mark::Hibernated | Mark::Inactive) => false,
        })
    }

    fn is_registered(&self, agent: &Name) -> bool {
        self.workspace.borrow().directory().get(agent).is_some()
    }

    fn able(&self, capabilities: &[String]) -> Vec<Name> {
        let present: Vec<Name> = {
            let workspace = self.workspace.borrow();
            let fits = |agent: &&wilco_protocol::directory::Agent| {
                let has = |wanted: &String| {
                    agent.profile.capabilities.iter().any(|had| had.eq_ignore_ascii_case(wanted))
                };
                let seen = workspace.last_seen(&agent.name);
                agent.mark.is_none()
                    && seen.is_some_and(|seen| workspace.now().since(seen) < IDLE_FOR)
                    && capabilities.iter().all(has)
            };
            workspace.directory().iter().filter(fits).map(|agent| agent.name.clone()).collect()
        };
        present.into_iter().filter(|agent| self.open_tasks(agent).is_empty()).collect()
    }

    fn open_tasks(&self, agent: &Name) -> Vec<(ExchangeId, String)> {
        let works = self.open(&key("works", agent.as_str()));
        works.iter().map(|exchange| (exchange.id(), exchange.called().to_owned())).collect()
    }

    fn task_of(&self, initiator: &Name, task_id: &str) -> Option<ExchangeId> {
        let same = self.open(&key("task", &task_id.to_lowercase()));
        same.iter().find(|exchange| exchange.initiator() == initiator).map(|exchange| exchange.id())
    }

    fn task_of_others(&self, initiator: &Name, task_id: &str) -> Vec<(ExchangeId, Name)> {
        let same = self.open(&key("task", &task_id.to_lowercase()));
        let others = same.iter().filter(|exchange| exchange.initiator() != initiator);
        others.map(|exchange| (exchange.id(), exchange.initiator().clone())).collect()
    }

    fn has_ended(&self, exchange: ExchangeId) -> bool {
        self.ask(|workspace| {
            Ok(workspace.live(exchange.number)?.is_some_and(|live| !live.exchange.is_open()))
        })
    }

    fn task_with_uuid(&self, task_uuid: &str) -> Option<ExchangeId> {
        self.open(&key("uuid", task_uuid)).first().map(|exchange| exchange.id())
    }

    fn validation_of(&self, initiator: &Name, issue: &str) -> Option<ExchangeId> {
        let same = self.open(&key("issue", &issue.to_lowercase()));
        same.iter().find(|exchange| exchange.initiator() == initiator).map(|exchange| exchange.id())
    }

    fn delivery(&self, exchange: ExchangeId, agent: &Name) -> Stage {
        self.ask(|workspace| {
            let rows = workspace.store().messages_of(exchange.number, 0, MAX_DELIVERIES)?;
            workspace.lookup().fetch_places(rows.iter().map(|row| (agent.clone(), row.position)))?;
            let mut stage = Stage::Stored;
            for row in rows {
                let status = workspace.status(agent, row.position)?;
                if status.is_some() {
                    stage = stage.max(lies(status, workspace.reached(agent, row.position)?));
                }
            }
            Ok(stage)
        })
    }

    fn unreached(&self, exchange: ExchangeId, agent: &Name, since: Time) -> bool {
        let (failed, seen) = {
            let workspace = self.workspace.borrow();
            (nudge_fails(&workspace, agent), workspace.last_seen(agent).is_some_and(|seen| seen >= since))
        };
        failed && !seen && self.delivery(exchange, agent) == Stage::Stored
    }

    fn mark(&self, agent: &Name) -> Option<Mark> {
        self.workspace.borrow().directory().get(agent).and_then(|agent| agent.mark)
    }

    fn session(&self, agent: &Name) -> Option<String> {
        self.workspace.borrow().directory().get(agent).map(|agent| agent.session().to_owned())
    }

    fn handed_over(&self, task: &str) -> Option<ExchangeId> {
        self.open(&key("handed", task)).first().map(|exchange| exchange.id())
    }

    fn handoff_with_id(&self, handoff_id: &str) -> Option<ExchangeId> {
        self.open(&key("handoff", &handoff_id.to_lowercase())).first().map(|exchange| exchange.id())
    }

    fn operators(&self) -> Name {
        self.workspace.borrow().settings().default_sender.clone()
    }

    fn judge_patience(&self, understanding: Judge) -> Option<Span> {
        let judge = self.workspace.borrow().settings().judge;
        match understanding {
            Judge::Auto | Judge::Objection => judge.auto.then_some(judge.patience),
            // Who was configured when it began is asked; if nobody is any more, the courier says so.
            Judge::Command | Judge::Configured => Some(judge.patience),
            Judge::Initiator | Judge::Accept => None,
        }
    }

    fn judge_in_shadow(&self) -> bool {
        self.workspace.borrow().settings().judge.shadow
    }

    fn escalation_reminder(&self) -> Span {
        self.workspace.borrow().settings().escalation.reminder
    }
}

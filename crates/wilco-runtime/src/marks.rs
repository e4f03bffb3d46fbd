//! Which agents are marked as away, for doors that must not ask the writer at every call.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

use wilco_protocol::Name;
use wilco_protocol::directory::Directory;

#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    /// Held only to look one name up or to swap the set; never over an await.
    marked: Arc<RwLock<BTreeSet<Name>>>,
}

impl Marks {
    pub(crate) fn take_from(&self, directory: &Directory) {
        let marked = directory.iter().filter(|agent| agent.mark.is_some());
        let marked = marked.map(|agent| agent.name.clone()).collect();
        *self.marked.write().unwrap_or_else(PoisonError::into_inner) = marked;
    }

    pub(crate) fn contains(&self, agent: &Name) -> bool {
        self.marked.read().unwrap_or_else(PoisonError::into_inner).contains(agent)
    }
}

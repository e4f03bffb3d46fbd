//! What doors must know of the agents at every call, without asking the writer or the store: how each is spelt, and
//! which are marked as away.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock};

use wilco_protocol::Name;
use wilco_protocol::directory::Directory;

#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    /// Held only to look one name up or to change a few; never over an await.
    known: Arc<RwLock<Known>>,
}

#[derive(Debug, Default)]
struct Known {
    /// By the name in small letters.
    canonical_name: BTreeMap<String, Name>,
    marked: BTreeSet<Name>,
}

impl Marks {
    pub(crate) fn of(directory: &Directory) -> Marks {
        let marks = Marks::default();
        let names: Vec<_> = directory.iter().map(|agent| agent.name.clone()).collect();
        marks.changed(&names, directory);
        marks
    }

    /// Takes over what the directory says about these agents now.
    pub(crate) fn changed(&self, names: &[Name], directory: &Directory) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        for name in names {
            let (agent, folded) = (directory.get(name), name.as_str().to_ascii_lowercase());
            match agent {
                Some(_) => known.canonical_name.insert(folded, name.clone()),
                None => known.canonical_name.remove(&folded),
            };
            match agent.is_some_and(|agent| agent.mark.is_some()) {
                true => known.marked.insert(name.clone()),
                false => known.marked.remove(name),
            };
        }
    }

    pub(crate) fn is_marked(&self, agent: &Name) -> bool {
        self.known.read().unwrap_or_else(PoisonError::into_inner).marked.contains(agent)
    }

    pub(crate) fn canonical_name(&self, name: &Name) -> Option<Name> {
        let folded = name.as_str().to_ascii_lowercase();
        self.known.read().unwrap_or_else(PoisonError::into_inner).canonical_name.get(&folded).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sec_2_a_name_is_known_however_it_is_spelt_until_its_agent_is_removed() {
        let (mut directory, marks) = (Directory::default(), Marks::default());
        let (anna, small) = (Name::new("Anna"), Name::new("anna"));
        let agent = wilco_protocol::directory::Agent {
            id: "agent-1".to_owned(),
            name: anna.clone(),
            profile: Default::default(),
            mark: Some(wilco_protocol::directory::Mark::Unresponsive),
            registered: wilco_protocol::Time::from_millis(0),
        };
        directory.restore(agent);
        assert_eq!(Marks::of(&directory).canonical_name(&small), Some(anna.clone()));
        marks.changed(std::slice::from_ref(&anna), &directory);
        assert_eq!((marks.canonical_name(&small), marks.is_marked(&anna)), (Some(anna.clone()), true));
        directory.forget(&anna);
        marks.changed(std::slice::from_ref(&anna), &directory);
        assert_eq!((marks.canonical_name(&small), marks.is_marked(&anna)), (None, false));
    }
}

//! What holds a writer to its term: what each commit demands to find, and what its outcome means.

use crate::error::StoreError;
use crate::genesis;
use crate::postgres::Term;
use crate::reader::Head;

/// The term of a store across a network, and where its journal ends.
#[derive(Debug, Clone)]
pub struct Fence {
    term: Option<Term>,
    head: Head,
    /// Why no commit can be trusted any more, once that is so.
    broken: Option<String>,
}

impl Default for Fence {
    /// Without a term nothing is committed.
    fn default() -> Fence {
        Fence { term: None, head: Head { position: 0, hash: genesis(), at: None }, broken: None }
    }
}

impl Fence {
    /// Commits go on from here, as long as the term lasts.
    pub fn begin(&mut self, term: Term, head: Head) {
        (self.term, self.head) = (Some(term), head);
    }

    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The epoch that a commit demands to find, besides the head.
    pub fn epoch(&self) -> Result<u64, StoreError> {
        if let Some(reason) = &self.broken {
            return Err(StoreError::Distrusted { reason: reason.clone() });
        }
        let none = || StoreError::Fenced { reason: "this node has no term".to_owned() };
        Ok(self.term.as_ref().ok_or_else(none)?.epoch)
    }

    /// The commit took place.
    pub fn moved(&mut self, head: Head) {
        self.head = head;
    }

    /// The row was not as demanded: nothing was stored, and nothing will be in this term.
    pub fn refused(&mut self) -> StoreError {
        let epoch = self.term.take().map_or(0, |term| term.epoch);
        let reason =
            format!("epoch {epoch} is over, or the journal does not end where this node knows it to");
        StoreError::Fenced { reason }
    }

    /// Nobody knows whether the commit took place: only the next term reads what is true.
    pub fn doubted(&mut self, doubt: &str) -> StoreError {
        self.broken = Some(doubt.to_owned());
        self.term = None;
        StoreError::Unknown(format!("PostgreSQL: {doubt}").into())
    }
}

/// Whether a writer among others may still answer.
#[derive(Debug, Clone, Default)]
pub struct Tenure {
    over: bool,
}

impl Tenure {
    /// A commit failed. After some errors only a new term knows what is stored.
    pub fn failed(&mut self, error: &StoreError) {
        self.over |= match error {
            StoreError::Fenced { .. } | StoreError::Unknown(_) | StoreError::Distrusted { .. } => true,
            StoreError::Full(_) | StoreError::NotStored(_) | StoreError::Damaged { .. } => false,
        };
    }

    pub fn end(&mut self) {
        self.over = true;
    }

    /// Whether nothing more is committed: the store would take nothing of this term anyway.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Whether what commits nothing may be answered: it is true only as long as nobody else can have written.
    pub fn may_answer(&self, lease_lasts: bool) -> bool {
        !self.over && lease_lasts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun() -> Fence {
        let mut fence = Fence::default();
        let term = Term { epoch: 3, last_commit: None, last_renewed: None };
        fence.begin(term, Head { position: 7, ..fence.head.clone() });
        fence
    }

    /// PG-11, PG-5: who was fenced commits nothing more, and who does not know trusts nothing more.
    #[test]
    fn pg_11_a_term_ends_when_its_row_is_gone_or_a_commit_is_in_doubt() {
        assert!(matches!(Fence::default().epoch(), Err(StoreError::Fenced { .. })));
        let mut fence = begun();
        assert_eq!(fence.epoch().unwrap(), 3);
        assert!(matches!(fence.refused(), StoreError::Fenced { .. }));
        assert!(matches!(fence.epoch(), Err(StoreError::Fenced { .. })));
        let mut fence = begun();
        assert!(matches!(fence.doubted("lost"), StoreError::Unknown(_)));
        assert!(matches!(fence.epoch(), Err(StoreError::Distrusted { .. })));
    }

    #[test]
    fn pg_11_a_writer_answers_from_memory_only_while_its_lease_lasts() {
        let mut tenure = Tenure::default();
        assert!(tenure.may_answer(true) && !tenure.may_answer(false) && !tenure.is_over());
        tenure.failed(&StoreError::NotStored("no connection".into()));
        assert!(tenure.may_answer(true), "nothing was stored, and the term goes on");
        tenure.failed(&StoreError::Unknown("cut".into()));
        assert!(tenure.is_over() && !tenure.may_answer(true));
    }
}

//! What was said to an exchange and could not be read. Every protocol keeps and answers it alike: its sender is told
//! once in each state, the initiator sees it marked, and whoever said it was not silent.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::draft::Draft;
use crate::exchange::{self, Exchange};
use crate::machine::{Machine, Said};
use crate::name::{MessageId, Name};
use crate::time::Time;
use crate::{delegation, handoff, operation, validation};

/// A message that belongs to an exchange, moves nothing and is no courtesy.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct UnreadWords {
    pub by: Name,
    pub message: MessageId,
    /// The state that the exchange was in.
    pub state: String,
    pub kind: UnreadKind,
    /// Whether its sender is told; at most once in each state.
    pub told: bool,
}

/// What about it could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnreadKind {
    /// It says nothing that the exchange could act on.
    Words,
    /// It may say that the work is done: a condition, an exception, a doubt.
    Doubtful,
    /// It says several things that contradict each other.
    Contradiction,
}

/// The newest of what each sender said in each state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct UnreadLog(Vec<UnreadEntry>);

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct UnreadEntry {
    pub by: Name,
    pub state: String,
    /// The newest of them, and when it came.
    pub message: MessageId,
    pub at: Time,
    pub count: u32,
    /// Whether its sender was told.
    pub told: bool,
    /// Whether it is all that came where an answer is awaited.
    pub stands: bool,
}

impl UnreadLog {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn entries(&self) -> &[UnreadEntry] {
        &self.0
    }

    /// As it is shown.
    pub(crate) fn shown(&self) -> Vec<Value> {
        let entry = |one: &UnreadEntry| {
            json!({
                "message": one.message, "from": one.by, "at": one.at, "state": one.state, "count": one.count,
            })
        };
        self.0.iter().map(entry).collect()
    }

    /// What this agent said instead of the answer that is awaited of it.
    pub fn instead_of_answer(&self, by: &Name) -> Option<&UnreadEntry> {
        self.0.iter().filter(|entry| entry.stands && entry.by == *by).max_by_key(|entry| entry.at)
    }

    pub(crate) fn add(&mut self, unread: &UnreadWords, at: Time) {
        let UnreadWords { by, message, state, told, .. } = unread;
        match self.0.iter_mut().find(|entry| entry.by == *by && entry.state == *state) {
            Some(entry) => {
                (entry.message, entry.at, entry.stands) = (message.clone(), at, true);
                entry.count = entry.count.saturating_add(1);
                entry.told |= told;
            }
            None => self.0.push(UnreadEntry {
                by: by.clone(),
                state: state.clone(),
                message: message.clone(),
                at,
                count: 1,
                told: *told,
                stands: true,
            }),
        }
    }

    /// This agent was read, or is asked anew.
    pub(crate) fn settle(&mut self, by: &Name) {
        self.0.iter_mut().filter(|entry| entry.by == *by).for_each(|entry| entry.stands = false);
    }

    fn was_told(&self, by: &Name, state: &str) -> bool {
        self.0.iter().any(|entry| entry.told && entry.by == *by && entry.state == state)
    }
}

/// What is unread in a message, if it is that of somebody who takes part now. A message about a notice is never
/// answered by a notice.
pub(crate) fn unread_in<M: Machine>(state: &M, said: &Said<M::Statement>) -> Option<UnreadWords> {
    let kind = state.unread_kind(said)?;
    let concerns = state.is_open() || !state.todo(&said.by).is_empty();
    if !concerns || !state.is_party(&said.by) {
        return None;
    }
    let in_state = state.conversation_state();
    let told = !said.to_notice && !state.unread().was_told(&said.by, in_state);
    let (by, message) = (said.by.clone(), said.message.clone());
    Some(UnreadWords { by, message, state: in_state.to_owned(), kind, told })
}

impl Exchange {
    /// Something of this agent's that belongs to it perhaps, and was not read.
    pub fn unreadable(&self, by: Name, message: MessageId) -> exchange::Said {
        fn said<S>(by: Name, message: MessageId, what: S) -> Said<S> {
            Said { by, operator: false, message, to_notice: false, what }
        }
        match self {
            Exchange::Delegation(_) => {
                exchange::Said::Delegation(said(by, message, delegation::Statement::Remark))
            }
            Exchange::Operation(state) => {
                let what = match state.track(&by) {
                    Some(_) => operation::Statement::Answer { answer: operation::Answer::Information },
                    None => operation::Statement::Remark,
                };
                exchange::Said::Operation(said(by, message, what))
            }
            Exchange::Validation(_) => {
                exchange::Said::Validation(said(by, message, validation::Statement::Remark))
            }
            Exchange::Handoff(_) => exchange::Said::Handoff(said(by, message, handoff::Statement::Remark)),
        }
    }
}

impl<M: Machine> Draft<'_, M> {
    /// Records it, and tells its sender what can be said.
    pub(crate) fn not_understood(&mut self, unread: UnreadWords) {
        self.event(M::unread_event(unread.clone()));
        if unread.told {
            self.say(unread.by.clone(), M::unread_say(unread));
        }
        self.mark_unread();
    }
}

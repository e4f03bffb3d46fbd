//! What every protocol is: a machine that decides on one input after another, and folds what happened into its
//! state. Each protocol implements it for its `State`; `exchange` carries any of them.

use std::fmt::Debug;

use crate::decision::{Decision, Facts, Refusal, Report};
use crate::draft::Draft;
use crate::exchange::Describe;
use crate::name::{MessageId, Name};
use crate::time::Time;
use crate::unread::{UnreadKind, UnreadWords, unread_in};

/// A protocol, as the state of one run of it.
pub trait Machine: Describe + Clone + Debug + PartialEq + 'static {
    /// The request that begins it.
    type Start;
    /// What somebody can say to it, already read into types.
    type Statement: Debug + Clone + PartialEq;
    /// What another exchange or the directory can tell it.
    type Signal: Debug + Clone + PartialEq;
    type Event: Debug + Clone + PartialEq;
    /// What it says to somebody.
    type Say: Debug + Clone + PartialEq;

    /// Begins it, or says what stands against it.
    fn begin(start: Self::Start, facts: &dyn Facts, now: Time) -> Result<Decided<Self>, Refusal>;

    /// The state after the first event of a log; none if it is another event.
    fn born(event: &Self::Event, at: Time) -> Option<Self>;

    /// Folds an event into the state. Total on every log that deciding wrote.
    fn apply(&mut self, event: &Self::Event, at: Time);

    /// Drafts the decision on one input.
    fn decide(draft: &mut Draft<'_, Self>, input: Input<Self>) -> Result<(), Refusal>;

    /// What could not be read in what somebody says; none when it was read, or is a courtesy.
    fn unread_kind(&self, said: &Said<Self::Statement>) -> Option<UnreadKind>;

    fn unread_event(unread: UnreadWords) -> Self::Event;

    fn unread_say(unread: UnreadWords) -> Self::Say;

    /// Records an event in a draft. A protocol that speaks of some of its events says so here.
    fn record(draft: &mut Draft<'_, Self>, event: Self::Event) {
        draft.fold(event);
    }

    /// What follows from every decision, whatever led to it.
    fn settle(_draft: &mut Draft<'_, Self>) {}
}

pub type Decided<M> = Decision<M, <M as Machine>::Event, <M as Machine>::Say>;

/// Decides on one input. The state stays as it is; the decision has the next one.
pub fn decide<M: Machine>(
    state: &M,
    input: Input<M>,
    facts: &dyn Facts,
    now: Time,
) -> Result<Decided<M>, Refusal> {
    let mut draft = Draft::new(state, facts, now);
    let unread = match &input {
        Input::Said(said) => unread_in(state, said),
        Input::Wake | Input::Report(_) | Input::Signal(_) => None,
    };
    M::decide(&mut draft, input)?;
    if let Some(unread) = unread {
        draft.not_understood(unread);
    }
    Ok(draft.finish())
}

#[derive(Debug, Clone, PartialEq)]
pub enum Input<M: Machine> {
    Said(Said<M::Statement>),
    /// A timer is due. Early, late and double wakes are harmless.
    Wake,
    Report(Report),
    Signal(M::Signal),
}

/// A message of somebody's.
#[derive(Debug, Clone, PartialEq)]
pub struct Said<S> {
    pub by: Name,
    /// Whether an operator says it, who may decide anything.
    pub operator: bool,
    pub message: MessageId,
    /// Whether it answers a notice of Wilco's.
    pub to_notice: bool,
    pub what: S,
}

//! Errors that an agent reports instead of an acknowledgement.

use super::draft::Draft;
use super::succession::next_agent;
use crate::delegation::event::{Event, Resend, Why};
use crate::delegation::input::{AgentError, ErrorCode};
use crate::delegation::policy::OnBusy;
use crate::delegation::say::ToInitiator;
use crate::escalation::Reason;
use crate::name::Name;
use crate::time::Span;

/// A task is sent again this often to an agent that is busy, or behind a bad network, before the next.
const MAX_RESENDS: u32 = 3;
const LONGEST_WAIT: Span = Span::minutes(24 * 60);
const NETWORK_BASE_WAIT: Span = Span::seconds(30);
const MAX_CANDIDATES: usize = 100;

pub(super) fn error(draft: &mut Draft<'_>, error: AgentError) {
    add_candidates(draft, error.alternatives);
    match error.code {
        ErrorCode::ResourceUnavailable => busy(draft, error.retry_after),
        ErrorCode::NetworkError => network(draft),
        ErrorCode::CapabilityMismatch => {
            next_agent(draft, Why::CapabilityMismatch, Reason::CapabilityMismatch);
        }
        ErrorCode::AgentShuttingDown => next_agent(draft, Why::ShuttingDown, Reason::NoCandidate),
        ErrorCode::InvalidTaskFormat => {
            let until = draft.after(draft.state.policy.clarification_timeout);
            draft.event(Event::Returned { until });
            draft.tell_initiator(ToInitiator::AmendNeeded);
        }
    }
}

fn add_candidates(draft: &mut Draft<'_>, alternatives: Vec<Name>) {
    let known = &draft.state.candidates;
    let room = MAX_CANDIDATES.saturating_sub(known.len());
    let agents: Vec<_> = alternatives.into_iter().filter(|agent| !known.contains(agent)).take(room).collect();
    if !agents.is_empty() {
        draft.event(Event::CandidatesAdded { agents });
    }
}

fn busy(draft: &mut Draft<'_>, retry_after: Option<Span>) {
    let waits = draft.state.policy.on_busy == OnBusy::Wait && draft.state.busy_resends < MAX_RESENDS;
    if !waits {
        return next_agent(draft, Why::Busy, Reason::NoCandidate);
    }
    let wait = retry_after.unwrap_or(draft.state.policy.max_wait).min(LONGEST_WAIT);
    wait_and_resend(draft, Resend::Busy, wait);
}

fn network(draft: &mut Draft<'_>) {
    if draft.state.network_resends >= MAX_RESENDS {
        return next_agent(draft, Why::NetworkError, Reason::NoCandidate);
    }
    let wait = NETWORK_BASE_WAIT.doubled(draft.state.network_resends).min(draft.state.policy.max_wait);
    wait_and_resend(draft, Resend::Network, wait);
}

fn wait_and_resend(draft: &mut Draft<'_>, because: Resend, wait: Span) {
    let until = draft.after(wait);
    draft.event(Event::Waiting { because, until });
    draft.tell_initiator(ToInitiator::WaitingForAgent);
}

//! Refusals in words: what was expected, what came, what would be right.

use wilco_protocol::decision::{Problem, Refusal};
use wilco_protocol::directory::Unresolved;
use wilco_protocol::policy::{BadKey, KeyProblem};

use crate::nearest;
use crate::parse::FieldError;

/// The detail of a refusal.
pub fn refusal(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Role { expected } | Refusal::Barred { expected } => {
            format!("only the {expected} of this exchange may say that")
        }
        Refusal::State { expected, got } => {
            format!("this needs the exchange to be {expected}; it is {got}")
        }
        Refusal::AlreadyOpen { key: key @ "task_uuid", value, exchange } => format!(
            "{key} {value:?} is open already as {exchange}; wait for its end, or give this task an uuid of its own"
        ),
        Refusal::AlreadyOpen { key: key @ "issue", value, exchange } => {
            format!("{key} {value:?} is being validated already as {exchange}; wait for its end")
        }
        Refusal::AlreadyOpen { key: key @ ("task" | "handoff_id"), value, exchange } => {
            format!("{key} {value:?} is being handed over already, as {exchange}; wait for its end")
        }
        Refusal::AlreadyOpen { key, value, exchange } => format!(
            "{key} {value:?} is open already as {exchange}; wait for its end, cancel it, or send \"supersede\": true"
        ),
        Refusal::Field { problem, .. } => self::problem(problem),
    }
}

fn problem(problem: &Problem) -> String {
    match problem {
        Problem::UnknownOption { got, options } => {
            format!("there is no option {got:?} here; choose one of {}", options.join(", "))
        }
        Problem::UnknownAgent { got } => {
            format!("there is no agent {got:?}; register it first, or name another")
        }
        Problem::AssigneeRemoved { got } => format!(
            "{got:?} has the task and is not registered any more; register it again, or reassign the task to another \
             agent"
        ),
        Problem::SelfAssigned => {
            "a task cannot be assigned to its own initiator; name another agent".to_owned()
        }
        Problem::UnknownEscalation => "there is no such escalation; list them with: wilco status".to_owned(),
        Problem::NoCandidateLeft => "nobody is left to ask; name an agent".to_owned(),
        Problem::NothingAcknowledged => {
            "there is no acknowledgement to accept; choose another option".to_owned()
        }
        Problem::NoDeadlineRuns => "no deadline runs at the moment, so there is nothing to extend".to_owned(),
        Problem::NothingUnread => {
            "there is no answer that could not be read; accept-as is for the reason unreadable; choose another option".to_owned()
        }
        Problem::MissingStatus => {
            "is required: received, needs-clarification, rejected, queued or confirmed".to_owned()
        }
        Problem::MissingTime => "is required: how much longer, such as 10m".to_owned(),
        Problem::OwnOperation => {
            "the initiator cannot be one of its own operation's agents; leave it out".to_owned()
        }
        Problem::ReplacementFailed { got } => {
            format!("{got:?} is the agent that failed; name another to replace it")
        }
        Problem::ReplacementAway { got, status } => {
            format!("{got:?} is {status} and cannot take over; name an agent that is there")
        }
        Problem::MissingNote => "is required: why it goes on without an ACK".to_owned(),
        Problem::NotTakingPart { got } => {
            format!("{got:?} takes no part in this operation; name one of its agents")
        }
        Problem::NoPhases => "must not be empty: name at least one phase and its specialist".to_owned(),
        Problem::PhaseTwice { got } => {
            format!("the phase {got:?} stands there twice; give each its own name")
        }
        Problem::SpecialistTwice { got } => {
            format!("{got:?} stands there twice; a specialist checks one phase of a loop")
        }
        Problem::NoSuchPhase { got } => format!("there is no phase {got:?} in this loop"),
        Problem::WhichPhase => "is required: several phases wait for a decision, name one of them".to_owned(),
        Problem::MissingExtension => {
            "is required with extend, unless there is a time: how many more".to_owned()
        }
    }
}

/// The beginning of somebody's word, short enough to quote.
fn cut(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST).chain(['…']).collect()
    }
}

/// What is wrong with a key of a policy in a request.
pub fn bad_key(bad: &BadKey) -> FieldError {
    let detail = match &bad.problem {
        KeyProblem::Value { expected } => format!("expected {}", expected.trim_start_matches("expected ")),
        KeyProblem::Unknown { known } => {
            let key = cut(&bad.key);
            match nearest(&bad.key, known.iter().copied()) {
                Some(near) => format!("there is no policy key {key:?}; did you mean {near:?}?"),
                None => format!("there is no policy key {key:?}; there are {}", known.join(", ")),
            }
        }
    };
    FieldError { pointer: format!("/content/policy/{}", bad.key), detail }
}

/// Why a name addresses nobody.
pub fn unresolved(text: &str, why: &Unresolved) -> String {
    match why {
        Unresolved::Unknown { nearest } if nearest.is_empty() => {
            format!("there is no agent {text:?}; list the agents with: wilco agents")
        }
        Unresolved::Unknown { nearest } => {
            let names: Vec<_> = nearest.iter().map(|name| name.as_str()).collect();
            format!("there is no agent {text:?}; did you mean {}?", names.join(", "))
        }
        Unresolved::UnknownHost { host } => format!("there is no agent {text:?}: nobody is on host {host:?}"),
        Unresolved::Ambiguous { candidates } => {
            let names: Vec<_> = candidates.iter().map(|name| name.as_str()).collect();
            format!("{text:?} could be {}; write the whole name", names.join(" or "))
        }
    }
}

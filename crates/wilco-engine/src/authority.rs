//! Who may what: the one table that is asked for every message of every door, and for everything that it starts.
//!
//! What somebody may say in an exchange follows from its part in it, and is the protocol's to know. Here stands what a
//! token lets somebody begin, and which tasks it may hand over.

use std::collections::BTreeMap;

use wilco_language::message::{MessageType, listed};
use wilco_protocol::Name;

use crate::agents::check_name;
use crate::command::{Post, Refused, Viewer};

/// What somebody begins. Each is a key of `[authority]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    Conversation,
    Delegation,
    Operation,
    Handoff,
    Validation,
}

impl Right {
    pub const ALL: [Right; 5] =
        [Right::Conversation, Right::Delegation, Right::Operation, Right::Handoff, Right::Validation];

    pub fn word(self) -> &'static str {
        match self {
            Right::Conversation => "conversation",
            Right::Delegation => "delegation",
            Right::Operation => "operation",
            Right::Handoff => "handoff",
            Right::Validation => "validation",
        }
    }

    fn begun(self) -> &'static str {
        match self {
            Right::Conversation => "write to others outside of an exchange",
            Right::Delegation => "give tasks",
            Right::Operation => "begin operations",
            Right::Handoff => "hand over work",
            Right::Validation => "begin validations",
        }
    }

    /// The right that a message of this type needs, whoever sends it. None: what it says counts by its sender's part in
    /// an exchange, and outside of one it is a conversation.
    pub fn needed_for(of: MessageType) -> Option<Right> {
        use MessageType as T;
        match of {
            T::TaskAssignment => Some(Right::Delegation),
            T::PreOperation => Some(Right::Operation),
            T::ReplacementRequest | T::ReplacementHandoff | T::HandoffOverride => Some(Right::Handoff),
            T::ValidationStart => Some(Right::Validation),
            T::TaskAcknowledgment
            | T::TaskAcknowledgmentError
            | T::TaskClarification
            | T::AckRequest
            | T::TaskCorrection
            | T::TaskSupplement
            | T::Verdict
            | T::CheckpointAck
            | T::StatusCheck
            | T::BeginNow
            | T::TaskComplete
            | T::TaskAmend
            | T::TaskCancel
            | T::StopAck
            | T::TaskPause
            | T::PauseAck
            | T::TaskResume
            | T::ResumeAck
            | T::TaskExtend
            | T::OperationNotice
            | T::Reminder
            | T::Acknowledgment
            | T::ExtensionGranted
            | T::TimeoutNotice
            | T::OperationAuthorized
            | T::OperationResult
            | T::PostOperation
            | T::OperationCancelled
            | T::OperationAborted
            | T::HandoffAck
            | T::HandoffClarification
            | T::HandoffReminder
            | T::HandoffCorrection
            | T::ReplacementConfirmation
            | T::ValidationRequest
            | T::ValidationResult
            | T::FailureReport
            | T::FixRequest
            | T::FixAcknowledgment
            | T::FixCompletion
            | T::RevalidationTrigger
            | T::RevalidationResult
            | T::SuccessNotification
            | T::TimeoutReminder
            | T::ErrorNotification
            | T::StatusChange
            | T::ProtocolNotice
            | T::Escalation
            | T::Decision
            | T::Conversation
            | T::Response
            | T::Update
            | T::Status
            | T::Report
            | T::Notification => None,
        }
    }
}

/// Who has a right besides operators: everybody with a token of a role, or somebody by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    Agents,
    Orchestrators,
    Named(Name),
}

impl Holder {
    /// One entry of a list in `[authority]`; none for operators, who always may.
    pub fn read(word: &str) -> Result<Option<Holder>, String> {
        match word {
            "agent" => Ok(Some(Holder::Agents)),
            "orchestrator" => Ok(Some(Holder::Orchestrators)),
            "operator" => Ok(None),
            "read-only" => {
                Err("a read-only token begins nothing; name agent, orchestrator or an agent".to_owned())
            }
            name => match check_name(name) {
                Ok(name) => Ok(Some(Holder::Named(name))),
                Err(why) => {
                    Err(format!("expected agent, orchestrator or the name of an agent, got {name:?}: {why}"))
                }
            },
        }
    }

    fn described(&self) -> String {
        match self {
            Holder::Agents => "agents".to_owned(),
            Holder::Orchestrators => "orchestrators".to_owned(),
            Holder::Named(name) => name.to_string(),
        }
    }
}

/// Who may begin what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authority {
    holders: BTreeMap<Right, Vec<Holder>>,
}

impl Default for Authority {
    fn default() -> Authority {
        let holders = |right| match right {
            Right::Conversation | Right::Delegation | Right::Handoff | Right::Validation => {
                vec![Holder::Agents, Holder::Orchestrators]
            }
            Right::Operation => vec![Holder::Orchestrators],
        };
        Authority { holders: Right::ALL.into_iter().map(|right| (right, holders(right))).collect() }
    }
}

/// How far a right goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Extent {
    Nothing,
    /// That of a token of role agent: its handoffs move what it began, and nothing else follows.
    Own,
    /// With all that follows from it; of the tasks of others it knows nothing.
    Whole,
    /// An operator's, and that of callers who are believed.
    Everything,
}

impl Authority {
    /// Puts others in the place of those who have a right by default.
    pub fn grant(&mut self, right: Right, holders: Vec<Holder>) {
        self.holders.insert(right, holders);
    }

    /// The agents that it names.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.holders.values().flatten().filter_map(|holder| match holder {
            Holder::Named(name) => Some(name),
            Holder::Agents | Holder::Orchestrators => None,
        })
    }

    pub(crate) fn extent(&self, caller: &TokenHolder<'_>, right: Right) -> Extent {
        let agent = match caller.viewer {
            Viewer::Local | Viewer::Operator => return Extent::Everything,
            Viewer::ReadOnly => return Extent::Nothing,
            Viewer::Agent(agent) => agent,
        };
        let listed = self.holders.get(&right).map(Vec::as_slice).unwrap_or_default();
        let named = |holder: &Holder| matches!(holder, Holder::Named(name) if name.as_str().eq_ignore_ascii_case(agent.as_str()));
        match caller.orchestrates {
            _ if listed.iter().any(named) => Extent::Whole,
            true if listed.contains(&Holder::Orchestrators) => Extent::Whole,
            false if listed.contains(&Holder::Agents) => Extent::Own,
            true | false => Extent::Nothing,
        }
    }

    /// Refuses whoever has no such right; says who has it.
    pub(crate) fn check(&self, caller: &TokenHolder<'_>, right: Right) -> Result<(), Refused> {
        if self.extent(caller, right) != Extent::Nothing {
            return Ok(());
        }
        let mut who: Vec<_> = self.holders.get(&right).into_iter().flatten().map(Holder::described).collect();
        who.push("operators".to_owned());
        let who: Vec<_> = who.iter().map(String::as_str).collect();
        let who = listed(&who).replace(" or ", " and ");
        let role = if caller.orchestrates { "orchestrator" } else { "agent" };
        let detail = format!("only {who} may {}; this token is of role {role}", right.begun());
        Err(Refused::Forbidden { detail })
    }
}

/// On whose behalf something is begun.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenHolder<'a> {
    pub(crate) viewer: &'a Viewer,
    /// Whether its token is of role orchestrator.
    pub(crate) orchestrates: bool,
}

impl<'a> TokenHolder<'a> {
    pub(crate) fn of(post: &'a Post) -> TokenHolder<'a> {
        TokenHolder { viewer: &post.viewer, orchestrates: post.orchestrates }
    }
}

/// What is said to whoever may not hand over a task, whether there is one of that name or not.
pub(crate) fn not_yours_to_hand_over(task: &str) -> Refused {
    let detail = format!(
        "only the initiator of {task}, an orchestrator that began it, or an operator may hand it over"
    );
    Refused::Forbidden { detail }
}

/// What is said to whoever began nothing that a failed agent works on.
pub(crate) fn began_none(failed: &str) -> Refused {
    let detail = format!(
        "only who began a task of {failed} may hand it over, or an operator; {failed} has no open task that you began"
    );
    Refused::Forbidden { detail }
}

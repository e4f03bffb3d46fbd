//! One handoff as its events tell it: who is to take over, who is awaited and until when, what was moved. Written
//! down anew here, so that a mistake in the product's own fold does not hide itself.

use serde::Deserialize;
use wilco_protocol::{ExchangeId, Name, Span, Time};

use super::told::Told;
use super::{Broken, Followed, broken};

#[derive(Debug)]
pub(crate) struct Handover {
    seq: u64,
    initiator: Name,
    state: String,
    /// The replacement.
    pub(super) agent: Name,
    pub(super) tasks: Vec<Task>,
    ack_timeout: Span,
    max_corrections: u32,
    /// It came by a message that is its own delivery.
    direct: bool,
    deadline: Option<Time>,
    judging: Option<Time>,
    reminder: Option<Time>,
    addressee: Option<Name>,
    /// Answers wait for their document.
    publishing: bool,
    kept: Vec<String>,
    /// The replacement, and the initiator, were reminded so often.
    reminders: u32,
    initiator_reminded: bool,
    corrections: u32,
    pub(super) accepted: bool,
    moved: bool,
    aborts: bool,
    audited: bool,
}

/// What an event may say, all kinds together.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Said {
    until: Option<Time>,
    judging: Option<Time>,
    message: String,
    number: u32,
    by_initiator: bool,
    wrong: bool,
    remind_at: Option<Time>,
    option: Option<String>,
    outcome: String,
    escalation: Escalation,
    initiator: Option<Name>,
    given_url: Option<String>,
    failed: Option<Party>,
    replacement: Option<Party>,
    urgency: String,
    tasks: Vec<Task>,
    policy: Policy,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Escalation {
    reason: String,
    addressee: Option<Name>,
    remind_at: Option<Time>,
}

#[derive(Deserialize)]
struct Party {
    id: Name,
}

#[derive(Debug, Deserialize)]
pub(super) struct Task {
    pub(super) task: String,
    #[serde(default)]
    delegation: Option<Delegated>,
}

#[derive(Debug, Deserialize)]
struct Delegated {
    exchange: ExchangeId,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Policy {
    ack_timeout: Option<Span>,
    max_corrections: u32,
}

/// Reasons of escalations that only silence can give.
const SILENT: [&str; 4] = ["no-acknowledgment", "no-clarification", "no-verdict", "environment-issue"];

impl Followed for Handover {
    fn initiator(&self) -> &Name {
        &self.initiator
    }

    fn state(&self) -> &str {
        &self.state
    }

    fn is_open(&self) -> bool {
        !matches!(self.state.as_str(), "complete" | "partial" | "failed")
    }

    fn seq(&self) -> u64 {
        self.seq
    }

    fn counts(&mut self) {
        self.seq += 1;
    }

    fn wake(&self) -> Option<Time> {
        let own = match self.state.as_str() {
            "awaiting-ack" | "correcting" | "blocked" => self.deadline,
            "in-review" => self.judging.or(self.deadline),
            "clarifying" if !self.publishing => self.deadline,
            _ => None,
        };
        own.into_iter().chain(self.reminder).min().filter(|_| self.is_open())
    }

    fn is_settled(&self) -> bool {
        !self.is_open() || self.reminder.is_some() || self.rests()
    }

    fn is_stuck(&self) -> bool {
        self.is_open() && self.wake().is_none() && !self.rests()
            || (self.state == "escalated") != self.reminder.is_some()
    }

    /// The courier is at work for it: documents, files, issues.
    fn rests(&self) -> bool {
        matches!(self.state.as_str(), "preparing" | "confirming")
            || self.state == "clarifying" && self.publishing
    }
}

impl Handover {
    pub(super) fn born(said: Said) -> Result<Handover, Broken> {
        let (Some(initiator), Some(replacement)) = (said.initiator, said.replacement) else {
            return broken("HO-1", "a handoff of nobody's");
        };
        if said.failed.is_some_and(|failed| failed.id == replacement.id) {
            return broken("HO-4", format!("{} replaces itself", replacement.id));
        }
        let by_urgency = match said.urgency.as_str() {
            "immediate" => Span::minutes(5),
            "prepare" => Span::minutes(15),
            _ => Span::minutes(30),
        };
        Ok(Handover {
            seq: 1,
            initiator,
            state: "preparing".to_owned(),
            agent: replacement.id,
            tasks: said.tasks,
            ack_timeout: said.policy.ack_timeout.unwrap_or(by_urgency),
            max_corrections: said.policy.max_corrections,
            direct: said.given_url.is_some(),
            deadline: None,
            judging: None,
            reminder: None,
            addressee: None,
            publishing: false,
            kept: Vec::new(),
            reminders: 0,
            initiator_reminded: false,
            corrections: 0,
            accepted: false,
            moved: false,
            aborts: false,
            audited: false,
        })
    }

    /// The delegations that it is about.
    pub(super) fn delegations(&self) -> impl Iterator<Item = u64> {
        self.tasks.iter().filter_map(|task| task.delegation.as_ref()).map(|one| one.exchange.number)
    }

    pub(super) fn take(
        &mut self,
        kind: &str,
        said: &Said,
        at: Time,
        down: &[(Time, Time)],
        told: &mut Told<'_>,
    ) -> Result<(), Broken> {
        if !self.is_open() {
            return self.is_audited(kind);
        }
        self.is_due(kind, said, at)?;
        self.had_its_chance(kind, said, down)?;
        self.is_given(kind, said, at)?;
        self.owes(kind, said, told);
        self.moves(kind, said);
        if self.corrections > self.max_corrections {
            return broken("HO-13", format!("it is corrected {} times", self.corrections));
        }
        let ends_well = kind == "ended" && !self.aborts;
        if ends_well && !self.moved || kind == "moved" && !self.accepted {
            return broken("HO-21", format!("{kind} {}, before anybody took over", said.outcome));
        }
        Ok(())
    }

    /// What has ended is only tidied up and entered into the audit; a failed entry may be made good.
    fn is_audited(&mut self, kind: &str) -> Result<(), Broken> {
        if kind == "escalation-closed" && self.reminder.take().is_some() {
            return Ok(());
        }
        let right = matches!(kind, "audit-appended" | "audit-failed") && !self.audited;
        self.audited |= kind == "audit-appended";
        if right { Ok(()) } else { broken("HO-30", format!("{kind}, though it is {}", self.state)) }
    }

    /// What only a timer does happens no earlier than the timer is due.
    fn is_due(&self, kind: &str, said: &Said, at: Time) -> Result<(), Broken> {
        let timed = match kind {
            "reminded" => !said.by_initiator,
            "grace-given" | "initiator-reminded" | "escalation-reminded" => true,
            "escalated" => SILENT.contains(&said.escalation.reason.as_str()),
            _ => false,
        };
        if timed && self.wake().is_none_or(|due| due > at) {
            return broken("G7", format!("{kind} at {at}, but the next timer is due {:?}", self.wake()));
        }
        let unreminded = match said.escalation.reason.as_str() {
            "no-acknowledgment" => self.reminders < 2,
            _ => !self.initiator_reminded,
        };
        if timed && kind == "escalated" && unreminded {
            return broken("HO-11", format!("{}, and nobody was reminded", said.escalation.reason));
        }
        Ok(())
    }

    /// Nobody is given up for a silence that fell into a time when the server was down.
    fn had_its_chance(&self, kind: &str, said: &Said, down: &[(Time, Time)]) -> Result<(), Broken> {
        let given_up = kind == "escalated" && SILENT.contains(&said.escalation.reason.as_str());
        let Some(due) = self.deadline.filter(|_| given_up) else { return Ok(()) };
        match down.iter().find(|(from, to)| *from < due && due < *to) {
            Some((from, to)) => {
                broken("G7", format!("{kind} for a silence until {due}, down from {from} to {to}"))
            }
            None => Ok(()),
        }
    }

    /// How long the replacement has: the whole time for an answer, half of it after a reminder.
    fn is_given(&self, kind: &str, said: &Said, at: Time) -> Result<(), Broken> {
        let half = Span::millis((self.ack_timeout.as_millis() / 2).max(1));
        let right = match kind {
            "delivered" => said.until == Some(at.plus(self.ack_timeout)),
            "corrected" | "ack-requested" | "clarified" => {
                said.until.is_none_or(|until| until == at.plus(self.ack_timeout))
            }
            "reminded" if !said.by_initiator => {
                said.until == Some(at.plus(half)) && said.number == self.reminders + 1
            }
            _ => true,
        };
        if right { Ok(()) } else { broken("HO-11", format!("{kind} at {at} gives until {:?}", said.until)) }
    }

    fn owes(&mut self, kind: &str, said: &Said, told: &mut Told<'_>) {
        match kind {
            // The message that began it is its delivery.
            "delivered" if self.direct => self.direct = false,
            "delivered" => told.owe("replacement_handoff", &self.agent),
            "reminded" if !said.by_initiator => told.owe("handoff_reminder", &self.agent),
            "grace-given" => told.owe("handoff_reminder", &self.agent),
            "corrected" => told.owe("handoff-correction", &self.agent),
            "escalated" => {
                self.addressee.clone_from(&said.escalation.addressee);
                self.addressee.iter().for_each(|addressee| told.owe("escalation", addressee));
            }
            "escalation-reminded" => {
                self.addressee.iter().for_each(|addressee| told.owe("escalation", addressee));
            }
            "ended" => told.owe("replacement_confirmation", &Name::wilco()),
            _ => {}
        }
    }

    fn moves(&mut self, kind: &str, said: &Said) {
        match kind {
            "document-ordered" if self.state == "clarifying" => self.publishing = true,
            // It goes with answers; what is waited for stays the same.
            "document-ordered" if !self.kept.is_empty() => {}
            "document-ordered" => self.waits("preparing", None),
            "answers-kept" => self.kept.push(said.message.clone()),
            "delivered" => self.asks(said.until),
            "reminded" => {
                self.reminders = said.number;
                self.postpones(said.until);
            }
            "grace-given" => self.postpones(said.until),
            "ack-requested" => {
                self.corrections += u32::from(said.wrong);
                if said.until.is_some() {
                    self.asks(said.until);
                }
            }
            "review-awaited" => {
                self.waits("in-review", said.until);
                self.judging = said.judging;
            }
            "corrected" => {
                self.corrections += 1;
                if said.until.is_some() {
                    self.reminders = 0;
                    self.waits("correcting", said.until);
                }
            }
            "asked" => self.waits("clarifying", said.until),
            "clarified" => {
                self.kept.retain(|kept| *kept != said.message);
                if said.until.is_some() {
                    self.asks(said.until);
                }
            }
            "blocked" => self.waits("blocked", said.until),
            "initiator-reminded" => (self.deadline, self.initiator_reminded) = (said.until, true),
            "accepted" | "overridden" => self.accepted = true,
            "replacement-changed" => {
                said.replacement.iter().for_each(|party| self.agent.clone_from(&party.id));
                self.begins_again();
            }
            "retried" => self.begins_again(),
            "state-file-ordered" | "issues-ordered" => self.waits("confirming", None),
            "moved" => self.moved = true,
            "escalated" => {
                self.waits("escalated", None);
                self.reminder = said.escalation.remind_at;
            }
            "escalation-reminded" => self.reminder = said.remind_at,
            "escalation-closed" => {
                self.reminder = None;
                self.aborts |= said.option.as_deref() == Some("abort");
            }
            "ended" => self.waits(&said.outcome.clone(), None),
            _ => {}
        }
    }

    fn waits(&mut self, state: &str, until: Option<Time>) {
        self.state.replace_range(.., state);
        (self.deadline, self.judging, self.publishing) = (until, None, false);
        self.initiator_reminded = false;
    }

    fn asks(&mut self, until: Option<Time>) {
        self.reminders = 0;
        self.waits("awaiting-ack", until);
    }

    fn postpones(&mut self, until: Option<Time>) {
        if matches!(self.state.as_str(), "awaiting-ack" | "correcting") {
            self.deadline = until;
        }
    }

    fn begins_again(&mut self) {
        self.waits("preparing", None);
        self.kept.clear();
        (self.reminders, self.corrections) = (0, 0);
    }
}

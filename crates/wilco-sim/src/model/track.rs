//! One delegation as its events tell it: who has it, what it waits for and until when. Written down anew
//! here, so that a mistake in the product's own fold does not hide itself.

use std::collections::BTreeSet;

use wilco_protocol::{Name, Span, Time};

use super::record::{Assigned, Particulars};
use super::{Broken, Followed, broken};

#[derive(Debug)]
pub(crate) struct Track {
    seq: u64,
    pub(super) initiator: Name,
    pub(super) task_id: String,
    pub(super) task_uuid: String,
    pub(super) assignee: Name,
    former: BTreeSet<Name>,
    /// Agents that were given the task and not told since that it is not theirs.
    pub(super) holders: BTreeSet<Name>,
    pub(super) state: String,
    requires_ack: bool,
    ack_timeout: Span,
    wants_checkpoints: bool,
    /// What runs now: the deadline of the state, the judge's, a confirmation's, an escalation's reminder.
    deadline: Option<Time>,
    judging: Option<Time>,
    confirmation: Option<Time>,
    reminder: Option<Time>,
    /// How long a pause was to last, as it was asked for.
    pause: Option<Span>,
    /// Where it was when it was escalated, and until when the judge was waited for there.
    before: Option<(String, Option<Time>)>,
    /// The handoff that will move it: until then its time stands still.
    pub(super) held: Option<u64>,
}

/// Reasons of escalations that only silence can give.
const SILENT: [&str; 6] =
    ["no-acknowledgment", "no-clarification", "no-verdict", "not-amended", "queue-stuck", "no-checkpoint"];

impl Followed for Track {
    fn initiator(&self) -> &Name {
        &self.initiator
    }

    fn state(&self) -> &str {
        &self.state
    }

    fn is_open(&self) -> bool {
        !matches!(self.state.as_str(), "completed" | "cancelled" | "failed")
    }

    fn seq(&self) -> u64 {
        self.seq
    }

    fn counts(&mut self) {
        self.seq += 1;
    }

    fn wake(&self) -> Option<Time> {
        if self.held.is_some() && self.is_open() {
            return None;
        }
        let own = self.judging.or(self.deadline);
        [own, self.confirmation, self.reminder].into_iter().flatten().min()
    }

    /// Whether nothing more will happen by itself but reminders, and rightly so.
    fn is_settled(&self) -> bool {
        let reminded = self.state == "paused" && self.pause.is_some() && self.deadline.is_some();
        let held = self.held.is_some();
        !self.is_open() || held || self.reminder.is_some() || self.may_rest() || reminded
    }

    /// It has a wake, an open escalation, or may rest; and it is escalated exactly while somebody is to decide.
    fn is_stuck(&self) -> bool {
        let waits = self.wake().is_some() || self.held.is_some() || self.may_rest();
        self.is_open() && !waits || (self.state == "escalated") != self.reminder.is_some()
    }
}

impl Track {
    pub(super) fn born(assigned: Assigned, at: Time, first: &BTreeSet<Name>) -> Result<Track, Broken> {
        let state = if assigned.requires_ack { "awaiting-ack" } else { "working" };
        if assigned.requires_ack && assigned.until != Some(at.plus(assigned.policy.ack_timeout)) {
            return broken(
                "G7",
                format!("the first deadline of {} is {:?}", assigned.task_id, assigned.until),
            );
        }
        Ok(Track {
            seq: 1,
            initiator: assigned.initiator,
            task_id: assigned.task_id.to_lowercase(),
            task_uuid: assigned.task_uuid,
            assignee: assigned.assignee,
            former: BTreeSet::new(),
            holders: first.clone(),
            state: state.to_owned(),
            requires_ack: assigned.requires_ack,
            ack_timeout: assigned.policy.ack_timeout,
            wants_checkpoints: assigned.policy.checkpoint_timeout.is_some(),
            deadline: assigned.until,
            judging: None,
            confirmation: None,
            reminder: None,
            pause: None,
            before: None,
            held: None,
        })
    }

    /// The two exceptions of G6: at work without checkpoints, and paused for nobody knows how long.
    fn may_rest(&self) -> bool {
        let quiet = self.deadline.is_none() && self.confirmation.is_none();
        let paused = self.state == "paused" && self.pause.is_none();
        quiet && (paused || self.state == "working" && !self.wants_checkpoints)
    }

    /// A pause of a known length has a reminder at its end and then again; one of an unknown length has none.
    fn is_reminded_of(&self, kind: &str, said: &Particulars, at: Time) -> Result<(), Broken> {
        let expected = self.pause.map(|span| at.plus(span));
        let wrong = match kind {
            "paused" => said.until != expected,
            "pause-reminded" => said.until.is_none_or(|until| until <= at),
            _ => false,
        };
        if wrong {
            return broken("G6", format!("{kind} at {at} for {:?}, until {:?}", self.pause, said.until));
        }
        Ok(())
    }

    pub(super) fn take(
        &mut self,
        kind: &str,
        said: &Particulars,
        (at, by): (Time, &Name),
        down: &[(Time, Time)],
    ) -> Result<(), Broken> {
        // Whoever gave the task may ask at any time.
        if *by != self.initiator || kind != "ack-requested" {
            self.is_due(kind, said, at)?;
        }
        self.had_its_chance(kind, said, down)?;
        self.stays_ended(kind)?;
        self.goes_to_somebody_new(kind, said)?;
        self.is_reminded_of(kind, said, at)?;
        // Whoever works goes on when its vague questions come back.
        let goes_on = kind == "specifics-asked" && self.is_at_work();
        self.moves(kind, said);
        let fresh = matches!(
            kind,
            "corrected" | "specifics-asked" | "clarified" | "reassigned" | "handed-over" | "amended"
        );
        let right = if goes_on { None } else { Some(at.plus(self.ack_timeout)) };
        if fresh && self.requires_ack && said.until != right {
            return broken("G7", format!("{kind} gives until {:?}, at {at}", said.until));
        }
        Ok(())
    }

    /// What only a timer does happens no earlier than the timer is due.
    fn is_due(&self, kind: &str, said: &Particulars, at: Time) -> Result<(), Broken> {
        if is_timed(kind, said) && self.wake().is_none_or(|due| due > at) {
            return broken("G7", format!("{kind} at {at}, but the next timer is due {:?}", self.wake()));
        }
        Ok(())
    }

    /// Nobody is given up for a silence that fell into a time when the server was down.
    fn had_its_chance(&self, kind: &str, said: &Particulars, down: &[(Time, Time)]) -> Result<(), Broken> {
        let given_up = kind == "reassigned" && said.because == "unresponsive"
            || kind == "escalated" && SILENT.contains(&said.escalation.reason.as_str());
        let Some(due) = self.deadline.filter(|_| given_up) else { return Ok(()) };
        match down.iter().find(|(from, to)| *from < due && due < *to) {
            Some((from, to)) => {
                broken("DEL-34", format!("{kind} for a silence until {due}, down from {from} to {to}"))
            }
            None => Ok(()),
        }
    }

    /// What has ended is only tidied up.
    fn stays_ended(&self, kind: &str) -> Result<(), Broken> {
        let tidies = matches!(kind, "stop-confirmed" | "stop-unconfirmed" | "escalation-closed");
        if !self.is_open() && !tidies {
            return broken("DEL-46", format!("{kind}, though it is {}", self.state));
        }
        Ok(())
    }

    /// G5: a task moves to another agent, by itself never to one that had it before or that gave it.
    fn goes_to_somebody_new(&self, kind: &str, said: &Particulars) -> Result<(), Broken> {
        let moves = matches!(kind, "reassigned" | "handed-over");
        let Some(to) = said.to.as_ref().filter(|_| moves) else { return Ok(()) };
        let decided = said.because == "decision" || kind == "handed-over";
        let known = *to == self.initiator || self.former.contains(to) && !decided;
        if *to == self.assignee || known {
            return broken("G5", format!("it goes from {} to {to}, which had it or gave it", self.assignee));
        }
        Ok(())
    }

    fn moves(&mut self, kind: &str, said: &Particulars) {
        match kind {
            "backed-off" => self.waits("awaiting-ack", said.until),
            "specifics-asked" if said.until.is_none() => {}
            "ack-requested" | "resent" | "corrected" | "specifics-asked" | "clarified" | "amended" => {
                self.asks(said.until);
            }
            "early-work-shown" if said.until.is_some() => self.enters("awaiting-ack", said.until),
            "held" => self.held = said.by.as_ref().map(|by| by.number),
            "released" => self.held = None,
            "reassigned" | "handed-over" => {
                self.held = None;
                self.requires_ack |= said.requires_ack;
                let to = said.to.clone().unwrap_or_else(|| self.assignee.clone());
                self.former.insert(std::mem::replace(&mut self.assignee, to));
                self.asks(said.until);
            }
            "review-awaited" => {
                self.waits("in-review", said.until);
                self.judging = said.judging;
            }
            "asked" => self.enters("clarifying", said.until),
            "queued" | "queue-checked" => self.waits("queued", said.until),
            "waiting" => self.enters("waiting", said.until),
            "returned" => self.enters("returned", said.until),
            "reminded" => self.deadline = said.until,
            "accepted" | "checkpoint-missed" | "heard" => self.waits("working", said.check),
            "checkpoint-reached" if !self.is_others_turn() => self.waits("working", said.check),
            "paused" => self.enters("paused", said.until),
            "pause-reminded" => self.deadline = said.until,
            "resumed" => self.enters("working", said.check),
            "pause-requested" => {
                self.confirmation = said.until;
                self.pause = said.expected_duration.filter(|span| !span.is_zero());
            }
            "resume-requested" => self.confirmation = said.until,
            "unconfirmed" => self.confirmation = None,
            "grace-given" | "extended" => {
                if let Some((state, judging)) = self.before.take() {
                    (self.state, self.judging) = (state, judging);
                }
                self.deadline = said.until;
            }
            "escalated" => {
                let state = std::mem::replace(&mut self.state, "escalated".to_owned());
                self.before = Some((state, self.judging.take()));
                self.deadline = None;
                self.reminder = said.escalation.remind_at;
            }
            "escalation-reminded" => self.reminder = said.remind_at,
            "escalation-closed" => self.reminder = None,
            "ended" => self.enters(&said.outcome.clone(), said.stop),
            "stop-confirmed" | "stop-unconfirmed" => self.deadline = None,
            _ => {}
        }
    }

    /// Also when somebody was asked to decide about the work.
    fn is_at_work(&self) -> bool {
        let state = self.before.as_ref().map_or(&self.state, |(state, _)| state);
        matches!(state.as_str(), "working" | "paused")
    }

    /// A report of the agent does not end these.
    fn is_others_turn(&self) -> bool {
        matches!(self.state.as_str(), "paused" | "clarifying" | "in-review" | "returned")
    }

    /// The agent is to answer, or to work at once where no ACK is required.
    fn asks(&mut self, until: Option<Time>) {
        let state = if self.requires_ack { "awaiting-ack" } else { "working" };
        self.enters(state, until);
    }

    fn waits(&mut self, state: &str, until: Option<Time>) {
        self.state.replace_range(.., state);
        (self.deadline, self.judging, self.before) = (until, None, None);
    }

    /// As `waits`, and whatever was to be confirmed is not awaited any more.
    fn enters(&mut self, state: &str, until: Option<Time>) {
        self.waits(state, until);
        self.confirmation = None;
    }
}

/// Whether only a timer does this.
fn is_timed(kind: &str, said: &Particulars) -> bool {
    match kind {
        "backed-off"
        | "ack-requested"
        | "grace-given"
        | "reminded"
        | "queue-checked"
        | "checkpoint-missed"
        | "unconfirmed"
        | "pause-reminded"
        | "stop-unconfirmed"
        | "escalation-reminded" => true,
        "resent" => matches!(said.because.as_str(), "busy" | "network"),
        "escalated" => SILENT.contains(&said.escalation.reason.as_str()),
        _ => false,
    }
}

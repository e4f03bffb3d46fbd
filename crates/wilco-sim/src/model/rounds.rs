//! One validation as its events tell it: where every phase stands, who is awaited and until when. Written down
//! anew here, so that a mistake in the product's own fold does not hide itself.

use serde::Deserialize;
use wilco_protocol::{Name, Span, Time};

use super::told::Told;
use super::{Broken, Followed, broken};

#[derive(Debug)]
pub(crate) struct Loop {
    seq: u64,
    pub(super) initiator: Name,
    pub(super) issue: String,
    main_agent: Name,
    watchers: Vec<Name>,
    policy: Policy,
    phases: Vec<Phase>,
    escalations: Vec<Open>,
    state: String,
    aborts: bool,
}

#[derive(Debug)]
struct Phase {
    specialist: Name,
    group: u32,
    status: &'static str,
    iteration: u32,
    most: u32,
    awaited: Option<Awaited>,
    iteration_until: Option<Time>,
    escalation: Option<u32>,
    /// Somebody decided, and what follows from it has not been done yet.
    decided: bool,
    /// Somebody decided on one more fix, and so on its check.
    granted: bool,
    /// The failures of the newest round that failed, and in how many rounds in a row they came.
    failures: Option<String>,
    same: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Awaited {
    until: Option<Time>,
    reminded: Option<Time>,
    spared: bool,
}

/// What an event may say, all kinds together.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Said {
    phase: usize,
    because: String,
    clock: Clock,
    until: Option<Time>,
    failures: String,
    escalation: Escalation,
    number: u32,
    remind_at: Option<Time>,
    option: Option<String>,
    iterations: u32,
    outcome: String,
    initiator: Option<Name>,
    main_agent: Option<Name>,
    issue: String,
    watchers: Vec<Name>,
    phases: Vec<Planned>,
    policy: Policy,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Clock {
    timeout: Span,
    until: Option<Time>,
    iteration_until: Option<Time>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Escalation {
    number: u32,
    reason: String,
    addressee: Option<Name>,
    remind_at: Option<Time>,
}

/// An escalation that somebody is to decide, and when it is told again.
#[derive(Debug)]
struct Open {
    number: u32,
    addressee: Name,
    due: Time,
}

impl Open {
    /// It goes to the initiator, or to the operators when that was removed.
    fn of(escalation: &Escalation, initiator: &Name) -> Result<Open, Broken> {
        let Escalation { number, addressee, remind_at, .. } = escalation;
        match (addressee, remind_at) {
            (Some(addressee), Some(due)) if addressee == initiator || addressee == OPERATORS => {
                Ok(Open { number: *number, addressee: addressee.clone(), due: *due })
            }
            _ => broken(
                "MSG-32",
                format!("escalation {number} goes to {addressee:?}, told again {remind_at:?}"),
            ),
        }
    }
}

/// The name of whoever runs the server.
const OPERATORS: &str = "operator";

#[derive(Deserialize)]
struct Planned {
    specialist: Name,
    parallel: bool,
}

#[derive(Debug, Deserialize, Default)]
#[serde(default)]
struct Policy {
    max_iterations: u32,
    deadlock_after: u32,
    validation_timeout: Span,
    fix_timeout: Span,
    revalidation_timeout: Span,
}

/// From the least advanced on.
const ORDER: [&str; 6] = ["pending", "in-progress", "awaiting-fix", "fixing", "re-checking", "escalated"];

impl Followed for Loop {
    fn initiator(&self) -> &Name {
        &self.initiator
    }

    fn state(&self) -> &str {
        &self.state
    }

    fn is_open(&self) -> bool {
        !matches!(self.state.as_str(), "completed" | "aborted")
    }

    fn seq(&self) -> u64 {
        self.seq
    }

    fn counts(&mut self) {
        self.seq += 1;
    }

    fn wake(&self) -> Option<Time> {
        let phases = self.phases.iter().flat_map(|phase| {
            phase.iteration_until.into_iter().chain(phase.awaited.and_then(|awaited| awaited.until))
        });
        phases.chain(self.escalations.iter().map(|open| open.due)).min().filter(|_| self.is_open())
    }

    /// Every phase that runs waits for somebody to decide.
    fn is_settled(&self) -> bool {
        !self.is_open() || self.current().all(|phase| phase.escalation.is_some() || phase.is_over())
    }

    /// G6, of every phase that runs: somebody is awaited until some time, or is to decide.
    fn is_stuck(&self) -> bool {
        let moves = |phase: &Phase| {
            let awaited = phase.awaited.is_some() && phase.iteration_until.is_some();
            phase.is_over() || phase.escalation.is_some() || awaited
        };
        self.is_open() && !self.current().all(moves)
    }
}

impl Phase {
    fn is_over(&self) -> bool {
        matches!(self.status, "pass" | "skipped")
    }

    fn by_command(&self) -> bool {
        self.specialist.as_str().starts_with("cmd:")
    }

    fn is_checked(&self) -> bool {
        matches!(self.status, "in-progress" | "re-checking")
    }
}

impl Loop {
    pub(super) fn born(said: Said) -> Result<Loop, Broken> {
        let (Some(initiator), Some(main_agent)) = (said.initiator, said.main_agent) else {
            return broken("VAL-1", "a validation of nobody's");
        };
        let (mut phases, mut parallel): (Vec<Phase>, bool) = (Vec::new(), false);
        for planned in said.phases {
            let together = parallel && planned.parallel;
            let group = phases.last().map_or(0, |last| last.group + u32::from(!together));
            parallel = planned.parallel;
            phases.push(Phase {
                specialist: planned.specialist,
                group,
                status: "pending",
                iteration: 0,
                most: said.policy.max_iterations,
                awaited: None,
                iteration_until: None,
                escalation: None,
                decided: false,
                granted: false,
                failures: None,
                same: 0,
            });
        }
        let (issue, watchers, policy) = (said.issue.to_lowercase(), said.watchers, said.policy);
        let (escalations, state, aborts) = (Vec::new(), "pending".to_owned(), false);
        Ok(Loop {
            seq: 1,
            initiator,
            issue,
            main_agent,
            watchers,
            policy,
            phases,
            escalations,
            state,
            aborts,
        })
    }

    /// The phases whose turn it is.
    fn current(&self) -> impl Iterator<Item = &Phase> {
        let group = self.phases.iter().find(|phase| !phase.is_over()).map(|phase| phase.group);
        self.phases.iter().filter(move |phase| Some(phase.group) == group)
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
            return broken("VAL-6", format!("{kind}, though it is {}", self.state));
        }
        match kind {
            "escalation-reminded" => self.reminded(said, at, told)?,
            "escalation-closed" => self.closed(said),
            "ended" => self.ends(said, told)?,
            "recorded" => {}
            _ => self.moves(kind, said, at, down, told)?,
        }
        if self.is_open() {
            let open = self.current().filter(|phase| !phase.is_over());
            let least = open.map(|phase| ORDER.iter().position(|one| *one == phase.status)).min().flatten();
            self.state.replace_range(.., least.map_or("pass", |place| ORDER[place]));
        }
        Ok(())
    }

    fn reminded(&mut self, said: &Said, at: Time, told: &mut Told<'_>) -> Result<(), Broken> {
        let open = self.escalations.iter_mut().find(|open| open.number == said.number);
        let (Some(open), Some(next)) = (open, said.remind_at) else {
            return broken("G7", format!("a reminder of escalation {}, which is not open", said.number));
        };
        if open.due > at || next <= at {
            return broken("G7", format!("an escalation is told again at {at}, it was due {}", open.due));
        }
        open.due = next;
        told.owe("escalation", &open.addressee);
        Ok(())
    }

    fn closed(&mut self, said: &Said) {
        self.escalations.retain(|open| open.number != said.number);
        let decided = said.option.is_some();
        self.aborts |= said.option.as_deref() == Some("abort");
        let about = self.phases.iter_mut().filter(|phase| phase.escalation == Some(said.number));
        about.for_each(|phase| (phase.escalation, phase.decided) = (None, decided));
    }

    fn ends(&mut self, said: &Said, told: &mut Told<'_>) -> Result<(), Broken> {
        let whole = self.phases.iter().all(Phase::is_over);
        if said.outcome != (if self.aborts { "aborted" } else { "completed" }) || !(whole || self.aborts) {
            return broken("VAL-3", format!("{} ends as {}", self.issue, said.outcome));
        }
        self.watchers.iter().for_each(|watcher| told.owe("status-change", watcher));
        self.state.clone_from(&said.outcome);
        Ok(())
    }

    /// Whatever happens to one phase.
    fn moves(
        &mut self,
        kind: &str,
        said: &Said,
        at: Time,
        down: &[(Time, Time)],
        told: &mut Told<'_>,
    ) -> Result<(), Broken> {
        let earlier = self.phases.iter().filter(|phase| !phase.is_over()).map(|phase| phase.group).min();
        let main_agent = self.main_agent.clone();
        let Some(phase) = self.phases.get_mut(said.phase) else {
            return broken("G3", format!("{kind} of phase {}, which does not exist", said.phase));
        };
        let before = phase.status;
        if phase.escalation.is_some() && kind != "evidence-added" {
            return broken("VAL-15", format!("{kind}, though somebody is to decide"));
        }
        match kind {
            "requested" | "triggered" if said.because == "turn" && Some(phase.group) != earlier => {
                return broken("VAL-1", format!("phase {} begins out of turn", said.phase));
            }
            "requested" => phase.asked("in-progress", said, at, self.policy.validation_timeout)?,
            "triggered" => phase.asked("re-checking", said, at, self.policy.revalidation_timeout)?,
            "passed" if phase.is_checked() => phase.ends("pass"),
            "failed" if phase.is_checked() => phase.fails(said),
            "fix-requested" => phase.is_to_be_fixed(said, at, &self.policy)?,
            "fix-acknowledged" if phase.status == "awaiting-fix" => phase.status = "fixing",
            "fix-completed" if matches!(phase.status, "awaiting-fix" | "fixing") => {}
            "reminded" | "spared" | "grace-moved" => phase.waits_on(kind, said, at)?,
            "escalated" => {
                phase.stops(said, at, down, self.policy.deadlock_after)?;
                let open = Open::of(&said.escalation, &self.initiator)?;
                told.owe("escalation", &open.addressee);
                self.escalations.push(open);
            }
            "extended" if phase.decided => {
                (phase.most, phase.same, phase.failures) = (phase.most + said.iterations, 0, None);
            }
            "skipped" if phase.decided => phase.ends("skipped"),
            "evidence-added" if phase.escalation.is_some() => {}
            "troubled" | "recovered" => {}
            _ => return broken("VAL-6", format!("{kind} of a phase that is {before}")),
        }
        owed(kind, phase, at, &main_agent, told);
        if phase.status != before {
            self.watchers.iter().for_each(|watcher| told.owe("status-change", watcher));
        }
        Ok(())
    }
}

/// Whom an event of a phase is told to, once.
fn owed(kind: &str, phase: &Phase, at: Time, main_agent: &Name, told: &mut Told<'_>) {
    let fixes = matches!(phase.status, "awaiting-fix" | "fixing");
    let doer = if fixes { main_agent } else { &phase.specialist };
    match kind {
        "requested" => told.owe("validation-request", &phase.specialist),
        "triggered" => told.owe("revalidation-trigger", &phase.specialist),
        "fix-requested" => told.owe("fix-request", main_agent),
        "passed" => told.owe("success-notification", main_agent),
        "reminded" => told.owe("timeout-reminder", doer),
        "spared" if phase.awaited.is_some_and(|it| it.until.is_some() && it.reminded != Some(at)) => {
            told.owe("timeout-reminder", doer);
        }
        _ => {}
    }
}

impl Phase {
    /// The specialist is asked. VAL-10: a new iteration beyond the last needs somebody's decision.
    fn asked(&mut self, status: &'static str, said: &Said, at: Time, timeout: Span) -> Result<(), Broken> {
        let right = match (said.because.as_str(), status) {
            ("turn", "in-progress") => self.status == "pending",
            ("turn", _) => self.status == "fixing" || self.decided,
            ("error", _) => self.status == status && self.awaited.is_some(),
            _ => self.decided,
        };
        if !right {
            return broken("VAL-6", format!("asked because of {} while {}", said.because, self.status));
        }
        self.iteration += u32::from(said.because == "turn");
        if said.because == "turn" && self.iteration > self.most && !(self.decided || self.granted) {
            return broken("VAL-10", format!("iteration {} of {}", self.iteration, self.most));
        }
        let timed = said.clock.timeout == timeout || self.decided;
        let right = match self.by_command() {
            true => said.clock.until.is_none(),
            false => said.clock.until == Some(at.plus(said.clock.timeout)),
        };
        if !timed || !right {
            return broken("G7", format!("asked at {at}, until {:?}", said.clock.until));
        }
        self.begins(status, said);
        self.granted = false;
        Ok(())
    }

    /// VAL-10, VAL-12: what failed for the last time, or the same way too often, is not fixed without a decision.
    fn is_to_be_fixed(&mut self, said: &Said, at: Time, policy: &Policy) -> Result<(), Broken> {
        let often = self.same >= policy.deadlock_after || self.iteration >= self.most;
        if !self.decided && (self.status != "fail" || often) {
            let what = format!("a fix is asked for in iteration {} of {}", self.iteration, self.most);
            return broken("VAL-10", format!("{what}, the same failed {} times", self.same));
        }
        let timed = said.clock.timeout == policy.fix_timeout || self.decided;
        if !timed || said.clock.until != Some(at.plus(said.clock.timeout)) {
            return broken("G7", format!("a fix is asked for at {at}, until {:?}", said.clock.until));
        }
        self.granted = self.decided;
        self.begins("awaiting-fix", said);
        Ok(())
    }

    fn begins(&mut self, status: &'static str, said: &Said) {
        (self.status, self.decided) = (status, false);
        self.awaited = Some(Awaited { until: said.clock.until, ..Awaited::default() });
        self.iteration_until = said.clock.iteration_until.or(self.iteration_until);
    }

    fn fails(&mut self, said: &Said) {
        let again = self.failures.as_ref() == Some(&said.failures);
        self.same = if again { self.same + 1 } else { 1 };
        self.failures = Some(said.failures.clone());
        (self.status, self.awaited) = ("fail", None);
    }

    fn ends(&mut self, status: &'static str) {
        (self.status, self.decided) = (status, false);
        (self.awaited, self.iteration_until) = (None, None);
    }

    /// The clock of whoever is awaited. Only time reminds.
    fn waits_on(&mut self, kind: &str, said: &Said, at: Time) -> Result<(), Broken> {
        let iteration = self.iteration_until;
        let (Some(awaited), Some(until)) = (&mut self.awaited, said.until) else {
            return broken("VAL-11", format!("{kind}, and nobody is awaited"));
        };
        let due = awaited.until.filter(|due| *due <= at).is_some();
        let right = match kind {
            "reminded" => due && awaited.reminded.is_none(),
            "spared" => (due || iteration.is_some_and(|due| due <= at)) && !awaited.spared,
            _ => awaited.reminded.is_some(),
        };
        if !right || until <= at && kind != "grace-moved" {
            return broken("VAL-11", format!("{kind} at {at} until {until}, {awaited:?}"));
        }
        match kind {
            "reminded" => (awaited.reminded, awaited.until) = (Some(at), Some(until)),
            "spared" => {
                awaited.spared = true;
                awaited.until = awaited.until.map(|due| due.max(until));
                self.iteration_until = iteration.map(|due| due.max(until));
            }
            _ => awaited.until = Some(until),
        }
        Ok(())
    }

    /// Somebody is to decide: for a silence only after a reminder, and not for one while the server was down.
    fn stops(
        &mut self,
        said: &Said,
        at: Time,
        down: &[(Time, Time)],
        deadlock_after: u32,
    ) -> Result<(), Broken> {
        let reason = said.escalation.reason.as_str();
        let awaited = self.awaited.unwrap_or_default();
        let due = match reason {
            "timeout" => awaited.until.filter(|_| awaited.reminded.is_some()),
            "iteration-timeout" => self.iteration_until,
            _ => Some(at),
        };
        let Some(due) = due.filter(|due| *due <= at) else {
            return broken("VAL-11", format!("{reason} at {at}: {awaited:?}"));
        };
        let timed = matches!(reason, "timeout" | "iteration-timeout");
        let missed = down.iter().any(|(from, to)| *from < due && due < *to);
        if timed && missed && !awaited.spared {
            return broken("VAL-11", format!("{reason} for a silence until {due}, when the server was down"));
        }
        let right = match reason {
            "deadlock" => self.status == "fail" && self.same >= deadlock_after,
            "max-iterations" => self.status == "fail" && self.iteration >= self.most,
            _ => self.awaited.is_some(),
        };
        if !right {
            return broken("VAL-15", format!("{reason} of a phase that is {}", self.status));
        }
        (self.status, self.escalation) = ("escalated", Some(said.escalation.number));
        (self.awaited, self.iteration_until) = (None, None);
        Ok(())
    }
}

//! What a draft of a validation's decision says and records besides what all do.

use crate::draft;
use crate::escalation::{Evidence, Incident, Reason, Stuck, addressee};
use crate::name::{MessageId, Name};
use crate::time::Span;
use crate::validation::event::{Clock, Event};
use crate::validation::say::{Cause, Notice, Say};
use crate::validation::state::{Open, Outcome, Phase, State};
use crate::validation::words::{Duty, Relief, Status, Trouble};

pub(super) type Draft<'a> = draft::Draft<'a, State>;

/// Records what happened. Watchers hear of every change.
pub(super) fn record(draft: &mut Draft<'_>, event: Event) {
    let status = |state: &State, place: usize| state.phases.get(place).map(|phase| phase.status);
    let change = event.changes();
    let before = change.and_then(|(place, _)| status(&draft.state, place));
    draft.fold(event);
    let Some((place, because)) = change else { return };
    let after = status(&draft.state, place);
    if let (Some(before), Some(after)) = (before, after) {
        draft.changed(Some(place), before, after, because);
    }
}

impl Draft<'_> {
    fn changed(&mut self, phase: Option<usize>, before: Status, after: Status, because: Cause) {
        if before == after {
            return;
        }
        for watcher in self.state.watchers.clone() {
            self.say(watcher, Say::Change { phase, before, after, because });
        }
    }

    pub(super) fn notice(&mut self, to: Name, notice: Notice) {
        self.say(to, Say::Notice(notice));
    }

    pub(super) fn phase(&self, place: usize) -> &Phase {
        &self.state.phases[place]
    }

    /// Who is to do this part of a phase.
    pub(super) fn doer(&self, place: usize, duty: Duty) -> Name {
        self.state.doer(self.phase(place), duty)
    }

    /// A full clock. `fresh`: the iteration begins anew.
    pub(super) fn clock(&self, place: usize, duty: Duty, time: Option<Span>, fresh: bool) -> Clock {
        let policy = &self.state.policy;
        let timeout = time.unwrap_or_else(|| policy.timeout(duty));
        let by_command = duty != Duty::Fix && self.phase(place).command().is_some();
        // More time for a part is more time for its iteration too.
        let iteration = Span::millis(timeout.as_millis().saturating_add(policy.reminder_grace.as_millis()))
            .max(policy.iteration_timeout);
        let iteration = if time.is_some() { iteration } else { policy.iteration_timeout };
        Clock {
            timeout,
            until: (!by_command).then(|| self.after(timeout)),
            iteration_until: fresh.then(|| self.after(iteration)),
        }
    }

    /// Something went wrong besides a failed check; the initiator is told.
    pub(super) fn trouble(&mut self, place: usize, trouble: Trouble, message: Option<MessageId>) {
        self.event(Event::Troubled { phase: place, trouble, message: message.clone() });
        let open = Open { trouble, since: self.now, message };
        self.tell_of(place, open, Relief::Tried);
    }

    fn tell_of(&mut self, place: usize, open: Open, relief: Relief) {
        let duty = self.phase(place).awaited.as_ref().map_or(Duty::Fix, |awaited| awaited.duty);
        let agent = self.doer(place, duty);
        let Open { trouble, since, message } = open;
        let say = Say::Error { phase: place, duty, trouble, agent, since, message, relief };
        self.say(self.state.initiator.clone(), say);
    }

    /// Whoever is awaited did its part: what went wrong before is over.
    pub(super) fn recovered(&mut self, place: usize) {
        let troubles = self.troubles(place);
        if troubles.is_empty() {
            return;
        }
        for open in troubles {
            self.tell_of(place, open, Relief::Recovered);
        }
        self.event(Event::Recovered { phase: place });
    }

    fn troubles(&self, place: usize) -> Vec<Open> {
        self.phase(place).awaited.as_ref().map(|awaited| awaited.troubles.clone()).unwrap_or_default()
    }

    /// The phase stops until somebody decides. `said`: about what.
    pub(super) fn escalate(&mut self, place: usize, reason: Reason, said: Option<MessageId>) {
        for open in self.troubles(place) {
            self.tell_of(place, open, Relief::Escalated);
        }
        let phase = self.phase(place);
        let duty = phase.awaited.as_ref().map_or(Duty::Fix, |awaited| awaited.duty);
        let (agent, iterations) = (self.doer(place, duty), phase.iteration);
        let stuck = Stuck {
            phase: phase.name.clone(),
            iterations,
            since: phase.started.unwrap_or(self.state.created),
            arrived: Vec::new(),
        };
        let delivery = self.facts.delivery(self.state.id, &agent);
        let evidence = Evidence {
            agent: agent.clone(),
            spared: false,
            attempts: iterations,
            corrections: 0,
            delivery,
            said,
            silent_since: None,
            stuck: Some(Box::new(stuck)),
        };
        let addressee = addressee(&self.state.initiator, self.facts);
        if matches!(
            reason,
            Reason::Timeout | Reason::SpecialistError | Reason::DeliveryFailed | Reason::InvalidAnswer
        ) {
            let (at, kind) = (self.now, reason.word().to_owned());
            let incident = Incident { at, kind, agent, attempts: iterations, delivery };
            self.event(Event::Recorded { incident });
        }
        let event = |escalation| Event::Escalated { phase: place, escalation: Box::new(escalation) };
        let say = |number| Say::Escalation { number, again: false };
        self.open_escalation(reason, addressee, evidence, event, say);
    }

    /// The loop is over. What nobody decided about is closed.
    pub(super) fn end(&mut self, outcome: Outcome) {
        let before = self.state.status();
        let open = self.state.escalations.iter().filter(|one| one.closed.is_none());
        for number in open.map(|one| one.number).collect::<Vec<_>>() {
            self.event(Event::EscalationClosed { number, option: None, by: None });
        }
        self.event(Event::Ended { outcome });
        let because = match outcome {
            Outcome::Completed => Cause::Finished,
            Outcome::Aborted => Cause::Decided,
        };
        self.changed(None, before, outcome.status(), because);
    }
}

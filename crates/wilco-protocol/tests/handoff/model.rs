//! Every interleaving of a small handoff: a replacement, a candidate, the failed agent, an initiator, a controller
//! and the courier, a few messages and timeouts, in every order, over the very code that runs.

use super::invariants::{
    Answer, Choices, Order, TASKS, World, escalation_fits_the_phase, never_stuck, silence_leads_somewhere,
};
use stateright::{Checker, Model, Property};
use wilco_protocol::decision::{Report as Came, Tell};
use wilco_protocol::delegation::{Judge, Signal, Verdict};
use wilco_protocol::handoff::{
    Choice, Decision, Effect, Event, Input, Said, Say, State, Statement, apply, begin, born, decide, timers,
};
use wilco_protocol::{MessageId, Time, exchange};

/// How much may happen.
struct Bounds {
    messages: u8,
    timeouts: u8,
    openings: Vec<Choices>,
}

/// A handoff, and what those outside know of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Moment {
    state: State,
    now: Time,
    messages: u8,
    timeouts: u8,
    /// What the courier has to do.
    orders: Vec<Order>,
    /// The last answer of whoever is asked now.
    last: Option<Answer>,
    /// Somebody vouches for the replacement: its ACK was verified, or the override is on record.
    vouched: bool,
    /// Answers that wait for their document.
    kept: Vec<MessageId>,
    /// How often each delegation was stopped, and settled.
    stopped: [u8; 2],
    settled: [u8; 2],
    confirmed: u8,
    ended: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq)]
enum Act {
    Answer { by: &'static str, answer: Answer },
    Say { by: &'static str, what: Statement },
    Report { order: Order, report: Came },
    Timeout,
}

impl Model for Bounds {
    type State = Moment;
    type Action = Act;

    fn init_states(&self) -> Vec<Moment> {
        self.openings.iter().map(|choices| Moment::first(*choices)).collect()
    }

    fn actions(&self, moment: &Moment, acts: &mut Vec<Act>) {
        let audit = Order::Courier(Effect::AppendAudit);
        for order in moment.orders.iter().filter(|order| **order != audit) {
            let reports = order.reports(moment.now).into_iter();
            acts.extend(reports.map(|report| Act::Report { order: order.clone(), report }));
        }
        if moment.messages < self.messages {
            for by in ["helper", "carol", "worker"] {
                let answers: &[Answer] =
                    if moment.state.agent == *by { &Answer::ALL } else { &[Answer::Ready] };
                acts.extend(answers.iter().map(|answer| Act::Answer { by, answer: *answer }));
            }
            let verdict = |verdict| Statement::Verdict { verdict };
            let whats = [
                Statement::Clarify { document: false, answered: None },
                verdict(Verdict::Correct),
                verdict(Verdict::WrongSummary),
                Statement::Override,
            ];
            acts.extend(whats.map(|what| Act::Say { by: "boss", what }));
            // Two documents at a time only where answers are owed: elsewhere nothing else can happen to them.
            let publishes = |one: &Order| matches!(one, Order::Courier(Effect::PublishDocument { .. }));
            if moment.state.is_asked() || !moment.orders.iter().any(publishes) {
                acts.push(Act::Say {
                    by: "boss",
                    what: Statement::Clarify { document: true, answered: Some(1) },
                });
            }
            for option in ["provide_alternative_agent", "retry", "override", "abort"] {
                let choice = Choice { option: option.to_owned(), escalation: None, agent: None, note: true };
                acts.push(Act::Say { by: "ecos", what: Statement::Decide(choice) });
            }
        }
        // Of an open escalation somebody is reminded, and no more.
        let waits = moment.state.escalation().is_none() && !timers(&moment.state).is_empty();
        if moment.timeouts < self.timeouts && waits {
            acts.push(Act::Timeout);
        }
    }

    fn next_state(&self, moment: &Moment, act: Act) -> Option<Moment> {
        let mut next = moment.clone();
        let said = |by: &str, what: Statement, number: u8| {
            let message = MessageId::new(format!("m-{number}"));
            Input::Said(Said { by: by.into(), operator: false, message, to_notice: false, what })
        };
        let input = match &act {
            Act::Timeout => {
                next.timeouts += 1;
                next.now = next.now.max(timers(&next.state).first()?.due);
                Input::Wake
            }
            Act::Report { order, report } => {
                next.orders.retain(|one| one != order);
                Input::Report(report.clone())
            }
            Act::Answer { by, answer } => {
                next.messages += 1;
                if next.state.agent == **by {
                    next.last = Some(*answer);
                }
                said(by, answer.what(), next.messages)
            }
            Act::Say { by, what } => {
                next.messages += 1;
                said(by, what.clone(), next.messages)
            }
        };
        let decision = decide(&next.state, input, &World::default(), next.now).ok()?;
        // What cannot be read is only remembered.
        let moves = !decision.unread && (!decision.events.is_empty() || matches!(act, Act::Report { .. }));
        next.follow(&decision, Some(&act));
        moves.then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties = vec![
            Property::always("HO-13 HO-14 nothing moves unverified", |_, moment: &Moment| {
                let went_on = moment.state.moved_at.is_some()
                    || matches!(moment.state.name(), "confirming" | "complete" | "partial");
                !went_on || moment.vouched
            }),
            Property::always(
                "HO-6 HO-21 each delegation is stopped and settled once",
                |_, moment: &Moment| {
                    let due = u8::from(!moment.state.is_open() || moment.state.moved_at.is_some());
                    moment.stopped == [1; 2] && moment.settled == [due; 2]
                },
            ),
            Property::always("HO-13 no answer is lost with its document", |_, moment: &Moment| {
                let publishes = |one: &Order| matches!(one, Order::Courier(Effect::PublishDocument { .. }));
                moment.kept.is_empty() || moment.orders.iter().any(publishes)
            }),
            Property::always("HO-22 the controller hears the end once", |_, moment: &Moment| {
                moment.confirmed == u8::from(!moment.state.is_open())
            }),
            Property::always("G6 no handoff is stuck or runs for ever", |_, moment: &Moment| {
                never_stuck(&moment.state, &moment.orders)
                    && silence_leads_somewhere(&moment.state, &moment.orders)
            }),
            Property::always("an escalation and its phase stand together", |_, moment: &Moment| {
                escalation_fits_the_phase(&moment.state)
            }),
            Property::always("ended stays ended", |_, moment: &Moment| {
                moment.ended.is_none_or(|name| name == moment.state.name())
            }),
            Property::sometimes("by a verified ACK", |_, moment: &Moment| {
                moment.state.name() == "complete" && moment.state.overridden.is_none()
            }),
            Property::sometimes("by an override", |_, moment: &Moment| {
                moment.state.name() == "complete" && moment.state.overridden.is_some()
            }),
            Property::sometimes("by the candidate", |_, moment: &Moment| {
                moment.state.name() == "complete" && !moment.state.former.is_empty()
            }),
        ];
        properties.extend(reached());
        properties
    }
}

/// Every state can be reached.
fn reached() -> Vec<Property<Bounds>> {
    vec![
        Property::sometimes("partial", |_, moment: &Moment| moment.state.name() == "partial"),
        Property::sometimes("failed", |_, moment: &Moment| moment.state.name() == "failed"),
        Property::sometimes("in-review", |_, moment: &Moment| moment.state.name() == "in-review"),
        Property::sometimes("clarifying", |_, moment: &Moment| moment.state.name() == "clarifying"),
        Property::sometimes("correcting", |_, moment: &Moment| moment.state.name() == "correcting"),
        Property::sometimes("blocked", |_, moment: &Moment| moment.state.name() == "blocked"),
        Property::sometimes("escalated", |_, moment: &Moment| moment.state.name() == "escalated"),
        Property::sometimes("confirming", |_, moment: &Moment| moment.state.name() == "confirming"),
    ]
}

impl Moment {
    fn first(choices: Choices) -> Moment {
        let decision = begin(choices.replace(), &World::default(), Time::ZERO).expect("a handoff");
        let state = born(&decision.events[0], Time::ZERO).expect("the first event");
        let mut moment = Moment {
            state,
            now: Time::ZERO,
            messages: 0,
            timeouts: 0,
            orders: Vec::new(),
            last: None,
            vouched: false,
            kept: Vec::new(),
            stopped: [0; 2],
            settled: [0; 2],
            confirmed: 0,
            ended: None,
        };
        moment.follow(&decision, None);
        moment
    }

    fn follow(&mut self, decision: &Decision, act: Option<&Act>) {
        for event in &decision.events {
            match event {
                Event::Accepted => self.vouched |= self.is_verified(act),
                Event::Overridden { by, .. } => self.vouched |= *by == *"boss" || *by == *"ecos",
                Event::ReplacementChanged { .. } | Event::Retried => {
                    (self.last, self.kept) = (None, Vec::new())
                }
                Event::AnswersKept { message, .. } => self.kept.push(message.clone()),
                Event::Clarified { message, .. } => self.kept.retain(|kept| kept != message),
                _ => {}
            }
            if matches!(event, Event::Accepted | Event::Overridden { .. } | Event::Ended { .. }) {
                self.kept.clear();
            }
            apply(&mut self.state, event, self.now);
        }
        self.orders.extend(Order::of(decision));
        let signal = decision.tells.iter().filter_map(|tell| match tell {
            Tell::Exchange(id, exchange::Signal::Delegation(signal)) => Some((id.number, signal)),
            _ => None,
        });
        for (number, signal) in signal {
            let place = TASKS.iter().position(|(_, known)| *known == number).expect("one of its own");
            match signal {
                Signal::HandoffBegan { .. } => self.stopped[place] += 1,
                _ => self.settled[place] += 1,
            }
        }
        let confirms =
            decision.says.iter().filter(|said| said.say == Say::Confirmation && said.to == *"ecos");
        self.confirmed += u8::try_from(confirms.count()).unwrap_or(u8::MAX);
        if !self.state.is_open() && self.ended.is_none() {
            self.ended = Some(self.state.name());
        }
    }

    /// Whether what was just done verifies the last answer of whoever is asked.
    fn is_verified(&self, act: Option<&Act>) -> bool {
        let readable = matches!(self.last, Some(Answer::Ready | Answer::Unsure));
        match act {
            Some(Act::Answer { by, answer }) => self.state.agent == **by && *answer == Answer::Ready,
            Some(Act::Say { by, what: Statement::Verdict { verdict: Verdict::Correct } }) => {
                *by == "boss" && (readable || self.last == Some(Answer::Malformed))
            }
            Some(Act::Report { report: Came::Judged { verdict: Verdict::Correct, .. }, .. }) => readable,
            _ => false,
        }
    }
}

#[test]
fn ho_13_ho_14_ho_22_g6_every_interleaving() {
    let all = Choices { direct: false, candidate: true, state_file: true, issues: false, judge: Judge::Auto };
    let issues = Choices { direct: true, state_file: false, issues: true, judge: Judge::Command, ..all };
    let openings = vec![all, issues];
    let checker = Bounds { messages: 4, timeouts: 2, openings }.checker().threads(2).spawn_bfs().join();
    println!("{} states, {} of them different", checker.state_count(), checker.unique_state_count());
    checker.assert_properties();
}

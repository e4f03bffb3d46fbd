//! Decisions on a phase that could not go on by itself.

use super::draft::Draft;
use super::turn;
use crate::decision::{Problem, Refusal};
use crate::escalation::Escalation;
use crate::name::Name;
use crate::time::Span;
use crate::validation::event::{Asked, Event};
use crate::validation::input::Choice;
use crate::validation::say::Notice;
use crate::validation::state::{Outcome, State};
use crate::validation::words::Duty;

const OPTIONS: [&str; 4] = ["manual-fix", "skip", "abort", "extend"];

/// What may be chosen now.
pub fn options(state: &State) -> Vec<&'static str> {
    state.escalation().map(|_| OPTIONS.to_vec()).unwrap_or_default()
}

enum Decided {
    ManualFix,
    Skip,
    Abort,
    Extend { iterations: u32, time: Option<Span> },
}

pub(super) fn decide(draft: &mut Draft<'_>, by: Name, choice: Choice) -> Result<(), Refusal> {
    let number = chosen(&draft.state, &choice)?;
    let decided = check(&choice)?;
    let about = |phase: &crate::validation::state::Phase| phase.escalation == Some(number);
    let Some(place) = draft.state.phases.iter().position(about) else { return Ok(()) };
    draft.withhold();
    let stopped_at = draft.phase(place).stopped_at.unwrap_or(Duty::Fix);
    draft.event(Event::EscalationClosed { number, option: Some(choice.option), by: Some(by) });
    match decided {
        Decided::ManualFix => {
            if stopped_at == Duty::Fix {
                turn::release(draft, place);
            }
            turn::ask(draft, place, Duty::Revalidation, Asked::Turn, None);
        }
        Decided::Skip => {
            turn::release(draft, place);
            draft.event(Event::Skipped { phase: place });
            turn::start(draft);
        }
        Decided::Abort => abort(draft),
        Decided::Extend { iterations, time } => {
            draft.event(Event::Extended { phase: place, iterations });
            match stopped_at {
                Duty::Fix => turn::ask_fix(draft, place, time, true),
                Duty::Validation | Duty::Revalidation => {
                    turn::ask(draft, place, stopped_at, Asked::Decision, time);
                }
            }
        }
    }
    Ok(())
}

/// Everybody who is waited for may stop.
fn abort(draft: &mut Draft<'_>) {
    let state = &draft.state;
    let mut told: Vec<Name> = Vec::new();
    for phase in state.phases.iter().filter(|phase| !phase.is_over()) {
        let duty = phase.awaited.as_ref().map(|awaited| awaited.duty).or(phase.stopped_at);
        let agent = duty.filter(|duty| *duty == Duty::Fix || phase.command().is_none());
        told.extend(agent.map(|duty| state.doer(phase, duty)).filter(|agent| !told.contains(agent)));
    }
    draft.end(Outcome::Aborted);
    told.into_iter().for_each(|agent| draft.notice(agent, Notice::Over));
}

/// The open escalation that is meant.
fn chosen(state: &State, choice: &Choice) -> Result<u32, Refusal> {
    let newest = state.escalations.last().map_or(0, |last| last.number);
    if choice.escalation.is_some_and(|number| number == 0 || number > newest) {
        return Err(Refusal::Field {
            pointer: "/content/escalation".into(),
            problem: Problem::UnknownEscalation,
        });
    }
    let is_open = |one: &&Escalation| one.closed.is_none();
    let open: Vec<_> = state.escalations.iter().filter(is_open).map(|one| one.number).collect();
    let decided = || Refusal::State { expected: "an open escalation", got: "decided" };
    let of_phase = match &choice.phase {
        None => None,
        Some(name) => {
            let named = state.phases.iter().find(|phase| phase.name.eq_ignore_ascii_case(name.trim()));
            let problem = || Problem::NoSuchPhase { got: name.clone() };
            let phase = named
                .ok_or_else(|| Refusal::Field { pointer: "/content/phase".into(), problem: problem() })?;
            Some(phase.escalation.ok_or_else(decided)?)
        }
    };
    match (choice.escalation.or(of_phase), open.as_slice()) {
        (_, []) if newest == 0 => {
            Err(Refusal::State { expected: "waiting for a decision", got: state.name() })
        }
        (Some(number), open) if open.contains(&number) => Ok(number),
        (Some(_), _) | (None, []) => Err(decided()),
        (None, [number]) => Ok(*number),
        (None, _) => Err(Refusal::Field { pointer: "/content/phase".into(), problem: Problem::WhichPhase }),
    }
}

fn check(choice: &Choice) -> Result<Decided, Refusal> {
    match choice.option.as_str() {
        "manual-fix" => Ok(Decided::ManualFix),
        "skip" => Ok(Decided::Skip),
        "abort" => Ok(Decided::Abort),
        "extend" => {
            let time = choice.time.filter(|time| !time.is_zero());
            let iterations = choice.iterations.unwrap_or(0);
            if time.is_none() && iterations == 0 {
                return Err(Refusal::Field {
                    pointer: "/content/iterations".into(),
                    problem: Problem::MissingExtension,
                });
            }
            Ok(Decided::Extend { iterations, time })
        }
        unknown => {
            let problem = Problem::UnknownOption { got: unknown.to_owned(), options: OPTIONS.to_vec() };
            Err(Refusal::Field { pointer: "/content/option".into(), problem })
        }
    }
}

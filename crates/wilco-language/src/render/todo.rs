//! What waits for an agent, in words: who asks, what is asked, and the command that answers it.

use wilco_protocol::exchange::Texts;
use wilco_protocol::todo::{Todo, Wanted};
use wilco_protocol::validation::{self, Label};
use wilco_protocol::{EscalationId, Exchange, Name, delegation, handoff, operation};

use super::form::one_line;
use super::review::{cut, review};
use super::shell::quoted;
use super::ways::CommandLine;
use super::{escalation_text, teaching};
use crate::interpret::Cited;

/// Characters of a title, a question or a failure.
const SHOWN: usize = 200;
/// Questions or failures that are listed.
const LISTED: usize = 5;

/// An entry of a list of what waits for somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TodoText {
    pub from: Name,
    pub asked: String,
    /// A command that can be pasted; what stands in capitals is to be filled in.
    pub answer: String,
}

/// The entry for one thing that an exchange wants of an agent.
pub fn todo_text(exchange: &Exchange, agent: &Name, todo: &Todo, cited: &Cited, url: &str) -> TodoText {
    let (from, asked, command) = match (exchange, todo.wanted) {
        (_, Wanted::Decision { escalation }) => decision(exchange, escalation, cited),
        (Exchange::Delegation(state), wanted) => of_task(state, wanted, cited),
        (Exchange::Operation(state), wanted) => of_operation(state, wanted, cited),
        (Exchange::Validation(state), wanted) => of_validation(state, wanted, cited),
        (Exchange::Handoff(state), wanted) => of_handoff(state, wanted, cited),
    };
    TodoText { from, asked, answer: command.pasted(agent.as_str(), url) }
}

type Parts = (Name, String, CommandLine);

fn decision(exchange: &Exchange, number: u32, cited: &Cited) -> Parts {
    let (id, options) = (EscalationId { exchange: exchange.id(), number }, exchange.options());
    let escalation = exchange.escalations().iter().find(|one| one.number == number);
    let text = escalation.map(|one| escalation_text(exchange, one, cited)).unwrap_or_default();
    let first = options.first().copied().unwrap_or("abort");
    let asked = format!("Decide: {text} Options: {}.", options.join(", "));
    (Name::wilco(), asked, teaching::decision(id, first, exchange.next_choice()))
}

fn of_task(state: &delegation::State, wanted: Wanted, cited: &Cited) -> Parts {
    let (task, id) = (&state.task_id, quoted(&state.task_id));
    let (initiator, agent) = (&state.initiator, &state.assignee);
    let title = || {
        let amended = cited.title(&state.assignment, &state.amendments).filter(|title| !title.is_empty());
        cut(&one_line(amended.as_deref().unwrap_or(&state.title)), SHOWN)
    };
    let (from, asked, command) = match wanted {
        Wanted::Answers => {
            let asked = state.questions.as_ref();
            let all = asked.map(|asked| cited.questions(&asked.asked_in)).unwrap_or_default();
            let answered = asked.map_or(0, |asked| asked.answered as usize);
            let open: Vec<_> = all.into_iter().skip(answered).collect();
            let text = format!("{agent} asks about {task}:\n{}", listed(&open));
            (agent, text, CommandLine::with(format!("clarify {id}"), "--message", "YOUR ANSWER"))
        }
        Wanted::Amendment => {
            let text = format!("{agent} cannot read {task} as it stands: say it in other words.");
            (agent, text, CommandLine::with(format!("amend {id}"), "", "WHAT CHANGES"))
        }
        Wanted::Verdict => (agent, review(state, cited), CommandLine::plain(format!("verdict {id} correct"))),
        Wanted::StopConfirmation => (
            initiator,
            format!("Stop {task} ({}), and confirm it.", title()),
            CommandLine::plain(format!("stopped {id}")),
        ),
        Wanted::PauseConfirmation { resume: false } => (
            initiator,
            format!("Pause {task} ({}), and confirm it.", title()),
            CommandLine::plain(format!("paused {id}")),
        ),
        Wanted::PauseConfirmation { resume: true } => (
            initiator,
            format!("Go on with {task} ({}), and confirm it.", title()),
            CommandLine::plain(format!("resumed {id}")),
        ),
        Wanted::Progress => {
            let text = format!("You work on {task}: {}. Say when it is done.", title());
            (initiator, text, CommandLine::plain(format!("complete {id}")))
        }
        _ => {
            let words = format!("ack {id} received{}", teaching::revision_option(state));
            let command = CommandLine::with(words, "--understanding", teaching::YOUR_WORDS);
            (initiator, format!("Acknowledge {task}: {}", title()), command)
        }
    };
    (from.clone(), asked, command)
}

fn of_operation(state: &operation::State, wanted: Wanted, cited: &Cited) -> Parts {
    let (id, name) = (state.id, one_line(&state.operation));
    match wanted {
        Wanted::OperationResult => {
            let asked = format!("Everybody is asked: perform {name} now, and say how it went.");
            (Name::wilco(), asked, CommandLine::plain(format!("result {id} done")))
        }
        _ => {
            let about = cited.said(&state.opening, "message").or_else(|| cited.subject(&state.opening));
            let about = about.map(|about| format!(" {}", cut(&one_line(&about), SHOWN))).unwrap_or_default();
            let command = CommandLine::plain(format!("ready {id}"));
            (state.initiator.clone(), format!("Are you ready for {name}?{about}"), command)
        }
    }
}

fn of_validation(state: &validation::State, wanted: Wanted, cited: &Cited) -> Parts {
    let (id, issue, from) = (state.id, one_line(&state.issue), state.initiator.clone());
    let place = match wanted {
        Wanted::Fix { phase } | Wanted::Check { phase } => phase,
        _ => 0,
    };
    let phase = state.phases.get(place);
    let (name, round) = phase.map_or((String::new(), 0), |phase| (one_line(&phase.name), phase.iteration));
    if matches!(wanted, Wanted::Fix { .. }) {
        let failed = phase.and_then(|phase| phase.last_failed()?.failed.as_ref());
        let failures = failed.map(|message| cited.failures(message)).unwrap_or_default();
        let lines: Vec<_> =
            failures.iter().map(|failure| format!("{} {}", failure.location, failure.error)).collect();
        let asked = format!("Fix what {name} found in {issue} (round {round}):\n{}", listed(&lines));
        let done = phase.map(|phase| validation::id(state, phase, Label::FixDone)).unwrap_or_default();
        let done = quoted(&done);
        let words = format!("fixed {id} --file FILE --message-id {done}");
        return (from, asked, CommandLine::with(words, "--fix", "WHAT YOU FIXED"));
    }
    let feature = state.feature.as_deref().map(|text| format!(", {}", cut(&one_line(text), SHOWN)));
    let asked =
        format!("Check {issue}{} ({name}, round {round}): pass, fail or error.", feature.unwrap_or_default());
    (from, asked, CommandLine::plain(format!("checked {id} pass")))
}

fn of_handoff(state: &handoff::State, wanted: Wanted, cited: &Cited) -> Parts {
    let (handoff, id) = (&state.handoff_id, quoted(&state.handoff_id));
    let said = || state.ack.as_ref().map(|ack| cited.understanding(&ack.message)).unwrap_or_default();
    match wanted {
        Wanted::Verdict => {
            let stated = cut(&one_line(&said()), SHOWN * 3);
            let asked = format!("Did {} understand handoff {handoff}?\nIt understood: {stated}", state.agent);
            (state.agent.clone(), asked, CommandLine::plain(format!("verdict {} correct", state.id)))
        }
        Wanted::Answers => {
            let asked = state.questions.as_ref().map(|asked| cited.questions(&asked.asked_in));
            let asked = format!(
                "{} asks about handoff {handoff}:\n{}",
                state.agent,
                listed(&asked.unwrap_or_default())
            );
            let words = format!("handoff clarify {id}");
            (state.agent.clone(), asked, CommandLine::with(words, "--answer", "YOUR ANSWER"))
        }
        Wanted::Help => {
            let said = state.ack.as_ref().and_then(|ack| cited.gist(&ack.message)).unwrap_or_default();
            let said = cut(&one_line(&said), SHOWN);
            let asked = format!("{} cannot set up its environment for {handoff}: {said}", state.agent);
            let words = format!("send {}", quoted(state.agent.as_str()));
            (state.agent.clone(), asked, CommandLine::with(words, "", "WHAT TO DO"))
        }
        _ => {
            let start = state.starting_from.as_ref().map_or("WHERE_YOU_CONTINUE", |from| from.name.as_str());
            let document = state.url().map(|url| format!(" Read {url}.")).unwrap_or_default();
            let failed = state.failed_agent().map(|agent| format!(" from {agent}")).unwrap_or_default();
            let asked = format!("Take over the work{failed} (handoff {handoff}).{document}");
            let words = format!("handoff ack {id} --starting-from {}", quoted(start));
            let command = CommandLine::with(words, "--understanding", teaching::YOUR_WORDS);
            (state.initiator.clone(), asked, command)
        }
    }
}

/// The first of them, numbered, and how many more there are.
fn listed(items: &[String]) -> String {
    let line = |(at, item): (usize, &String)| format!("{}. {}", at + 1, cut(&one_line(item), SHOWN));
    let mut lines: Vec<_> = items.iter().take(LISTED).enumerate().map(line).collect();
    if items.len() > LISTED {
        lines.push(format!("and {} more", items.len() - LISTED));
    }
    lines.join("\n")
}

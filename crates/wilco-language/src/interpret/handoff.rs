//! What a message means to a handoff.

use crate::judge::other_task;
use crate::message::MessageType;
use serde_json::Value;
use wilco_protocol::delegation::{Ruling, Scored, Understanding};
use wilco_protocol::exchange::Texts;
use wilco_protocol::handoff::{Ack, AckStatus, Choice, Named, Phase, Said, StartingFrom, State, Statement};

use super::{Cited, InContext};
use crate::parse::{Delegation, Handoff, HandoffAck, Task, Typed};
use crate::read::answering::{Reply, reply};
use crate::read::courtesy::is_courtesy;
use crate::read::handoff_ack::{HandoffAckText, handoff_acks};
use crate::read::judgement::judgement;
use crate::read::understanding::{self, TaskText, score};
use crate::read::verdict::{VerdictReading, verdicts};

pub(super) fn interpret(state: &State, context: &InContext<'_>, cited: &Cited) -> Said {
    let what = match &context.incoming.typed {
        Typed::Handoff(said) => typed(state, context, cited, said),
        Typed::Delegation(Delegation::Verdict(said)) => Statement::Verdict { verdict: said.verdict },
        Typed::Delegation(Delegation::Clarify { answers, .. }) => {
            Statement::Clarify { document: false, answered: *answers }
        }
        Typed::Decision(choice) => Statement::Decide(Choice {
            option: choice.option.clone(),
            escalation: choice.escalation.map(|id| id.number),
            agent: choice.agent.as_deref().map(|name| context.resolve.resolve(name)),
            note: ["note", "reason"].iter().any(|key| says(context.incoming.content.get(*key))),
        }),
        Typed::Conversation | Typed::Talk if context.incoming.only_wilco() => Statement::Remark,
        Typed::Conversation | Typed::Talk => text(state, context, cited),
        Typed::Delegation(_) | Typed::Operation(_) | Typed::Validation(_) => Statement::Remark,
    };
    context.said(what)
}

fn says(value: Option<&Value>) -> bool {
    value.and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty())
}

fn typed(state: &State, context: &InContext<'_>, cited: &Cited, said: &Handoff) -> Statement {
    match said {
        Handoff::Ack(ack) => ack_of(state, context, cited, ack),
        Handoff::Clarify { document } => {
            let entries = context.incoming.content.get("clarifications").and_then(Value::as_array);
            let asked = state.questions.as_ref().map(|asked| cited.questions(&asked.asked_in));
            let answered = entries.zip(asked).map(|(entries, asked)| answered(&asked, entries));
            Statement::Clarify { document: *document, answered }
        }
        Handoff::Override => Statement::Override,
        Handoff::Reminder => Statement::OwnReminder,
        Handoff::Replace(_) | Handoff::HandOver(_) => Statement::Remark,
    }
}

/// How many questions have their answer: those that an entry names, and one more for each entry that names none of them.
fn answered(asked: &[String], entries: &[Value]) -> u32 {
    let fold = |text: &str| text.trim().trim_end_matches(['?', '.', ' ']).to_lowercase();
    let (mut named, mut others) = (vec![false; asked.len()], 0);
    for entry in entries.iter().filter(|entry| says(entry.get("answer"))) {
        let question = fold(entry.get("question").and_then(Value::as_str).unwrap_or(""));
        match asked.iter().position(|one| fold(one) == question) {
            Some(place) => named[place] = true,
            None => others += 1,
        }
    }
    let named = named.iter().filter(|named| **named).count();
    // Questions that were asked without a list count as one.
    (named + others).min(asked.len().max(1)) as u32
}

/// Plain text: an `[ACK]`, a `[VERDICT]`, answers to questions; of the replacement, anything else is a malformed ACK.
fn text(state: &State, context: &InContext<'_>, cited: &Cited) -> Statement {
    let body = context.incoming.text();
    if context.by == state.initiator {
        match verdicts(body).into_iter().find(|said| same(said.task_id(), &state.handoff_id)) {
            Some(VerdictReading::Verdict(said)) => return Statement::Verdict { verdict: said.verdict },
            Some(VerdictReading::Contradiction { .. }) => return Statement::UnclearVerdict,
            None => {}
        }
        let decides =
            context.parent.as_ref().is_some_and(|parent| parent.of == Some(MessageType::Escalation));
        if state.is_asked() && !decides && reply(body) == Reply::Answers {
            return Statement::Clarify { document: false, answered: None };
        }
        let reviews = matches!(state.phase, Phase::InReview { .. }) && verdicts(body).is_empty();
        return match judgement(body).filter(|_| reviews) {
            Some(said) => Statement::Verdict { verdict: said.verdict },
            None if is_courtesy(body) => Statement::Courtesy,
            None => Statement::Remark,
        };
    }
    let asked = context.by == state.agent || state.former.iter().any(|former| former.agent == context.by);
    let mut acks = handoff_acks(body);
    let of_this = acks.iter().position(|ack| same(&ack.handoff_id, &state.handoff_id));
    match of_this.or((!acks.is_empty()).then_some(0)) {
        Some(place) => ack_of(state, context, cited, &from_text(acks.swap_remove(place))),
        None if asked => Statement::Malformed,
        None => Statement::Remark,
    }
}

fn from_text(ack: HandoffAckText) -> HandoffAck {
    HandoffAck {
        handoff_id: Some(ack.handoff_id),
        status: ack.status,
        understanding: ack.understanding,
        starting_from: ack.starting_from,
        questions: ack.questions,
    }
}

fn ack_of(state: &State, context: &InContext<'_>, cited: &Cited, ack: &HandoffAck) -> Statement {
    let Some(status) = ack.status else { return Statement::Malformed };
    let named = match &ack.handoff_id {
        Some(id) if !same(id, &state.handoff_id) => Named::Other,
        Some(_) | None => Named::This,
    };
    // Whoever names another handoff is told so, whatever else is missing.
    let ready = status == AckStatus::ReadyToProceed && ack.questions.is_empty();
    let lacks = ack.understanding.is_none() || (ack.starting_from.is_none() && state.starting_from.is_some());
    if ready && lacks && named == Named::This {
        return Statement::Malformed;
    }
    let said = ack.understanding.as_deref().unwrap_or("");
    let starting = ack.starting_from.as_deref().unwrap_or("");
    Statement::Ack(Ack {
        status,
        named,
        scored: scored(state, cited, said, context.other_tasks),
        states_understanding: said.contains(char::is_alphanumeric),
        starting_from_matches: begins_at(state.starting_from.as_ref(), starting),
        questions: ack.questions.len() as u32,
    })
}

/// Whether a checkpoint is the documented one. Where none is, any is.
fn begins_at(documented: Option<&StartingFrom>, said: &str) -> bool {
    let Some(documented) = documented else { return true };
    let fold = |text: &str| text.trim().to_lowercase();
    let said = fold(said);
    let numbered = documented.number.is_some_and(|number| {
        [format!("{number}"), format!("checkpoint-{number}"), format!("checkpoint {number}")].contains(&said)
    });
    said == fold(&documented.name) || numbered
}

/// None when nothing is known of any task.
fn scored(state: &State, cited: &Cited, said: &str, other_tasks: &[String]) -> Option<Scored> {
    let tasks = tasks(state, cited);
    if tasks.is_empty() {
        return None;
    }
    let joined = |part: fn(&Task) -> &str| tasks.iter().map(part).collect::<Vec<_>>().join("\n");
    let mut description = joined(|task| &task.description);
    for answer in &state.answers {
        description.push('\n');
        description.push_str(&cited.clarified(answer));
    }
    let criteria: Vec<_> = tasks.iter().flat_map(|task| task.criteria.clone()).collect();
    let title = joined(|task| &task.title);
    let text = TaskText {
        task_id: &state.handoff_id,
        title: &title,
        titled: tasks.iter().any(|task| task.titled),
        description: &description,
        criteria: &criteria,
    };
    let scored = score(&text, said);
    let asked = [&title, &description].into_iter().chain(&criteria);
    let asked = asked.map(String::as_str).collect::<Vec<_>>().join("\n");
    let other = other_task(&called(state), &asked, said, other_tasks);
    let ruling = match scored.ruling {
        _ if other.is_some_and(|other| other.instead) => Ruling::OtherTask,
        understanding::Ruling::Correct => Ruling::Correct,
        understanding::Ruling::Named => Ruling::Named,
        understanding::Ruling::Empty if said.trim().is_empty() => Ruling::Blank,
        understanding::Ruling::Empty => Ruling::Empty,
        understanding::Ruling::Unsure => Ruling::Unsure,
    };
    let understanding = Understanding {
        score: scored.score,
        verdict: None,
        covered: scored.covered,
        missing: scored.missing,
        judged_by: None,
        said_missing: Vec::new(),
        by: None,
    };
    Some(Scored { understanding, ruling })
}

/// The tasks that are handed over, as far as Wilco knows them.
pub(crate) fn tasks(state: &State, cited: &Cited) -> Vec<Task> {
    let delegated = state.tasks.iter().filter_map(|task| task.delegation.as_ref());
    let messages = delegated.filter_map(|one| one.messages.split_first());
    messages.map(|(assignment, amendments)| cited.task(assignment, amendments)).collect()
}

/// The ids of the handoff and of its tasks.
pub(crate) fn called(state: &State) -> Vec<&str> {
    let tasks = state.tasks.iter().flat_map(|task| {
        let delegated = task.delegation.as_ref().map(|one| one.task_id.as_str());
        [Some(task.task.as_str()), delegated]
    });
    [Some(state.handoff_id.as_str())].into_iter().chain(tasks).flatten().collect()
}

fn same(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.to_lowercase()
}

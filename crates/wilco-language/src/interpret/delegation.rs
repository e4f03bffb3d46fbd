//! What a message means to a delegation.

use crate::message::MessageType;
use wilco_protocol::delegation::{
    Ack, AgentError, Choice, Phase, Ruling, Said, Scored, State, Statement, Understanding, Verdict, options,
    untried,
};

use super::{Cited, InContext};
use crate::judge::other_task;
use crate::parse::{Acknowledgment, Delegation, Task, Typed};
use crate::read::ack::{AckReading, AckText, acks};
use crate::read::answering::{Reply, reply};
use crate::read::claim::About;
use crate::read::completion::{BY_WORD, WorkReport, report};
use crate::read::courtesy::{is_assent, is_courtesy};
use crate::read::decision::decision;
use crate::read::judgement::judgement;
use crate::read::mention::said_of;
use crate::read::questions::vague;
use crate::read::result::is_of_other;
use crate::read::stopping::{Compliance, StopOrder, compliance, compliance_word};
use crate::read::understanding::{self, TaskText, score_amended};
use crate::read::verdict::{VerdictReading, verdicts};

pub(super) fn interpret(state: &State, context: &InContext<'_>, cited: &Cited) -> Said {
    let what = match &context.incoming.typed {
        Typed::Delegation(said) => typed(state, context, cited, said),
        Typed::Decision(choice) => Statement::Decide(Choice {
            option: choice.option.clone(),
            escalation: choice.escalation.map(|id| id.number),
            agent: choice.agent.as_deref().map(|name| context.resolve.resolve(name)),
            time: choice.time,
            status: choice.status,
        }),
        Typed::Operation(_) | Typed::Handoff(_) | Typed::Validation(_) => Statement::Remark,
        Typed::Conversation | Typed::Talk if context.incoming.only_wilco() => Statement::Remark,
        Typed::Conversation | Typed::Talk if context.amends => Statement::Amend,
        Typed::Conversation | Typed::Talk if context.again => Statement::Again,
        Typed::Conversation | Typed::Talk => text(state, context, cited),
    };
    context.said(what)
}

fn typed(state: &State, context: &InContext<'_>, cited: &Cited, said: &Delegation) -> Statement {
    match said {
        Delegation::Assign(_) => Statement::Again,
        Delegation::Ack(ack) => Statement::Ack(ack_of(state, context, cited, ack)),
        Delegation::Error { code, retry_after, alternatives, .. } => Statement::Error(AgentError {
            code: *code,
            retry_after: *retry_after,
            alternatives: alternatives.iter().map(|name| context.resolve.resolve(name)).collect(),
        }),
        Delegation::Clarify { answers, .. } => Statement::Clarify { answers: *answers },
        Delegation::AskAgain { .. } if context.by == state.initiator => Statement::AskAgain,
        // From anybody else it is only talk.
        Delegation::AskAgain { .. } => Statement::Remark,
        Delegation::Verdict(said) => {
            let criteria = criteria(state, cited);
            Statement::Verdict { verdict: said.verdict, missing: indexes(&criteria, &said.missing) }
        }
        Delegation::Checkpoint { number, .. } => Statement::Checkpoint { number: *number },
        Delegation::Complete { .. } => Statement::Complete,
        Delegation::Amend { .. } => Statement::Amend,
        Delegation::Cancel { .. } => Statement::Cancel,
        Delegation::StopAck { .. } => Statement::StopAck,
        Delegation::Pause { expected_duration, .. } => {
            Statement::Pause { expected_duration: *expected_duration }
        }
        Delegation::PauseAck { .. } => Statement::PauseAck,
        Delegation::Resume { .. } => Statement::Resume,
        Delegation::ResumeAck { .. } => Statement::ResumeAck,
        Delegation::Extend { time, .. } => Statement::Extend { time: *time },
    }
}

/// Plain text: a word of the form, a sentence, an answer to questions, or a remark.
fn text(state: &State, context: &InContext<'_>, cited: &Cited) -> Statement {
    let body = context.incoming.text();
    let names = Names::of(state, context, cited);
    if context.by == state.initiator {
        of_initiator(state, context, cited, &names)
    } else {
        acknowledged(state, context, cited, body).unwrap_or_else(|| of_agent(state, context, &names))
    }
}

/// What the task is called: its ids and its title.
struct Names {
    ids: Vec<String>,
    title: String,
}

impl Names {
    fn of(state: &State, context: &InContext<'_>, cited: &Cited) -> Names {
        let escalation = state.escalation().map(|open| format!("{}-e{}", state.id, open.number));
        let ids = [Some(state.task_id.clone()), Some(state.id.to_string()), escalation];
        // The title is needed for sentences alone, and few messages are one.
        let title = if context.by == state.assignee {
            cited.task(&state.assignment, &state.amendments).title
        } else {
            String::new()
        };
        Names { ids: ids.into_iter().flatten().collect(), title }
    }

    fn about<R>(&self, read: impl FnOnce(&About<'_>) -> R) -> R {
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        read(&About { ids: &ids, title: &self.title })
    }
}

fn of_initiator(state: &State, context: &InContext<'_>, cited: &Cited, names: &Names) -> Statement {
    let body = context.incoming.text();
    match verdicts(body).into_iter().find(|said| same(said.task_id(), &state.task_id)) {
        Some(VerdictReading::Verdict(said)) => {
            return text_verdict(state, cited, said.verdict, &said.missing, said.correction.is_some());
        }
        Some(VerdictReading::Contradiction { .. }) => return Statement::UnclearVerdict,
        None => {}
    }
    if let Some(choice) = chosen(state, context, names) {
        return Statement::Decide(choice);
    }
    // An answer or a verdict that names another task is not about this one.
    if names.about(|about| is_of_other(body, about)) {
        return Statement::Remark;
    }
    // Words to an escalation are no answer to the questions behind it.
    let decides = context.parent.as_ref().is_some_and(|parent| parent.of == Some(MessageType::Escalation));
    if state.is_asked() && !decides {
        return match reply(body) {
            Reply::Answers => Statement::Clarify { answers: None },
            Reply::Courtesy => Statement::Courtesy,
            Reply::Unread => Statement::Remark,
        };
    }
    let judged = judgement(body)
        .filter(|_| matches!(state.phase, Phase::InReview { .. }) && verdicts(body).is_empty());
    match judged {
        Some(said) => text_verdict(state, cited, said.verdict, &[said.said], true),
        None if is_courtesy(body) => Statement::Courtesy,
        None => Statement::Remark,
    }
}

/// The decision that words make, as far as it can be carried out.
fn chosen(state: &State, context: &InContext<'_>, names: &Names) -> Option<Choice> {
    state.escalation()?;
    let decided = names.about(|about| decision(context.incoming.text(), &options(state), about))?;
    let whole = match decided.option.as_str() {
        "reassign" => decided.agent.is_some() || untried(state).is_some(),
        "extend" => decided.time.is_some(),
        "accept-as" => decided.status.is_some(),
        _ => true,
    };
    let agent =
        decided.agent.filter(|_| decided.option == "reassign").map(|name| context.resolve.resolve(&name));
    let (time, status) = (decided.time, decided.status);
    whole.then_some(Choice { option: decided.option, escalation: None, agent, time, status })
}

fn acknowledged(state: &State, context: &InContext<'_>, cited: &Cited, body: &str) -> Option<Statement> {
    let mut readings = acks(body);
    let of_this = readings.iter().position(|reading| same(reading.task_id(), &state.task_id));
    let reading = match of_this {
        Some(index) => readings.swap_remove(index),
        None if readings.is_empty() => return None,
        None => readings.swap_remove(0),
    };
    Some(match reading {
        AckReading::Ack(ack) => Statement::Ack(ack_of(state, context, cited, &from_text(ack))),
        AckReading::Contradiction { .. } => Statement::Contradiction,
    })
}

/// What an agent says without acknowledging: that it stopped, how far it is, that it is done.
fn of_agent(state: &State, context: &InContext<'_>, names: &Names) -> Statement {
    let body = &*said_of(context.incoming.text(), &state.task_id);
    if let Some((asked, confirmed)) = asked_of(state, context) {
        match names.about(|about| compliance(body, asked, about)) {
            Compliance::Confirmed { .. } => return confirmed,
            Compliance::Courtesy => return Statement::Courtesy,
            Compliance::Unread => {}
        }
    }
    if let Some(said) = names.about(|about| by_word(body, about)) {
        return said;
    }
    let read = names.about(|about| report(body, about));
    let at_work = state.phase.at_work();
    // Nothing is awaited that `understood, thanks` could answer.
    if at_work && asked_of(state, context).is_none() && read == WorkReport::Unread && is_assent(body) {
        return Statement::Courtesy;
    }
    match read {
        // Whoever does not work yet shows work by the form alone; in sentences it tells of something else.
        WorkReport::Completed { rule } if at_work || rule == BY_WORD => Statement::Complete,
        WorkReport::Checkpoint { number } => Statement::Checkpoint { number },
        WorkReport::Courtesy => Statement::Courtesy,
        WorkReport::Completed { .. } | WorkReport::Progress | WorkReport::Doubtful | WorkReport::Unread
            if !at_work =>
        {
            Statement::Remark
        }
        WorkReport::Completed { .. } => Statement::Complete,
        WorkReport::Progress => Statement::Progress,
        WorkReport::Doubtful => Statement::Doubtful,
        WorkReport::Unread => Statement::Remark,
    }
}

/// What the agent was asked to confirm.
fn asked_of(state: &State, context: &InContext<'_>) -> Option<(StopOrder, Statement)> {
    if state.stop_of(&context.by).is_some() {
        return Some((StopOrder::Stop, Statement::StopAck));
    }
    let unconfirmed = state.unconfirmed.as_ref().filter(|_| context.by == state.assignee)?;
    Some(match unconfirmed.resume {
        true => (StopOrder::Resume, Statement::ResumeAck),
        false => (StopOrder::Pause, Statement::PauseAck),
    })
}

/// A word of the form that nobody asked for is answered like its message.
fn by_word(body: &str, about: &About<'_>) -> Option<Statement> {
    let read = compliance_word(body, about)?;
    Some(match read {
        StopOrder::Stop => Statement::StopAck,
        StopOrder::Pause => Statement::PauseAck,
        StopOrder::Resume => Statement::ResumeAck,
    })
}

/// A verdict in words that lacks what it needs judges nothing.
fn text_verdict(
    state: &State,
    cited: &Cited,
    verdict: Verdict,
    missing: &[String],
    corrected: bool,
) -> Statement {
    let whole = match verdict {
        Verdict::WrongSummary => corrected,
        Verdict::Partial => !missing.is_empty(),
        Verdict::Correct | Verdict::WrongTask => true,
    };
    if !whole {
        return Statement::HalfVerdict { verdict };
    }
    Statement::Verdict { verdict, missing: indexes(&criteria(state, cited), missing) }
}

fn from_text(ack: AckText) -> Acknowledgment {
    Acknowledgment {
        task_id: Some(ack.task_id),
        status: ack.status,
        understanding: ack.understanding.unwrap_or_default(),
        questions: ack.questions,
        planned: 0,
        revision: ack.revision,
    }
}

fn ack_of(state: &State, context: &InContext<'_>, cited: &Cited, ack: &Acknowledgment) -> Ack {
    let mut task = cited.task(&state.assignment, &state.amendments);
    for answer in &state.answers {
        // What was answered is part of what there is to understand.
        task.description.push('\n');
        task.description.push_str(&cited.answer(answer));
    }
    Ack {
        status: ack.status,
        names_task: ack.task_id.as_deref().is_none_or(|id| same(id, &state.task_id)),
        revision: revision(context, ack),
        questions: ack.questions.len() as u32,
        vague: vague(&ack.questions),
        scored: scored(state, &task, &ack.understanding, context.other_tasks),
        planned: ack.planned,
    }
}

/// The revision that an ACK speaks of: its field says, else the message that it answers, else its words.
fn revision(context: &InContext<'_>, ack: &Acknowledgment) -> Option<u32> {
    let worded = matches!(context.incoming.typed, Typed::Conversation | Typed::Talk);
    let field = context.incoming.content.get("revision").and_then(|revision| revision.as_u64());
    let given = if worded { field.and_then(|field| u32::try_from(field).ok()) } else { ack.revision };
    given.or(context.parent.as_ref().and_then(|parent| parent.revision)).or(ack.revision)
}

fn scored(state: &State, task: &Task, said: &str, other_tasks: &[String]) -> Scored {
    let text = TaskText {
        task_id: &state.task_id,
        title: &task.title,
        titled: task.titled,
        description: &task.description,
        criteria: &task.criteria,
    };
    let scored = score_amended(&text, &task.changes, said);
    let asked = [&task.title, &task.description].into_iter().chain(&task.criteria);
    let asked = asked.map(String::as_str).collect::<Vec<_>>().join("\n");
    let other = other_task(&[&state.task_id], &asked, said, other_tasks);
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
    Scored { understanding, ruling }
}

fn criteria(state: &State, cited: &Cited) -> Vec<String> {
    cited.task(&state.assignment, &state.amendments).criteria
}

/// Which criteria a verdict names as missing; what names none of them stays in its message.
fn indexes(criteria: &[String], missing: &[String]) -> Vec<u16> {
    let named =
        |criterion: &String| missing.iter().any(|text| text.trim().eq_ignore_ascii_case(criterion.trim()));
    criteria.iter().enumerate().filter(|(_, text)| named(text)).map(|(index, _)| index as u16).collect()
}

/// Task ids compare without case.
fn same(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

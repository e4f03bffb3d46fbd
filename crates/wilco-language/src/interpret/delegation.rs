//! What a message means to a delegation.

use crate::message::MessageType;
use wilco_protocol::delegation::{
    Ack, AgentError, Choice, Ruling, Said, Scored, State, Statement, Understanding, Verdict,
};

use super::{Cited, InContext};
use crate::parse::{Acknowledgment, Delegation, Task, Typed};
use crate::read::ack::{AckReading, AckText, acks};
use crate::read::questions::vague;
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
        }),
        Typed::Operation(_) | Typed::Handoff(_) | Typed::Validation(_) => remark(context),
        Typed::Conversation | Typed::Talk if context.incoming.only_wilco() => remark(context),
        Typed::Conversation | Typed::Talk if context.amends => Statement::Amend,
        Typed::Conversation | Typed::Talk if context.again => Statement::Again,
        Typed::Conversation | Typed::Talk => text(state, context, cited),
    };
    Said { by: context.by.clone(), operator: context.operator, message: context.id.clone(), what }
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
        Delegation::AskAgain { .. } => remark(context),
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

/// Plain text: an `[ACK]`, a `[VERDICT]`, an answer to questions, or a remark.
fn text(state: &State, context: &InContext<'_>, cited: &Cited) -> Statement {
    let body = context.incoming.text();
    if context.by == state.initiator {
        match verdicts(body).into_iter().find(|said| same(said.task_id(), &state.task_id)) {
            Some(VerdictReading::Verdict(said)) => {
                return text_verdict(state, cited, said.verdict, &said.missing, said.correction.is_some());
            }
            Some(VerdictReading::Contradiction { .. }) => return Statement::UnclearVerdict,
            None => {}
        }
        // Words to an escalation are no answer to the questions behind it.
        let decides =
            context.parent.as_ref().is_some_and(|parent| parent.of == Some(MessageType::Escalation));
        if state.is_asked() && !decides && !body.trim().is_empty() {
            return Statement::Clarify { answers: None };
        }
        return remark(context);
    }
    let mut readings = acks(body);
    let of_this = readings.iter().position(|reading| same(reading.task_id(), &state.task_id));
    let reading = match of_this {
        Some(index) => readings.swap_remove(index),
        None if readings.is_empty() => return remark(context),
        None => readings.swap_remove(0),
    };
    match reading {
        AckReading::Ack(ack) => Statement::Ack(ack_of(state, context, cited, &from_text(ack))),
        AckReading::Contradiction { .. } => Statement::Contradiction,
    }
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

fn remark(context: &InContext<'_>) -> Statement {
    Statement::Remark {
        to_notice: context
            .parent
            .as_ref()
            .is_some_and(|parent| parent.of == Some(MessageType::ProtocolNotice)),
    }
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
        scored: scored(state, &task, &ack.understanding),
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

fn scored(state: &State, task: &Task, said: &str) -> Scored {
    let text = TaskText {
        task_id: &state.task_id,
        title: &task.title,
        titled: task.titled,
        description: &task.description,
        criteria: &task.criteria,
    };
    let scored = score_amended(&text, &task.changes, said);
    let ruling = match scored.ruling {
        understanding::Ruling::Correct => Ruling::Correct,
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

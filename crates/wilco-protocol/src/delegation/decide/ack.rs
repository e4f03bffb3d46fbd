//! What an acknowledgement leads to, and how its understanding is judged.

use super::draft::Draft;
use super::succession;
use super::work::complete;
use crate::decision::{Effect, Report};
use crate::delegation::event::{Event, Why};
use crate::delegation::input::{Ack, Ruling};
use crate::delegation::policy::Judge;
use crate::delegation::say::{Notice, Say, ToInitiator};
use crate::delegation::state::{Checkpoint, MAX_CHECKPOINTS, Phase, Understanding};
use crate::delegation::words::{AckStatus, Verdict};
use crate::escalation::Reason;
use crate::judgement::{JudgeRecord, JudgedBy, bounded_reason};
use crate::name::MessageId;

/// An ACK before the task counts as assigned.
pub(super) fn before_work(draft: &mut Draft<'_>, message: MessageId, ack: Ack) {
    if !speaks_of_this_revision(draft, &ack) {
        return;
    }
    acknowledged(draft, &message, ack.status);
    if ack.status == AckStatus::Rejected {
        return succession::next_agent(draft, Why::Rejected, Reason::NoCandidate);
    }
    if !ack.names_task {
        return settle(draft, Verdict::WrongTask, None);
    }
    match ack.status {
        AckStatus::Rejected => {}
        AckStatus::Queued => {
            show_score(draft, &ack);
            if !is_queued(&draft.state.phase) {
                let until = draft.after(draft.state.policy.queued_check);
                draft.event(Event::Queued { until });
            }
        }
        AckStatus::NeedsClarification => asks(draft, message, &ack),
        AckStatus::Received | AckStatus::Confirmed if ack.questions > 0 => asks(draft, message, &ack),
        AckStatus::Received | AckStatus::Confirmed => judge(draft, message, ack),
    }
}

/// Somebody says as which ACK an answer is to be taken that could not be read. Nothing more is judged.
pub(super) fn take_as(draft: &mut Draft<'_>, message: MessageId, status: AckStatus) {
    acknowledged(draft, &message, status);
    draft.said = Some(message.clone());
    match status {
        AckStatus::Received | AckStatus::Confirmed => assign(draft),
        AckStatus::Rejected => succession::next_agent(draft, Why::Rejected, Reason::NoCandidate),
        AckStatus::Queued => {
            let until = draft.after(draft.state.policy.queued_check);
            draft.event(Event::Queued { until });
        }
        AckStatus::NeedsClarification => {
            let until = draft.after(draft.state.policy.clarification_timeout);
            draft.event(Event::Asked { message, count: 1, until });
            draft.tell_initiator(ToInitiator::Questions { vague: true });
        }
    }
}

/// Also when somebody is asked to decide about the queue: saying so again does not restart the count.
fn is_queued(phase: &Phase) -> bool {
    match phase {
        Phase::Escalated { from } => is_queued(from),
        phase => matches!(phase, Phase::Queued { .. }),
    }
}

/// An ACK of a task that is being worked on.
pub(super) fn at_work(draft: &mut Draft<'_>, message: MessageId, ack: Ack) {
    let asks_something = match ack.status {
        AckStatus::NeedsClarification => true,
        AckStatus::Received | AckStatus::Confirmed => ack.questions > 0,
        AckStatus::Rejected => false,
        AckStatus::Queued => return draft.say_to_assignee(Say::Notice(Notice::AlreadyWorking)),
    };
    let repeats = !asks_something && ack.status != AckStatus::Rejected;
    if repeats || !speaks_of_this_revision(draft, &ack) {
        return;
    }
    if asks_something && matches!(draft.state.phase, Phase::Paused { .. }) {
        return draft.say_to_assignee(Say::Notice(Notice::Paused));
    }
    acknowledged(draft, &message, ack.status);
    if asks_something {
        ask(draft, message, &ack);
    } else {
        succession::next_agent(draft, Why::Rejected, Reason::NoCandidate);
    }
}

fn speaks_of_this_revision(draft: &mut Draft<'_>, ack: &Ack) -> bool {
    let current = draft.state.revision;
    let notice = match ack.revision {
        Some(revision) if revision == current => return true,
        // Whoever says no says it to whatever it is asked now.
        None if current == 1 || ack.status == AckStatus::Rejected => return true,
        Some(_) => Notice::StaleRevision { current },
        None => Notice::WhichRevision { current },
    };
    draft.say_to_assignee(Say::Notice(notice));
    false
}

fn acknowledged(draft: &mut Draft<'_>, message: &MessageId, status: AckStatus) {
    let in_time = draft.state.attempt == 1
        && match draft.state.phase {
            Phase::AwaitingAck { until, backing_off } => !backing_off && draft.now <= until,
            Phase::Escalated { .. } => false,
            Phase::Clarifying { .. }
            | Phase::InReview { .. }
            | Phase::Queued { .. }
            | Phase::Waiting { .. }
            | Phase::Returned { .. }
            | Phase::Working { .. }
            | Phase::Paused { .. }
            | Phase::Ended { .. } => true,
        };
    draft.event(Event::Acknowledged { ack: message.clone(), status, in_time });
}

/// The understanding of an ACK that is not judged is shown all the same.
fn show_score(draft: &mut Draft<'_>, ack: &Ack) {
    if !matches!(ack.scored.ruling, Ruling::Blank | Ruling::Empty) {
        draft.event(Event::Judged { understanding: ack.scored.understanding.clone(), judge: None });
    }
}

fn asks(draft: &mut Draft<'_>, message: MessageId, ack: &Ack) {
    show_score(draft, ack);
    ask(draft, message, ack);
}

/// Questions go to the initiator; those that ask nothing answerable go back first, once. Who works goes on meanwhile.
fn ask(draft: &mut Draft<'_>, message: MessageId, ack: &Ack) {
    let vague = ack.vague || ack.questions == 0;
    if vague && !draft.state.asked_to_be_specific {
        let owes_ack = draft.state.requires_ack && !draft.state.phase.at_work();
        let until = owes_ack.then(|| draft.ack_deadline());
        draft.event(Event::SpecificsAsked { until });
        return draft.say_to_assignee(Say::WhichCriterion);
    }
    let until = draft.after(draft.state.policy.clarification_timeout);
    draft.event(Event::Asked { message, count: ack.questions.max(1), until });
    draft.tell_initiator(ToInitiator::Questions { vague });
}

fn judge(draft: &mut Draft<'_>, message: MessageId, ack: Ack) {
    let understanding = ack.scored.understanding;
    plan(draft, &message, ack.planned);
    if !draft.state.requires_ack {
        // Nobody asked for it, so nobody judges it, and its agent has begun.
        return assigned(draft);
    }
    // What says nothing of the task is for Wilco alone to call empty; others are asked, or take anything.
    let judge = draft.state.policy.understanding;
    let empty = match ack.scored.ruling {
        Ruling::Blank => true,
        Ruling::Empty => matches!(judge, Judge::Auto | Judge::Objection),
        Ruling::Correct | Ruling::Named | Ruling::OtherTask | Ruling::Unsure => false,
    };
    if empty {
        found(draft, understanding, Verdict::Partial, JudgedBy::Rule);
        return settle(draft, Verdict::Partial, None);
    }
    match (judge, ack.scored.ruling) {
        (Judge::Auto | Judge::Objection, Ruling::OtherTask) => {
            found(draft, understanding, Verdict::WrongTask, JudgedBy::Rule);
            settle(draft, Verdict::WrongTask, None);
        }
        (Judge::Accept, _) => {
            found(draft, understanding, Verdict::Correct, JudgedBy::Policy);
            settle(draft, Verdict::Correct, None);
        }
        (Judge::Objection, Ruling::Correct | Ruling::Named) => {
            found(draft, understanding, Verdict::Correct, JudgedBy::Rule);
            let until = draft.after(draft.state.policy.review_timeout);
            draft.event(Event::Accepted { check: draft.next_check(), objection: Some(until) });
            draft.say_to_assignee(Say::BeginNow);
            draft.tell_initiator(ToInitiator::MayObject { until });
        }
        (Judge::Auto, Ruling::Correct) => {
            found(draft, understanding, Verdict::Correct, JudgedBy::Rule);
            settle(draft, Verdict::Correct, None);
        }
        (Judge::Auto | Judge::Objection | Judge::Initiator | Judge::Command | Judge::Configured, _) => {
            draft.event(Event::Judged { understanding, judge: None });
            ask_somebody(draft, message);
        }
    }
}

/// The judge, if the policy has one; else the initiator. Nobody is told while the judge is asked.
fn ask_somebody(draft: &mut Draft<'_>, message: MessageId) {
    let Some(patience) = draft.facts.judge_patience(draft.state.policy.understanding) else {
        return ask_initiator(draft, None);
    };
    let judge = Effect::Judge { exchange: draft.state.id, ack: message };
    if draft.facts.judge_in_shadow() {
        // Its answer counts for nothing, so nobody waits for it.
        ask_initiator(draft, None);
        return draft.effect(judge);
    }
    let judging = Some(draft.after(patience));
    let until = draft.after(draft.state.policy.review_timeout);
    draft.event(Event::ReviewAwaited { until, judging, why: None });
    draft.effect(judge);
}

/// The initiator is asked, and told what the judge that was asked before could not settle.
pub(super) fn ask_initiator(draft: &mut Draft<'_>, why: Option<String>) {
    let until = draft.after(draft.state.policy.review_timeout);
    let why = why.map(|why| bounded_reason(&why));
    draft.event(Event::ReviewAwaited { until, judging: None, why });
    draft.tell_initiator(ToInitiator::ReviewAck);
    draft.say_to_assignee(Say::Notice(Notice::UnderReview));
}

fn plan(draft: &mut Draft<'_>, message: &MessageId, planned: u32) {
    let by = draft.state.assignee.clone();
    let planned = (1..=planned.min(MAX_CHECKPOINTS))
        .map(|number| Checkpoint {
            number,
            by: by.clone(),
            message: message.clone(),
            reached: None,
            planned_in: None,
        })
        .collect::<Vec<_>>();
    if !planned.is_empty() {
        draft.event(Event::CheckpointsPlanned { planned });
    }
}

/// A verdict, and whose it is.
fn found(draft: &mut Draft<'_>, mut understanding: Understanding, verdict: Verdict, by: JudgedBy) {
    (understanding.verdict, understanding.by) = (Some(verdict), Some(by));
    draft.event(Event::Judged { understanding, judge: None });
}

/// Asks the initiator for a verdict.
pub(super) fn review(draft: &mut Draft<'_>, what: ToInitiator) {
    let until = draft.after(draft.state.policy.review_timeout);
    draft.event(Event::ReviewAwaited { until, judging: None, why: None });
    draft.tell_initiator(what);
}

/// The initiator's verdict on the ACK in review.
pub(super) fn judged(draft: &mut Draft<'_>, message: MessageId, verdict: Verdict, missing: Vec<u16>) {
    record_verdict(draft, &message, verdict, missing);
    match verdict {
        Verdict::Correct => assign(draft),
        Verdict::WrongTask | Verdict::WrongSummary | Verdict::Partial => {
            settle(draft, verdict, Some(message))
        }
    }
}

fn record_verdict(draft: &mut Draft<'_>, message: &MessageId, verdict: Verdict, missing: Vec<u16>) {
    draft.withhold();
    let mut understanding = last_understanding(draft);
    understanding.judged_by = Some(message.clone());
    understanding.said_missing.clear();
    if verdict == Verdict::Partial {
        understanding.covered.retain(|criterion| !missing.contains(criterion));
        understanding.missing = missing;
    }
    found(draft, understanding, verdict, JudgedBy::Initiator);
}

/// The initiator's verdict on an understanding that was accepted without it. Anything but `correct` is an objection:
/// the agent is to stop, however often it was corrected.
pub(super) fn objected(draft: &mut Draft<'_>, message: MessageId, verdict: Verdict, missing: Vec<u16>) {
    record_verdict(draft, &message, verdict, missing);
    let say = match verdict {
        Verdict::Correct => return,
        Verdict::WrongTask => Say::Assignment { sole: false, spell_out: true },
        Verdict::WrongSummary => Say::Correction { judged_by: Some(message) },
        Verdict::Partial => Say::Supplement { judged_by: Some(message) },
    };
    let until = draft.answer_deadline();
    draft.event(Event::Corrected { verdict, until });
    draft.say_to_assignee(say);
}

fn last_understanding(draft: &Draft<'_>) -> Understanding {
    draft.state.understanding.clone().unwrap_or_default()
}

/// What the judge said, if it is still asked. After a verdict, an amendment or a cancellation it is not; in the shadow it
/// is recorded as long as its ACK is the newest.
pub(super) fn reported(draft: &mut Draft<'_>, report: Report) {
    let awaited = matches!(draft.state.phase, Phase::InReview { judging: Some(_), .. });
    let open = !matches!(draft.state.phase, Phase::Ended { .. });
    match report {
        Report::JudgeDeferred { ack, judge, .. } if judge.shadow && !awaited => {
            if open && draft.state.ack.as_ref() == Some(&ack) {
                let understanding = last_understanding(draft);
                draft.event(Event::Judged { understanding, judge: Some(judge) });
            }
        }
        Report::JudgeFailed { ack, reason } if draft.facts.judge_in_shadow() && !awaited => {
            if open && draft.state.ack.as_ref() == Some(&ack) {
                draft.event(Event::JudgeFailed { reason });
            }
        }
        Report::Judged { ack, verdict, correction, missing, judge } => {
            if awaited && draft.state.ack.as_ref() == Some(&ack) {
                by_judge(draft, verdict, correction, missing, judge);
            }
        }
        Report::JudgeDeferred { ack, judge, why } => {
            if awaited && draft.state.ack.as_ref() == Some(&ack) {
                let understanding = last_understanding(draft);
                draft.event(Event::Judged { understanding, judge: Some(judge) });
                ask_initiator(draft, why);
            }
        }
        Report::JudgeFailed { ack, reason } => {
            if awaited && draft.state.ack.as_ref() == Some(&ack) {
                judge_failed(draft, reason);
            }
        }
        Report::HumanCalled { .. }
        | Report::StepBegins { .. }
        | Report::StepWaits { .. }
        | Report::StepEnded { .. }
        | Report::StepInterrupted { .. }
        | Report::CheckEnded { .. }
        | Report::CheckInterrupted { .. }
        | Report::Handoff(_) => {}
    }
}

/// It did not answer, or in a way that cannot be used: the initiator is asked at once and told so.
pub(super) fn judge_failed(draft: &mut Draft<'_>, reason: String) {
    draft.event(Event::JudgeFailed { reason: reason.clone() });
    ask_initiator(draft, Some(reason));
}

fn by_judge(
    draft: &mut Draft<'_>,
    verdict: Verdict,
    correction: Option<String>,
    missing: Vec<String>,
    judge: Option<Box<JudgeRecord>>,
) {
    let mut understanding = last_understanding(draft);
    understanding.judged_by = None;
    (understanding.verdict, understanding.by) = (Some(verdict), Some(JudgedBy::Judge));
    match judge.as_ref().map(|judge| judge.indexes()) {
        Some((covered, lacking)) if !(covered.is_empty() && lacking.is_empty()) => {
            (understanding.covered, understanding.missing) = (covered, lacking);
            understanding.said_missing.clear();
        }
        Some(_) | None => understanding.said_missing = bounded(&missing),
    }
    draft.event(Event::Judged { understanding, judge });
    if verdict == Verdict::Correct {
        assign(draft);
        draft.tell_initiator(ToInitiator::AcceptedByJudge);
    } else {
        correct(draft, verdict, Say::Judgement { verdict, correction, missing });
    }
}

fn settle(draft: &mut Draft<'_>, verdict: Verdict, judged_by: Option<MessageId>) {
    match verdict {
        Verdict::Correct => accept(draft),
        Verdict::WrongTask => {
            if draft.state.understanding.as_ref().and_then(|judged| judged.verdict) != Some(verdict) {
                let understanding = last_understanding(draft);
                found(draft, understanding, verdict, JudgedBy::Rule);
            }
            correct(draft, verdict, Say::Assignment { sole: false, spell_out: true });
        }
        Verdict::WrongSummary => correct(draft, verdict, Say::Correction { judged_by }),
        Verdict::Partial => correct(draft, verdict, Say::Supplement { judged_by }),
    }
}

/// Corrects the agent, unless it was corrected often enough.
fn correct(draft: &mut Draft<'_>, verdict: Verdict, say: Say) {
    if draft.state.corrections >= draft.state.policy.max_corrections {
        return draft.escalate(Reason::CapabilityMismatch);
    }
    let until = draft.answer_deadline();
    draft.event(Event::Corrected { verdict, until });
    draft.say_to_assignee(say);
}

/// States hold no text of unknown length: the whole list goes to the agent.
fn bounded(texts: &[String]) -> Vec<String> {
    const MOST: usize = 100;
    const LONGEST: usize = 200;
    texts.iter().take(MOST).map(|text| text.chars().take(LONGEST).collect()).collect()
}

/// Somebody found that the agent does the right thing. What it has finished already is done.
pub(super) fn assign(draft: &mut Draft<'_>) {
    if draft.state.early_completion {
        assigned(draft);
        return complete(draft);
    }
    accept(draft);
}

/// The task is assigned, and its agent is told that it may begin.
fn accept(draft: &mut Draft<'_>) {
    assigned(draft);
    draft.say_to_assignee(Say::BeginNow);
}

fn assigned(draft: &mut Draft<'_>) {
    let check = draft.next_check();
    draft.event(Event::Accepted { check, objection: None });
}

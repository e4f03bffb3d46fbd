//! What an acknowledgement leads to: it is verified field by field.

use super::confirm;
use super::delivery::next_candidate;
use super::draft::Draft;
use crate::decision::Effect;
use crate::delegation::{Judge, Ruling, Understanding, Verdict};
use crate::escalation::Reason;
use crate::handoff::event::Event;
use crate::handoff::input::{Ack, Named};
use crate::handoff::say::{Notice, Say, ToInitiator};
use crate::handoff::state::{AckSeen, Phase};
use crate::handoff::words::AckStatus;
use crate::judgement::{JudgeRecord, JudgedBy, bounded_reason};
use crate::name::MessageId;

pub(super) fn heard(draft: &mut Draft<'_>, message: MessageId, ack: Ack) {
    let id_matches = ack.named == Named::This;
    draft.event(Event::Acknowledged {
        ack: AckSeen {
            message: message.clone(),
            at: draft.now,
            status: Some(ack.status),
            id_matches,
            starting_from_matches: ack.starting_from_matches,
            questions: ack.questions,
        },
    });
    if !id_matches {
        return ask_again(draft, Notice::WrongId);
    }
    match ack.status {
        AckStatus::Rejected => next_candidate(draft),
        AckStatus::EnvironmentIssue => {
            let until = draft.after(draft.state.policy.clarification_timeout);
            draft.event(Event::Blocked { until });
            draft.tell_initiator(ToInitiator::Blocked);
        }
        AckStatus::NeedsClarification => asks(draft, message, ack.questions),
        AckStatus::ReadyToProceed if ack.questions > 0 => asks(draft, message, ack.questions),
        AckStatus::ReadyToProceed => verify(draft, message, ack),
    }
}

fn asks(draft: &mut Draft<'_>, message: MessageId, questions: u32) {
    let until = draft.after(draft.state.policy.clarification_timeout);
    draft.event(Event::Asked { message, count: questions.max(1), until });
    draft.tell_initiator(ToInitiator::Questions);
}

/// Understanding and checkpoint of an agent that is ready.
fn verify(draft: &mut Draft<'_>, message: MessageId, ack: Ack) {
    let judge = draft.state.policy.understanding;
    let ruling = match &ack.scored {
        _ if !ack.states_understanding => Ruling::Blank,
        Some(scored) => scored.ruling,
        // Nothing is documented that it could miss.
        None => Ruling::Correct,
    };
    let understanding = ack.scored.map(|scored| scored.understanding).unwrap_or_default();
    let empty = match ruling {
        Ruling::Blank => true,
        Ruling::Empty => matches!(judge, Judge::Auto | Judge::Objection),
        Ruling::Correct | Ruling::Named | Ruling::OtherTask | Ruling::Unsure => false,
    };
    let other = ruling == Ruling::OtherTask && matches!(judge, Judge::Auto | Judge::Objection);
    let (wrong, starting_from) = (empty || other, !ack.starting_from_matches);
    if wrong || starting_from {
        let verdict = wrong.then_some(if other { Verdict::WrongTask } else { Verdict::Partial });
        let by = verdict.map(|_| JudgedBy::Rule);
        let understanding = Understanding { verdict, by, ..understanding };
        draft.event(Event::Judged { understanding, unseen: false, judge: None });
        return correct(
            draft,
            wrong,
            starting_from,
            Say::Correction { understanding: wrong, starting_from, judged_by: None },
        );
    }
    match (judge, ruling) {
        // Nobody objects to a handoff later: it moves tasks at once.
        (Judge::Accept, _) | (Judge::Auto | Judge::Objection, Ruling::Correct) => {
            let verdict = Some(Verdict::Correct);
            let unseen = judge == Judge::Accept;
            let by = Some(if unseen { JudgedBy::Policy } else { JudgedBy::Rule });
            let understanding = Understanding { verdict, by, ..understanding };
            draft.event(Event::Judged { understanding, unseen, judge: None });
            accept(draft);
        }
        (Judge::Auto | Judge::Objection | Judge::Initiator | Judge::Command | Judge::Configured, _) => {
            draft.event(Event::Judged { understanding, unseen: false, judge: None });
            ask_somebody(draft, message);
        }
    }
}

/// The judge, if the policy has one; else the initiator.
fn ask_somebody(draft: &mut Draft<'_>, message: MessageId) {
    let Some(patience) = draft.facts.judge_patience(draft.state.policy.understanding) else {
        return review(draft, ToInitiator::ReviewAck, None);
    };
    let judge = Effect::Judge { exchange: draft.state.id, ack: message };
    if draft.facts.judge_in_shadow() {
        // Its answer counts for nothing, so nobody waits for it.
        review(draft, ToInitiator::ReviewAck, None);
        return draft.effect(judge);
    }
    let judging = Some(draft.after(patience));
    let until = draft.after(draft.state.policy.review_timeout);
    draft.event(Event::ReviewAwaited { until, judging, why: None });
    draft.effect(judge);
}

/// Asks the initiator for a verdict. `why`: what the judge that was asked before could not settle.
fn review(draft: &mut Draft<'_>, what: ToInitiator, why: Option<String>) {
    let until = draft.after(draft.state.policy.review_timeout);
    let why = why.map(|why| bounded_reason(&why));
    draft.event(Event::ReviewAwaited { until, judging: None, why });
    draft.tell_initiator(what);
}

/// What could not be read is asked for once more, and then shown to the initiator.
pub(super) fn malformed(draft: &mut Draft<'_>, message: MessageId) {
    draft.event(Event::Acknowledged {
        ack: AckSeen {
            message,
            at: draft.now,
            status: None,
            id_matches: true,
            starting_from_matches: false,
            questions: 0,
        },
    });
    if draft.state.malformed {
        return review(draft, ToInitiator::ReviewMalformed, None);
    }
    let until = draft.answer_deadline();
    draft.event(Event::AckRequested { until, wrong: false, malformed: true });
    draft.notice(draft.state.agent(), Notice::Malformed);
}

/// The ACK of another handoff: this one's is asked for.
fn ask_again(draft: &mut Draft<'_>, notice: Notice) {
    if too_often(draft) {
        return;
    }
    let until = draft.answer_deadline();
    draft.event(Event::AckRequested { until, wrong: true, malformed: false });
    draft.notice(draft.state.agent(), notice);
}

/// Corrects the agent, unless it was corrected often enough.
fn correct(draft: &mut Draft<'_>, understanding: bool, starting_from: bool, say: Say) {
    if too_often(draft) {
        return;
    }
    let until = draft.answer_deadline();
    draft.event(Event::Corrected { understanding, starting_from, until });
    draft.say_to_replacement(say);
}

/// Whether somebody must decide instead of correcting once more.
fn too_often(draft: &mut Draft<'_>) -> bool {
    let often = draft.state.corrections >= draft.state.policy.max_corrections;
    if often {
        draft.escalate(Reason::CapabilityMismatch);
    }
    often
}

/// The initiator's verdict on the ACK in review.
pub(super) fn judged(draft: &mut Draft<'_>, message: MessageId, verdict: Verdict) {
    draft.withhold();
    let judged = Understanding {
        verdict: Some(verdict),
        judged_by: Some(message.clone()),
        said_missing: Vec::new(),
        by: Some(JudgedBy::Initiator),
        ..draft.state.understanding.clone().unwrap_or_default()
    };
    draft.event(Event::Judged { understanding: judged, unseen: false, judge: None });
    match verdict {
        Verdict::Correct => accept(draft),
        Verdict::WrongTask => ask_again(draft, Notice::WrongId),
        Verdict::WrongSummary | Verdict::Partial => {
            let judged_by = Some(message);
            correct(
                draft,
                true,
                false,
                Say::Correction { understanding: true, starting_from: false, judged_by },
            );
        }
    }
}

/// What the judge said.
pub(super) fn by_judge(
    draft: &mut Draft<'_>,
    verdict: Verdict,
    correction: Option<String>,
    missing: Vec<String>,
    judge: Option<Box<JudgeRecord>>,
) {
    let before = draft.state.understanding.clone().unwrap_or_default();
    let (covered, lacking, said_missing) = match judge.as_ref().map(|judge| judge.indexes()) {
        Some((covered, lacking)) if !(covered.is_empty() && lacking.is_empty()) => {
            (covered, lacking, Vec::new())
        }
        Some(_) | None => (before.covered, before.missing, bounded(&missing)),
    };
    let understanding = Understanding {
        score: before.score,
        verdict: Some(verdict),
        covered,
        missing: lacking,
        judged_by: None,
        said_missing,
        by: Some(JudgedBy::Judge),
    };
    draft.event(Event::Judged { understanding, unseen: false, judge });
    match verdict {
        Verdict::Correct => accept(draft),
        Verdict::WrongTask if correction.is_none() => ask_again(draft, Notice::WrongId),
        Verdict::WrongTask | Verdict::WrongSummary | Verdict::Partial => {
            correct(draft, true, false, Say::Judgement { correction, missing });
        }
    }
}

/// It answered, and the initiator decides.
pub(super) fn judge_defers(draft: &mut Draft<'_>, judge: Box<JudgeRecord>, why: Option<String>) {
    let understanding = draft.state.understanding.clone().unwrap_or_default();
    draft.event(Event::Judged { understanding, unseen: false, judge: Some(judge) });
    review(draft, ToInitiator::ReviewAck, why);
}

/// What it said in the shadow, where the initiator decides meanwhile.
pub(super) fn judge_compares(draft: &mut Draft<'_>, judge: Box<JudgeRecord>) {
    let (understanding, unseen) = (draft.state.understanding.clone().unwrap_or_default(), draft.state.unseen);
    draft.event(Event::Judged { understanding, unseen, judge: Some(judge) });
}

/// Whether this ACK is the newest of a handoff that is open.
pub(super) fn is_newest(draft: &Draft<'_>, ack: &MessageId) -> bool {
    let open = !matches!(draft.state.phase, Phase::Ended { .. });
    open && draft.state.ack.as_ref().is_some_and(|seen| seen.message == *ack)
}

/// It did not answer, or in a way that cannot be used: the initiator is asked at once and told so.
pub(super) fn judge_failed(draft: &mut Draft<'_>, reason: String) {
    draft.event(Event::JudgeFailed { reason: reason.clone() });
    review(draft, ToInitiator::ReviewAck, Some(reason));
}

/// Whether the judge is still asked about this ACK. After a verdict or a cancellation it is not.
pub(super) fn is_asked(draft: &Draft<'_>, ack: &MessageId) -> bool {
    let asked = matches!(draft.state.phase, Phase::InReview { judging: Some(_), .. });
    asked && draft.state.ack.as_ref().is_some_and(|seen| seen.message == *ack)
}

/// States hold no text of unknown length: the whole list goes to the agent.
fn bounded(texts: &[String]) -> Vec<String> {
    const MOST: usize = 100;
    const LONGEST: usize = 200;
    texts.iter().take(MOST).map(|text| text.chars().take(LONGEST).collect()).collect()
}

/// The ACK is verified: the work moves.
fn accept(draft: &mut Draft<'_>) {
    draft.event(Event::Accepted);
    draft.notice(draft.state.agent(), Notice::Begin);
    confirm::begin(draft);
}

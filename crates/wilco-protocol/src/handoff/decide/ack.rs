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
use crate::name::MessageId;
use crate::time::Span;

/// How long the judge command may take, its start and a retry included, before the initiator is asked.
const JUDGE_PATIENCE: Span = Span::seconds(60);

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
    let understanding = ack.scored.map(|scored| scored.understanding).unwrap_or_else(nothing_scored);
    let empty = match ruling {
        Ruling::Blank => true,
        Ruling::Empty => matches!(judge, Judge::Auto | Judge::Objection),
        Ruling::Correct | Ruling::Named | Ruling::Unsure => false,
    };
    let starting_from = !ack.starting_from_matches;
    if empty || starting_from {
        let verdict = empty.then_some(Verdict::Partial);
        let understanding = Understanding { verdict, ..understanding };
        draft.event(Event::Judged { understanding, unseen: false });
        return correct(
            draft,
            empty,
            starting_from,
            Say::Correction { understanding: empty, starting_from, judged_by: None },
        );
    }
    match (judge, ruling) {
        // Nobody objects to a handoff later: it moves tasks at once.
        (Judge::Accept, _) | (Judge::Auto | Judge::Objection, Ruling::Correct) => {
            let verdict = Some(Verdict::Correct);
            let unseen = judge == Judge::Accept;
            let understanding = Understanding { verdict, ..understanding };
            draft.event(Event::Judged { understanding, unseen });
            accept(draft);
        }
        (Judge::Auto | Judge::Objection | Judge::Initiator, _) => {
            draft.event(Event::Judged { understanding, unseen: false });
            review(draft, ToInitiator::ReviewAck);
        }
        (Judge::Command, _) => {
            draft.event(Event::Judged { understanding, unseen: false });
            let judging = Some(draft.after(JUDGE_PATIENCE));
            let until = draft.after(draft.state.policy.review_timeout);
            draft.event(Event::ReviewAwaited { until, judging });
            draft.effect(Effect::Judge { exchange: draft.state.id, ack: message });
        }
    }
}

fn nothing_scored() -> Understanding {
    Understanding {
        score: 0,
        verdict: None,
        covered: Vec::new(),
        missing: Vec::new(),
        judged_by: None,
        said_missing: Vec::new(),
    }
}

/// Asks the initiator for a verdict.
pub(super) fn review(draft: &mut Draft<'_>, what: ToInitiator) {
    let until = draft.after(draft.state.policy.review_timeout);
    draft.event(Event::ReviewAwaited { until, judging: None });
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
        return review(draft, ToInitiator::ReviewMalformed);
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
        ..draft.state.understanding.clone().unwrap_or_else(nothing_scored)
    };
    draft.event(Event::Judged { understanding: judged, unseen: false });
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

/// What the judge command said, if it is still asked.
pub(super) fn by_command(
    draft: &mut Draft<'_>,
    ack: &MessageId,
    verdict: Verdict,
    correction: Option<String>,
    missing: Vec<String>,
) {
    if !asks_command(draft, ack) {
        return;
    }
    let understanding = Understanding {
        verdict: Some(verdict),
        judged_by: None,
        said_missing: bounded(&missing),
        ..draft.state.understanding.clone().unwrap_or_else(nothing_scored)
    };
    draft.event(Event::Judged { understanding, unseen: false });
    match verdict {
        Verdict::Correct => accept(draft),
        Verdict::WrongTask => ask_again(draft, Notice::WrongId),
        Verdict::WrongSummary | Verdict::Partial => {
            correct(draft, true, false, Say::Judgement { correction, missing });
        }
    }
}

pub(super) fn judge_failed(draft: &mut Draft<'_>, ack: &MessageId, reason: String) {
    if asks_command(draft, ack) {
        draft.event(Event::JudgeFailed { reason });
        review(draft, ToInitiator::ReviewAck);
    }
}

fn asks_command(draft: &Draft<'_>, ack: &MessageId) -> bool {
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

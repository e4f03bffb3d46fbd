//! `protocol-notice`s: what a message was taken for, and what to do instead.

use wilco_protocol::delegation::{Notice, Phase, State, Verdict};

/// Whether it asks for an ACK that is owed now: then it says how to give one.
pub(super) fn asks_for_ack(state: &State, notice: &Notice) -> bool {
    let owed =
        matches!(state.phase, Phase::AwaitingAck { .. } | Phase::Queued { .. } | Phase::Waiting { .. });
    let asks =
        matches!(notice, Notice::AckFirst | Notice::WhichRevision { .. } | Notice::StaleRevision { .. });
    owed && asks
}

/// The reason as a word, and in a sentence.
pub(super) fn notice(state: &State, notice: &Notice) -> (&'static str, String) {
    let task = &state.task_id;
    match notice {
        Notice::AckFirst => (
            "ack-first",
            format!(
                "Please acknowledge {task} first. Your report is kept, but the task counts as yours only after your ACK."
            ),
        ),
        Notice::UnderReview => (
            "under-review",
            format!(
                "Your ACK of {task} ({}) is being reviewed. It is not yours yet, do not begin. You hear of it.",
                super::form::one_line(&state.title)
            ),
        ),
        Notice::AlreadyWorking => (
            "already-working",
            format!(
                "{task} counts as being worked on, so it cannot be queued. Report a checkpoint, or reject it."
            ),
        ),
        Notice::WhichRevision { current } => (
            "which-revision",
            format!(
                "{task} was amended. Which revision do you acknowledge? Answer: [ACK] {task} r{current} - RECEIVED"
            ),
        ),
        Notice::StaleRevision { current } => (
            "stale-revision",
            format!(
                "{task} is at revision {current} now. Read the amendment and answer: [ACK] {task} r{current} - RECEIVED"
            ),
        ),
        Notice::CheckpointBack { last } => (
            "checkpoint-back",
            format!(
                "Checkpoint {last} of {task} is reached already. Numbers may skip and repeat, never go back."
            ),
        ),
        Notice::TooManyCheckpoints => (
            "too-many-checkpoints",
            format!(
                "{task} has as many checkpoints as there may be. Complete it, or report progress in a message."
            ),
        ),
        Notice::NothingToConfirm { what } => {
            ("nothing-to-confirm", format!("Nobody asked you to {what} {task}. Nothing changed."))
        }
        Notice::Paused => (
            "paused",
            format!(
                "{task} is paused. Keep your question until it is resumed, or send it as a plain message."
            ),
        ),
        Notice::SoleAssignee => {
            ("sole-assignee", format!("You are the sole assignee of {task}. Nobody else works on it."))
        }
        Notice::HalfVerdict { verdict } => {
            let (what, example) = match verdict {
                Verdict::Partial => ("what is missing", "Missing: WHAT IS MISSING"),
                Verdict::WrongSummary | Verdict::WrongTask | Verdict::Correct => {
                    ("the correct understanding", "Correction: THE RIGHT UNDERSTANDING")
                }
            };
            let word = verdict.word().to_uppercase();
            (
                "unfinished-verdict",
                format!(
                    "Your verdict {word} on {task} does not say {what}, so it does not count and {} was not told. \
                     Send it again as [VERDICT] {task} - {word}, with a line below it: \"{example}\"",
                    state.assignee
                ),
            )
        }
        Notice::UnclearVerdict => (
            "contradiction",
            format!(
                "Your message judges {task} in several ways, so no verdict counts and {} was not told. Send one.",
                state.assignee
            ),
        ),
        Notice::Ended { outcome } => (
            "ended",
            format!("{task} has ended ({}). Your message is kept and changes nothing.", outcome.word()),
        ),
    }
}

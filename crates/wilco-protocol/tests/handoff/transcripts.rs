//! Every transcript of a handoff, one test each: `ho_11_silence` plays `transcripts/ho-11-silence.txt`.

use super::world::World;
use crate::harness::{check, check_all_are_played};

macro_rules! transcripts {
    ($($name:ident)*) => {
        const PLAYED: &[&str] = &[$(stringify!($name)),*];
        $(#[test] fn $name() { check::<World>("handoff", stringify!($name)); })*
    };
}

transcripts! {
    ho_11_downtime
    ho_11_late_ack
    ho_11_prepare
    ho_11_silence
    ho_11_when_available
    ho_13_answers_kept
    ho_13_blocked
    ho_13_blocked_for_long
    ho_13_checkpoint
    ho_13_clarifying
    ho_13_correcting
    ho_13_correcting_silence
    ho_13_document_failed
    ho_13_document_late
    ho_13_document_unasked
    ho_13_in_review
    ho_13_malformed
    ho_13_new_document
    ho_13_no_answers
    ho_13_no_verdict
    ho_13_nothing_known
    ho_13_rejected
    ho_13_wrong_id
    ho_14_override
    ho_15_abort
    ho_15_alternative
    ho_15_override
    ho_15_retry
    ho_16_own_reminder
    ho_1_another_handoff
    ho_1_no_tasks
    ho_1_request
    ho_20_state_file
    ho_21_all_cancelled
    ho_21_cancelled
    ho_21_others
    ho_22_all_failed
    ho_22_foreign
    ho_22_issue
    ho_22_own_task
    ho_32_accepted
    ho_32_answers
    ho_32_checklist
    ho_3_not_written
    ho_4_refused
    ho_5_direct
    ho_6_failed_agent
    ho_6_unknown_task
    msg_11_handoff_roles
    msg_32_no_controller
    sec_10_failed_stays
    talk_1_not_understood
}

#[test]
fn every_transcript_is_played() {
    check_all_are_played("handoff", PLAYED);
}

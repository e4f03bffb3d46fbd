//! Every transcript, one test each: `del_30_silence` plays `transcripts/del-30-silence.txt`.

use super::world::World;
use crate::harness::{check, check_all_are_played};

macro_rules! transcripts {
    ($($name:ident)*) => {
        const PLAYED: &[&str] = &[$(stringify!($name)),*];
        $(#[test] fn $name() { check::<World>("delegation", stringify!($name)); })*
    };
}

transcripts! {
    del_1_no_ack
    del_1_no_ack_again
    del_1_refused
    del_1_start
    del_3_strong_sign
    del_3_weak_sign
    del_4_teaching
    del_5_again
    del_5_again_escalated
    del_5_other_initiator
    del_5_second
    del_5_supersede
    del_5_uuid
    del_10_contradiction
    del_11_clarifying
    del_11_confirmed
    del_11_early_completion
    del_11_early_work
    del_11_early_work_escalated
    del_11_early_work_silence
    del_11_received_with_questions
    del_12_asked_before_work
    del_12_clarification
    del_12_no_questions
    del_12_partial_answers
    del_12_timeout
    del_12_vague
    del_12_vague_at_work
    del_13_rejected
    del_14_blocked
    del_14_queued
    del_14_queued_again
    del_14_unblocked
    del_15_alternatives
    del_15_busy
    del_15_busy_answers
    del_15_busy_counts_all
    del_15_busy_reassign
    del_15_invalid_format
    del_15_mismatch
    del_15_network
    del_15_network_in_a_row
    del_16_errors_at_work
    del_16_escalated
    del_16_working
    del_20_fresh_silence
    del_20_limit
    del_20_limit_review
    del_20_not_judged
    del_20_verdicts
    del_21_accept
    del_21_auto
    del_21_command
    del_21_command_fails
    del_21_command_late
    del_21_initiator
    del_22_contradiction
    del_22_half
    del_22_refused
    del_22_timeout
    del_30_answer_at_the_last_moment
    del_30_silence
    del_31_critical
    del_31_max_wait
    del_32_never
    del_32_no_capabilities
    del_32_order
    del_33_active_again
    del_33_former_assignee
    del_33_superseded
    del_34_answers_in_the_grace
    del_34_backing_off
    del_34_last_step
    del_34_others
    del_34_queued
    del_34_reminder
    del_35_extend
    del_35_extend_deadlines
    del_35_hibernated
    del_35_returned
    del_36_incident
    del_40_checkpoints
    del_40_many
    del_40_new_agent
    del_41_checkpoint_timeout
    del_42_complete
    del_42_complete_escalated
    del_43_amend
    del_43_at_work
    del_43_attempts
    del_43_escalated
    del_44_cancel
    del_44_escalated
    del_44_unconfirmed
    del_45_escalated
    del_45_pause
    del_45_pause_over
    del_45_refused
    del_45_short_pause
    del_45_taken_back
    del_45_unconfirmed
    del_46_ended
    del_46_refused
    del_50_checklist
    del_50_late
    del_50_reassigned
    msg_11_roles
    msg_30_abort
    msg_30_accept
    msg_30_reassign
    msg_30_reassign_candidate
    msg_30_refused
    msg_30_retry
    msg_30_unknown
    msg_31_reminders
    msg_32_extend
    msg_32_extend_nothing
    op_16_ack_request
    op_16_ack_request_again
    op_16_ack_request_refused
    talk_1_initiator
    talk_1_not_understood
    talk_2_accept_as
    talk_2_accept_as_others
    talk_2_courtesy
    talk_2_unreadable
    talk_32_objection
    talk_32_objection_partial
    talk_34_without_word
}

#[test]
fn every_transcript_is_played() {
    check_all_are_played("delegation", PLAYED);
}

//! Every transcript of an operation, one test each: `op_2_reminders` plays `transcripts/op-2-reminders.txt`.

use super::world::World;
use crate::harness::{check, check_all_are_played};

macro_rules! transcripts {
    ($($name:ident)*) => {
        const PLAYED: &[&str] = &[$(stringify!($name)),*];
        $(#[test] fn $name() { check::<World>("operation", stringify!($name)); })*
    };
}

transcripts! {
    op_1_notice_only
    op_1_refused
    op_1_several
    op_1_start
    op_2_few_intervals
    op_2_late
    op_2_reminders
    op_3_answers
    op_4_at_the_end
    op_4_not_allowed
    op_4_wait
    op_5_abort
    op_5_cancel
    op_5_changes_its_mind
    op_5_exclude
    op_5_initiator
    op_6_late_ok
    op_6_state_change
    op_6_timeout
    op_7_all_by_default
    op_7_early_abort
    op_7_majority
    op_7_nobody_left
    op_7_number
    op_7_regardless
    op_10_command_failed
    op_10_keep_going
    op_10_manual
    op_10_none
    op_10_parallel
    op_10_rolling
    op_11_no_result
    op_11_retry
    op_13_states
    op_14_ask
    op_14_gone
    op_14_proceed
    op_14_retry
    op_15_abort
    op_15_downtime
    op_15_not_reached
    op_15_quorum
    op_15_quorum_foreseen
    op_15_quorum_not_foreseen
    op_15_quorum_read
    op_15_unreached
    op_16_own_steps
    op_17_pre_notice
    op_17_takes_it_back
    msg_11_operation_roles
    msg_30_operation_refused
    talk_1_once
    talk_13_no
}

#[test]
fn every_transcript_is_played() {
    check_all_are_played("operation", PLAYED);
}

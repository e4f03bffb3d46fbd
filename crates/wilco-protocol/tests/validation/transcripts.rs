//! Every transcript of a validation, one test each: `val_3_fix` plays `transcripts/val-3-fix.txt`.

use super::world::World;
use crate::harness::{check, check_all_are_played};

macro_rules! transcripts {
    ($($name:ident)*) => {
        const PLAYED: &[&str] = &[$(stringify!($name)),*];
        $(#[test] fn $name() { check::<World>("validation", stringify!($name)); })*
    };
}

transcripts! {
    val_1_in_order
    val_1_parallel
    val_1_command
    val_1_twice
    val_1_specialist_twice
    val_1_open_already
    val_3_loop
    val_3_cannot_fix
    val_4_several_phases
    val_6_status_changes
    val_6_least_advanced
    val_7_out_of_turn
    val_7_unreadable
    val_10_max_iterations
    val_11_timeouts
    val_11_revalidation
    val_11_iteration
    val_11_downtime
    val_12_deadlock
    val_13_specialist_error
    val_14_invalid_answer
    val_14_delivery_failed
    val_15_decisions
    val_15_abort
    val_15_extend
    val_15_which_phase
    val_15_reminder
    val_16_errors
    msg_11_validation_roles
    talk_1_not_understood
    talk_2_unreadable
}

#[test]
fn every_transcript_is_played() {
    check_all_are_played("validation", PLAYED);
}

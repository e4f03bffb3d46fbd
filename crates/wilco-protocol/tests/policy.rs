//! The policy of a delegation: its defaults, its presets, and what is said about keys that cannot be set.

use serde_json::json;
use wilco_protocol::Span;
use wilco_protocol::delegation::{Judge, KEYS, OnBusy, Policy};
use wilco_protocol::policy::{KeyProblem, Overrides};

fn with(key: &str, value: serde_json::Value) -> Result<Policy, KeyProblem> {
    let mut policy = Policy::default();
    match policy.set_all(&Overrides::from([(key.to_owned(), value)])) {
        Ok(()) => Ok(policy),
        Err(mut bad) => {
            let only = bad.remove(0);
            let place = only.key.split('/').next().unwrap_or_default();
            assert_eq!((place, bad.len()), (key, 0));
            Err(only.problem)
        }
    }
}

#[test]
fn del_30_standard_is_the_default() {
    let policy = Policy::default();
    assert_eq!(
        (policy.timeout_of(1), policy.timeout_of(2)),
        (Some(Span::minutes(5)), Some(Span::minutes(2)))
    );
    assert_eq!(policy.timeout_of(3), None);
    assert_eq!((policy.clarification_timeout, policy.review_timeout), (Span::minutes(15), Span::minutes(10)));
    assert_eq!(
        (policy.queued_check, policy.checkpoint_timeout),
        (Span::minutes(15), Some(Span::minutes(120)))
    );
    assert_eq!((policy.max_corrections, policy.downtime_grace), (2, Span::seconds(30)));
    assert_eq!((policy.understanding, policy.on_busy), (Judge::Auto, OnBusy::Wait));
}

#[test]
fn del_31_critical_waits_between_three_attempts() {
    let mut policy = Policy::default();
    let [_, (name, critical)] = Policy::built_in();
    policy.set_all(&critical).expect("a good preset");
    let timeouts: Vec<_> = (1..=4).map(|attempt| policy.timeout_of(attempt)).collect();
    let minutes = |minutes| Some(Span::minutes(minutes));
    assert_eq!((name, timeouts), ("critical", vec![minutes(5), minutes(2), minutes(1), None]));
    let waits: Vec<_> = (1..=4).map(|attempt| policy.wait_after(attempt).as_seconds()).collect();
    assert_eq!(waits, [30, 60, 120, 120], "never longer than max_wait");
}

#[test]
fn del_1_every_key_can_be_set_and_an_unknown_one_is_named() {
    let good = json!({
        "preset": "standard", "ack_timeout": "1m", "retry_timeouts": ["1m", 30], "base_wait": 0, "max_wait": "1m",
        "clarification_timeout": "1m", "review_timeout": "1m", "queued_check": "1m", "checkpoint_timeout": "none",
        "max_corrections": 0, "understanding": "initiator", "on_busy": "reassign", "downtime_grace": "1s",
    });
    for key in KEYS {
        assert!(with(key, good[key].clone()).is_ok(), "{key}");
    }
    assert_eq!(with("ack_timout", json!("1m")), Err(KeyProblem::Unknown { known: &KEYS }));
}

#[test]
fn del_1_a_bad_value_is_refused() {
    for (key, value) in [
        ("ack_timeout", json!("0s")),
        ("ack_timeout", json!("soon")),
        ("ack_timeout", json!(-1)),
        ("retry_timeouts", json!("2m")),
        ("retry_timeouts", json!(["2m", "0s"])),
        ("max_wait", json!(0)),
        ("checkpoint_timeout", json!("soon")),
        ("max_corrections", json!(1.5)),
        ("max_corrections", json!(101)),
        ("understanding", json!("maybe")),
        ("on_busy", json!(true)),
    ] {
        assert!(matches!(with(key, value.clone()), Err(KeyProblem::Value { .. })), "{key} = {value}");
    }
}

/// Every wrong entry of a list is named by its place.
#[test]
fn del_1_every_wrong_entry_of_a_list_is_named() {
    let overrides = Overrides::from([("retry_timeouts".to_owned(), json!(["2m", "soon", "1m", 0]))]);
    let bad = Policy::default().set_all(&overrides).unwrap_err();
    let places: Vec<_> = bad.iter().map(|bad| bad.key.as_str()).collect();
    assert_eq!(places, ["retry_timeouts/1", "retry_timeouts/3"]);
}

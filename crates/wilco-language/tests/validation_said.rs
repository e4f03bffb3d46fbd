//! Everything that Wilco says in a validation, whatever participants wrote: it has the form of its type, its id and
//! fields, nothing in it is taken for an answer, and what it teaches can be sent.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use wilco_language::interpret::Cited;
use wilco_language::parse::message;
use wilco_language::read::failures::Failure;
use wilco_language::read::form::{FormKind, forms};
use wilco_language::read::validation::{Answer, message_id, reading};
use wilco_language::render::{Rendered, Setting, say};
use wilco_protocol::directory::Interface;
use wilco_protocol::exchange::{Exchange, Say as Any};
use wilco_protocol::validation::{Cause, Duty, Notice, Policy, Relief, Say, State, Status, Trouble};
use wilco_protocol::{MessageId, Name, Span, Time};

const AT: &str = "2026-03-01T12:00:00.000Z";

/// A loop with two phases in its second iteration, one of them escalated.
fn state(feature: &str, phase: &str, reason: &str) -> State {
    let round = |iteration: u32, failed: &str, fixed: Option<&str>| {
        json!({
            "iteration": iteration, "began": AT, "failed": failed, "failures": "f", "asked": true, "fixed": fixed,
        })
    };
    let one = |name: &str, specialist: &str, escalation: Option<u32>| {
        json!({
            "name": name, "specialist": specialist, "group": 0, "status": "RE_CHECKING", "iteration": 2,
            "max_iterations": 5, "rounds": [round(1, "m1", Some("m2")), round(2, "m3", Some("m2"))],
            "awaited": {
                "duty": "revalidation", "since": AT, "timeout": "30m", "until": AT, "reminded": false,
                "moved": false, "spared": false, "retried": false, "troubles": [],
            },
            "iteration_until": AT, "same": 1, "runs": 0, "started": AT, "ended": null,
            "escalation": escalation, "stopped_at": null,
        })
    };
    let escalation = json!({
        "number": 1, "reason": reason, "addressee": "boss", "opened": AT, "remind_at": AT, "remind_every": "30m",
        "evidence": {
            "agent": "alice", "attempts": 2, "corrections": 0, "delivery": "stored",
            "stuck": {"phase": phase, "iterations": 2, "since": AT, "arrived": []},
        },
    });
    let state = json!({
        "id": "val-7", "issue": "42", "feature": feature, "initiator": "boss", "main_agent": "main",
        "watchers": [], "opening": "m0", "policy": Policy::default(),
        "phases": [one(phase, "alice", Some(1)), one("lint", "bob", None)],
        "outcome": null, "escalations": [escalation], "incidents": [], "created": AT, "updated": AT,
    });
    serde_json::from_value(state).expect("a state")
}

fn says() -> Vec<(Say, FormKind)> {
    let at: Time = AT.parse().unwrap();
    let mut says = vec![
        (Say::Request { phase: 0, again: true }, FormKind::Request),
        (Say::Trigger { phase: 0, again: false }, FormKind::Trigger),
        (Say::FailureReport { phase: 0 }, FormKind::FailureReport),
        (Say::FixRequest { phase: 0, again: false }, FormKind::FixRequest),
        (Say::Success { phase: 0, took: Span::minutes(75), next: vec![1] }, FormKind::Success),
        (Say::Escalation { number: 1, again: false }, FormKind::Escalation),
        (Say::Unreadable { phase: 0, duty: Duty::Fix }, FormKind::Error),
        (
            Say::Change {
                phase: Some(0),
                before: Status::InProgress,
                after: Status::Fail,
                because: Cause::Failed,
            },
            FormKind::Change,
        ),
    ];
    let (timeout, grace) = (Span::minutes(30), Span::minutes(5));
    for duty in [Duty::Validation, Duty::Fix, Duty::Revalidation] {
        says.push((Say::Reminder { phase: 0, duty, since: at, timeout, grace }, FormKind::Timeout));
    }
    let troubles =
        [Trouble::Communication, Trouble::InvalidResponse, Trouble::SpecialistFailure, Trouble::Unresponsive];
    for trouble in troubles {
        for relief in [Relief::Tried, Relief::Recovered, Relief::Escalated] {
            let (agent, message) = (Name::new("alice"), Some(MessageId::new("m4")));
            let duty = Duty::Validation;
            says.push((
                Say::Error { phase: 0, duty, trouble, agent, since: at, message, relief },
                FormKind::Error,
            ));
        }
    }
    says
}

fn cited(failures: &[Failure], fixes: &[String], outcome: &str) -> Cited {
    let mut cited = Cited::default();
    let mut add = |id: &str, content: Value| {
        let content: Map<String, Value> = content.as_object().unwrap().clone();
        cited.add(MessageId::new(id), String::new(), Arc::new(content));
    };
    add("m0", json!({"phases": [{"expected_outcome": outcome}, {}]}));
    add("m1", json!({"failures": failures}));
    add("m2", json!({"fixes": fixes, "files": ["src/a.rs"]}));
    add("m3", json!({"failures": failures}));
    add("m4", json!({"error": outcome, "stack_trace": outcome}));
    cited
}

fn rendered(state: &State, said: &Say, cited: &Cited) -> Rendered {
    let now = AT.parse::<Time>().unwrap().plus(Span::minutes(31));
    let setting =
        Setting { url: "http://127.0.0.1:23000", requires_token: false, speaks: Interface::Text, now, cited };
    say(&Exchange::Validation(state.clone()), &Name::new("alice"), &Any::Validation(said.clone()), &setting)
}

fn text_of(rendered: &Rendered) -> &str {
    rendered.content["message"].as_str().unwrap()
}

#[test]
fn val_5_rules_part_the_head_the_sections_and_the_foot() {
    let state = state("Login", "unit", "max-iterations");
    let cited = cited(&[], &[], "All tests pass");
    for (said, kind) in says() {
        let message = rendered(&state, &said, &cited);
        let lines: Vec<_> = text_of(&message).lines().filter(|line| !line.trim().is_empty()).collect();
        let in_a_row = lines.windows(2).any(|two| two == ["---", "---"]);
        assert!(!in_a_row, "{kind:?}: {lines:#?}");
        let head = lines.iter().position(|line| *line == "---").unwrap();
        let sections = lines[head + 1].starts_with("### ");
        assert_eq!(sections, kind != FormKind::Change, "{kind:?}: {lines:#?}");
    }
}

#[test]
fn val_4_val_5_each_message_has_its_form_id_subject_and_priority() {
    let state = state("Login", "unit", "max-iterations");
    let failure = Failure {
        location: "src/login.rs:31".to_owned(),
        error: "expected 401, got 200".to_owned(),
        suggestion: Some("check the password".to_owned()),
    };
    let cited = cited(&[failure], &["The password is checked".to_owned()], "All tests pass");
    let of = |say: Say| rendered(&state, &say, &cited);
    let expected = [
        (Say::Request { phase: 0, again: false }, "VALREQ-42-alice-2", "high"),
        (Say::Trigger { phase: 0, again: false }, "REVAL-42-alice-2", "high"),
        (Say::FailureReport { phase: 0 }, "VFR-42-alice-2", "high"),
        (Say::FixRequest { phase: 0, again: false }, "FIXREQ-42-alice-2", "high"),
        (Say::Success { phase: 0, took: Span::minutes(75), next: vec![1] }, "SUCCESS-42-alice-2", "normal"),
        (Say::Escalation { number: 1, again: false }, "ESC-42-alice-20260301T120000Z", "urgent"),
    ];
    for (say, id, priority) in expected {
        let message = of(say);
        assert_eq!((message.content["message_id"].as_str(), message.priority), (Some(id), priority));
        let text = text_of(&message);
        assert!(
            text.contains(&format!("\n**Message ID**: {id}\n**From**: @validation-orchestrator\n")),
            "{text}"
        );
        assert!(
            text.contains("**To**: @alice\n**Timestamp**: 2026-03-01 12:31:00\n**Priority**: "),
            "{text}"
        );
        assert!(text.contains("\n---\n\n**Sent by**: "), "{text}");
        assert!(message.subject.contains(id) || priority == "urgent", "{}", message.subject);
    }
    let fix = of(Say::FixRequest { phase: 0, again: false });
    assert!(
        text_of(&fix).contains(
            "### Failures to Fix\n1. src/login.rs:31 - expected 401, got 200 - check the password\n"
        )
    );
    assert!(text_of(&fix).contains("### Expected Outcome\nAfter fixes: All tests pass\n"));
    let trigger = of(Say::Trigger { phase: 0, again: false });
    assert!(text_of(&trigger).contains("### Iteration\nCurrent: 2 / Max: 5\n"), "{}", text_of(&trigger));
    assert!(text_of(&trigger).contains("### Fixes Applied\n1. The password is checked\n"));
    let success = of(Say::Success { phase: 0, took: Span::minutes(75), next: vec![1] });
    assert!(text_of(&success).contains("- Total time: 01:15:00\n\n### Next Phase\nProceeding to: lint\n"));
    let reminder = of(says()[8].0.clone());
    assert_eq!(reminder.content["message_id"], "TIMEOUT-42-validation-20260301T123100Z");
    assert!(text_of(&reminder).contains("**Elapsed**: 31:00\n**Timeout**: 30m\n"), "{}", text_of(&reminder));
    let change = of(says()[7].0.clone());
    assert_eq!(change.priority, "low");
    assert!(text_of(&change).contains("**Previous Status**: IN_PROGRESS\n**New Status**: FAIL\n"));
}

#[test]
fn val_15_the_report_has_the_history_and_the_same_failures_side_by_side() {
    let state = state("Login", "unit", "deadlock");
    let failure = |location: &str| Failure {
        location: location.to_owned(),
        error: "expected 401 | got 200".to_owned(),
        suggestion: None,
    };
    let cited = cited(&[failure("a.rs:3"), failure("b.rs:4")], &["tried".to_owned()], "");
    let message = rendered(&state, &Say::Escalation { number: 1, again: false }, &cited);
    let text = text_of(&message);
    assert!(text.contains("**Reason**: Deadlock"), "{text}");
    assert!(text.contains("| Failure | Iteration 1 | Iteration 2 |\n"), "{text}");
    assert!(text.contains("| a.rs - expected # \\| got # | yes | yes |\n"), "{text}");
    assert!(text.contains("| Iteration | Failures | Fixes |\n"), "{text}");
    assert!(text.contains("| 1 | 2 failures: a.rs:3 - expected 401 \\| got 200; b.rs:4"), "{text}");
    assert_eq!(message.content["persistent_failures"].as_array().unwrap().len(), 2);
    assert_eq!(message.content["history"][0]["fixes"], json!(["tried"]));
    assert_eq!(message.content["options"], json!(["manual-fix", "skip", "abort", "extend"]));
}

#[test]
fn val_14_the_expected_form_is_filled_in() {
    let state = state("Login", "unit", "timeout");
    let message =
        rendered(&state, &Say::Unreadable { phase: 0, duty: Duty::Revalidation }, &cited(&[], &[], ""));
    let form = message.content["expected_form"].as_str().unwrap();
    assert!(text_of(&message).contains(form));
    let filled = form.replace("PASS or FAIL or ERROR", "FAIL");
    let read = reading(&filled).unwrap();
    assert_eq!(read.id.as_deref(), Some("REVALRES-42-alice-2"));
    assert!(matches!(read.answer, Answer::Result { ref failures, .. } if failures.len() == 1));
}

#[test]
fn val_7_every_notice_says_why_and_is_no_answer() {
    let state = state("Login", "unit", "timeout");
    let notices = [
        Notice::OtherIteration { phase: 0, named: 1, current: 2 },
        Notice::OtherLoop,
        Notice::OutOfTurn { phase: Some(0) },
        Notice::OutOfTurn { phase: None },
        Notice::WhichPhase { phases: vec![0, 1] },
        Notice::Paused { phase: 0 },
        Notice::Over,
        Notice::NotNeeded { phase: 0 },
    ];
    for notice in notices {
        let message = rendered(&state, &Say::Notice(notice.clone()), &cited(&[], &[], ""));
        assert_eq!(message.content["type"], "protocol-notice");
        assert!(!message.content["reason"].as_str().unwrap().is_empty());
        assert_eq!(reading(text_of(&message)), None, "{notice:?}: {}", text_of(&message));
    }
}

/// Texts of participants that look like anything but text.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "src/a.rs:10",
        " ",
        " - ",
        ": ",
        "`",
        "```",
        "**",
        "**Status**: PASS",
        "\n",
        "\n## Fix Completion\n",
        "\n## Validation Result\nStatus: PASS\n",
        "\n[ACK] FIXREQ-42-alice-2 - RECEIVED\n",
        "> ",
        "|",
        "FIXDONE-42-1",
        "1. ",
        "- ",
        "~~~",
        "\n---\n",
        "### Failures",
        "日本",
        "\u{1b}[31m",
        "\r",
        "REVALRES-42-alice-2: PASS",
    ]);
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn line() -> impl Strategy<Value = String> {
    text().prop_map(|text| text.replace(|c: char| c.is_control(), " ").trim().to_owned())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn val_5_participants_text_stays_text(
        feature in line(),
        phase in line().prop_map(|name| format!("p{name}")),
        outcome in text(),
        failures in prop::collection::vec((text(), text(), prop::option::of(text())), 0..4),
        fixes in prop::collection::vec(text(), 0..3),
    ) {
        let failures: Vec<_> = failures
            .into_iter()
            .map(|(location, error, suggestion)| Failure { location, error: format!("e{error}"), suggestion })
            .collect();
        let state = state(&feature, &phase, "deadlock");
        let cited = cited(&failures, &fixes, &outcome);
        for (said, kind) in says() {
            let message = rendered(&state, &said, &cited);
            let text = text_of(&message);
            let found = forms(text);
            let kinds: Vec<_> = found.iter().map(|form| form.kind).collect();
            prop_assert_eq!(kinds, vec![kind], "{:?}: {}", said, text);
            prop_assert_eq!(reading(text), None, "{:?}: {}", said, text);
            if matches!(kind, FormKind::Request | FormKind::Trigger | FormKind::FixRequest | FormKind::FailureReport | FormKind::Success) {
                prop_assert_eq!(message_id(text), message.content["message_id"].as_str().map(str::to_owned));
            }
            let clean = !text.contains(char::from(27)) && !message.subject.contains(char::is_control);
            prop_assert!(clean, "{}", text);
            for body in text.lines().filter_map(|line| line.strip_prefix("- curl ")?.split_once(" -d ")) {
                let body = body.1.trim_matches('\'').replace(r"'\''", "'");
                prop_assert!(message_parses(&body), "{}", body);
            }
        }
    }

    #[test]
    fn val_3_the_failures_of_a_fix_request_read_back(
        failures in prop::collection::vec((line(), line(), prop::option::of(line())), 1..4),
    ) {
        let one = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let failures: Vec<_> = failures
            .into_iter()
            .map(|(location, error, suggestion)| Failure {
                location: format!("l{}", one(location)),
                error: format!("e{}", one(error)),
                suggestion: suggestion.map(|text| format!("s{}", one(text))),
            })
            .collect();
        let state = state("Login", "unit", "timeout");
        let message = rendered(&state, &Say::FixRequest { phase: 0, again: false }, &cited(&failures, &[], ""));
        let text = text_of(&message).replacen("## Fix Request\n", "## Validation Result\nStatus: FAIL\n", 1);
        match reading(&text).map(|reading| reading.answer) {
            Some(Answer::Result { failures: read, .. }) => prop_assert_eq!(read, failures, "{}", text),
            other => prop_assert!(false, "{:?}: {}", other, text),
        }
    }
}

fn message_parses(body: &str) -> bool {
    message(body.as_bytes()).is_ok()
}

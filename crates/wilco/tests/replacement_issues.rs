//! What GitHub may answer while issues move to a replacement, and what the controller hears of it.

use serde_json::{Value, json};

use crate::replacement::{Scene, assigned};
use crate::server::{ack, task};
use wilco_testkit::github_server::{Fault, TOKEN};

const LABELS: &str = "POST /repos/owner/repo/issues/43/labels";

/// Two tasks with an issue each; the calls for the second meet these faults.
fn confirmed(call: &str, faults: &[Fault], advance: &str) -> (Scene, String, Value) {
    let scene = Scene::new(assigned);
    let second = scene.server.begin(&task("T-2"));
    scene.server.send(&ack("T-2"));
    let uuid = scene.server.exchange(&second)["data"]["task_uuid"].as_str().unwrap().to_owned();
    scene.request_for(&[&scene.uuid, &uuid], &[42, 43], &[]);
    faults.iter().for_each(|fault| scene.github.fail(call, fault.clone()));
    scene.acknowledge();
    scene.server.advance(advance);
    let confirmation = scene.confirmation();
    assert!(!confirmation.to_string().contains(TOKEN), "{confirmation}");
    let moved = scene.server.exchange(&second);
    assert_eq!(moved["data"]["assignee"], "helper", "the task moved all the same");
    (scene, uuid, confirmation)
}

fn answer(status: u16, headers: &[(&'static str, &str)], message: &str) -> Fault {
    let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Fault::Answer(status, headers, json!({"message": message}))
}

fn partial(call: &str, faults: &[Fault], advance: &str, why: &str) {
    let (_scene, uuid, confirmation) = confirmed(call, faults, advance);
    assert_eq!(confirmation["status"], "partial", "{why}: {confirmation}");
    let details = &confirmation["details"];
    assert_eq!(details["tasks_reassigned"], 1, "{confirmation}");
    assert_eq!(details["tasks_failed"], 1, "{confirmation}");
    assert_eq!(details["action_required"], "manual_reassignment_needed");
    assert_eq!(details["failed_tasks"][0]["uuid"], uuid.as_str(), "{confirmation}");
    let reason = details["failed_tasks"][0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("#43: ") && reason.contains(why), "{reason}");
    assert_eq!(details["github_issues_updated"], json!(["#42"]), "{confirmation}");
}

fn success(faults: &[Fault], advance: &str) {
    let (scene, _, confirmation) = confirmed(LABELS, faults, advance);
    assert_eq!(confirmation["status"], "success", "{confirmation}");
    assert_eq!(confirmation["details"]["github_issues_updated"], json!(["#42", "#43"]));
    let world = scene.github.world();
    assert!(world.issues[&43].labels.contains(&"assigned:helper".to_owned()));
    assert_eq!(world.issues[&43].comments.len(), 1, "nothing is said twice");
}

#[test]
fn ho_22_a_token_that_github_does_not_know_makes_it_partial() {
    let wrong = answer(401, &[], "Bad credentials");
    partial("GET /repos/owner/repo/issues/43", &[wrong], "0s", "check the token that github.token_env names");
}

#[test]
fn ho_22_an_issue_that_is_gone_makes_it_partial() {
    partial("GET /repos/owner/repo/issues/43", &[answer(404, &[], "Not Found")], "0s", "404");
}

#[test]
fn ho_22_a_text_that_is_too_long_makes_it_partial() {
    let long = answer(422, &[], "body is too long (maximum is 65536 characters)");
    partial("POST /repos/owner/repo/issues/43/comments", &[long], "0s", "too long");
}

#[test]
fn ho_22_what_is_forbidden_makes_it_partial_at_once() {
    partial(LABELS, &[answer(403, &[], "Resource not accessible by integration")], "0s", "not accessible");
}

#[test]
fn ho_22_a_rate_limit_is_waited_for_as_its_headers_say() {
    success(&[answer(403, &[("retry-after", "60")], "secondary rate limit")], "60s");
    let reset = [
        ("x-ratelimit-remaining", "0"),
        ("x-ratelimit-reset", "1769870160"),
        ("date", "Sat, 31 Jan 2026 14:35:00 GMT"),
    ];
    success(&[answer(403, &reset, "API rate limit exceeded")], "61s");
    success(&[answer(429, &[("retry-after", "30")], "Too many requests")], "30s");
}

#[test]
fn ho_22_a_rate_limit_longer_than_ten_minutes_makes_it_partial() {
    partial(LABELS, &[answer(403, &[("retry-after", "601")], "rate limit")], "0s", "longer than 10m");
    let five = answer(403, &[("retry-after", "300")], "rate limit exceeded");
    partial(LABELS, &[five.clone(), five.clone(), five], "10m", "rate limit exceeded");
}

#[test]
fn ho_22_a_github_that_stumbles_is_asked_again_with_growing_waits() {
    success(&[answer(502, &[], "Bad gateway"), Fault::LostAnswer], "15s");
    let down: Vec<_> = (0..6).map(|_| answer(503, &[], "Unavailable")).collect();
    partial(LABELS, &down, "10m", "503");
}

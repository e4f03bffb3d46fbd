//! What a judge that says correct to everything still cannot accept, and when the initiator need not wait for it.

use serde_json::{Value, json};
use wilco_testkit::judge_server::{JudgeReply, correct};

use crate::judge::{OWN_WORDS, Scene};
use crate::server::{ack, said, task_with, until};

/// JU-2, JU-4: an ACK that names another task is settled by the rule under `auto`, and never accepted by the judge.
#[test]
fn ju_4_another_tasks_id_is_settled_by_the_rule_and_never_accepted() {
    let scene = Scene::new("openai", JudgeReply::Judgement(correct(2)), "");
    for other in ["key-rotation", "AUTH-B"] {
        scene.server.begin(&task_with(other, json!({})));
    }
    for (task_id, other) in [("login-limit-x", "key-rotation"), ("AUTH-A", "auth-b"), ("GH-7", "GH-99")] {
        let id = scene.says(task_id, &format!("{other}: {OWN_WORDS}"));
        scene.server.advance("1s");
        let shown = scene.server.exchange(&id)["data"]["understanding"].clone();
        assert_eq!(
            (&shown["verdict"], &shown["by"]),
            (&json!("wrong-task"), &json!("rule")),
            "{other}: {shown}"
        );
        assert_eq!(scene.server.state(&id), "awaiting-ack", "{other}");
    }
    assert_eq!(scene.model.asked(), 0);
    for (task_id, said) in [
        ("P-1", format!("key-rotation: {OWN_WORDS}")),
        ("P-2", format!("{OWN_WORDS} I begin after AUTH-B.")),
        ("P-3", format!("payment-split: {OWN_WORDS}")),
    ] {
        let id = scene.server.begin(&task_with(task_id, json!({"understanding": "judge"})));
        scene.again(task_id, &said);
        scene.server.advance("1s");
        assert!(scene.left(&id).contains("another task's id"), "{said}: {}", scene.left(&id));
    }
    let id = scene.says("own-id", &format!("own-id: {OWN_WORDS}"));
    scene.server.advance("1s");
    assert_eq!(scene.server.state(&id), "working", "{}", scene.server.exchange(&id));
}

/// JU-4: other widths, scripts and letters that nobody sees hide neither a number nor a negation.
#[test]
fn ju_4_disguised_numbers_and_negations_are_found() {
    let scene = Scene::new("gemini", JudgeReply::Judgement(correct(2)), "");
    for (number, said) in [
        OWN_WORDS.replace("a minute", "１２ minutes"),
        OWN_WORDS.replace("a minute", "٢٠ minutes"),
        OWN_WORDS.replace("gets a", "does n\u{200b}ot get a"),
        OWN_WORDS.replace("gets a", "does nоt get a"),
        OWN_WORDS.replace("gets a", "does nόt get a"),
    ]
    .iter()
    .enumerate()
    {
        let id = scene.says(&format!("T-{number}"), said);
        scene.server.advance("1s");
        assert!(scene.left(&id).contains("Wilco itself finds"), "{said}: {}", scene.left(&id));
    }
}

/// JU-6: in its shadow nobody waits for the judge; what it says later is compared with what the initiator said before.
#[test]
fn ju_6_in_the_shadow_the_initiator_is_asked_at_once() {
    let scene = Scene::new("openai", JudgeReply::Silence, "shadow = true\ntimeout = \"60s\"\n");
    let id = scene.says("T-1", OWN_WORDS);
    assert_eq!(scene.server.newest("boss")["content"]["reason"], "verdict-needed");
    until("it is asked", || scene.server.state(&id) == "in-review" && scene.model.asked() == 1);
    let verdict = json!({"task_id": "T-1", "verdict": "wrong-summary", "correction": "Only the API"});
    scene.server.send(&said("boss", "worker", "verdict", verdict));
    assert_eq!(scene.server.state(&id), "awaiting-ack");
    scene.model.answers(&[JudgeReply::Judgement(correct(2))]);
    scene.model.release();
    let row = || scene.server.get("/v1/reports/judge").1["items"][0].clone();
    until("it is compared", || row()["judge"] == "correct");
    assert_eq!((&row()["initiator"], &row()["agree"]), (&json!("wrong-summary"), &json!(false)));
    assert_eq!(scene.server.state(&id), "awaiting-ack", "its word changes nothing");
    let metrics = scene.server.get_text("/metrics").1;
    assert!(metrics.contains("wilco_judged_total{by=\"initiator\"} 1"), "{metrics}");
}

/// JU-3: what was asked and answered before an amendment is still part of what there is to understand; and criteria of
/// several lines keep their numbers.
#[test]
fn ju_3_questions_and_answers_outlive_an_amendment() {
    let scene = Scene::new("openai", JudgeReply::Judgement(correct(2)), "");
    let mut task = task_with("T-1", json!({"understanding": "judge"}));
    task["content"]["acceptance_criteria"] = json!(["One:\n- a\n2. Two", "Three"]);
    let id = scene.server.begin(&task);
    let questions = json!({"task_id": "T-1", "status": "needs-clarification", "questions": ["Which color should the banner on criterion 1 have?"]});
    scene.server.send(&said("worker", "boss", "task-acknowledgment", questions));
    let answers = json!({"task_id": "T-1", "answers": ["Blue banner"]});
    scene.server.send(&said("boss", "worker", "task-clarification", answers));
    let change = json!({"task_id": "T-1", "message": "Also write docs"});
    scene.server.send(&said("boss", "worker", "task-amend", change));
    let mut message = ack("T-1");
    message["content"]["understanding"] = json!(OWN_WORDS);
    message["content"]["revision"] = json!(2);
    scene.server.send(&message);
    scene.server.advance("1s");
    let asked: Value = scene.model.world().requests[0].body.clone();
    let text = asked["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["content"].to_string())
        .collect::<String>();
    for part in [
        "Which color should the banner",
        "Blue banner",
        "Also write docs",
        "1. One:\\n   - a\\n   2. Two\\n2. Three",
    ] {
        assert!(text.contains(part), "{part}: {text} {}", scene.server.state(&id));
    }
}

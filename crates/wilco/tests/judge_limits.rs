//! What a judge may cost in time and at once, and that nobody but the configured address is called.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::runtime::Runtime;
use wilco_testkit::judge_server::{JudgeReply, JudgeServer, KEY, correct};

use crate::judge::{OWN_WORDS, Scene, config};
use crate::server::{Setup, ack, task_with, until};

/// JU-1: never more questions at the same time than `concurrency`; the others wait and are asked.
#[test]
fn ju_1_no_more_questions_at_once_than_allowed() {
    let scene = Scene::new("openai", JudgeReply::Silence, "concurrency = 2\ntimeout = \"60s\"\n");
    let ids: Vec<String> = (0..5).map(|number| scene.says(&format!("T-{number}"), OWN_WORDS)).collect();
    let working = || ids.iter().filter(|id| scene.server.state(id) == "working").count();
    for (waiting, answered) in [(2, 2), (2, 4), (1, 5)] {
        until("they are asked", || working() < 5 && scene.model.world().waiting == waiting);
        scene.model.release();
        until("they are answered", || working() == answered);
    }
    let world = scene.model.world();
    assert_eq!((world.most_at_once, world.requests.len()), (2, 5));
}

/// JU-1: the timeout begins when the question is asked, not when it waits for its place.
#[test]
fn ju_1_waiting_for_a_place_is_no_part_of_the_timeout() {
    let scene = Scene::new("openai", JudgeReply::Silence, "concurrency = 1\ntimeout = \"5s\"\n");
    let began = Instant::now();
    let ids = ["T-1", "T-2"].map(|task_id| scene.says(task_id, OWN_WORDS));
    for asked in 1..=2 {
        until("it is asked", || scene.server.state(&ids[0]) != "?" && scene.model.asked() == asked);
        let answer_at = began + Duration::from_millis(3000 * asked as u64);
        until("it is slow", || scene.server.state(&ids[0]) != "?" && Instant::now() >= answer_at);
        scene.model.release();
    }
    until("both are accepted", || ids.iter().all(|id| scene.server.state(id) == "working"));
    assert!(began.elapsed() > Duration::from_secs(5), "longer than the timeout altogether");
}

/// JU-5: whoever waits, for a place or for an answer, waits no longer than twice the timeout; then the initiator is asked.
#[test]
fn ju_5_the_whole_wait_is_at_most_twice_the_timeout() {
    let scene = Scene::new("openai", JudgeReply::Silence, "concurrency = 1\ntimeout = \"2s\"\n");
    let began = Instant::now();
    let ids: Vec<String> = (0..4).map(|number| scene.says(&format!("T-{number}"), OWN_WORDS)).collect();
    let left = |id: &String| !scene.server.exchange(id)["data"]["understanding"]["judge"]["left"].is_null();
    until("all are left to the initiator", || ids.iter().all(left));
    // Twice two seconds, and what a busy machine takes to tell it.
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert!(ids.iter().all(|id| scene.server.state(id) == "in-review"));
}

/// JU-1, JU-8: proxies are not asked, and where a redirect points to is not called.
#[test]
fn ju_8_only_the_configured_address_is_called() {
    let runtime = Runtime::new().unwrap();
    let other = runtime.block_on(JudgeServer::start(JudgeReply::Judgement(correct(2))));
    let model = runtime.block_on(JudgeServer::start(JudgeReply::Judgement(correct(2))));
    let mut setup = Setup::new().config(&config("openai", &model, "")).environment("A_KEY", KEY);
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        setup = setup.environment(name, &other.url());
    }
    let server = setup.environment("NO_PROXY", "").environment("no_proxy", "").start();
    server.register(&["boss", "worker"]);
    let scene = Scene { model, server, _runtime: runtime };
    let id = scene.says("T-1", OWN_WORDS);
    scene.server.advance("1s");
    assert_eq!((scene.server.state(&id).as_str(), scene.model.asked()), ("working", 1));
    for (number, status) in [301, 302, 303, 307, 308].into_iter().enumerate() {
        let there = vec![("location", format!("{}/v1/chat/completions", other.url()))];
        scene.model.answers(&[JudgeReply::Status(status, there, json!({}))]);
        let id = scene.says(&format!("R-{number}"), OWN_WORDS);
        scene.server.advance("1s");
        assert!(scene.left(&id).contains("redirects are not followed"), "{status}: {}", scene.left(&id));
    }
    assert_eq!(other.asked(), 0, "{:?}", other.world().requests);
}

/// JU-6: the dashboard says who judged, and the metrics count rule, judge and initiator.
#[test]
fn ju_6_people_see_who_judged_and_what_it_cost() {
    let scene = Scene::new("openai", JudgeReply::Judgement(correct(2)), "");
    let id = scene.says("T-1", OWN_WORDS);
    scene.server.advance("1s");
    let page = scene.server.get_text(&format!("/exchanges/{id}")).1;
    assert!(page.contains("Verdict: ") && page.contains(" by judge"), "{page}");
    let ruled = scene.server.begin(&task_with("T-2", json!({})));
    scene.server.send(&ack("T-2"));
    assert_eq!(scene.server.exchange(&ruled)["data"]["understanding"]["by"], "rule");
    let metrics = scene.server.get_text("/metrics").1;
    for line in [
        "wilco_judged_total{by=\"judge\"} 1",
        "wilco_judged_total{by=\"rule\"} 1",
        "wilco_judge_tokens_total{kind=\"input\"} 700",
        "wilco_judge_tokens_total{kind=\"output\"} 60",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
}

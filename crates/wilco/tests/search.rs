//! Messages and exchanges found by what was said.

use crate::server::{Caller, Server, Setup, said, task, text};
use serde_json::{Value, json};
use wilco_server::Role;

/// What the items of an answer say, newest first.
fn subjects(answer: &(u16, Value)) -> Vec<&str> {
    assert_eq!(answer.0, 200, "{}", answer.1);
    answer.1["items"].as_array().unwrap().iter().map(|item| item["subject"].as_str().unwrap()).collect()
}

fn note(caller: &Caller, from: &str, to: &str, subject: &str, message: &str) {
    caller.send(
        &json!({"from": from, "to": to, "subject": subject, "content": {"type": "text", "message": message}}),
    );
}

#[test]
fn api_2_messages_are_found_by_words_people_and_type() {
    let server = Server::start();
    note(&server, "ann", "bob", "first", "The zebra crossed the road");
    note(&server, "bob", "ann", "second", "Which ZEBRA? The road is closed");
    note(&server, "cid", "ann", "third", "nothing of interest");
    server.register(&["boss", "worker"]);
    server.begin(&task("T-1"));

    let found = |query: &str| server.get(&format!("/v1/messages?{query}"));
    assert_eq!(subjects(&found("q=zebra")), ["second", "first"], "newest first");
    assert_eq!(subjects(&found("q=zebra+road&from=ann")), ["first"]);
    assert_eq!(subjects(&found("q=zeb")), ["second", "first"]);
    assert_eq!(subjects(&found("to=ann")), ["third", "second"]);
    assert_eq!(subjects(&found("agent=bob")), ["second", "first"]);
    assert_eq!(subjects(&found("q=road&agent=cid")), [""; 0]);
    assert_eq!(subjects(&found("type=task-assignment&to=worker")), ["Task T-1"]);
    assert_eq!(subjects(&found("q=five+failed&from=boss")), ["Task T-1"]);
    assert_eq!(subjects(&found("type=text&limit=2")), ["third", "second"]);

    let whole = found("q=crossed").1["items"][0].clone();
    let (_, mut same) = server.get(&format!("/v1/messages/{}", whole["id"].as_str().unwrap()));
    // How far it got is told of one message at a time.
    assert_eq!(same.as_object_mut().unwrap().remove("delivery").unwrap(), "stored");
    assert_eq!(whole, same, "as it is shown by itself");
}

#[test]
fn api_2b_what_is_found_comes_in_pages_that_end() {
    let server = Server::start();
    for number in 1..=5 {
        note(&server, "ann", "bob", &format!("{number}"), "otter");
        note(&server, "ann", "bob", "between", "beaver");
    }
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let page = server.get(&format!("/v1/messages?q=otter&limit=2{after}"));
        seen.extend(subjects(&page).into_iter().map(str::to_owned));
        match page.1["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    assert_eq!(seen, ["5", "4", "3", "2", "1"]);
    assert_eq!(server.get("/v1/messages?q=otter&limit=5").1["next"], Value::Null);
}

#[test]
fn api_2_any_text_may_be_asked_for() {
    let server = Server::start();
    note(&server, "ann", "bob", "odd", "\"quoted\" AND (NEAR*) 'x'; DROP TABLE message");
    for (query, count) in [
        ("%22quoted%22+AND+(near*)", 1),
        ("'%3B+DROP+TABLE+message", 1),
        ("terms%3Aquoted", 0),
        ("%22", 0),
        ("*", 0),
        ("%00", 0),
        ("%FF%FE", 0),
        ("quoted+OR+nothing", 0),
        ("-quoted", 1),
    ] {
        let answer = server.get(&format!("/v1/messages?q={query}"));
        assert_eq!(subjects(&answer).len(), count, "{query}");
    }
    for (query, hint) in [
        ("limit=0", "1 to 1000"),
        ("limit=1001", "1 to 1000"),
        ("after=x", "cursor"),
        ("form=ann", "\"from\""),
        ("q=a&q=b", "twice"),
        (&format!("q={}", "a+".repeat(40)), "32 words"),
    ] {
        let (status, problem) = server.get(&format!("/v1/messages?{query}"));
        assert_eq!(status, 400, "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains(hint), "{problem}");
    }
}

#[test]
fn api_4_exchanges_are_found_by_title_and_by_what_was_said() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin_working("T-1");
    server.send(&said(
        "worker",
        "boss",
        "checkpoint-ack",
        json!({"task_id": "T-1", "checkpoint": 1, "summary": "the flamingo is wired up"}),
    ));
    server.begin(&said(
        "boss",
        "worker",
        "task-assignment",
        json!({"task_id": "T-2", "title": "Paint the fence"}),
    ));
    let ids = |query: &str| {
        let (status, body) = server.get(&format!("/v1/exchanges?{query}"));
        assert_eq!(status, 200, "{body}");
        body["items"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids("q=ate+limit"), [json!(id)], "part of the title");
    assert_eq!(ids("q=flamingo"), [json!(id)], "what somebody said in it");
    assert_eq!(ids("q=fence").len(), 1);
    assert_eq!(ids("q=flamingo&task=T-2"), [Value::Null; 0]);
}

#[test]
fn sec_2_an_agent_finds_only_what_it_takes_part_in() {
    let server = Setup::new().config("auth = \"required\"\n").start();
    let [ann, eve] = ["ann", "eve"].map(|name| server.with_token(name, Role::Agent));
    let operator = server.with_token("root", Role::Operator);
    let reader = server.with_token("eye", Role::ReadOnly);
    operator.register(&["ann", "bob", "eve"]);
    ann.send(&text("ann", "bob", "the secret otter"));
    let count = |caller: &Caller| subjects(&caller.get("/v1/messages?q=otter")).len();
    assert_eq!((count(&ann), count(&operator), count(&reader), count(&eve)), (1, 1, 1, 0));
    assert_eq!(subjects(&eve.get("/v1/messages?from=ann")).len(), 0, "not by its sender either");
    assert_eq!(server.caller().get("/v1/messages?q=otter").0, 401);
}

#[test]
fn api_2_search_goes_on_after_kill_9() {
    let server = Setup::new().real_clock().start();
    for number in 0..20 {
        note(&server, "ann", "bob", &format!("{number}"), "walrus");
    }
    let server = server.restart();
    note(&server, "ann", "bob", "20", "walrus");
    assert_eq!(subjects(&server.get("/v1/messages?q=walrus&limit=100")).len(), 21);
}

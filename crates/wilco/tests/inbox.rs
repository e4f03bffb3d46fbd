//! Inboxes: pages, cursors, long polls, what reading does.

use crate::server;

use crate::server::{Server, Setup, pointers, text, until};
use serde_json::{Value, json};

fn texts(page: &Value) -> Vec<&str> {
    page["items"].as_array().unwrap().iter().map(|one| one["content"]["message"].as_str().unwrap()).collect()
}

#[test]
fn api_2b_inboxes_are_oldest_first_and_always_have_a_cursor() {
    let server = Server::start();
    server.register(&["bob"]);
    let (_, empty) = server.get("/v1/agents/bob/inbox");
    assert_eq!(empty["items"], json!([]));
    let start = empty["next"].as_str().expect("a cursor for the end").to_owned();
    for n in 1..=5 {
        server.send(&text("ann", "bob", &n.to_string()));
    }
    let (_, first) = server.get(&format!("/v1/agents/bob/inbox?limit=2&after={start}"));
    assert_eq!(texts(&first), ["1", "2"]);
    let (_, second) = server.get(&format!("/v1/agents/bob/inbox?after={}", first["next"].as_str().unwrap()));
    assert_eq!(texts(&second), ["3", "4", "5"]);
    let end = second["next"].as_str().unwrap();
    let (_, rest) = server.get(&format!("/v1/agents/bob/inbox?after={end}"));
    assert_eq!((&rest["items"], &rest["next"]), (&json!([]), &json!(end)), "the given cursor again");
    for bad in
        ["limit=0", "limit=1001", "limit=-1", "after=x", "status=lost", "wiat=1s", "wait=61s", "wait=soon"]
    {
        let (status, problem) = server.get(&format!("/v1/agents/bob/inbox?{bad}"));
        assert_eq!((status, &problem["status"]), (400, &json!(400)), "{bad}");
    }
}

#[test]
fn msg_13_messages_arrive_in_the_order_they_were_accepted() {
    let server = Server::start();
    let names: Vec<String> = (0..4).map(|n| format!("sender{n}")).collect();
    std::thread::scope(|scope| {
        for name in &names {
            let caller = server.caller();
            scope.spawn(move || (0..25).for_each(|n| drop(caller.send(&text(name, "bob", &n.to_string())))));
        }
    });
    let inbox = server.inbox("bob");
    assert_eq!(inbox.len(), 100);
    for name in &names {
        let own = inbox.iter().filter(|one| one["from"] == **name);
        let numbers: Vec<u32> =
            own.map(|one| one["content"]["message"].as_str().unwrap().parse().unwrap()).collect();
        assert_eq!(numbers, (0..25).collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn msg_20_a_long_poll_returns_as_soon_as_something_arrives() {
    let server = Server::start();
    server.register(&["bob"]);
    let poll = server.as_agent("bob");
    let waiting = std::thread::spawn(move || poll.get("/v1/agents/bob/inbox?wait=60s"));
    // The poll registers its sign of life before it waits, so this is seen when it has begun.
    server.until_seen("bob");
    server.send(&text("ann", "bob", "wake up"));
    let (status, page) = waiting.join().unwrap();
    assert_eq!((status, texts(&page)), (200, vec!["wake up"]));
    let next = page["next"].as_str().unwrap();
    let (_, nothing) = server.get(&format!("/v1/agents/bob/inbox?wait=50ms&after={next}"));
    assert_eq!((&nothing["items"], &nothing["next"]), (&json!([]), &json!(next)));
}

#[test]
fn msg_20_reading_does_not_mark_as_read_unless_asked() {
    let server = Server::start();
    let id = server.send(&text("ann", "bob", "hi"))["message"]["id"].as_str().unwrap().to_owned();
    server.get("/v1/agents/bob/inbox");
    server.get(&format!("/v1/messages/{id}"));
    let (_, unread) = server.get("/v1/agents/bob/inbox?status=unread");
    assert_eq!(texts(&unread), ["hi"]);
    assert_eq!(server.post(&format!("/v1/messages/{id}/read"), &json!({})), (204, Value::Null));
    assert_eq!(server.post(&format!("/v1/messages/{id}/read"), &json!({})).0, 204, "twice is no harm");
    assert_eq!(server.get("/v1/agents/bob/inbox?status=unread").1["items"], json!([]));
    let (_, read) = server.get("/v1/agents/bob/inbox?status=read");
    assert_eq!((texts(&read), &read["items"][0]["status"]), (vec!["hi"], &json!("read")));
    assert_eq!(server.get(&format!("/v1/messages/{id}")).1["status"], "read");
    assert_eq!(server.post("/v1/messages/msg-1-0000000/read", &json!({})).0, 404);
    let server = server.restart();
    assert_eq!(server.inbox("bob")[0]["status"], "read");
}

#[test]
fn api_2_the_batch_door_answers_line_by_line() {
    let server = Server::start();
    server.register(&["bob", "cid"]);
    let lines = [
        text("ann", "bob", "1").to_string(),
        "not json".to_owned(),
        String::new(),
        json!({"from": "ann", "to": ["bob", "cid"], "content": {"type": "text", "message": "2"}}).to_string(),
        json!({"from": "ann", "to": "bob", "content": {"type": "task-acknowledgment"}}).to_string(),
        text("wilco", "bob", "3").to_string(),
    ];
    let (status, answers) = server.post_text("/v1/messages", "application/x-ndjson", &lines.join("\r\n"));
    assert_eq!(status, 200);
    let statuses: Vec<_> =
        answers.as_array().unwrap().iter().map(|one| one["status"].as_u64().unwrap()).collect();
    assert_eq!(statuses, [201, 400, 400, 201, 422, 403], "{answers}");
    assert_eq!(answers[0]["message"]["content"]["message"], "1");
    assert_eq!(answers[3]["messages"].as_array().unwrap().len(), 2);
    assert_eq!(answers[4]["problem"]["errors"][0]["pointer"], "/content/status");
    assert_eq!(server.inbox("bob").len(), 2);
    let (status, answers) = server.post_text("/v1/messages", "application/x-ndjson", "nothing\n[]\n");
    assert_eq!((status, &answers[0]["status"], &answers[1]["status"]), (200, &json!(400), &json!(422)));
    assert_eq!(server.post_text("/v1/messages", "application/x-ndjson", ""), (200, Value::Null));
}

#[test]
fn api_2_a_batch_is_as_long_as_its_body_may_be() {
    let server = Server::start();
    server.register(&["bob"]);
    let lines: Vec<_> = (0..2500).map(|n| text("ann", "bob", &n.to_string()).to_string()).collect();
    let (status, answers) = server.post_text("/v1/messages", "application/x-ndjson", &lines.join("\n"));
    let answers = answers.as_array().unwrap();
    assert_eq!((status, answers.len()), (200, 2500));
    for (n, one) in answers.iter().enumerate() {
        assert_eq!(
            (&one["status"], &one["message"]["content"]["message"]),
            (&json!(201), &json!(n.to_string()))
        );
    }
    let order: Vec<_> = server.inbox("bob").iter().map(|one| one["content"]["message"].clone()).collect();
    assert_eq!(order, (0..2500).map(|n| json!(n.to_string())).collect::<Vec<_>>(), "in their order");
    let (status, problem) = server.post_text("/v1/messages", "application/x-ndjson", &"\n".repeat(20_001));
    assert_eq!((status, &problem["status"]), (413, &json!(413)));
}

#[test]
fn g11_a_full_inbox_is_429_but_not_for_wilco() {
    let server = Setup::new().config("[limits]\ninbox_unread = 3").start();
    server.register(&["boss", "worker", "idle"]);
    let id = server.begin(&server::task("T-1"));
    server.send(&text("ann", "worker", "1"));
    let second = server.send(&text("ann", "worker", "2"))["message"]["id"].as_str().unwrap().to_owned();
    let problem = server.refused(&text("ann", "worker", "3"), 429);
    assert!(problem["detail"].as_str().unwrap().contains("worker"), "{problem}");
    server.refused(
        &json!({"from": "ann", "to": ["idle", "worker"], "content": {"type": "text", "message": "3"}}),
        429,
    );
    assert_eq!(server.inbox("idle").len(), 0, "nothing of it was done");
    server.advance("5m");
    assert_eq!(server.newest("worker")["content"]["type"], "ack-request");
    assert_eq!(server.state(&id), "awaiting-ack");
    let mut server = server.restart();
    server.refused(&text("ann", "worker", "3"), 429);
    for message in server.inbox("worker") {
        server.post(&format!("/v1/messages/{}/read", message["id"].as_str().unwrap()), &json!({}));
    }
    server.send(&text("ann", "worker", "3"));
    assert_eq!(server.get(&format!("/v1/messages/{second}")).1["status"], "read");
    assert!(server.terminate().success());
}

/// TALK-33: an agent says itself how long what only informs is gathered; the process dies meanwhile and nothing is lost.
#[test]
fn talk_33_updates_come_as_one_message_also_when_the_process_dies() {
    let server = Server::start();
    server.begin_working("GH-1");
    let (status, boss) = server.put("/v1/agents/boss", &json!({"digest": "5m"}));
    assert_eq!((status, boss["digest"].as_str()), (200, Some("5m")), "{boss}");
    assert_eq!(server.get("/v1/agents/boss").1["digest"], "5m");
    for wrong in [json!("soon"), json!("25h"), json!(5), json!("-1s")] {
        let (status, problem) = server.put("/v1/agents/boss", &json!({"digest": wrong}));
        assert_eq!((status, pointers(&problem)), (422, vec!["/digest"]), "{problem}");
    }
    let (status, problem) = server.patch("/api/agents/boss", Some(&json!({"digest": "soon"})));
    assert_eq!((status, problem["field"].as_str()), (400, Some("digest")), "{problem}");

    let before = server.inbox("boss").len();
    let said = |part: &str| {
        text("worker", "boss", &format!("Progress update on GH-1: {part} works, more will follow."))
    };
    let first = server.send(&said("the form"));
    let mut server = server;
    server.kill();
    let server = server.up_again();
    server.send(&said("the test"));
    assert_eq!(server.inbox("boss").len(), before, "both are held");
    let held = first["message"]["id"].as_str().unwrap();
    assert_eq!(server.get(&format!("/v1/messages/{held}")).0, 200, "and can be read by their ids");
    server.advance("5m");
    until("the digest", || server.inbox("boss").len() > before);
    let told = server.newest("boss");
    assert_eq!(
        (told["content"]["reason"].as_str(), told["priority"].as_str()),
        (Some("digest"), Some("low")),
        "{told}"
    );
    assert_eq!(told["content"]["items"][0]["id"], json!(held));
    assert_eq!(told["content"]["items"].as_array().unwrap().len(), 2, "{told}");
    server.advance("10m");
    assert_eq!(server.inbox("boss").len(), before + 1, "never an empty one");
    server.verify();
}

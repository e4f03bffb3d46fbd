//! The API of AI Maestro: messages and mailboxes.

use crate::server::{Server, Setup, ack, task, text};
use serde_json::{Value, json};

fn sent(server: &Server, message: &Value) -> Value {
    let (status, body) = server.post("/api/messages", message);
    assert_eq!(status, 201, "{message} was refused: {body}");
    body["message"].clone()
}

fn id(message: &Value) -> &str {
    message["id"].as_str().unwrap()
}

fn subjects(list: &Value) -> Vec<&str> {
    list["messages"].as_array().unwrap().iter().map(|one| one["subject"].as_str().unwrap()).collect()
}

fn note(from: &str, to: &str, subject: &str, priority: &str) -> Value {
    json!({
        "from": from, "to": to, "subject": subject, "priority": priority,
        "content": {"type": "notification", "message": format!("about {subject}")},
    })
}

/// More digits than any number of the machine has.
const LONG: &str = "123456789012345678901234567890.10000000000000000000001";

#[test]
fn msg_1_numbers_are_kept_to_the_last_digit() {
    let server = Server::start();
    server.register(&["boss", "worker", "next"]);
    let content = format!(
        r#"{{"type": "task-assignment", "task_id": "N-1", "title": "Count", "candidates": ["next"],
        "sizes": [{LONG}, 18446744073709551616], "zero": -0}}"#
    );
    let body = format!(r#"{{"from": "boss", "to": "worker", "content": {content}}}"#);
    let kept = |what: &str, text: &str| {
        assert!(text.contains(LONG) && text.contains("18446744073709551616"), "{what}: {text}");
    };
    let (status, posted) = server.post_raw("/api/messages", &body);
    assert_eq!(status, 201, "{posted}");
    kept("the answer", &posted);
    let first = serde_json::from_str::<Value>(&posted).unwrap()["message"]["id"].as_str().unwrap().to_owned();
    for path in [
        format!("/api/messages?agent=worker&id={first}"),
        "/api/messages?agent=worker".to_owned(),
        format!("/api/agents/worker/messages/{first}"),
        "/v1/agents/worker/inbox".to_owned(),
        format!("/v1/messages/{first}"),
    ] {
        let text = server.get_text(&path).1;
        kept(&path, &text);
        assert!(path.starts_with("/v1/messages") || text.contains("\"taught\":true"), "delivered: {text}");
    }
    server.send(&crate::server::said(
        "worker",
        "boss",
        "task-acknowledgment",
        json!({"task_id": "N-1", "status": "rejected", "reason": "no"}),
    ));
    kept("as it goes to the next", &server.get_text("/v1/agents/next/inbox").1);
    let told = format!(
        r#"{{"to": "worker", "content": {{"type": "text", "message": "n", "sizes": [{LONG}, 18446744073709551616]}}}}"#
    );
    let (status, posted) = server.post_raw("/api/agents/boss/messages", &told);
    assert_eq!(status, 201, "{posted}");
    kept("sent for an agent", &posted);
}

#[test]
fn msg_40_a_message_is_accepted_with_the_shape_of_ai_maestro() {
    let server = Server::start();
    server.put("/v1/agents/bob", &json!({"alias": "bobby", "host": "box1"}));
    let (status, body) = server.post("/api/messages", &note("ann", "bob", "hello", "high"));
    assert_eq!((status, &body["notified"]), (201, &json!(false)));
    let message = &body["message"];
    assert!(body.get("error").is_none());
    for (key, value) in [
        ("from", json!("ann")),
        ("fromAlias", json!("ann")),
        ("fromHost", json!("localhost")),
        ("fromVerified", json!(false)),
        ("to", json!("bob")),
        ("toAlias", json!("bobby")),
        ("toHost", json!("box1")),
        ("subject", json!("hello")),
        ("priority", json!("high")),
        ("status", json!("unread")),
        ("type", json!("notification")),
        ("preview", json!("about hello")),
        ("content", json!({"type": "notification", "message": "about hello"})),
    ] {
        assert_eq!(message[key], value, "{key}");
    }
    let (millis, suffix) = id(message).strip_prefix("msg-").unwrap().split_once('-').unwrap();
    assert!(millis.parse::<u64>().is_ok() && suffix.len() == 7);
    let (_, reply) = server.post(
        "/api/messages",
        &json!({"from": "bob", "to": "ann", "subject": "Re", "inReplyTo": id(message), "content": {"type": "response", "message": "hi"}}),
    );
    assert_eq!(reply["message"]["inReplyTo"], message["id"]);
    assert_eq!(
        server.get(&format!("/v1/messages/{}", id(&reply["message"]))).1["in_reply_to"],
        message["id"]
    );
}

#[test]
fn msg_40_a_task_begins_its_exchange_as_through_v1() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let (status, body) = server.post("/api/messages", &task("GH-1"));
    assert_eq!((status, &body["exchange"]["state"]), (201, &json!("awaiting-ack")), "{body}");
    let exchange = body["exchange"]["id"].as_str().unwrap().to_owned();
    let (_, list) = server.get("/api/messages?agent=worker");
    assert_eq!(list["messages"][0]["exchange"], exchange.as_str());
    assert_eq!(list["messages"][0]["content"]["taught"], true, "inboxes show the taught text");
    assert!(body["message"]["content"].get("taught").is_none(), "the answer shows the original");
    assert_eq!(server.post("/api/messages", &ack("GH-1")).1["exchange"]["state"], "working");
    assert_eq!(server.state(&exchange), "working");
}

#[test]
fn msg_40_unknown_recipients_are_never_a_silent_success() {
    let server = Server::start();
    server.register(&["boss", "worker", "worker-b"]);
    let mut assignment = task("GH-1");
    assignment["to"] = json!("workr");
    let (status, body) = server.post("/api/messages", &assignment);
    assert_eq!((status, &body["error"]), (404, &json!("not_found")));
    assert!(body["message"].as_str().unwrap().contains("did you mean worker"), "{body}");
    let (status, body) = server.post("/api/messages", &note("boss", "bob@nowhere", "x", "low"));
    assert_eq!((status, &body["error"]), (404, &json!("not_found")), "{body}");
    let strict = Setup::new().config("[agents]\nauto_register = \"none\"").start();
    strict.register(&["ann"]);
    assert_eq!(strict.post("/api/messages", &note("ann", "bob", "x", "low")).0, 404);
    let all = Setup::new().config("[agents]\nauto_register = \"all\"").start();
    assert_eq!(all.post("/api/messages", &task("GH-1")).0, 201);
}

#[test]
fn msg_45_ambiguous_names_list_the_candidates() {
    let server = Server::start();
    server.register(&["ann", "code-impl-auth", "docs-auth", "code-impl-search"]);
    let (status, body) = server.post("/api/messages", &note("ann", "auth", "x", "low"));
    assert_eq!((status, &body["error"]), (409, &json!("conflict")));
    let said = body["message"].as_str().unwrap();
    assert!(said.contains("code-impl-auth") && said.contains("docs-auth"), "{said}");
    assert_eq!(sent(&server, &note("ann", "SEARCH", "x", "low"))["to"], "code-impl-search");
    assert_eq!(sent(&server, &note("ann", "@Code-Impl-Auth", "x", "low"))["to"], "code-impl-auth");
    assert_eq!(sent(&server, &note("ann", "docs-auth@local", "x", "low"))["to"], "docs-auth");
    server.register(&["auth"]);
    assert_eq!(sent(&server, &note("ann", "auth", "x", "low"))["to"], "auth", "an exact name wins");
    let (status, body) = server.get("/api/messages?action=resolve&agent=search");
    assert_eq!((status, &body["resolved"]["sessionName"]), (200, &json!("code-impl-search")));
    assert_eq!(server.get("/api/messages?action=resolve&agent=nobody-at-all").0, 404);
}

#[test]
fn msg_41_the_list_is_newest_first_limited_and_filtered() {
    let server = Server::start();
    for (number, priority) in (0..30).zip(["low", "normal", "high"].iter().cycle()) {
        sent(
            &server,
            &note(if number % 2 == 0 { "ann" } else { "carl" }, "bob", &format!("m{number}"), priority),
        );
    }
    let (status, list) = server.get("/api/messages?agent=bob");
    assert_eq!((status, &list["limit"]), (200, &json!(25)));
    assert_eq!(subjects(&list)[..2], ["m29", "m28"]);
    assert_eq!(subjects(&list).len(), 25);
    assert_eq!(list["messages"][0]["content"]["message"], "about m29", "with the whole content");
    let many = |query: &str| subjects(&server.get(&format!("/api/messages?agent=bob&{query}")).1).len();
    assert_eq!(many("limit=0"), 30);
    assert_eq!(many("limit=3&action=list"), 3);
    assert_eq!(many("limit=0&from=ann"), 15);
    assert_eq!(many("limit=0&priority=high"), 10);
    assert_eq!(many("limit=0&from=carl&priority=low&status=unread"), 5);
    assert_eq!(many("status=read"), 0);
    assert_eq!(many("box=sent"), 0);
    let (_, out) = server.get("/api/messages?agent=ann&box=sent&limit=2&to=bob");
    assert_eq!(subjects(&out), ["m28", "m26"]);
    for query in ["agent=nobody", "agentId=nobody", "session=nobody&box=sent"] {
        let (status, list) = server.get(&format!("/api/messages?{query}"));
        assert_eq!((status, &list["messages"]), (200, &json!([])), "{query}");
    }
    assert_eq!(server.get("/v1/agents/nobody").0, 404, "a plain read registers nobody");
    assert_eq!(subjects(&server.get("/api/messages?agent=*&limit=0").1).len(), 30);
    for (bad, field) in
        [("limit=x", "limit"), ("status=odd", "status"), ("priority=odd", "priority"), ("box=odd", "box")]
    {
        let (status, body) = server.get(&format!("/api/messages?agent=bob&{bad}"));
        assert_eq!((status, &body["field"]), (400, &json!(field)), "{body}");
    }
}

#[test]
fn msg_41_counts_stats_and_who_there_is() {
    let server = Server::start();
    for priority in ["low", "normal", "urgent", "urgent"] {
        sent(&server, &note("ann", "bob", "x", priority));
    }
    let read = sent(&server, &note("ann", "bob", "x", "high"));
    server.patch(&format!("/api/messages?agent=bob&id={}&action=mark-read", id(&read)), None);
    let ask = |action: &str| server.get(&format!("/api/messages?agent=bob&action={action}")).1;
    assert_eq!(ask("unread-count"), json!({"count": 4}));
    assert_eq!(ask("sent-count"), json!({"count": 0}));
    assert_eq!(server.get("/api/messages?agent=ann&action=sent-count").1, json!({"count": 5}));
    assert_eq!(
        ask("stats"),
        json!({"unread": 4, "total": 5, "byPriority": {"low": 1, "normal": 1, "high": 1, "urgent": 2}})
    );
    assert_eq!(ask("agents")["agents"], json!(["ann", "bob"]));
    assert_eq!(ask("sessions")["sessions"], json!(["ann", "bob"]));
    let found = server.get("/api/messages?action=search&agent=bo").1;
    assert_eq!((&found["query"], &found["count"]), (&json!("bo"), &json!(1)));
    assert_eq!(found["results"][0]["alias"], "bob");
    assert_eq!(
        server.get("/api/messages?action=search&agent=bbo").1["results"][0]["agentId"],
        server.get("/v1/agents/bob").1["id"]
    );
}

/// MSG-46 too.
#[test]
fn msg_41_one_message_by_its_id_also_with_underscores() {
    let server = Server::start();
    let message = sent(&server, &note("ann", "bob", "x", "low"));
    for spelled in [id(&message).to_owned(), id(&message).replace('-', "_")] {
        let (status, found) = server.get(&format!("/api/messages?agent=bob&id={spelled}"));
        assert_eq!((status, &found["id"], &found["status"]), (200, &message["id"], &json!("unread")));
        assert_eq!(server.get(&format!("/v1/messages/{spelled}")).0, 200, "MSG-46");
    }
    assert_eq!(
        server.get(&format!("/api/messages?agent=ann&id={}", id(&message))).0,
        404,
        "ann only sent it"
    );
    assert_eq!(server.get(&format!("/api/messages?agent=ann&box=sent&id={}", id(&message))).0, 200);
    let (status, body) = server.get("/api/messages?agent=bob&id=msg-1-nothing");
    assert_eq!((status, &body["error"]), (404, &json!("not_found")));
    assert!(body["message"].is_string() && body.get("type").is_none());
}

#[test]
fn msg_42_marks_and_deletion_are_tombstones() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let exchange = server.begin(&task("GH-1"));
    let first = server.inbox("worker")[0]["id"].as_str().unwrap().to_owned();
    let at = |agent: &str, action: &str| {
        format!("/api/messages?agent={agent}&id={}&action={action}", first.replace('-', "_"))
    };
    assert_eq!(server.patch(&at("worker", "read"), None), (200, json!({"success": true})));
    assert_eq!(server.inbox("worker")[0]["status"], "read");
    assert_eq!(server.patch(&at("worker", "archive"), None).0, 200);
    assert_eq!(subjects(&server.get("/api/messages?agent=worker").1).len(), 0);
    assert_eq!(subjects(&server.get("/api/messages?agent=worker&status=archived").1).len(), 1);
    let (status, body) = server.patch(&at("worker", "burn"), None);
    assert_eq!((status, &body["field"]), (400, &json!("action")));
    assert_eq!(server.patch("/api/messages?agent=worker&action=read", None).1["field"], "id");
    assert_eq!(server.patch(&at("boss", "read"), None).0, 404);

    assert_eq!(
        server.delete(&format!("/api/messages?agent=worker&id={first}")),
        (200, json!({"success": true}))
    );
    assert_eq!(server.delete(&format!("/api/messages?agent=worker&id={first}")).0, 404);
    assert_eq!(server.get(&format!("/api/messages?agent=worker&id={first}")).0, 404);
    assert_eq!(server.get(&format!("/v1/messages/{first}")).0, 200, "the record keeps it");
    assert_eq!(server.send(&ack("GH-1"))["exchange"]["state"], "working", "and so does its exchange");
    assert!(server.exchange(&exchange)["data"]["title"].is_string());
    let server = server.restart();
    assert_eq!(server.get(&format!("/api/messages?agent=worker&id={first}")).0, 404);
    server.verify();
}

#[test]
fn msg_42_a_message_is_forwarded_with_a_note() {
    let server = Server::start();
    let message = sent(&server, &note("ann", "bob", "deploy", "urgent"));
    server.register(&["carl"]);
    let forward = json!({"messageId": id(&message), "fromSession": "bob", "toSession": "carl", "forwardNote": "yours?"});
    let keyed = server.header_key("fwd-1");
    let (status, body) = keyed.post("/api/messages/forward", &forward);
    assert_eq!((status, &body["success"]), (201, &json!(true)), "{body}");
    let got = server.newest("carl");
    assert_eq!((&got["subject"], &got["priority"]), (&json!("Fwd: deploy"), &json!("urgent")));
    let said = got["content"]["message"].as_str().unwrap();
    assert!(said.starts_with("yours?\n") && said.contains("> about deploy"), "{said}");
    assert_eq!(got["content"]["forwardedFrom"]["originalFrom"], "ann");
    assert_eq!(keyed.post("/api/messages/forward", &forward).1["message"]["id"], body["message"]["id"]);
    assert_eq!(server.inbox("carl").len(), 1, "one effect");
    for (change, status, field) in [
        (json!({"messageId": "msg-1-none"}), 404, Value::Null),
        (json!({"messageId": null}), 400, json!("messageId")),
        (json!({"toSession": ""}), 400, json!("toSession")),
        (json!({"fromSession": "carl2"}), 404, Value::Null),
        (json!({"fromSession": "carl"}), 404, Value::Null),
    ] {
        let mut wrong = forward.clone();
        wrong.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let (got, body) = server.post("/api/messages/forward", &wrong);
        assert_eq!((got, &body["field"]), (status, &field), "{wrong} {body}");
    }
    assert_eq!(server.inbox("carl").len(), 1);
}

#[test]
fn msg_42_the_mailbox_of_one_agent() {
    let server = Server::start();
    server.put("/v1/agents/bob", &json!({"alias": "bobby"}));
    server.register(&["ann"]);
    let agent = server.get("/v1/agents/bob").1["id"].as_str().unwrap().to_owned();
    let body =
        json!({"to": "bobby", "subject": "from ann", "content": {"type": "request", "message": "please"}});
    let (status, posted) = server.post("/api/agents/ann/messages", &body);
    assert_eq!((status, &posted["message"]["from"]), (201, &json!("ann")));
    let path = format!("/api/agents/{agent}/messages");
    assert_eq!(subjects(&server.get(&path).1), ["from ann"]);
    let one = format!("{path}/{}", id(&posted["message"]));
    assert_eq!(server.get(&one).1["message"]["id"], posted["message"]["id"]);
    assert_eq!(server.patch(&one, Some(&json!({"action": "read"}))), (200, json!({"success": true})));
    assert_eq!(server.get(&one).1["message"]["status"], "read");
    assert_eq!(server.patch(&one, Some(&json!({}))).1["field"], "action");
    assert_eq!(server.delete(&one).0, 200);
    assert_eq!(server.get(&one).0, 404);
    assert_eq!(server.get("/api/agents/nobody/messages").0, 404);
}

#[test]
fn msg_3_wrong_fields_are_400_with_their_name() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    for (message, field) in [
        (json!({"from": "boss", "content": {"type": "update", "message": "x"}}), "to"),
        (json!({"from": "boss", "to": "worker"}), "content"),
        (
            json!({"from": "boss", "to": "worker", "priority": "odd", "content": {"type": "text", "message": "x"}}),
            "priority",
        ),
        (
            json!({"from": "boss", "to": "worker", "subject": 7, "content": {"type": "text", "message": "x"}}),
            "subject",
        ),
        (
            json!({"from": "worker", "to": "boss", "content": {"type": "task-acknowledgment", "task_id": "x"}}),
            "content.status",
        ),
    ] {
        let (status, body) = server.post("/api/messages", &message);
        assert_eq!(
            (status, &body["error"], &body["field"]),
            (400, &json!("validation"), &json!(field)),
            "{body}"
        );
        assert!(body["message"].is_string());
    }
    assert_eq!(server.post_text("/api/messages", "application/json", "{").0, 400);
    assert_eq!(server.post("/api/messages", &note("wilco", "worker", "x", "low")).0, 403);
    let (status, body) = server.put("/api/messages", &json!({}));
    assert_eq!((status, &body["error"]), (405, &json!("method")), "{body}");
    let (status, body) = server.get("/api/nothing/here");
    assert_eq!((status, &body["error"]), (404, &json!("not_found")));
    let page = server.caller().header("Origin", &server.url);
    let (status, body) = page.post_text("/api/messages", "text/plain", "{}");
    assert_eq!((status, &body["error"]), (415, &json!("content_type")), "{body}");
    assert!(server.inbox("worker").is_empty(), "nothing was stored");
}

#[test]
fn msg_12_the_same_key_gives_the_same_answer_here_too() {
    let server = Server::start();
    let message = note("ann", "bob", "x", "low");
    let first = server.header_key("k").post("/api/messages", &message);
    let server = server.restart();
    assert_eq!(server.header_key("k").post("/api/messages", &message), first);
    assert_eq!(server.inbox("bob").len(), 1);
    let (status, body) = server.header_key("k").post("/api/messages", &note("ann", "bob", "y", "low"));
    assert_eq!((status, &body["error"]), (422, &json!("key_reused")), "{body}");
}

#[test]
fn sec_2_a_token_uses_only_its_own_mailbox() {
    let server = Setup::new().config("auth = \"required\"").start();
    let token = |name: &str, role: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wilco"));
        command.args(["token", "create", name, "--role", role, "--data"]).arg(server.data.path());
        let secret = String::from_utf8(command.output().unwrap().stdout).unwrap();
        server.caller().token(secret.trim())
    };
    let (ann, bob, operator) = (token("ann", "agent"), token("bob", "agent"), token("op", "operator"));
    assert_eq!(server.get("/api/messages").0, 401);
    assert_eq!(server.get("/api/messages").1["error"], "unauthorized");
    assert_eq!((server.get("/api/health").0, server.get("/api/v1/health").0), (200, 200));
    operator.register(&["ann", "bob"]);
    let (status, body) =
        ann.post("/api/messages", &json!({"to": "bob", "content": {"type": "update", "message": "x"}}));
    assert_eq!((status, &body["message"]["fromVerified"]), (201, &json!(true)), "{body}");
    let id = body["message"]["id"].as_str().unwrap();
    assert_eq!(subjects(&bob.get("/api/messages").1).len(), 1, "its own, without naming itself");
    assert_eq!(subjects(&ann.get("/api/messages?agent=bob").1).len(), 0, "somebody else's does not exist");
    assert_eq!(ann.get(&format!("/api/messages?agent=bob&id={id}")).0, 404);
    assert_eq!(ann.patch(&format!("/api/messages?agent=bob&id={id}&action=read"), None).0, 404);
    assert_eq!(ann.delete(&format!("/api/messages?agent=bob&id={id}")).0, 404);
    assert_eq!(ann.get("/api/agents/bob/messages").0, 404, "nor does the mailbox itself");
    assert_eq!(ann.get("/api/agents/ann/messages").0, 200);
    assert_eq!(ann.get("/api/messages?agent=*").0, 403);
    assert_eq!(ann.get("/api/messages?agent=bob&action=unread-count").1["count"], 0);
    assert_eq!(subjects(&operator.get("/api/messages?agent=*").1).len(), 1);
    assert_eq!(ann.post("/api/messages", &text("bob", "ann", "x")).0, 403);
}

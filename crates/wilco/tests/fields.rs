//! Bad input: every wrong field is named at once, and names that cannot be are refused.

use crate::server::{Server, ack, pointers, said, task, task_with, text};
use serde_json::{Value, json};

#[test]
fn msg_3_every_field_that_a_type_has_is_looked_at() {
    let server = Server::start();
    let id = server.begin_working("T-1");
    let of_worker = |kind: &str, fields: Value| said("worker", "boss", kind, fields);
    let of_boss = |kind: &str, fields: Value| said("boss", "worker", kind, fields);
    for (mut wrong, pointer) in [
        (of_worker("checkpoint-ack", json!({"checkpoint": 1, "next_checkpoint": [2]})), "next_checkpoint"),
        (
            of_worker(
                "task-acknowledgment-error",
                json!({"error_code": "NETWORK_ERROR", "error_message": 5}),
            ),
            "error_message",
        ),
        (of_boss("task-pause", json!({"reason": 5})), "reason"),
        (of_boss("verdict", json!({"verdict": "correct", "note": 5})), "note"),
        (of_boss("decision", json!({"option": "retry", "note": 5})), "note"),
        (of_boss("task-amend", json!({"message": "x", "policy": {"ack_timeout": "3m"}})), "policy"),
    ] {
        wrong["exchange"] = json!(id);
        assert_eq!(pointers(&server.refused(&wrong, 422)), [format!("/content/{pointer}")]);
    }
    server.send(&of_worker("checkpoint-ack", json!({"checkpoint": 1, "next_checkpoint": 2})));
    assert_eq!(server.state(&id), "working");
}

#[test]
fn msg_3_policy_envelope_and_list_errors_come_together() {
    let server = Server::start();
    server.register(&["boss", "worker", "second"]);
    let mut wrong = task("T 1");
    wrong["priority"] = json!("soon");
    wrong["to"] = json!(["worker", "second"]);
    let content = wrong["content"].as_object_mut().unwrap();
    content.remove("title");
    content.insert("acceptance_criteria".to_owned(), json!(["one", 2, null, "four"]));
    content.insert("candidates".to_owned(), json!([true]));
    content.insert(
        "policy".to_owned(),
        json!({"ack_timeout": "soon", "ack_timeut": 1, "retry_timeouts": ["1m", 0]}),
    );
    let problem = server.refused(&wrong, 422);
    let mut found = pointers(&problem);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "/content/acceptance_criteria/1",
            "/content/acceptance_criteria/2",
            "/content/candidates/0",
            "/content/policy/ack_timeout",
            "/content/policy/ack_timeut",
            "/content/policy/retry_timeouts/1",
            "/content/task_id",
            "/content/title",
            "/priority",
            "/to",
        ]
    );
    let nested = said("boss", "worker", "task-assignment", json!({"content": {"title": 7}}));
    assert_eq!(pointers(&server.refused(&nested, 422)), ["/content/content/title"]);
    let listed =
        json!({"from": "boss", "to": ["worker", 7, ""], "content": {"type": "text", "message": "hi"}});
    assert_eq!(pointers(&server.refused(&listed, 422)), ["/to/1", "/to/2"]);
    let policy = said(
        "boss",
        "worker",
        "task-assignment",
        json!({"title": "x", "policy": {"preset": "hasty", "understanding": "command"}}),
    );
    assert_eq!(
        pointers(&server.refused(&policy, 422)),
        ["/content/policy/preset", "/content/policy/understanding"]
    );
}

#[test]
fn msg_3_msg_1_every_missing_field_is_named_at_once() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let wrong = json!({"from": "boss", "content": {"type": "text"}, "priority": "x", "subject": 5});
    let problem = server.refused(&wrong, 422);
    let mut found = pointers(&problem);
    found.sort_unstable();
    assert_eq!(found, ["/content/message", "/priority", "/subject", "/to"]);
    let problem = server.refused(&json!({}), 422);
    let mut found = pointers(&problem);
    found.sort_unstable();
    assert_eq!(found, ["/content", "/to"]);
    let alone = json!({"from": "boss", "content": {"type": "text", "message": "hi"}});
    assert_eq!(pointers(&server.refused(&alone, 422)), ["/to"]);
    // An answer is addressed by its exchange, a decision by its escalation, a replacement by its agents.
    let answer = json!({"from": "boss", "exchange": 7, "content": {"type": "decision"}});
    assert_eq!(pointers(&server.refused(&answer, 422)), ["/exchange", "/content/option"]);
    let decision = json!({"from": "boss", "content": {"type": "decision", "escalation": "del-1-e1"}});
    assert_eq!(pointers(&server.refused(&decision, 422)), ["/content/option"]);
    let request = json!({"from": "boss", "content": {"type": "replacement-request", "reason": "gone"}});
    assert_eq!(
        pointers(&server.refused(&request, 422)),
        ["/content/failed_agent", "/content/replacement_agent"]
    );
}

#[test]
fn ho_1_a_wrong_value_that_is_no_list_is_pointed_at_itself() {
    let server = Server::start();
    server.register(&["boss", "worker", "second"]);
    let request = |issues: Value, pulls: Value| {
        let content = json!({
            "type": "replacement-request", "failed_agent": "worker", "replacement_agent": "second",
            "reason": "context_loss", "issues": issues, "pulls": pulls,
        });
        json!({"from": "boss", "content": content})
    };
    let alone = request(json!("x"), json!({}));
    assert_eq!(pointers(&server.refused(&alone, 422)), ["/content/issues", "/content/pulls"]);
    let listed = request(json!([42, "x"]), json!([{}]));
    assert_eq!(pointers(&server.refused(&listed, 422)), ["/content/issues/1", "/content/pulls/0"]);
}

/// What only the configuration and the directory know stands in the same list as the rest.
#[test]
fn msg_3_presets_judges_and_candidates_are_named_beside_wrong_fields() {
    let server = Server::start();
    server.register(&["boss", "worker", "helper"]);
    let mut wrong = task_with("T-1", json!({"preset": "hasty", "understanding": "command"}));
    wrong["priority"] = json!("soon");
    wrong["content"]["candidates"] = json!(["helper", "hepler", "nobody"]);
    let expected = [
        "/content/candidates/1",
        "/content/candidates/2",
        "/content/policy/preset",
        "/content/policy/understanding",
        "/priority",
    ];
    let sorted = |problem: &Value| {
        let mut found: Vec<String> = pointers(problem).into_iter().map(str::to_owned).collect();
        found.sort_unstable();
        found
    };
    let problem = server.refused(&wrong, 422);
    assert_eq!(sorted(&problem), expected);
    assert!(problem.to_string().contains("did you mean helper?"), "{problem}");
    wrong["priority"] = json!("high");
    assert_eq!(sorted(&server.refused(&wrong, 422)), expected[..4]);
    wrong["priority"] = json!("soon");
    let (status, line) = server.post_text("/v1/messages", "application/x-ndjson", &wrong.to_string());
    assert_eq!((status, sorted(&line["problem"])), (200, expected.map(str::to_owned).to_vec()));
    let operation = json!({"operation": "restart", "preset": "hasty"});
    let operation = said("boss", "worker", "pre-operation", operation);
    assert_eq!(sorted(&server.refused(&operation, 422)), ["/content/message", "/content/preset"]);
    assert_eq!(server.inbox("worker"), Vec::<Value>::new(), "nothing was stored");
}

#[test]
fn api_3_every_wrong_field_of_an_agent_comes_at_once() {
    let server = Server::start();
    let wrong = json!({
        "role": "wizard", "status": "asleep", "capabilities": ["rust", 1], "labels": {"team": 2}, "name": "other",
    });
    let (status, problem) = server.put("/v1/agents/a%2Fb", &wrong);
    assert_eq!(status, 422);
    let mut found = pointers(&problem);
    found.sort_unstable();
    assert_eq!(found, ["/capabilities/1", "/labels/team", "/name", "/name", "/role", "/status"]);
}

#[test]
fn api_3_names_that_cannot_be_are_refused() {
    let server = Server::start();
    for name in ["%2E%2E", "%2E", "*", "a%2Fb", "a%00b", "a%20b", "a%09b", "w%2A", "%C2%85"] {
        let (status, problem) = server.put(&format!("/v1/agents/{name}"), &json!({}));
        assert_eq!((status, pointers(&problem)), (422, vec!["/name"]), "{name}");
    }
    for name in ["..", "*", "a/b"] {
        let hi = text(name, "boss", "hi");
        assert_eq!(pointers(&server.refused(&hi, 422)), ["/from"], "{name}");
        assert_eq!(pointers(&server.refused(&text("boss", name, "hi"), 422)), ["/to"], "{name}");
    }
}

#[test]
fn msg_45_letter_case_does_not_make_another_agent() {
    let server = Server::start();
    server.register(&["w2"]);
    let (status, agent) = server.put("/v1/agents/W2", &json!({"program": "codex"}));
    assert_eq!((status, &agent["name"]), (200, &json!("w2")), "{agent}");
    let agents = server.get("/v1/agents").1["items"].as_array().unwrap().clone();
    assert_eq!(agents.len(), 1, "{agents:?}");
    assert_eq!(server.post("/v1/agents/W2/heartbeat", &json!({})).0, 204);
    assert_eq!(server.delete("/v1/agents/W2").0, 204);
    assert_eq!(server.get("/v1/agents").1["items"], json!([]));
}

#[test]
fn msg_1_one_unknown_name_among_several_and_nothing_is_sent() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let several =
        json!({"from": "boss", "to": ["worker", "stranger"], "content": {"type": "text", "message": "hi"}});
    let problem = server.refused(&several, 404);
    assert!(problem["detail"].as_str().unwrap().contains("stranger"), "{problem}");
    assert_eq!(server.inbox("worker"), Vec::<Value>::new());
    assert_eq!(server.get("/v1/agents/stranger").0, 404);
}

#[test]
fn del_10_a_status_with_a_slip_is_422_and_hears_the_nearest_word() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("T-1"));
    for (slip, near) in [("recieved", "received"), ("needs clarificaton", "needs-clarification")] {
        let mut typed = ack("T-1");
        typed["content"]["status"] = json!(slip);
        let problem = server.refused(&typed, 422);
        assert_eq!(pointers(&problem), ["/content/status"]);
        let detail = problem["errors"][0]["detail"].as_str().unwrap();
        assert!(detail.contains(&format!("did you mean {near:?}")), "{detail}");
    }
    let mut spelt = ack("T-1");
    spelt["content"]["status"] = json!("CLARIFICATION_NEEDED");
    spelt["content"]["questions"] = json!(["Per user or per address?"]);
    assert_eq!(server.send(&spelt)["exchange"]["state"], "clarifying", "{id}");
}

/// Ids that an ACK in words could not name are refused where they are made.
#[test]
fn del_1_a_task_id_can_be_written_in_an_ack() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    for id in ["my task", "**x**", "`x`", "a - b", "{x}", "[x]", "x r2"] {
        assert_eq!(pointers(&server.refused(&task(id), 422)), ["/content/task_id"], "{id}");
    }
    for id in ["GH-42", "gh_42.1", "#42", "auth/login", "ü-1", "42", "task-7"] {
        let exchange = server.begin(&task(id));
        let spelt = format!("[ACK] {id} - RECEIVED\nUnderstanding: rate limiting of the login endpoint");
        server.send(&text("worker", "boss", &spelt));
        assert_eq!(server.state(&exchange), "working", "{id}");
    }
}

#[test]
fn api_2_a_batch_answers_every_line_blank_ones_too() {
    let server = Server::start();
    server.register(&["worker"]);
    let good = text("boss", "worker", "hi").to_string();
    let (status, answers) =
        server.post_text("/v1/messages", "application/x-ndjson", &format!("{good}\n\n{good}\n"));
    let statuses: Vec<_> = answers.as_array().unwrap().iter().map(|line| line["status"].clone()).collect();
    assert_eq!((status, statuses), (200, vec![json!(201), json!(400), json!(201)]));
}

//! The registry of agents: registering, addressing, presence.

use crate::server::{Server, Setup, pointers, task, text};
use serde_json::{Value, json};

fn status(server: &Server, agent: &str) -> String {
    server.get(&format!("/v1/agents/{agent}")).1["status"].as_str().unwrap().to_owned()
}

#[test]
fn api_3_put_registers_and_answers_the_bare_agent() {
    let server = Server::start();
    let profile = json!({
        "alias": "bobby", "host": "box1", "program": "codex", "capabilities": ["rust", "sql"],
        "nudge": {"kind": "tmux"}, "github": "bob-gh", "labels": {"team": "core"},
    });
    let (created, agent) = server.put("/v1/agents/bob", &profile);
    assert_eq!((created, &agent["name"], &agent["session"]), (201, &json!("bob"), &json!("bob")));
    for (key, value) in profile.as_object().unwrap() {
        assert_eq!(agent[key], *value, "{key}");
    }
    assert!(agent["id"].is_string() && agent["status"].is_string());
    assert!(agent.get("last_seen").is_some());
    assert_eq!(server.put("/v1/agents/bob", &json!({"role": "orchestrator"})).0, 200);
    assert_eq!(server.get("/v1/agents/bob").1["role"], "orchestrator");
    assert_eq!(server.delete("/v1/agents/bob").0, 204);
    assert_eq!(server.get("/v1/agents/bob").0, 404);
    assert_eq!(server.delete("/v1/agents/bob").0, 404);
}

#[test]
fn api_3_every_wrong_field_of_an_agent_is_named() {
    let server = Server::start();
    let wrong = json!({"alias": 7, "capabilities": "rust", "labels": {"a": 1}, "aliass": "x"});
    let (status, problem) = server.put("/v1/agents/bob", &wrong);
    assert_eq!(status, 422);
    let named = pointers(&problem);
    assert_eq!(named, ["/alias", "/capabilities", "/labels/a", "/aliass"], "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("did you mean \"alias\""), "{problem}");
    for (body, pointer) in [
        (json!({"name": "other"}), "/name"),
        (json!({"role": "king"}), "/role"),
        (json!({"status": "sleepy"}), "/status"),
        (json!([]), ""),
    ] {
        let (status, problem) = server.put("/v1/agents/bob", &body);
        assert_eq!((status, pointers(&problem)), (422, vec![pointer]));
    }
    assert_eq!(server.put("/v1/agents/with%20space", &json!({})).0, 422);
    assert_eq!(server.get("/v1/agents/bob").0, 404, "nothing was registered");
}

#[test]
fn msg_23_an_agent_that_is_registered_as_active_is_active() {
    let server = Server::start();
    let (_, agent) = server.put("/v1/agents/bob", &json!({"status": "active", "capabilities": ["rust"]}));
    assert_eq!(agent["status"], "active");
    assert!(agent["last_seen"].is_string(), "{agent}");
    assert_eq!(status(&server, "bob"), "active");
    server.put("/v1/agents/bob", &json!({"status": "unresponsive"}));
    assert_eq!(status(&server, "bob"), "unresponsive");
    server.put("/v1/agents/bob", &json!({"status": "active"}));
    assert_eq!(status(&server, "bob"), "active");
    server.advance("3m");
    assert_eq!(status(&server, "bob"), "idle");
}

#[test]
fn api_3_a_person_is_an_agent_too() {
    let server = Server::start();
    assert_eq!(server.put("/v1/agents/pia", &json!({"role": "person"})).1["role"], "person");
    assert_eq!(
        server.put("/v1/agents/pia", &json!({"role": "user"})).1["role"],
        "person",
        "as it was called before"
    );
}

#[test]
fn api_2b_agents_come_in_pages_newest_first() {
    let server = Server::start();
    server.register(&["a1", "a2", "a3", "a4", "a5"]);
    let names = |page: &Value| -> Vec<String> {
        page["items"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let (_, first) = server.get("/v1/agents?limit=2");
    assert_eq!(names(&first), ["a5", "a4"]);
    let (_, second) = server.get(&format!("/v1/agents?limit=3&after={}", first["next"].as_str().unwrap()));
    assert_eq!(
        (names(&second), &second["next"]),
        (vec!["a3".into(), "a2".into(), "a1".into()], &Value::Null)
    );
    for bad in ["limit=0", "limit=1001", "limit=x", "limt=3", "after=zz"] {
        assert_eq!(server.get(&format!("/v1/agents?{bad}")).0, 400, "{bad}");
    }
}

#[test]
fn msg_23_presence_fades_from_active_to_idle_to_offline() {
    let server = Server::start();
    server.send(&text("ann", "bob", "hi"));
    assert_eq!((status(&server, "ann"), status(&server, "bob")), ("active".into(), "offline".into()));
    server.advance("2m");
    assert_eq!(status(&server, "ann"), "idle");
    server.advance("28m");
    assert_eq!(status(&server, "ann"), "offline");
    assert_eq!(server.post("/v1/agents/ann/heartbeat", &json!({})).0, 204);
    assert_eq!(status(&server, "ann"), "active");
    assert_eq!(server.post("/v1/agents/nobody/heartbeat", &json!({})).0, 404);
}

#[test]
fn msg_23_the_header_is_a_sign_of_life_and_a_plain_read_of_an_inbox_is_not() {
    let server = Server::start();
    server.register(&["ann"]);
    server.get("/v1/agents/ann/inbox");
    assert_eq!(server.get("/v1/agents/ann").1["last_seen"], Value::Null);
    let ann = server.as_agent("ann");
    ann.get("/v1/agents/ann/inbox");
    assert_eq!(status(&server, "ann"), "active");
    let seen = server.get("/v1/agents/ann").1["last_seen"].clone();
    let now = server.advance("5m");
    assert_ne!(seen, json!(now));
    ann.get("/v1/exchanges");
    assert_eq!(server.get("/v1/agents/ann").1["last_seen"], json!(now));
    server.advance("5m");
    server.get("/v1/agents/ann/inbox?wait=0s");
    assert_eq!(
        status(&server, "ann"),
        "idle",
        "SEC-14: read by nobody in particular, it says nothing of ann"
    );
    ann.get("/v1/agents/ann/inbox?wait=0s");
    assert_eq!(status(&server, "ann"), "active", "its own waiting is a sign of life");
}

#[test]
fn del_33_a_heartbeat_brings_an_unresponsive_agent_back_and_an_inbox_read_does_not() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("T-1"));
    server.advance("7m");
    assert_eq!(status(&server, "worker"), "unresponsive");
    server.as_agent("worker").get("/v1/agents/worker/inbox?wait=0s");
    assert_eq!(status(&server, "worker"), "unresponsive");
    server.post("/v1/agents/worker/heartbeat", &json!({}));
    assert_eq!(status(&server, "worker"), "active");
    assert_eq!(server.newest("worker")["content"]["type"], "status-check");
    assert_eq!(server.newest("worker")["exchange"], *id);
}

#[test]
fn msg_40_a_conversation_registers_its_recipient_and_a_task_does_not() {
    let server = Server::start();
    server.send(&text("ann", "newcomer", "hi"));
    assert_eq!(server.get("/v1/agents/newcomer").0, 200);
    let mut stranger = task("T-1");
    stranger["to"] = json!("newcomr");
    let problem = server.refused(&stranger, 404);
    assert!(problem["detail"].as_str().unwrap().contains("newcomer"), "{problem}");
    assert_eq!(server.get("/v1/agents/reader/inbox").0, 404, "a plain read does not register");
    assert_eq!(server.get("/v1/agents/reader/inbox?wait=0s").0, 404, "SEC-14: nor does waiting as nobody");
    assert_eq!(server.as_agent("reader").get("/v1/agents/reader/inbox?wait=0s").0, 200);
    assert_eq!(server.get("/v1/agents/reader").0, 200);
    let open = Setup::new().config("[agents]\nauto_register = \"all\"").start();
    open.send(&task("T-1"));
    let closed = Setup::new().config("[agents]\nauto_register = \"none\"").start();
    closed.refused(&text("ann", "bob", "hi"), 404);
    assert_eq!(closed.as_agent("reader").get("/v1/agents/reader/inbox?wait=0s").0, 404);
}

#[test]
fn msg_40_who_names_nobody_sends_as_the_default_sender() {
    let server = Server::start();
    let nameless = json!({"to": "bob", "content": {"type": "text", "message": "hi"}});
    assert_eq!(server.send(&nameless)["message"]["from"], "operator");
    assert_eq!(server.as_agent("ann").send(&nameless)["message"]["from"], "ann");
}

#[test]
fn msg_45_addresses_are_ids_names_aliases_sessions_and_last_segments() {
    let server = Server::start();
    server.put("/v1/agents/code-impl-auth", &json!({"alias": "gate", "session": "pane-3", "host": "box1"}));
    server.put("/v1/agents/docs-auth2", &json!({}));
    let id = server.get("/v1/agents/code-impl-auth").1["id"].as_str().unwrap().to_owned();
    for to in
        ["code-impl-auth", "CODE-IMPL-AUTH", "gate", "pane-3", "auth", "@auth", "code-impl-auth@box1", &id]
    {
        assert_eq!(server.send(&text("ann", to, "hi"))["message"]["to"], "code-impl-auth", "{to}");
    }
    server.refused(&text("ann", "auth@elsewhere", "hi"), 404);
    server.register(&["test-auth"]);
    let problem = server.refused(&text("ann", "auth", "hi"), 409);
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("code-impl-auth") && detail.contains("test-auth"), "{detail}");
}

#[test]
fn sec_12_nobody_gets_an_alias_or_session_of_somebody_else() {
    let server = Server::start();
    server.put("/v1/agents/anna", &json!({"alias": "gate", "session": "pane-3"}));
    for taken in ["GATE", "Pane-3", "Anna"] {
        for field in ["alias", "session"] {
            let (status, problem) = server.put("/v1/agents/eve", &json!({field: taken}));
            assert_eq!(status, 409, "{problem}");
            assert!(problem["detail"].as_str().unwrap().contains("anna goes by it"), "{problem}");
        }
    }
    assert_eq!(
        server.put("/v1/agents/eve", &json!({"alias": "Eve", "session": "eve"})).0,
        201,
        "its own name"
    );
    assert_eq!(server.put("/v1/agents/eve", &json!({"alias": "no name"})).0, 422);
    server.register(&["gate"]);
    assert_eq!(server.send(&text("bob", "gate", "hi"))["message"]["to"], "gate", "a name always wins");
}

#[test]
fn msg_1_nobody_goes_by_a_reserved_name() {
    let server = Server::start();
    for name in ["wilco", "Wilco", "validation-orchestrator", "Operator", "human", "root", "ecos-controller"]
    {
        for field in ["alias", "session"] {
            let (status, problem) = server.put("/v1/agents/eve", &json!({field: name}));
            assert_eq!(status, 409, "{problem}");
        }
    }
    assert_eq!(server.get("/v1/agents/eve").0, 404, "nothing was registered");
}

#[test]
fn sec_12_a_name_that_the_configuration_gives_a_role_is_nobodys_alias() {
    let config = "[authority]\nhandoff = [\"chief\", \"orchestrator\"]\n[escalation]\ncontroller = \"super\"\n\
        [handoff]\ncontroller = \"head\"\n[agents]\ndefault_sender = \"someone\"\n\
        [operation.commands.restart]\nprogram = \"/bin/true\"\nmay = [\"ci\"]\n";
    let server = Setup::new().config(config).start();
    for name in ["chief", "Chief", "super", "head", "someone", "ci"] {
        for field in ["alias", "session"] {
            let (status, problem) = server.put("/v1/agents/eve", &json!({field: name}));
            assert_eq!(status, 409, "{problem}");
            let refused = server.post("/api/agents", &json!({"name": "eve", field: name}));
            assert_eq!(refused.0, 409, "{refused:?}");
        }
    }
    assert_eq!(server.put("/v1/agents/chief", &json!({"alias": "chief"})).0, 201, "its own name");
}

/// Reads as a task.
const TASK: &str = "## Task: GH-42 Limit logins\n\n### Acceptance Criteria\n- [ ] Five tries a minute";

#[test]
fn del_3_a_task_in_words_for_a_name_never_seen_stays_a_conversation() {
    let server = Server::start();
    server.register(&["boss"]);
    let sent = server.send(&text("boss", "newcomer", TASK));
    assert_eq!(sent["exchange"], Value::Null, "nothing begins with an agent that was never seen (MSG-40)");
    let notice = server.newest("boss")["content"].clone();
    assert_eq!((&notice["reason"], &notice["about"]), (&json!("not-enrolled"), &sent["message"]["id"]));
    assert_eq!(server.inbox("newcomer").len(), 1, "it is kept, and registers the name");
    assert_eq!(server.send(&text("boss", "newcomer", TASK))["exchange"]["task_id"], "GH-42");
    let open = Setup::new().config("[agents]\nauto_register = \"all\"").start();
    assert_eq!(open.send(&text("boss", "newcomer", TASK))["exchange"]["task_id"], "GH-42");
}

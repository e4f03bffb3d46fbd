//! The API of AI Maestro: agents, hosts, sessions.

mod server;

use serde_json::json;
use server::Server;

#[test]
fn msg_44_agents_are_created_changed_and_removed() {
    let server = Server::start();
    let body = json!({
        "name": "code-impl-auth", "alias": "auth", "sessionName": "s-7", "program": "claude-code", "role": "member",
        "hostId": "mac-mini", "workingDirectory": "/srv/app", "tags": ["rust"], "createSession": true,
    });
    let (status, created) = server.post("/api/agents", &body);
    assert_eq!(status, 201, "{created}");
    let agent = &created["agent"];
    for (key, value) in [
        ("name", json!("code-impl-auth")),
        ("alias", json!("auth")),
        ("sessionName", json!("s-7")),
        ("hostId", json!("mac-mini")),
        ("role", json!("worker")),
        ("workingDirectory", json!("/srv/app")),
        ("capabilities", json!(["rust"])),
        ("isSelf", json!(false)),
    ] {
        assert_eq!(agent[key], value, "{key}");
    }
    assert_eq!(agent["session"]["tmuxSessionName"], "s-7");
    assert_eq!(server.post("/api/agents", &body), (201, created.clone()), "the same again changes nothing");
    let mut other = body.clone();
    other["program"] = json!("codex");
    assert_eq!(server.post("/api/agents", &other).0, 409);

    let by_id = format!("/api/agents/{}", agent["id"].as_str().unwrap());
    for path in [by_id.as_str(), "/api/agents/auth", "/api/agents/s-7", "/api/agents/code-impl-auth"] {
        assert_eq!(server.get(path).1["agent"]["id"], agent["id"], "{path}");
    }
    let (status, changed) =
        server.patch(&by_id, Some(&json!({"program": "codex", "alias": null, "role": "manager"})));
    let changed = &changed["agent"];
    assert_eq!(
        (status, &changed["program"], &changed["role"]),
        (200, &json!("codex"), &json!("orchestrator"))
    );
    assert_eq!((&changed["alias"], &changed["workingDirectory"]), (&json!(null), &json!("/srv/app")));
    for (wrong, field) in [
        (json!({"role": "king"}), "role"),
        (json!({"program": 7}), "program"),
        (json!({"name": "x"}), "name"),
    ] {
        let (status, body) = server.patch(&by_id, Some(&wrong));
        assert_eq!((status, &body["field"]), (400, &json!(field)), "{body}");
    }
    assert_eq!(server.post("/api/agents", &json!({})).1["field"], "alias");
    assert_eq!(server.post("/api/agents", &json!({"name": "Wilco"})).0, 400);
    assert_eq!(server.delete(&by_id), (200, json!({"success": true})));
    assert_eq!(server.get(&by_id).0, 404);
    assert_eq!(server.delete(&by_id).1["error"], "not_found");
}

#[test]
fn msg_44_agents_are_listed_and_filtered() {
    let server = Server::start();
    server.put("/v1/agents/implementer-2", &json!({"session": "helper-agent-2"}));
    server.register(&["ann", "bob"]);
    server.post("/api/agents/ann/heartbeat", &json!({}));
    let (status, list) = server.get("/api/agents");
    assert_eq!((status, &list["stats"]), (200, &json!({"total": 3, "online": 1, "offline": 2})));
    assert_eq!(list["hostInfo"]["isSelf"], true);
    let names = |query: &str| -> Vec<String> {
        let list = server.get(&format!("/api/agents?{query}")).1;
        list["agents"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names("session=helper-agent-2"), ["implementer-2"]);
    assert_eq!(names("session=nothing"), Vec::<String>::new());
    assert_eq!(names("q=N"), ["ann", "implementer-2"]);
    assert_eq!(server.get("/api/agents/by-name/BOB").1["exists"], true);
    assert_eq!(server.get("/api/agents/by-name/nobody"), (200, json!({"exists": false})));
}

#[test]
fn msg_44_a_session_registers_itself_and_lives() {
    let server = Server::start();
    let body = json!({"sessionName": "build-7", "workingDirectory": "/srv/build"});
    let (status, first) = server.post("/api/agents/register", &body);
    assert_eq!((status, &first["success"]), (201, &json!(true)), "{first}");
    assert_eq!((&first["agent"]["name"], &first["agent"]["status"]), (&json!("build-7"), &json!("active")));
    server.advance("31m");
    let moved = json!({"sessionName": "build-7", "workingDirectory": "/srv/other"});
    let (status, again) = server.post("/api/agents/register", &moved);
    assert_eq!((status, &again["agentId"]), (200, &first["agentId"]));
    assert_eq!(again["agent"]["workingDirectory"], "/srv/other");
    assert_eq!(again["agent"]["status"], "active");
    assert_eq!(server.post("/api/agents/register", &json!({})).1["field"], "sessionName");
    server.advance("31m");
    assert_eq!(server.post("/api/agents/build-7/heartbeat", &json!({})).1["agent"]["status"], "active");
    assert_eq!(server.post("/api/agents/nobody/heartbeat", &json!({})).0, 404);
}

#[test]
fn msg_43_health_host_sessions_and_organization() {
    let server = Server::start();
    server.put("/v1/agents/ann", &json!({"session": "s1"}));
    for path in ["/api/health", "/api/v1/health"] {
        assert_eq!((server.get(path).0, &server.get(path).1["status"]), (200, &json!("healthy")), "{path}");
    }
    let host = server.get("/api/hosts/identity").1["host"].clone();
    assert_eq!((&host["url"], &host["isSelf"]), (&json!(server.url), &json!(true)));
    assert!(host["id"].is_string() && host["name"].is_string() && host["version"].is_string());
    let sessions = server.get("/api/sessions").1;
    assert_eq!(
        (&sessions["sessions"][0]["name"], &sessions["sessions"][0]["agentName"]),
        (&json!("s1"), &json!("ann"))
    );
    assert_eq!(server.get("/api/organization").1["isSet"], false);
}

//! The API of AI Maestro: agents, hosts, sessions.

use crate::server::{Server, Setup, task, until};
use serde_json::json;

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
    assert_eq!(server.post("/api/agents", &json!({})).1["field"], "name");
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

/// A program that writes what it is told into a file, or fails when there is a file `broken`.
fn program(directory: &std::path::Path) -> String {
    let (program, place) = (directory.join("agent-command"), directory.display());
    let script = format!(
        "#!/bin/sh\n[ -e '{place}/broken' ] && exit 3\necho \"$*\" >> '{place}/done'\ncat >> '{place}/done'\n"
    );
    std::fs::write(&program, script).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&program, mode).unwrap();
    program.display().to_string()
}

#[test]
fn msg_44_agents_are_put_to_sleep_and_woken_by_programs() {
    let directory = tempfile::tempdir().unwrap();
    let program = program(directory.path());
    let config = format!(
        "[agents.commands]\nhibernate = [\"{program}\", \"sleep\", \"{{session}}\"]\nwake = [\"{program}\", \"wake\", \"{{agent}}\"]"
    );
    let server = Setup::new().config(&config).start();
    server.put("/v1/agents/worker", &json!({"session": "pane-1"}));
    server.register(&["boss"]);
    server.begin(&task("GH-1"));
    let (status, body) = server.post("/api/agents/pane-1/hibernate", &json!({}));
    assert_eq!((status, &body["hibernated"], &body["success"]), (200, &json!(true), &json!(true)), "{body}");
    assert_eq!(body["sessionName"], "pane-1");
    assert_eq!(body["agentId"], server.get("/v1/agents/worker").1["id"]);
    assert_eq!(server.get("/v1/agents/worker").1["status"], "hibernated");
    let done = || std::fs::read_to_string(directory.path().join("done")).unwrap();
    assert!(done().starts_with("sleep pane-1\n") && done().contains("\"agent\":\"worker\""), "{}", done());

    std::fs::write(directory.path().join("broken"), "").unwrap();
    let (status, body) = server.post("/api/agents/worker/wake", &json!({}));
    assert_eq!((status, &body["error"]), (502, &json!("command_failed")), "{body}");
    assert_eq!(server.get("/v1/agents/worker").1["status"], "hibernated", "nothing changed");
    std::fs::remove_file(directory.path().join("broken")).unwrap();
    let (status, body) = server.post("/api/agents/worker/wake", &json!({}));
    assert_eq!((status, &body["woken"]), (200, &json!(true)));
    assert!(done().contains("wake worker"));
    assert_eq!(server.get("/v1/agents/worker").1["status"], "active");
    until("it is asked about its task", || server.kinds("worker").contains(&"status-check".to_owned()));
    assert_eq!(server.post("/api/agents/nobody/wake", &json!({})).0, 404);
    assert_eq!(server.get("/api/agents/worker/wake").0, 405);
}

#[test]
fn msg_12_an_agent_is_put_to_sleep_once_under_a_key() {
    let directory = tempfile::tempdir().unwrap();
    let program = program(directory.path());
    let config = format!(
        "[agents.commands]\nhibernate = [\"{program}\", \"sleep\"]\nwake = [\"{program}\", \"wake\"]"
    );
    let server = Setup::new().config(&config).start();
    server.register(&["worker", "other"]);
    let done = || std::fs::read_to_string(directory.path().join("done")).unwrap_or_default();
    let times = |word: &str| done().matches(word).count();
    std::fs::write(directory.path().join("broken"), "").unwrap();
    let sleep = |server: &Server, key: &str, agent: &str| {
        server.header_key(key).post(&format!("/api/agents/{agent}/hibernate"), &json!({}))
    };
    assert_eq!(sleep(&server, "k", "worker").0, 502, "what failed is not remembered");
    std::fs::remove_file(directory.path().join("broken")).unwrap();
    let first = sleep(&server, "k", "worker");
    assert_eq!((first.0, &first.1["hibernated"]), (200, &json!(true)), "{first:?}");
    let server = server.restart();
    assert_eq!(sleep(&server, "k", "worker"), first, "also after a crash");
    assert_eq!(times("sleep"), 1, "{}", done());
    let (status, body) = sleep(&server, "k", "other");
    assert_eq!((status, &body["error"]), (422, &json!("key_reused")), "{body}");
    assert_eq!(sleep(&server, "", "worker").0, 400);
    let twins: Vec<_> = (0..2)
        .map(|_| {
            let caller = server.header_key("twins");
            std::thread::spawn(move || caller.post("/api/agents/worker/wake", &json!({})))
        })
        .collect();
    let answers: Vec<_> = twins.into_iter().map(|twin| twin.join().unwrap()).collect();
    assert_eq!((answers[0].0, &answers[0]), (200, &answers[1]));
    assert_eq!(times("wake"), 1, "{}", done());
}

#[test]
fn msg_44_without_a_program_nobody_is_put_to_sleep() {
    let server = Server::start();
    server.register(&["worker"]);
    for what in ["hibernate", "wake"] {
        let (status, body) = server.post(&format!("/api/agents/worker/{what}"), &json!({}));
        assert_eq!((status, &body["error"]), (501, &json!("not_configured")), "{body}");
        assert!(body["message"].as_str().unwrap().contains(&format!("agents.commands.{what}")));
    }
}

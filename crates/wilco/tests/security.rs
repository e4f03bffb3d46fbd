//! Who may do what: hosts, origins, tokens, files.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

use crate::server::{Server, Setup, ack, task, text};
use serde_json::{Value, json};
use wilco_server::{Role, Tokens};

fn guarded() -> Server {
    Setup::new().config("auth = \"required\"").start()
}

/// The status of a request that is written by hand.
fn status(server: &Server, method: &str, headers: &str, body: &str) -> u16 {
    said(server, method, headers, body).split(' ').nth(1).unwrap().parse().unwrap()
}

/// Its whole answer.
fn said(server: &Server, method: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let length = body.len();
    write!(
        stream,
        "{method} /v1/messages HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    said
}

#[test]
fn sec_1_every_call_needs_a_token_when_tokens_are_required() {
    let server = guarded();
    for path in ["/v1/agents", "/v1/exchanges", "/v1/events", "/v1/audit/verify", "/v1/nothing", "/"] {
        assert_eq!(server.get(path).0, 401, "{path}");
    }
    assert_eq!(server.post("/v1/messages", &text("ann", "bob", "hi")).0, 401);
    assert_eq!(server.post("/v1/test/clock", &json!({"advance": "1s"})).0, 401);
    for path in ["/healthz", "/readyz"] {
        assert_eq!(server.get(path).0, 200, "{path}");
    }
    let wrong = server.caller().token("wilco_wrong");
    assert_eq!(wrong.get("/v1/agents").0, 401);
    let ann = server.with_token("ann", Role::Agent);
    assert_eq!(ann.get("/v1/agents").0, 200, "the file is read again when it changes");
    let tokens = Tokens::new(server.data.path());
    tokens.revoke(&tokens.list().unwrap()[0].id).unwrap();
    assert_eq!(ann.get("/v1/agents").0, 401);
}

#[test]
fn sec_1_without_tokens_callers_on_this_machine_are_believed_but_not_verified() {
    let server = Server::start();
    assert_eq!(server.send(&text("ann", "bob", "hi"))["message"]["fromVerified"], false);
    assert_eq!(server.caller().token("wilco_wrong").get("/v1/agents").0, 401, "a wrong token is still wrong");
}

#[test]
fn sec_2_an_agent_sends_only_as_itself_and_is_verified() {
    let server = guarded();
    let ann = server.with_token("ann", Role::Agent);
    let sent = ann.send(&text("ann", "bob", "hi"));
    assert_eq!(sent["message"]["fromVerified"], true);
    ann.refused(&text("bob", "ann", "hi"), 403);
    let nameless = json!({"to": "bob", "content": {"type": "text", "message": "hi"}});
    assert_eq!(ann.as_agent("bob").send(&nameless)["message"]["from"], "ann", "the token says who it is");
    assert_eq!(ann.put("/v1/agents/bob", &json!({})).0, 403);
    assert_eq!(ann.put("/v1/agents/ann", &json!({"alias": "a"})).0, 200);
    assert_eq!(ann.post("/v1/agents/bob/heartbeat", &json!({})).0, 404);
}

#[test]
fn sec_2_an_agent_sees_only_what_it_takes_part_in() {
    let server = guarded();
    let operator = server.with_token("root", Role::Operator);
    operator.register(&["boss", "worker", "eve"]);
    let [boss, worker, eve] = ["boss", "worker", "eve"].map(|name| server.with_token(name, Role::Agent));
    let sent = boss.send(&task("T-1"));
    let (id, message) = (sent["exchange"]["id"].as_str().unwrap(), sent["message"]["id"].as_str().unwrap());
    for path in [
        format!("/v1/exchanges/{id}"),
        format!("/v1/exchanges/{id}/events"),
        format!("/v1/exchanges/{id}/at/2"),
        format!("/v1/messages/{message}"),
        "/v1/agents/worker/inbox".to_owned(),
        "/v1/agents/worker/inbox?wait=0s".to_owned(),
    ] {
        assert_eq!(worker.get(&path).0, 200, "{path}");
        assert_eq!(eve.get(&path).0, 404, "{path}");
    }
    assert_eq!(eve.post(&format!("/v1/messages/{message}/read"), &json!({})).0, 404);
    operator.advance("7m");
    for path in ["/v1/exchanges", "/v1/escalations", "/v1/reports/incidents"] {
        assert_eq!(eve.get(path).1["items"], json!([]), "{path}");
        assert_eq!(boss.get(path).1["items"].as_array().unwrap().len(), 1, "{path}");
    }
    let (_, seen) = eve.get("/v1/events?limit=1000");
    assert!(seen["items"].as_array().unwrap().iter().all(|event| event["exchange"].is_null()), "{seen}");
    assert!(!seen.to_string().contains("T-1"));
    let mut nosy = ack("T-1");
    (nosy["from"], nosy["exchange"]) = (json!("eve"), json!(id));
    eve.refused(&nosy, 404);
    nosy["exchange"] = Value::Null;
    nosy["in_reply_to"] = json!(message);
    assert_eq!(eve.send(&nosy)["exchange"], Value::Null, "as if there were no such message");
}

#[test]
fn sec_2_read_only_tokens_read_and_operators_decide() {
    let server = guarded();
    let (reader, operator) =
        (server.with_token("eye", Role::ReadOnly), server.with_token("root", Role::Operator));
    operator.register(&["boss", "worker"]);
    let id = operator.begin(&task("T-1"));
    assert_eq!(reader.get(&format!("/v1/exchanges/{id}")).0, 200);
    reader.refused(&text("boss", "worker", "hi"), 403);
    let message = operator.newest("worker")["id"].as_str().unwrap().to_owned();
    for (path, body) in [
        (format!("/v1/messages/{message}/read"), json!({})),
        ("/v1/agents/worker/heartbeat".to_owned(), json!({})),
        ("/v1/test/clock".to_owned(), json!({"advance": "1s"})),
    ] {
        assert_eq!(reader.post(&path, &body).0, 403, "{path}");
    }
    assert_eq!(reader.put("/v1/agents/new", &json!({})).0, 403);
    assert_eq!(reader.delete("/v1/agents/worker").0, 403);
    operator.advance("7m");
    let decision =
        json!({"from": "root", "exchange": id, "content": {"type": "decision", "option": "abort"}});
    assert_eq!(operator.send(&decision)["exchange"]["state"], "failed");
}

#[test]
fn sec_2_wrong_tokens_are_rate_limited_and_right_ones_go_on() {
    let server = guarded();
    let ann = server.with_token("ann", Role::Agent);
    let wrong = server.caller().token("wilco_wrong");
    let statuses: Vec<_> = (0..60).map(|_| wrong.get("/v1/agents").0).collect();
    assert_eq!((statuses[0], statuses[59]), (401, 429));
    assert_eq!(ann.get("/v1/agents").0, 200);
}

#[test]
fn del_33_a_call_with_its_token_brings_an_unresponsive_agent_back() {
    let server = guarded();
    let operator = server.with_token("root", Role::Operator);
    operator.register(&["boss", "worker"]);
    let worker = server.with_token("worker", Role::Agent);
    worker.get("/v1/exchanges");
    let mut message = task("T-1");
    message["from"] = json!("boss");
    operator.begin(&message);
    operator.advance("7m");
    let status = || operator.get("/v1/agents/worker").1["status"].clone();
    assert_eq!(status(), "unresponsive");
    worker.get("/v1/exchanges");
    assert_eq!(status(), "active");
    operator.put("/v1/agents/worker", &json!({"status": "unresponsive"}));
    worker.get("/v1/agents/worker/inbox");
    assert_eq!(status(), "active", "at once, although it called a moment ago");
}

#[test]
fn sec_3_foreign_host_is_421() {
    let server = Setup::new().config("[server]\nhosts = [\"wilco.example:1234\"]").start();
    let (port, body) =
        (server.address().rsplit(':').next().unwrap().to_owned(), text("ann", "bob", "hi").to_string());
    for (host, expected) in [
        (format!("127.0.0.1:{port}"), 201),
        (format!("localhost:{port}"), 201),
        (format!("[::1]:{port}"), 201),
        ("wilco.example:1234".to_owned(), 201),
        ("wilco.example".to_owned(), 421),
        ("127.0.0.1".to_owned(), 421),
        ("127.0.0.1:1".to_owned(), 421),
        (format!("evil.example:{port}"), 421),
        (format!("127.0.0.1.evil.example:{port}"), 421),
        (String::new(), 421),
    ] {
        assert_eq!(status(&server, "POST", &format!("Host: {host}\r\n"), &body), expected, "{host:?}");
    }
}

#[test]
fn sec_3_foreign_origins_may_not_write_and_own_pages_send_json() {
    let server = Setup::new().config("[server]\norigins = [\"https://ops.example\"]").start();
    let (address, body) = (server.address().to_owned(), text("ann", "bob", "hi").to_string());
    let own = format!("http://{address}");
    for (origin, kind, expected) in [
        ("https://evil.example", "application/json", 403),
        ("null", "application/json", 403),
        (own.as_str(), "application/json", 201),
        (own.as_str(), "application/json; charset=utf-8", 201),
        (own.as_str(), "text/plain", 415),
        (own.as_str(), "", 415),
        ("https://ops.example", "application/json", 201),
        ("", "text/plain", 415),
        ("", "application/x-www-form-urlencoded", 201),
        ("", "", 201),
    ] {
        let line = |name: &str, value: &str| {
            if value.is_empty() { String::new() } else { format!("{name}: {value}\r\n") }
        };
        let headers = format!("Host: {address}\r\n{}{}", line("Origin", origin), line("Content-Type", kind));
        assert_eq!(status(&server, "POST", &headers, &body), expected, "{origin:?} {kind:?}");
    }
    let foreign = server.caller().header("Origin", "https://evil.example");
    assert_eq!(foreign.get("/v1/agents").0, 200, "reading is left to the browser, which shows it nothing");
    assert_eq!(foreign.clone().header("Accept", "text/event-stream").get("/v1/events").0, 403);
    assert_eq!(foreign.delete("/v1/agents/bob").0, 403);
}

#[test]
fn sec_3_only_configured_pages_may_call_from_a_browser() {
    let config = "auth = \"required\"\n[server]\norigins = [\"https://ops.example\"]";
    let server = Setup::new().config(config).start();
    let address = server.address().to_owned();
    let ask = |origin: &str, host: &str| {
        let headers = format!(
            "Host: {host}\r\nOrigin: {origin}\r\nAccess-Control-Request-Method: POST\r\n\
             Access-Control-Request-Headers: authorization,content-type\r\n"
        );
        said(&server, "OPTIONS", &headers, "")
    };
    let yes = ask("https://ops.example", &address);
    assert!(yes.starts_with("HTTP/1.1 204"), "{yes}");
    for line in [
        "access-control-allow-origin: https://ops.example\r\n",
        "access-control-allow-headers: authorization,content-type\r\n",
        "vary: origin\r\n",
    ] {
        assert!(yes.contains(line), "{line} is not in {yes}");
    }
    assert!(yes.contains("POST, PUT"), "{yes}");
    assert!(ask("https://ops.example", "evil.example").starts_with("HTTP/1.1 421"));
    let call = |origin: &str| {
        let headers = format!("Host: {address}\r\nOrigin: {origin}\r\nContent-Type: application/json\r\n");
        said(&server, "POST", &headers, "{}")
    };
    let refused = call("https://ops.example");
    assert!(refused.starts_with("HTTP/1.1 401"), "a token is needed all the same: {refused}");
    assert!(refused.contains("access-control-allow-origin: https://ops.example"), "{refused}");
    for other in [ask("https://evil.example", &address), call("https://evil.example"), call("null")] {
        assert!(other.starts_with("HTTP/1.1 403"), "{other}");
        assert!(!other.contains("access-control"), "{other}");
    }
}

#[test]
fn sec_3_a_foreign_page_changes_nothing_by_reading() {
    let server = Server::start();
    server.register(&["ann", "bob"]);
    let ann = server.with_token("ann", Role::Agent);
    let before = server.events().len();
    for origin in ["https://evil.example", "null"] {
        let foreign = server.caller().header("Origin", origin);
        for path in [
            "/v1/agents/bob/inbox?wait=1ms",
            "/v1/agents/new/inbox?wait=1ms",
            "/v1/agents/new/inbox?%77ait=1",
        ] {
            assert_eq!(foreign.get(path).0, 403, "{origin} {path}");
        }
        assert_eq!(foreign.as_agent("bob").get("/v1/agents").0, 200);
        assert_eq!(ann.clone().header("Origin", origin).get("/v1/agents").0, 200);
    }
    assert_eq!(server.get("/v1/agents/new").0, 404, "nobody is registered");
    for name in ["ann", "bob"] {
        assert_eq!(
            server.get(&format!("/v1/agents/{name}")).1["last_seen"],
            Value::Null,
            "{name} was not here"
        );
    }
    assert_eq!(server.events().len(), before);
}

#[test]
fn sec_5_one_server_per_directory_and_files_for_the_owner_only() {
    let server = Server::start();
    server.send(&text("ann", "bob", "hi"));
    server.advance("1s");
    server.with_token("ann", Role::Agent);
    for entry in std::fs::read_dir(server.data.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{:?}", entry.file_name());
    }
    let (code, said) = Setup::new().run_to_end_on(server.data.path());
    assert_ne!(code, Some(0));
    assert!(said.contains("another") || said.contains("in use") || said.contains("lock"), "{said}");
    server.send(&text("ann", "bob", "still here"));
}

/// Takes the newest token away again.
fn revoke(server: &Server, name: &str) {
    let tokens = Tokens::new(server.data.path());
    let token = tokens.list().unwrap().into_iter().rfind(|token| token.name == *name).unwrap();
    tokens.revoke(&token.id).unwrap();
}

#[test]
fn sec_2_streams_of_a_revoked_token_end_before_the_next_delivery() {
    let server = guarded();
    let operator = server.with_token("root", Role::Operator);
    operator.register(&["ann", "bob"]);
    let bob = server.with_token("bob", Role::Agent);
    let mut streams = ["/v1/agents/bob/inbox", "/v1/events"].map(|path| bob.stream(path).unwrap());
    operator.send(&text("ann", "bob", "before"));
    for stream in &mut streams {
        stream.next().unwrap();
    }
    revoke(&server, "bob");
    operator.send(&text("ann", "bob", "secret"));
    for mut stream in streams {
        while let Some((_, told)) = stream.next() {
            assert!(!told.to_string().contains("secret"), "{told}");
        }
    }
}

#[test]
fn sec_2_whoever_waits_with_a_revoked_token_gets_401() {
    let server = guarded();
    let operator = server.with_token("root", Role::Operator);
    operator.register(&["ann", "bob", "eve"]);
    let head = operator.get("/v1/events?limit=1000").1["next"].as_str().unwrap_or("999").to_owned();
    let paths = [
        ("bob", "/v1/agents/bob/inbox?wait=30s".to_owned()),
        ("eve", format!("/v1/events?wait=30s&after={head}")),
    ];
    for (name, path) in paths {
        let caller = server.with_token(name, Role::Agent);
        let waiting = std::thread::spawn(move || caller.get(&path));
        operator.until_seen(name);
        revoke(&server, name);
        operator.send(&text("ann", name, "secret"));
        let (status, problem) = waiting.join().unwrap();
        assert_eq!(status, 401, "{problem}");
    }
}

#[test]
fn msg_1_a_token_is_made_only_for_a_name_that_an_agent_may_have() {
    let data = tempfile::tempdir().unwrap();
    let create = |name: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wilco"));
        command.args(["token", "create", name, "--data"]).arg(data.path()).output().unwrap()
    };
    for (name, why) in [
        ("wilco", "is Wilco's own"),
        ("Validation-Orchestrator", "is Wilco's own"),
        ("", "expected 1 to 128 letters"),
        ("a b/c", "expected 1 to 128 letters"),
    ] {
        let made = create(name);
        assert_eq!(made.status.code(), Some(2), "{name:?}");
        let said = String::from_utf8(made.stderr).unwrap();
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(Tokens::new(data.path()).list().unwrap(), []);
    assert!(create("anna").status.success());
}

#[test]
fn msg_1_a_token_with_a_reserved_name_is_nobodys() {
    let server = guarded();
    server.with_token("root", Role::Operator).register(&["bob"]);
    for name in ["wilco", "WILCO", "validation-orchestrator"] {
        let caller = server.with_token(name, Role::Agent);
        caller.refused(&json!({"to": "bob", "content": {"type": "text", "message": "hi"}}), 403);
        caller.refused(&text(name, "bob", "hi"), 403);
        assert_eq!(caller.get("/v1/agents/bob").0, 403);
    }
}

#[test]
fn msg_1_letter_case_of_a_token_does_not_make_another_agent() {
    let server = guarded();
    let operator = server.with_token("root", Role::Operator);
    operator.register(&["anna", "bob"]);
    let loud = server.with_token("ANNA", Role::Agent);
    assert_eq!(loud.send(&text("ANNA", "bob", "hi"))["message"]["from"], "anna");
    let nameless = json!({"to": "bob", "content": {"type": "text", "message": "hi"}});
    assert_eq!(loud.send(&nameless)["message"]["from"], "anna");
    operator.send(&text("bob", "anna", "for you"));
    assert_eq!(loud.get("/v1/agents/anna/inbox").1["items"].as_array().unwrap().len(), 1);
    assert_eq!(loud.put("/v1/agents/Anna", &json!({"alias": "a"})).0, 200);
    let mut stream = loud.stream("/v1/agents/anna/inbox").unwrap();
    assert_eq!(stream.next().unwrap().1["content"]["message"], "for you");
    // Who writes to itself in another spelling is one agent, too.
    let new = server.with_token("Carl", Role::Agent);
    assert_eq!(new.send(&text("carl", "CARL", "note"))["message"]["to"], "Carl");
    let (_, agents) = operator.get("/v1/agents");
    assert_eq!(agents["items"].as_array().unwrap().len(), 3, "{agents}");
}

#[test]
fn g4_only_the_reader_says_that_it_has_read() {
    let server = guarded();
    let operator = server.with_token("root", Role::Operator);
    operator.register(&["ann", "bob"]);
    let sent = operator.send(&text("ann", "bob", "hi"));
    let path = format!("/v1/messages/{}", sent["message"]["id"].as_str().unwrap());
    for caller in [operator.clone(), operator.as_agent("root"), operator.as_agent("ann")] {
        let (status, problem) = caller.post(&format!("{path}/read"), &json!({}));
        assert_eq!(status, 403, "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains("only bob"), "{problem}");
    }
    assert_eq!(operator.get(&path).1["status"], "unread");
    let bob = server.with_token("bob", Role::Agent);
    assert_eq!(bob.post(&format!("{path}/read"), &json!({})).0, 204);
    assert_eq!(operator.get(&path).1["status"], "read");
}

#[test]
fn sec_3_two_hosts_are_400() {
    let server = Server::start();
    let (own, body) = (server.address(), text("ann", "bob", "hi").to_string());
    for second in [own, "evil.example"] {
        let headers = format!("Host: {own}\r\nHost: {second}\r\n");
        assert_eq!(status(&server, "POST", &headers, &body), 400, "{second}");
    }
    assert_eq!(server.get("/v1/agents/bob").0, 404, "nothing was sent");
}

#[test]
fn msg_4_g11_a_body_that_is_declared_too_large_is_413_before_it_comes() {
    let server = Setup::new().config("[limits]\nbody_timeout = \"60s\"").start();
    for expect in ["", "Expect: 100-continue\r\n"] {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
        let head = format!("POST /v1/messages HTTP/1.1\r\nHost: {}\r\n{expect}", server.address());
        write!(stream, "{head}Content-Type: application/json\r\nContent-Length: 1048577\r\n\r\n").unwrap();
        let mut said = [0; 12];
        stream.read_exact(&mut said).unwrap();
        assert_eq!(String::from_utf8_lossy(&said), "HTTP/1.1 413", "{expect:?}");
    }
}

/// Where others are and how they are woken is nobody's business; what one may set of oneself is little.
#[test]
fn sec_12_an_agent_sees_and_sets_only_what_is_its_own() {
    let server = guarded();
    let operator = server.with_token("root", Role::Operator);
    let bob = json!({"session": "secret-pane", "host": "secret-host", "nudge": {"kind": "tmux", "target": "secret:0"}});
    assert_eq!(operator.put("/v1/agents/bob", &bob).0, 201);
    let [eve, own] = ["eve", "bob"].map(|name| server.with_token(name, Role::Agent));
    let paths = [
        "/v1/agents",
        "/v1/agents/bob",
        "/api/agents",
        "/api/agents/bob",
        "/api/agents/by-name/bob",
        "/api/sessions",
        "/api/messages?action=resolve&agent=bob",
        "/api/messages?action=agents",
        "/api/messages?action=search&q=bob",
        "/api/messages?action=search&q=secret",
        "/api/agents?session=secret-pane",
        "/api/agents?q=secret",
    ];
    for path in paths {
        let (_, seen) = eve.get(path);
        let shown = seen.to_string().replace("\"query\":\"secret\"", "");
        assert!(!shown.contains("secret"), "{path}: {seen}");
    }
    assert_eq!(eve.get("/v1/agents/bob").1.get("session"), None);
    assert_eq!(own.get("/v1/agents/bob").1["session"], "secret-pane");
    assert_eq!(operator.get("/v1/agents/bob").1["nudge"]["target"], "secret:0");
    // On every door it is refused alike, and the refusal says who may.
    for (status, problem) in [
        own.put("/v1/agents/bob", &json!({"role": "controller"})),
        own.patch("/api/agents/bob", Some(&json!({"role": "controller"}))),
        own.put("/v1/agents/bob", &json!({"status": "hibernated"})),
        own.post("/api/agents/bob/hibernate", &json!({})),
    ] {
        assert_eq!(status, 403, "{problem}");
        assert!(problem.to_string().contains("only an operator may"), "{problem}");
    }
    let operation = json!({"type": "pre-operation", "operation": "restart", "message": "Soon."});
    let operation = json!({"from": "eve", "to": "bob", "content": operation});
    for path in ["/v1/messages", "/api/messages"] {
        let (status, problem) = eve.post(path, &operation);
        assert_eq!(status, 403, "{problem}");
        assert!(
            problem.to_string().contains("only orchestrators and operators may begin operations"),
            "{problem}"
        );
    }
    let chief = server.with_token("eve", Role::Orchestrator);
    assert_eq!(chief.post("/v1/messages", &operation).0, 201);
}

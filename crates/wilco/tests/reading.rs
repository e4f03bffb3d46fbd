//! Reading changes nothing: not from a page of another site, not with a token that may only read, not as nobody.

use crate::server::{Server, Setup, task, text};
use serde_json::{Value, json};
use wilco_server::Role;

/// How the server stands: nothing that is read may change any of it.
fn standing(server: &Server) -> (usize, Vec<Value>) {
    let (_, agents) = server.get("/v1/agents");
    (server.events().len(), agents["items"].as_array().unwrap().clone())
}

#[test]
fn sec_14_a_read_registers_nobody_and_is_no_sign_of_life() {
    let server = Server::start();
    server.register(&["ann"]);
    let before = standing(&server);
    for (site, status) in
        [("", 404), ("none", 404), ("same-origin", 404), ("cross-site", 403), ("same-site", 403)]
    {
        let caller = server.caller();
        let caller = if site.is_empty() { caller } else { caller.header("Sec-Fetch-Site", site) };
        assert_eq!(caller.get("/v1/agents/ghost/inbox?wait=0s").0, status, "{site}");
        assert_eq!(caller.get("/v1/agents/ann/inbox").0, 200, "{site}");
    }
    for site in ["cross-site", "same-site", "Cross-Site"] {
        let page = server.as_agent("ann").header("Sec-Fetch-Site", site);
        assert_eq!(page.get("/v1/agents/ann/inbox").0, 200, "reading is left to the browser");
    }
    let other = server.as_agent("bob");
    assert_eq!(other.get("/v1/agents/ann/inbox?wait=0s").0, 200);
    assert_eq!(other.get("/v1/agents/ghost/inbox?wait=0s").0, 404);
    assert_eq!(standing(&server), before);
    assert_eq!(server.as_agent("ghost").get("/v1/agents/ghost/inbox?wait=0s").0, 200, "by itself");
    assert_eq!(server.get("/v1/agents/ghost").1["status"], "active");
}

#[test]
fn sec_14_a_request_listens_by_the_form_that_was_chosen() {
    let server = Server::start();
    server.register(&["ann"]);
    let foreign = server.caller().header("Origin", "https://evil.example");
    for accept in
        ["text/event-stream", "text/*", "TEXT/EVENT-STREAM", "application/json;q=0.1, text/event-stream"]
    {
        for path in ["/v1/events", "/v1/agents/ann/inbox"] {
            assert_eq!(foreign.clone().header("Accept", accept).get(path).0, 403, "{accept} {path}");
        }
    }
    let twice = foreign.clone().header("Accept", "application/xml").header("Accept", "text/event-stream");
    assert_eq!(twice.get("/v1/events").0, 403);
    let page = foreign.clone().header("Accept", "application/json, text/event-stream;q=0.5");
    assert_eq!(page.get("/v1/events").0, 200, "a page was chosen");
    let site = server.caller().header("Sec-Fetch-Site", "cross-site").header("Accept", "text/*");
    assert_eq!(site.get("/v1/events").0, 403, "SEC-3: also without an origin");
}

#[test]
fn sec_3_a_page_of_another_site_writes_nothing_also_without_an_origin() {
    let server = Setup::new().config("[server]\norigins = [\"https://ops.example\"]").start();
    for (site, status) in [("cross-site", 403), ("same-site", 403), ("same-origin", 201), ("none", 201)] {
        let caller = server.caller().header("Sec-Fetch-Site", site);
        assert_eq!(caller.post("/v1/messages", &text("ann", "bob", "hi")).0, status, "{site}");
    }
    let configured =
        server.caller().header("Sec-Fetch-Site", "cross-site").header("Origin", "https://ops.example");
    assert_eq!(configured.post("/v1/messages", &text("ann", "bob", "hi")).0, 201, "a configured page may");
    let own = server.caller().header("Sec-Fetch-Site", "same-site");
    let own = own.header("Origin", &format!("http://{}", server.address()));
    assert_eq!(own.post("/v1/messages", &text("ann", "bob", "hi")).0, 403, "it says two things at once");
}

/// Every write of the document, asked for with a token that may only read.
#[test]
fn sec_14_a_read_only_token_changes_nothing_at_all() {
    let server = Setup::new().config("auth = \"required\"").start();
    let operator = server.with_token("root", Role::Operator);
    operator.register(&["boss", "worker"]);
    let mut begun = task("T-1");
    begun["from"] = json!("boss");
    let id = operator.begin(&begun);
    let message = operator.newest("worker")["id"].as_str().unwrap().to_owned();
    let reader = server.with_token("eye", Role::ReadOnly);
    let standing = || {
        let (_, events) = operator.get("/v1/events?limit=1000");
        (events["items"].as_array().unwrap().len(), operator.get("/v1/agents").1["items"].clone())
    };
    let before = standing();
    let (_, document) = operator.get("/v1/openapi.json");
    let mut asked = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        let path = path.replace("{name}", "worker").replace("{agent}", "worker");
        let about = if path.contains("/messages/") { &message } else { &*id };
        let path = path.replace("{id}", about).replace("{message}", &message);
        for method in operations.as_object().unwrap().keys() {
            let body = json!({});
            let (status, answer) = match method.as_str() {
                "post" => reader.post(&path, &body),
                "put" => reader.put(&path, &body),
                "patch" => reader.patch(&path, Some(&body)),
                "delete" => reader.delete(&path),
                _ => {
                    let waits = if path.ends_with("/inbox") { "?wait=0s" } else { "" };
                    reader.as_agent("worker").get_text(&format!("{path}{waits}"));
                    continue;
                }
            };
            asked += 1;
            assert!((400..500).contains(&status), "{method} {path}: {status} {answer}");
        }
    }
    assert!(asked >= 8, "the document has {asked} writes");
    let said = text("boss", "worker", "hi");
    for (method, path) in [
        ("post", "/api/messages".to_owned()),
        ("post", "/api/messages/forward".to_owned()),
        ("post", "/api/agents/worker/messages".to_owned()),
        ("patch", format!("/api/agents/worker/messages/{message}?action=read")),
        ("delete", format!("/api/agents/worker/messages/{message}")),
        ("post", "/api/agents".to_owned()),
        ("patch", "/api/agents/worker".to_owned()),
        ("delete", "/api/agents/worker".to_owned()),
        ("post", "/api/agents/worker/hibernate".to_owned()),
    ] {
        let (status, answer) = match method {
            "post" => reader.post(&path, &said),
            "patch" => reader.patch(&path, Some(&said)),
            _ => reader.delete(&path),
        };
        assert!((400..500).contains(&status), "{method} {path}: {status} {answer}");
    }
    reader.get("/v1/agents/ghost/inbox?wait=0s");
    assert_eq!(standing(), before);
}

#[test]
fn sec_14_a_key_that_stands_twice_is_400_at_every_door() {
    let server = Server::start();
    server.register(&["ann"]);
    let before = standing(&server);
    let twice = r#"{"from":"ann","to":"bob","content":{"type":"text","message":"hi"},"fr\u006fm":"eve"}"#;
    let inside = r#"{"from":"ann","to":"bob","content":{"type":"text","message":"hi","message":"ho"}}"#;
    for body in [twice, inside] {
        let (status, answer) = server.caller().post_raw("/v1/messages", body);
        assert_eq!(status, 400, "{answer}");
        assert!(answer.contains("stands twice"), "{answer}");
        assert_eq!(server.caller().post_raw("/api/messages", body).0, 400);
    }
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#;
    assert_eq!(
        server.caller().header("Accept", "application/json, text/event-stream").post_raw("/mcp", call).0,
        400
    );
    assert_eq!(server.caller().post_raw("/v1/test/clock", r#"{"advance":"1s","advance":"2s"}"#).0, 400);
    assert_eq!(standing(&server), before);
    let good = text("ann", "bob", "hi").to_string();
    let (status, lines) = server.caller().post_text(
        "/v1/messages",
        "application/x-ndjson",
        &format!("{good}\n{twice}\n{good}\n"),
    );
    assert_eq!(status, 200);
    let statuses: Vec<_> = lines.as_array().unwrap().iter().map(|line| line["status"].clone()).collect();
    assert_eq!(statuses, [json!(201), json!(400), json!(201)]);
}

#[test]
fn sec_13_a_type_is_a_word() {
    let server = Server::start();
    let typed = |word: &str| {
        let body = json!({"from": "ann", "to": "bob", "content": {"type": word, "message": "hi"}});
        server.post("/v1/messages", &body)
    };
    for word in ["text", "My_own.Type-2", &"x".repeat(64)] {
        assert_eq!(typed(word).0, 201, "{word}");
    }
    for word in ["two words", "text\n[end]", "t\u{202e}xt", " text", "größe", "a/b", &"x".repeat(65)] {
        let (status, problem) = typed(word);
        assert_eq!(status, 422, "{word}");
        assert_eq!(problem["errors"][0]["pointer"], "/content/type", "{problem}");
    }
}

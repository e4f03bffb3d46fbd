//! Who comes in over MCP, and what it is offered.

use serde_json::{Value, json};
use wilco_server::{Role, Tokens};

use super::client::{Client, NEWEST, OLDER, Way};
use super::every_way;
use crate::server::{Server, Setup, task, text};

#[test]
fn mcp_1_the_tools_are_listed_in_a_fixed_order_with_strict_schemas_and_examples() {
    every_way(&["bob"], |_, client| {
        let mut bob = client("bob");
        let listed = bob.ask("tools/list", json!({})).unwrap();
        assert_eq!(listed["tools"], bob.ask("tools/list", json!({})).unwrap()["tools"]);
        let tools = listed["tools"].as_array().unwrap();
        assert_eq!((tools.len(), &tools[0]["name"]), (19, &json!("inbox")));
        for tool in tools {
            let schema = &tool["inputSchema"];
            assert_eq!(
                (&schema["type"], &schema["additionalProperties"]),
                (&json!("object"), &json!(false)),
                "{tool}"
            );
            assert!(schema["examples"][0].is_object() && tool["description"].is_string(), "{tool}");
        }
    });
}

/// CLI-41: with the query, the header and the option; without them every tool is listed.
#[test]
fn cli_41_an_agents_tools_are_few_and_small_and_todo_is_among_them() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let mut stateless = Client::http(&server, &[("Wilco-Agent", "worker"), ("Wilco-Tools", "agent")]);
    let mut session = Client::session(&server, &[("Wilco-Tools", "agent")]);
    let mut program = Client::program(&server, &["--as", "worker", "--tools", "agent"], &[]);
    let query = |tools: &str| {
        let caller = server.caller().header("Accept", "application/json, text/event-stream");
        let caller = caller.header("MCP-Protocol-Version", NEWEST).header("Mcp-Method", "tools/list");
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": NEWEST,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
        caller.post_raw(&format!("/mcp?tools={tools}"), &body.to_string())
    };
    let listed = [
        stateless.ask("tools/list", json!({})).unwrap(),
        session.ask("tools/list", json!({})).unwrap(),
        program.ask("tools/list", json!({})).unwrap(),
        serde_json::from_str::<Value>(&query("agent").1).unwrap()["result"].clone(),
    ];
    for list in &listed {
        let (tools, size) = (list["tools"].as_array().unwrap(), list["tools"].to_string().len());
        assert!(tools.len() <= 13 && size < 12_288, "{} tools, {size} bytes", tools.len());
        assert!(tools.iter().any(|tool| tool["name"] == "todo"), "{tools:?}");
        assert_eq!(list["tools"], listed[0]["tools"]);
        assert!(!list.to_string().contains("task-amend") && list.to_string().contains("stop-ack"));
    }
    let (status, all) = query("all");
    assert!(status == 200 && all.contains("delegate_task") && all.contains("task-amend"), "{all}");
    let (status, refused) = query("few");
    assert!(status == 400 && refused.contains("expected agent or all"), "{status} {refused}");
    // What is not listed can still be called.
    server.begin(&task("T-1"));
    stateless.done("list_exchanges", json!({}));
}

/// CLI-40: clients of 2025-06-18 take an event without data for broken JSON.
#[test]
fn cli_40_no_event_is_without_data() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    for revision in ["2025-06-18", OLDER] {
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}});
        let caller = server.caller().header("Wilco-Agent", "worker");
        let greeted: Vec<_> = caller.lines("POST", "/mcp", Some(&hello)).collect();
        assert!(greeted.iter().any(|line| line.contains(revision)), "{greeted:?}");
        assert!(!greeted.iter().any(|line| line.trim_end() == "data:"), "{greeted:?}");
        let mut worker = Client::new(&server, Way::Session, "worker");
        let headers = server.caller().header("Mcp-Session-Id", &worker.id());
        let headers = headers.header("MCP-Protocol-Version", revision);
        let stream = headers.lines("GET", "/mcp", None);
        worker.ask("resources/subscribe", json!({"uri": "wilco://agents/worker/inbox"})).unwrap();
        server.send(&text("boss", "worker", "hi"));
        for line in stream {
            assert_ne!(line.trim_end(), "data:");
            if line.contains("notifications/resources/updated") {
                break;
            }
        }
    }
}

/// CLI-8: what has no tool of its own goes through `send_message`, whose schema knows it.
#[test]
fn cli_8_mcp_1_every_type_that_a_participant_may_send_has_a_tool_or_a_schema() {
    let server = Server::start();
    let listed = Client::new(&server, Way::Stateless, "bob").ask("tools/list", json!({})).unwrap();
    let send =
        listed["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "send_message").unwrap();
    let variants = send["inputSchema"]["properties"]["content"]["anyOf"].as_array().unwrap();
    let types: Vec<_> =
        variants.iter().map(|one| one["properties"]["type"]["const"].as_str().unwrap()).collect();
    // The other types are what the tools themselves send.
    for kind in [
        "task-acknowledgment-error",
        "task-clarification",
        "ack-request",
        "task-amend",
        "task-cancel",
        "stop-ack",
        "task-pause",
        "pause-ack",
        "task-resume",
        "resume-ack",
        "task-extend",
        "operation-result",
        "operation-cancelled",
        "reminder",
        "timeout-notice",
        "extension-granted",
        "replacement_handoff",
        "handoff_clarification",
        "handoff-override",
        "handoff_reminder",
    ] {
        assert!(types.contains(&kind), "{kind} cannot be sent");
    }
}

#[test]
fn mcp_1_older_revisions_and_the_newest_are_served() {
    let server = Server::start();
    let mut newest = Client::http(&server, &[]);
    let found = newest.ask("server/discover", json!({})).unwrap();
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!(NEWEST)) && versions.contains(&json!(OLDER)), "{found}");
    for (name, greeting) in [
        ("session", Client::session(&server, &[]).greeting.clone()),
        ("program", Client::program(&server, &[], &[]).greeting.clone()),
    ] {
        assert_eq!(greeting["protocolVersion"], OLDER, "{name}");
        assert_eq!(greeting["serverInfo"]["name"], "wilco", "{name}");
        for capability in ["tools", "resources", "prompts"] {
            assert!(greeting["capabilities"][capability].is_object(), "{name}: {greeting}");
        }
        assert!(greeting["capabilities"].get("logging").is_none(), "{name}");
    }
}

#[test]
fn sec_2_mcp_1_a_token_says_who_calls_and_what_it_sees() {
    let server = Setup::new().config("auth = \"required\"").start();
    server.with_token("root", Role::Operator).register(&["boss", "worker", "eve"]);
    let tokens = Tokens::new(server.data.path());
    let bearer = |name: &str| {
        let secret = tokens.create(wilco_protocol::Name::new(name), Role::Agent).unwrap().secret;
        format!("Bearer {secret}")
    };
    let id = server.with_token("boss", Role::Agent).begin(&task("T-1"));
    let (nobody, _) =
        Client::http(&server, &[]).post(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    assert_eq!(nobody, 401);
    let (worker_token, eve_token) = (bearer("worker"), bearer("eve"));
    type Come = fn(&Server, &[(&str, &str)]) -> Client;
    for come in [Client::http as Come, Client::session as Come] {
        let mut worker = come(&server, &[("Authorization", &worker_token), ("Wilco-Agent", "boss")]);
        assert_eq!(worker.done("inbox", json!({}))["items"].as_array().unwrap().len(), 1, "its own");
        assert_eq!(worker.done("show_exchange", json!({"exchange": id}))["id"], json!(id));
        let said = worker.refused("send_message", json!({"from": "boss", "to": "eve", "message": "hi"}));
        assert!(said.contains("worker"), "{said}");
        let sent = worker.done("send_message", json!({"to": "boss", "message": "hi"}));
        assert_eq!(
            (&sent["message"]["from"], &sent["message"]["fromVerified"]),
            (&json!("worker"), &json!(true))
        );

        let mut eve = come(&server, &[("Authorization", &eve_token)]);
        for (tool, arguments) in [
            ("inbox", json!({"agent": "worker"})),
            ("show_exchange", json!({"exchange": id})),
            ("acknowledge_task", json!({"task_id": "T-1", "status": "queued"})),
            ("read_message", json!({"id": sent["message"]["id"]})),
        ] {
            let result = eve.call(tool, arguments);
            assert_eq!(result["structuredContent"]["status"], 404, "{tool}: {result}");
        }
        assert_eq!(eve.done("list_exchanges", json!({}))["items"], json!([]));
        for uri in [format!("wilco://exchanges/{id}"), "wilco://agents/worker/inbox".to_owned()] {
            assert!(eve.ask("resources/read", json!({"uri": uri})).is_err(), "{uri}");
        }
    }
    let mut program =
        Client::program(&server, &[], &[("WILCO_TOKEN", worker_token.strip_prefix("Bearer ").unwrap())]);
    let sent = program.done("send_message", json!({"to": "boss", "message": "hi"}));
    assert_eq!(sent["message"]["from"], "worker");
}

#[test]
fn sec_2_a_session_belongs_to_whoever_began_it() {
    let server = Setup::new().config("auth = \"required\"").start();
    let tokens = Tokens::new(server.data.path());
    let [ann, eve] = ["ann", "eve"]
        .map(|name| tokens.create(wilco_protocol::Name::new(name), Role::Agent).unwrap().secret);
    let session = Client::session(&server, &[("Authorization", &format!("Bearer {ann}"))]);
    let with = |secret: &str| {
        let caller = server.caller().token(secret).header("Mcp-Session-Id", &session.id());
        let caller = caller
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", OLDER);
        caller.post("/mcp", &json!({"jsonrpc": "2.0", "id": 9, "method": "ping"})).0
    };
    assert_eq!((with(&ann), with(&eve)), (200, 404));
    let revoked = tokens.list().unwrap().into_iter().find(|token| token.name.as_str() == "ann").unwrap();
    tokens.revoke(&revoked.id).unwrap();
    assert_eq!(with(&ann), 401);
}

#[test]
fn mcp_1_without_tokens_an_argument_a_header_or_an_option_says_who_calls() {
    let server = Server::start();
    server.register(&["bob"]);
    let hello = |from: Value| {
        let mut arguments = json!({"to": "bob", "message": "hi"});
        if from.is_string() {
            arguments["from"] = from;
        }
        arguments
    };
    let sender =
        |mut client: Client, from: Value| client.done("send_message", hello(from))["message"]["from"].clone();
    assert_eq!(sender(Client::http(&server, &[]), json!("ann")), "ann");
    assert_eq!(sender(Client::http(&server, &[("Wilco-Agent", "ann")]), Value::Null), "ann");
    assert_eq!(sender(Client::program(&server, &["--as", "ann"], &[]), Value::Null), "ann");
    assert_eq!(sender(Client::program(&server, &[], &[("WILCO_AGENT", "ann")]), Value::Null), "ann");
    let said = Client::http(&server, &[]).refused("inbox", json!({}));
    assert!(said.contains("who are you") && said.contains("Wilco-Agent"), "{said}");
    assert_eq!(
        Client::http(&server, &[]).done("inbox", json!({"agent": "bob"}))["items"].as_array().unwrap().len(),
        4
    );
}

#[test]
fn sec_3_mcp_is_closed_to_pages_of_others() {
    let server = Server::start();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover"});
    let status = |name: &str, value: &str| server.caller().header(name, value).post("/mcp", &list).0;
    for foreign in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        assert_eq!(status("Origin", foreign), 403, "{foreign}");
        let caller = server.caller().header("Origin", foreign);
        assert_eq!(caller.get("/mcp").0, 403, "{foreign}");
        assert_eq!(caller.delete("/mcp").0, 403, "{foreign}");
    }
    assert_ne!(status("Origin", &server.url), 403);
    assert_eq!(status("Host", "evil.example"), 421);
}

#[test]
fn mcp_1_a_body_that_is_no_json_is_a_parse_error() {
    let server = Server::start();
    for body in ["{bad", "", &"[".repeat(200_000)] {
        let (status, answer) = server.post_raw("/mcp", body);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!((status, &answer["error"]["code"], &answer["id"]), (400, &json!(-32700), &Value::Null));
        assert!(answer["error"]["message"].as_str().unwrap().contains("not JSON"), "{answer}");
    }
}

#[test]
fn g11_a_body_that_is_too_large_is_refused() {
    let server = Server::start();
    let huge = json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "a".repeat(2 << 20)}});
    assert_eq!(server.post("/mcp", &huge).0, 413);
}

/// A thousand greetings close the door to nobody.
#[test]
fn g13_an_owner_has_16_sessions_and_the_oldest_goes() {
    let server = Server::start();
    server.register(&["bob", "eve"]);
    let mut other = Client::session(&server, &[("Wilco-Agent", "eve")]);
    let mut sessions: Vec<_> = (0..17).map(|_| Client::session(&server, &[("Wilco-Agent", "bob")])).collect();
    let list = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"});
    assert_eq!(sessions[0].post(&list).0, 404, "the oldest went");
    for session in &mut sessions[1..] {
        assert_eq!(session.post(&list).0, 200);
    }
    assert_eq!(other.post(&list).0, 200, "of somebody else");
    assert!(Client::http(&server, &[]).ask("tools/list", json!({})).is_ok(), "without a session");
}

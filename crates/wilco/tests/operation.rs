//! Operations end to end, as agents see them over HTTP. What each state does with each message is told by
//! the protocol's transcripts; these scenes show that every layer above keeps to it.

use crate::server::{Server, Setup, pointers, said, text};
use serde_json::{Value, json};

pub(crate) fn operate(to: Value, fields: Value) -> Value {
    let mut message =
        said("boss", "", "pre-operation", json!({"operation": "restart", "message": "I will restart you."}));
    message["to"] = to;
    for (key, value) in fields.as_object().into_iter().flatten() {
        message["content"][key] = value.clone();
    }
    message
}

fn one() -> Value {
    operate(json!("worker"), json!({}))
}

pub(crate) fn with_agents(names: &[&str]) -> Server {
    let server = Setup::new().clock_at("2026-03-01T12:00:00.000Z").start();
    server.register(&["boss"]);
    server.register(names);
    server
}

fn reply(from: &str, words: &str) -> Value {
    text(from, "boss", words)
}

fn track(server: &Server, id: &str, agent: &str) -> Value {
    let tracks = server.exchange(id)["data"]["tracks"].clone();
    tracks.as_array().unwrap().iter().find(|track| track["agent"] == agent).unwrap().clone()
}

/// The messages of a type in an inbox.
fn of_type(server: &Server, agent: &str, kind: &str) -> Vec<Value> {
    server.inbox(agent).into_iter().filter(|message| message["content"]["type"] == kind).collect()
}

#[test]
fn op_1_the_notice_says_what_happens_and_how_to_answer() {
    let server = with_agents(&["worker"]);
    let sent = server.send(&one());
    assert_eq!(
        (&sent["exchange"]["protocol"], &sent["exchange"]["state"]),
        (&json!("operation"), &json!("waiting"))
    );
    let id = sent["exchange"]["id"].as_str().unwrap();
    assert!(id.starts_with("op-"), "{id}");
    let notice = server.newest("worker");
    assert_eq!((&notice["priority"], &notice["exchange"]), (&json!("high"), &json!(id)));
    assert_eq!(notice["subject"], "[Restart] Pending - Acknowledgment Required");
    let content = &notice["content"];
    assert_eq!((&content["operation_id"], &content["taught"]), (&json!(id), &json!(true)));
    let how = &content["acknowledgment_instructions"];
    assert!(how["ready"].is_string() && how["need_time"].is_string() && how["cancel"].is_string(), "{how}");
    let said = content["message"].as_str().unwrap();
    for part in ["I will restart you.", "\"ok\"", "120 seconds", "wilco ready", id] {
        assert!(said.contains(part), "{part:?} in {said}");
    }
    let original = server.get(&format!("/v1/messages/{}", notice["id"].as_str().unwrap())).1;
    assert_eq!(original["content"]["message"], "I will restart you.");
    let data = &server.exchange(id)["data"];
    assert_eq!(
        (&data["operation"], &data["kind"], &data["quorum"]),
        (&json!("restart"), &json!("disruptive"), &json!("all"))
    );
    assert_eq!(data["execution"]["mode"], "manual");
}

#[test]
fn op_1_several_agents_have_a_track_each_and_one_broadcast() {
    let server = with_agents(&["ann", "bob"]);
    ["ann", "bob"].iter().for_each(|agent| server.speaks(agent, "cli"));
    let sent = server.send(&operate(json!(["ann", "bob", "ann"]), json!({})));
    let id = sent["exchange"]["id"].as_str().unwrap();
    assert_eq!(sent["messages"].as_array().unwrap().len(), 2, "one named twice counts once");
    let (ann, bob) = (server.newest("ann"), server.newest("bob"));
    assert_eq!(ann["broadcast_id"], bob["broadcast_id"]);
    assert!(ann["broadcast_id"].is_string());
    assert_eq!(ann["content"]["broadcast_id"], ann["broadcast_id"]);
    assert!(ann["content"]["message"].as_str().unwrap().contains("--as ann"));
    assert!(bob["content"]["message"].as_str().unwrap().contains("--as bob"));
    assert_eq!(server.exchange(id)["data"]["kind"], "coordinated");
    let by_broadcast =
        said("bob", "boss", "acknowledgment", json!({"message": "ok", "broadcast_id": ann["broadcast_id"]}));
    assert_eq!(server.send(&by_broadcast)["exchange"]["id"], id);
    server.send(&said("ann", "boss", "acknowledgment", json!({"message": "ok", "operation_id": id})));
    assert_eq!(server.state(id), "authorized");
    assert_eq!(server.newest("ann")["broadcast_id"], ann["broadcast_id"]);
    server.verify();
}

#[test]
fn op_1_bad_input_is_refused_before_anything_is_sent() {
    let server = with_agents(&["ann", "bob"]);
    let cases = [
        (operate(json!(["ann", "boss"]), json!({})), 422, "/to", "initiator"),
        (operate(json!([]), json!({})), 422, "/to", "1 to"),
        (operate(json!("ann"), json!({"operation": ""})), 422, "/content/operation", "empty"),
        (operate(json!("ann"), json!({"message": null})), 422, "/content/message", "required"),
        (operate(json!(["ann", "bob"]), json!({"quorum": 3})), 422, "/content/quorum", "only 2"),
        (
            operate(json!(["ann", "bob"]), json!({"policy": {"quorum": 3}})),
            422,
            "/content/policy/quorum",
            "only 2",
        ),
        (operate(json!(["ann", "bob"]), json!({"quorum": 0})), 422, "/content/quorum", "from 1"),
        (
            operate(json!("ann"), json!({"policy": {"max_extention": 5}})),
            422,
            "/content/policy/max_extention",
            "max_extension",
        ),
        (
            operate(json!("ann"), json!({"acknowledgment_timeout": -5})),
            422,
            "/content/acknowledgment_timeout",
            "negative",
        ),
        (
            operate(json!("ann"), json!({"policy": {"preset": "nightly"}})),
            422,
            "/content/policy/preset",
            "emergency",
        ),
        (operate(json!("ann"), json!({"kind": "risky"})), 422, "/content/kind", "state-change"),
        (operate(json!("ann"), json!({"execute": "later"})), 422, "/content/execute", "manual"),
        (
            operate(json!("ann"), json!({"execute": {"command": ["rm"]}})),
            422,
            "/content/execute/command/0",
            "not allowed",
        ),
        (
            operate(json!("ann"), json!({"execute": {"command": ["rm", "{who}"]}})),
            422,
            "/content/execute/command/1",
            "{who}",
        ),
        (operate(json!("ann"), json!({"execute": {"command": []}})), 422, "/content/execute/command", "list"),
        (operate(json!("ann"), json!({"on_cancel": "maybe"})), 422, "/content/on_cancel", "exclude"),
        (
            operate(json!("ann"), json!({"downtime_grace": true})),
            422,
            "/content/downtime_grace",
            "expected a duration such as",
        ),
        (
            operate(json!("ann"), json!({"execute": {"command": ["x"], "max_parallel": 33}})),
            422,
            "/content/execute/max_parallel",
            "from 1 to 32",
        ),
        (
            operate(json!("ann"), json!({"execute": {"command": ["x"], "time_limt": "1m"}})),
            422,
            "/content/execute/time_limt",
            "did you mean \"time_limit\"",
        ),
    ];
    for (message, status, pointer, word) in cases {
        let problem = server.refused(&message, status);
        assert_eq!(pointers(&problem), [pointer], "{problem}");
        assert!(problem["errors"][0]["detail"].as_str().unwrap().contains(word), "{word:?} in {problem}");
    }
    let unknown = server.refused(&operate(json!(["ann", "bobb"]), json!({})), 404);
    assert!(unknown["detail"].as_str().unwrap().contains("bob"), "{unknown}");
    assert!(server.inbox("ann").is_empty() && server.inbox("bob").is_empty());
    assert!(server.get("/v1/exchanges").1["items"].as_array().unwrap().is_empty());
}

#[test]
fn op_2_reminders_say_how_much_time_remains_and_what_silence_leads_to() {
    let server = with_agents(&["worker"]);
    let id = server.begin(&one());
    server.advance("90s");
    let reminders = of_type(&server, "worker", "reminder");
    let fields = |message: &Value| {
        ["tone", "time_remaining", "time_remaining_seconds", "reminder_number", "total_reminders"]
            .map(|key| message["content"][key].clone())
    };
    let expected = [("gentle", 90, 1), ("firm", 60, 2), ("final", 30, 3)].map(|(tone, left, number)| {
        [json!(tone), json!(format!("{left} seconds")), json!(left), json!(number), json!(3)]
    });
    assert_eq!(reminders.iter().map(fields).collect::<Vec<_>>(), expected);
    for reminder in &reminders {
        assert_eq!(
            (&reminder["subject"], &reminder["priority"]),
            (&json!("Reminder: Acknowledgment Required"), &json!("high"))
        );
        assert_eq!(
            (&reminder["content"]["original_operation"], &reminder["content"]["operation_id"]),
            (&json!("restart"), &json!(id))
        );
        assert!(reminder["content"]["message"].as_str().unwrap().contains("goes on all the same"));
    }
    assert_eq!(track(&server, &id, "worker")["reminders_sent"], 3);
}

#[test]
fn op_3_an_answer_is_read_and_its_sender_is_told_how() {
    let server = with_agents(&["worker"]);
    let id = server.begin(&one());
    let read = server.send(&reply("worker", "the token is broken, look"));
    assert_eq!(read["exchange"]["id"], id);
    let told = server.newest("worker");
    assert_eq!(
        (&told["content"]["type"], &told["content"]["read_as"]),
        (&json!("protocol-notice"), &json!("information"))
    );
    assert_eq!(server.newest("boss")["content"]["message"], "the token is broken, look");
    let mut subject = reply("worker", "OK 👍");
    subject["subject"] = json!("RE: [Restart] Pending - Acknowledgment Required");
    server.send(&subject);
    assert_eq!(
        (server.newest("worker")["content"]["read_as"].clone(), server.state(&id)),
        (json!("ready"), "authorized".to_owned())
    );
    let shown = server.newest("boss");
    assert_eq!((&shown["content"]["type"], &shown["exchange"]), (&json!("operation-authorized"), &json!(id)));
}

#[test]
fn op_3_notes_subjects_and_quotes_say_nothing() {
    let server = with_agents(&["worker"]);
    let id = server.begin(&one());
    let mut message =
        said("worker", "boss", "acknowledgment", json!({"message": "> ok\nwhat is it?", "notes": "cancel"}));
    message["subject"] = json!("ready");
    server.send(&message);
    assert_eq!(track(&server, &id, "worker")["state"], "waiting");
    server.send(&said("worker", "boss", "acknowledgment", json!({"ready": true, "notes": "not ready"})));
    assert_eq!(server.state(&id), "authorized");
}

#[test]
fn op_4_wait_gives_more_time_once() {
    let server = with_agents(&["worker"]);
    let id = server.begin(&one());
    server.advance("45s");
    server.send(&reply("worker", "wait"));
    let granted = server.newest("worker");
    assert_eq!((&granted["subject"], &granted["priority"]), (&json!("Extension Granted"), &json!("normal")));
    let content = &granted["content"];
    assert_eq!(
        (&content["new_timeout"], &content["new_timeout_seconds"]),
        (&json!("135 seconds"), &json!(135))
    );
    assert_eq!(content["extension_allowed_again"], false);
    server.send(&reply("worker", "not yet"));
    let refused = server.newest("worker");
    assert_eq!(
        (&refused["content"]["reason"], &refused["content"]["time_remaining_seconds"]),
        (&json!("no-more-time"), &json!(135))
    );
    server.advance("134s");
    assert_eq!(
        (server.state(&id), track(&server, &id, "worker")["extended"].clone()),
        ("waiting".to_owned(), json!(true))
    );
    server.advance("1s");
    assert_eq!(server.state(&id), "authorized");
    let own = json!({"ready": "Say ok", "need_time": "Say wait", "help": "Ask boss"});
    let strict = json!({"extension_allowed": false, "acknowledgment_instructions": own});
    server.speaks("worker", "cli");
    let strict = server.begin(&operate(json!("worker"), strict));
    let how = &server.newest("worker")["content"]["acknowledgment_instructions"];
    assert_eq!((&how["ready"], &how["help"]), (&json!("Say ok"), &json!("Ask boss")), "its own words stay");
    assert!(how["cancel"].is_string());
    assert_eq!(server.newest("worker")["content"]["acknowledgment_instructions"]["need_time"], Value::Null);
    let asked = server.newest("worker")["content"]["message"].as_str().unwrap().to_owned();
    assert!(asked.contains("wilco cancel") && !asked.contains("wilco wait"), "no way to more time: {asked}");
    server.send(&said(
        "worker",
        "boss",
        "acknowledgment",
        json!({"message": "wait", "operation_id": strict}),
    ));
    assert_eq!(server.newest("worker")["content"]["reason"], "no-more-time");
}

#[test]
fn op_5_cancelled_by_the_agent_or_by_the_initiator() {
    let server = with_agents(&["worker", "ann", "bob"]);
    let id = server.begin(&one());
    server.send(&reply("worker", "please cancel"));
    assert_eq!(server.state(&id), "cancelled");
    assert_eq!(server.newest("boss")["content"]["type"], "operation-cancelled");
    assert_eq!(server.newest("worker")["content"]["read_as"], "cancel");
    let id = server.begin(&operate(json!(["ann", "bob"]), json!({})));
    server.send(&json!({"from": "boss", "exchange": id, "content": {"type": "operation-cancelled", "message": "not today"}}));
    assert_eq!(server.state(&id), "cancelled");
    for agent in ["ann", "bob"] {
        assert_eq!(of_type(&server, agent, "operation-cancelled").len(), 1, "told once");
    }
    let again = json!({"from": "boss", "exchange": id, "content": {"type": "operation-cancelled"}});
    server.refused(&again, 409);
}

#[test]
fn op_6_silence_is_logged_noticed_and_an_incident() {
    let server = with_agents(&["worker"]);
    let id = server.begin(&one());
    server.advance("120s");
    let notice = of_type(&server, "worker", "timeout-notice").remove(0);
    assert_eq!(
        (&notice["subject"], &notice["priority"]),
        (&json!("Proceeding Without Acknowledgment"), &json!("high"))
    );
    let content = &notice["content"];
    assert_eq!(
        (&content["operation"], &content["timeout_occurred"], &content["proceeding"]),
        (&json!("restart"), &json!(true), &json!(true))
    );
    let line = "[2026-03-01T12:02:00.000Z] TIMEOUT: No acknowledgment from worker after 120 seconds";
    let told = of_type(&server, "boss", "protocol-notice").remove(0);
    assert_eq!((&told["priority"], &told["content"]["log"]), (&json!("high"), &json!(line)));
    let log = server.get(&format!("/v1/exchanges/{id}/log.md")).1.to_string();
    assert!(log.contains(line), "{log}");
    let incidents = server.get("/v1/reports/incidents").1;
    assert_eq!(
        (&incidents["items"][0]["agent"], &incidents["items"][0]["exchange"]),
        (&json!("worker"), &json!(id))
    );
    server.send(&said("worker", "boss", "acknowledgment", json!({"message": "ok", "operation_id": id})));
    let late = server.newest("worker");
    assert_eq!(
        (&late["content"]["reason"], &late["content"]["state"]),
        (&json!("too-late"), &json!("authorized"))
    );
}

/// OP-11 too: every agent hears the result.
#[test]
fn op_10_the_initiator_says_how_it_went() {
    let server = with_agents(&["ann", "bob"]);
    let id = server.begin(&operate(json!(["ann", "bob"]), json!({})));
    let result = |fields: Value| {
        let mut message = json!({"from": "boss", "exchange": id, "content": {"type": "operation-result"}});
        fields.as_object().unwrap().iter().for_each(|(key, value)| message["content"][key] = value.clone());
        message
    };
    server.refused(&result(json!({"status": "done"})), 409);
    server.send(&reply("ann", "ok"));
    server.send(&reply("bob", "ok"));
    assert_eq!(pointers(&server.refused(&result(json!({})), 422)), ["/content/status"]);
    let stranger = json!({"status": "done", "results": [{"agent": "carol", "status": "done"}]});
    assert_eq!(pointers(&server.refused(&result(stranger), 422)), ["/content/results"]);
    let mut foreign = result(json!({"status": "done"}));
    foreign["from"] = json!("ann");
    server.refused(&foreign, 403);
    server.send(&result(json!({
        "status": "done", "message": "All up.", "results": [{"agent": "bob", "status": "failed", "note": "came up late"}],
    })));
    assert_eq!(server.state(&id), "done");
    let (ann, bob) = (server.newest("ann"), server.newest("bob"));
    assert_eq!(
        (&ann["content"]["type"], &ann["content"]["outcome"]),
        (&json!("post-operation"), &json!("done"))
    );
    assert_eq!(bob["content"]["note"], "came up late");
    server.refused(&result(json!({"status": "done"})), 409);
    let none = server.begin(&operate(json!("ann"), json!({"execute": "none"})));
    server.send(&reply("ann", "ok"));
    let shown = server.exchange(&none);
    assert_eq!((&shown["state"], &shown["data"]["execution"]["result"]), (&json!("done"), &json!("unknown")));
    assert_eq!(of_type(&server, "ann", "post-operation").len(), 1, "none for the second");
}

#[test]
fn op_13_a_crash_while_waiting_changes_no_deadline() {
    let server = with_agents(&["worker"]);
    let id = server.begin(&one());
    server.advance("40s");
    let server = server.restart();
    assert_eq!(server.state(&id), "waiting");
    server.advance("79s");
    assert_eq!((server.state(&id), of_type(&server, "worker", "reminder").len()), ("waiting".to_owned(), 3));
    server.advance("1s");
    assert_eq!(server.state(&id), "authorized");
    server.verify();
}

#[test]
fn op_15_silence_across_downtime_gets_one_more_reminder_and_a_grace() {
    let server = with_agents(&["worker"]);
    let id = server.begin(&one());
    let server = server.restart_at("2026-03-01T12:10:00.000Z");
    assert_eq!(server.state(&id), "waiting");
    assert_eq!(of_type(&server, "worker", "reminder").len(), 1, "one more, not all that were missed");
    server.advance("29s");
    assert_eq!(server.state(&id), "waiting");
    server.advance("1s");
    assert_eq!(server.state(&id), "authorized");
    assert!(server.events().iter().any(|event| event["type"] == "grace-given"));
}

#[test]
fn op_16_the_initiators_own_reminders_count() {
    let server = with_agents(&["worker"]);
    let id = server.begin(&one());
    server.advance("25s");
    let own =
        server.send(&said("boss", "worker", "reminder", json!({"message": "please", "reminder_number": 4})));
    assert_eq!(own["exchange"]["id"], id);
    server.advance("10s");
    let reminders = of_type(&server, "worker", "reminder");
    assert_eq!(reminders.len(), 1, "only the initiator's own: {reminders:?}");
    server.send(&said("boss", "worker", "timeout-notice", json!({"message": "Proceeding."})));
    assert_eq!(server.state(&id), "authorized");
    assert_eq!(of_type(&server, "worker", "timeout-notice").len(), 1);
}

#[test]
fn op_17_announced_first() {
    let server = with_agents(&["worker"]);
    let sent = server.send(&operate(json!("worker"), json!({"pre_notice": "5m"})));
    assert_eq!(sent["exchange"]["state"], "notifying");
    let id = sent["exchange"]["id"].as_str().unwrap();
    assert_eq!(server.kinds("worker"), ["operation-notice"]);
    server.advance("299s");
    assert_eq!(server.state(id), "notifying");
    server.advance("1s");
    assert_eq!(
        (server.state(id), server.kinds("worker")),
        ("waiting".to_owned(), vec!["operation-notice".to_owned(), "pre-operation".to_owned()])
    );
    assert_eq!(server.newest("worker")["subject"], "[Restart] Pending - Acknowledgment Required");
    server.send(&reply("worker", "ok"));
    assert_eq!(server.state(id), "authorized");
}

#[test]
fn op_10_scripts_of_ai_maestro_perform_it_themselves() {
    let server = with_agents(&["worker"]);
    let (status, sent) = server.post("/api/messages", &json!({
        "from": "boss", "to": "worker", "subject": "Skill Installation Pending - Acknowledgment Required", "priority": "high",
        "content": {
            "type": "pre-operation", "message": "I will install a skill. Reply with \"ok\" when ready.",
            "operation": "skill-install", "requires_acknowledgment": true, "acknowledgment_timeout": 120,
            "acknowledgment_reminder_intervals": [30, 60, 90],
        },
    }));
    assert_eq!(status, 201, "{sent}");
    let id = server.newest("worker")["exchange"].as_str().unwrap().to_owned();
    assert_eq!(server.newest("worker")["subject"], "Skill Installation Pending - Acknowledgment Required");
    assert_eq!(server.exchange(&id)["data"]["execution"]["mode"], "none");
    let answer = json!({
        "from": "worker", "to": "boss", "subject": "RE: Skill Installation Pending - Acknowledgment Required",
        "content": {"type": "acknowledgment", "message": "ok", "ready": true, "notes": "Finished saving"},
    });
    assert_eq!(server.post("/api/messages", &answer).0, 201);
    let shown = server.exchange(&id);
    assert_eq!((&shown["state"], &shown["data"]["execution"]["result"]), (&json!("done"), &json!("unknown")));
}

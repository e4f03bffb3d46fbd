//! The journal and the exchanges as readers see them.

use crate::server::{Server, ack, said, task, text};
use serde_json::{Value, json};

/// What `data` of a delegation always has.
const DATA: [&str; 15] = [
    "task_id",
    "task_uuid",
    "sign",
    "title",
    "assignee",
    "former_assignees",
    "attempt",
    "revision",
    "understanding",
    "corrections",
    "questions",
    "checkpoints",
    "acknowledged_at",
    "incidents",
    "escalation",
];

#[test]
fn api_5_events_come_in_pages_from_position_1_without_a_gap() {
    let server = Server::start();
    let id = server.begin_working("T-1");
    let sent = server.send(&text("ann", "bob", "hi"));
    let events = server.events();
    for (event, position) in events.iter().zip(1..) {
        assert_eq!(event["position"], position);
        for key in ["exchange", "seq", "type", "at", "by", "data", "hash"] {
            assert!(event.get(key).is_some(), "{key} is missing in {event}");
        }
    }
    let of_message = |event: &&Value| event["data"]["id"] == sent["message"]["id"];
    assert_eq!(events.iter().filter(of_message).count(), 1, "every accepted message is an event");
    let seqs: Vec<_> =
        events.iter().filter(|event| event["exchange"] == *id).map(|event| event["seq"].clone()).collect();
    assert_eq!(seqs, (1..=seqs.len()).map(|seq| json!(seq)).collect::<Vec<_>>(), "seq is 1, 2, 3 …");
    let (_, page) = server.get("/v1/events?limit=2");
    assert_eq!((page["items"].as_array().unwrap().len(), &page["next"]), (2, &json!("2")));
    let end = events.len().to_string();
    let (_, empty) = server.get(&format!("/v1/events?after={end}"));
    assert_eq!((&empty["items"], &empty["next"]), (&json!([]), &json!(end)));
    server.verify();
}

#[test]
fn api_5_filters_by_protocol_and_agent() {
    let server = Server::start();
    server.begin_working("T-1");
    server.send(&text("ann", "bob", "hi"));
    let (_, delegations) = server.get("/v1/events?protocol=delegation&limit=1000");
    let items = delegations["items"].as_array().unwrap();
    assert!(!items.is_empty() && items.iter().all(|event| event["exchange"].is_string()));
    let (_, of_bob) = server.get("/v1/events?agent=bob");
    assert_eq!(
        of_bob["items"].as_array().unwrap().iter().filter(|event| event["exchange"].is_string()).count(),
        0
    );
    assert_eq!(server.get("/v1/events?protocol=gossip").0, 400);
    assert_eq!(server.get("/v1/events?agnt=bob").0, 400);
}

#[test]
fn api_2b_waiting_for_events_returns_when_one_that_is_wanted_follows() {
    let server = Server::start();
    server.register(&["poll", "bob", "cid"]);
    let end = server.events().len();
    let caller = server.as_agent("poll");
    let waiting =
        std::thread::spawn(move || caller.get(&format!("/v1/events?after={end}&agent=cid&wait=60s")));
    // Its sign of life is told before it waits.
    server.until_seen("poll");
    server.send(&text("ann", "bob", "not wanted"));
    server.send(&text("ann", "cid", "wanted"));
    let (status, page) = waiting.join().unwrap();
    assert_eq!(status, 200);
    assert_eq!(page["items"].as_array().unwrap().len(), 1, "{page}");
}

#[test]
fn api_2b_waiting_for_events_of_an_exchange_returns_when_one_follows() {
    let server = Server::start();
    let id = server.begin_working("T-1");
    server.register(&["poll"]);
    let seen = server.get(&format!("/v1/exchanges/{id}/events")).1["next"].as_str().unwrap().to_owned();
    let caller = server.as_agent("poll");
    let path = format!("/v1/exchanges/{id}/events?after={seen}");
    let address = format!("{path}&wait=60s");
    let waiting = std::thread::spawn(move || caller.get(&address));
    server.until_seen("poll");
    server.send(&text("ann", "poll", "not of the exchange"));
    server.send(&said("worker", "boss", "task-complete", json!({"task_id": "T-1"})));
    let (status, page) = waiting.join().unwrap();
    assert_eq!(status, 200);
    let items = page["items"].as_array().unwrap();
    assert!(!items.is_empty() && items.iter().all(|event| event["exchange"] == *id), "{page}");
    let end = page["next"].as_str().unwrap();
    let (_, nothing) = server.get(&format!("/v1/exchanges/{id}/events?after={end}&wait=1ms"));
    assert_eq!(nothing, json!({"items": [], "next": end}));
}

#[test]
fn api_4_exchanges_are_listed_newest_first_and_filtered() {
    let server = Server::start();
    let first = server.begin_working("T-1");
    let second = server.begin(&task("T-2"));
    server.send(&said("worker", "boss", "task-complete", json!({"task_id": "T-1"})));
    let ids = |query: &str| -> Vec<String> {
        let (status, page) = server.get(&format!("/v1/exchanges?{query}"));
        assert_eq!(status, 200, "{query}: {page}");
        page["items"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(""), [second.clone(), first.clone()]);
    for (query, expected) in [
        ("open=true", &second),
        ("open=false", &first),
        ("state=completed", &first),
        ("task=t-2", &second),
        ("q=t-1", &first),
    ] {
        assert_eq!(ids(query), std::slice::from_ref(expected), "{query}");
    }
    assert_eq!(ids("protocol=delegation&agent=worker").len(), 2);
    assert_eq!(ids("agent=WORKER").len(), 2, "letter case does not make another agent");
    let of = |agent: &str| server.get(&format!("/v1/events?agent={agent}")).1["items"].clone();
    assert_eq!(of("WORKER"), of("worker"));
    assert_ne!(of("worker"), json!([]));
    assert_eq!(ids("agent=nobody").len(), 0);
    let (_, page) = server.get("/v1/exchanges?limit=1");
    let next = page["next"].as_str().unwrap();
    let (_, last) = server.get(&format!("/v1/exchanges?limit=1&after={next}"));
    assert_eq!((&last["items"][0]["id"], &last["next"]), (&json!(first), &Value::Null));
    for bad in ["open=maybe", "protocol=chess", "limit=0", "opne=true"] {
        assert_eq!(server.get(&format!("/v1/exchanges?{bad}")).0, 400, "{bad}");
    }
    assert_eq!(server.get("/v1/exchanges/del-99").0, 404);
    assert_eq!(server.get("/v1/exchanges/nonsense").0, 404);
}

#[test]
fn api_4_an_exchange_has_its_events_and_its_past() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("T-1"));
    let then = server.exchange(&id);
    server.advance("1m");
    server.send(&ack("T-1"));
    let (_, page) = server.get(&format!("/v1/exchanges/{id}/events"));
    let events = page["items"].as_array().unwrap();
    assert_eq!(events.len().to_string(), page["next"].as_str().unwrap());
    assert_eq!(server.get(&format!("/v1/exchanges/{id}/at/2")).1, then, "as it was when it began");
    let last = format!("/v1/exchanges/{id}/at/{}", events.len());
    assert_eq!(server.get(&last).1, server.exchange(&id));
    assert_eq!(server.get(&format!("/v1/exchanges/{id}/at/{}", events.len() + 1)).0, 404);
    assert_eq!(server.get(&format!("/v1/exchanges/{id}/at/0")).0, 404);
    for field in [
        "id",
        "protocol",
        "state",
        "outcome",
        "initiator",
        "participants",
        "subject",
        "policy",
        "timers",
        "checklist",
        "created",
        "updated",
        "data",
    ] {
        assert!(then.get(field).is_some(), "{field} is missing");
    }
    for field in DATA {
        assert!(then["data"].get(field).is_some(), "data.{field} is missing");
    }
    assert_eq!(then["timers"][0].as_object().unwrap().keys().collect::<Vec<_>>(), ["name", "due"]);
}

#[test]
fn api_7_verify_counts_the_events_and_names_the_head() {
    let server = Server::start();
    server.begin_working("T-1");
    let (status, verified) = server.get("/v1/audit/verify");
    let events = server.events();
    assert_eq!(status, 200);
    assert_eq!(verified, json!({"ok": true, "events": events.len(), "head": events.last().unwrap()["hash"]}));
}

#[test]
fn api_8_health_and_readiness() {
    let server = Server::start();
    assert_eq!(server.get("/healthz").0, 200);
    assert_eq!(server.get("/readyz").0, 200);
}

#[test]
fn api_9_what_is_not_there_and_what_is_not_taken_are_problem_documents() {
    let server = Server::start();
    for (path, expected) in [
        ("/v1/nothing", 404),
        ("/v1/messages/msg-1-0000000", 404),
        ("/v1/agents/nobody/inbox", 404),
        ("/v1/messages/%ff", 404),
    ] {
        let (status, problem) = server.get(path);
        assert_eq!((status, &problem["status"]), (expected, &json!(expected)), "{path} {problem}");
        assert!(problem["type"].is_string() && problem["detail"].is_string(), "{problem}");
    }
    let (status, problem) = server.delete("/v1/exchanges");
    assert_eq!((status, &problem["status"]), (405, &json!(405)));
    assert_eq!(server.post("/healthz", &json!({})).0, 405, "nothing is written by GET, nothing read by POST");
}

#[test]
fn api_10_a_delegation_shows_all_its_data() {
    let server = Server::start();
    let id = server.begin_working("T-1");
    let exchange = server.exchange(&id);
    for key in DATA {
        assert!(exchange["data"].get(key).is_some(), "{key} is missing in {exchange}");
    }
    let understanding = &exchange["data"]["understanding"];
    assert_eq!(understanding["verdict"], "correct");
    assert!(understanding["score"].as_f64().is_some_and(|score| (0.0..=1.0).contains(&score)));
}

#[test]
fn api_6_escalations_are_listed_open_and_closed() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("T-1"));
    server.advance("7m");
    let listed = |query: &str| server.get(&format!("/v1/escalations?{query}")).1["items"].clone();
    let open = listed("open=true");
    let escalation = &open[0];
    assert_eq!(escalation["exchange"], id.as_str());
    assert_eq!(
        (&escalation["reason"], &escalation["addressee"]),
        (&json!("no-acknowledgment"), &json!("boss"))
    );
    assert_eq!(escalation["options"], json!(["retry", "reassign", "extend", "abort"]));
    assert!(
        escalation["closed"].is_null() && escalation["text"].as_str().is_some_and(|text| !text.is_empty())
    );
    let decision = json!({"escalation": escalation["id"], "option": "abort"});
    server.send(&said("boss", "wilco", "decision", decision));
    assert_eq!(listed("open=true"), json!([]));
    let closed = listed("open=false")[0].clone();
    assert_eq!(closed["decision"], json!({"option": "abort", "by": "boss"}));
    assert!(closed["closed"].is_string(), "when it was closed: {closed}");
}

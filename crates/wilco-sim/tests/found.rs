//! What the simulation found in the engine, each in its shortest form.

use wilco_engine::{Api, Command, Done, Engine, Post, PutAgent, Settings, Viewer, rebuild};
use wilco_language::parse;
use wilco_protocol::directory::Interface;
use wilco_protocol::{Span, Time};
use wilco_store::{Memory, Reader};

const START: i64 = 1_800_000_000_000;

fn after(seconds: i64) -> Time {
    Time::from_millis(START + seconds * 1000)
}

fn started(down_from: i64, now: i64) -> Command {
    let downtime = Some(after(now).since(after(down_from)));
    Command::Started { version: "test".to_owned(), down_from: Some(after(down_from)), downtime }
}

fn put(name: &str) -> Command {
    let profile = wilco_protocol::directory::Profile::default();
    Command::PutAgent(Box::new(PutAgent {
        name: name.to_owned(),
        profile,
        role: None,
        mark: None,
        viewer: Viewer::Operator,
    }))
}

fn post(body: &str) -> Command {
    let incoming = parse::message(body.as_bytes()).expect("a message");
    let (viewer, api) = (Viewer::Local, Api::V1);
    Command::Post(Box::new(Post {
        incoming,
        idempotency_key: None,
        viewer,
        orchestrates: false,
        claimed: None,
        sent_by: None,
        api,
        interface: Interface::default(),
    }))
}

fn step(engine: &mut Engine, store: &mut Memory, at: i64, commands: Vec<Command>) {
    let stepped = engine.step(commands, after(at), store).expect("a commit");
    assert!(stepped.answers.iter().all(Result::is_ok), "{:?}", stepped.answers);
}

/// DEL-34: the grace for what fell due while the server was down is not lost when the server dies once more
/// before it could give it.
#[test]
fn del_34_a_second_start_gives_the_grace_too() {
    let mut store = Memory::new();
    let mut engine = Engine::load(Settings::default(), &store).expect("an engine");
    let task = r#"{"from": "boss", "to": "ada", "content": {"type": "task-assignment", "task_id": "GH-1",
        "title": "Sweep", "policy": {"ack_timeout": "5m", "retry_timeouts": []}}}"#;
    step(&mut engine, &mut store, 0, vec![put("ada"), put("boss"), post(task)]);
    for (died, now) in [(0, 3600), (3600, 3601)] {
        engine = Engine::load(Settings::default(), &store).expect("an engine");
        step(&mut engine, &mut store, now, vec![started(died, now)]);
    }
    step(&mut engine, &mut store, 3601, vec![Command::Wake]);
    assert_eq!(states(&store), ["awaiting-ack"]);
    assert_eq!(engine.next_wake(), Some(after(3601).plus(Span::seconds(30))));
    step(&mut engine, &mut store, 3631, vec![Command::Wake]);
    assert_eq!(states(&store), ["escalated"]);
}

fn states(store: &Memory) -> Vec<String> {
    let all = wilco_store::ExchangeFilter { limit: 10, ..Default::default() };
    store.exchanges(&all).expect("exchanges").into_iter().map(|row| row.state).collect()
}

/// G8: a rebuild keeps when the server was last alive, which no event says.
#[test]
fn g8_a_rebuild_keeps_the_last_sign_of_life() {
    let mut store = Memory::new();
    let mut engine = Engine::load(Settings::default(), &store).expect("an engine");
    step(&mut engine, &mut store, 0, vec![put("ada")]);
    let alive = engine.step(vec![Command::Alive], after(60), &mut store).expect("a commit");
    assert!(matches!(alive.answers[..], [Ok(Done::Nothing)]));
    let before = store.head().expect("a head");
    rebuild(&mut store).expect("a rebuild");
    assert_eq!(store.head().expect("a head"), before);
    assert_eq!(before.at, Some(after(60)));
}

/// G5: a text that names its task in an ACK and in a verdict moves it once.
#[test]
fn g5_a_text_that_names_a_task_twice_moves_it_once() {
    let mut store = Memory::new();
    let mut engine = Engine::load(Settings::default(), &store).expect("an engine");
    let task = r#"{"from": "boss", "to": "ada", "content": {"type": "task-assignment", "task_id": "GH-1",
        "title": "Sweep", "candidates": ["bob"]}}"#;
    let people = vec![put("ada"), put("bob"), put("boss"), post(task)];
    step(&mut engine, &mut store, 0, people);
    let text = r#"{"from": "ada", "to": "boss",
        "content": {"type": "text", "message": "[ACK] GH-1 - REJECTED\nReason: not today\n\n[VERDICT] GH-1 - CORRECT"}}"#;
    step(&mut engine, &mut store, 60, vec![post(text)]);
    let journal = store.journal(0, 1000).expect("a journal");
    let moved = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("\"type\":\"reassigned\"");
    assert_eq!(journal.iter().filter(|row| moved(&row.bytes)).count(), 1);
}

/// MSG-21: a message that nobody is disturbed for hides none that came behind it.
#[test]
fn msg_21_a_quiet_message_hides_none_behind_it() {
    let mut store = Memory::new();
    let mut settings = Settings::default();
    settings.nudge.commands.insert("bell".to_owned());
    let mut engine = Engine::load(settings, &store).expect("an engine");
    let nudge = Some(serde_json::json!({"kind": "command", "command": "bell"}));
    let profile = wilco_protocol::directory::Profile { nudge, ..Default::default() };
    let boss =
        PutAgent { name: "boss".to_owned(), profile, role: None, mark: None, viewer: Viewer::Operator };
    let hello = r#"{"from": "ada", "to": "boss", "content": {"type": "conversation", "message": "Hello."}}"#;
    step(&mut engine, &mut store, 0, vec![put("ada"), Command::PutAgent(Box::new(boss)), post(hello)]);
    let first = store.effects().expect("effects").remove(0);
    let through = first.position;
    // The initiator watches: what changes is told to it quietly, what the specialist says is not.
    let start = r#"{"from": "boss", "to": "validation-orchestrator", "content": {"type": "validation-start",
        "issue": "7", "main_agent": "ada", "phases": [{"name": "build", "specialist": "ada"}]}}"#;
    let pass = r#"{"from": "ada", "to": "validation-orchestrator",
        "content": {"type": "validation-result", "status": "PASS"}}"#;
    step(&mut engine, &mut store, 1, vec![post(start)]);
    step(&mut engine, &mut store, 2, vec![post(pass)]);
    let agent = wilco_protocol::Name::new("boss");
    let outcome = wilco_engine::NudgeOutcome::Delivered;
    let nudged = Command::Nudged { position: first.position, index: first.index, agent, through, outcome };
    step(&mut engine, &mut store, 3, vec![nudged]);
    assert_eq!(store.effects().expect("effects").len(), 1, "boss is told of what ada said");
}

/// HO-6, G5: a failed agent that is given its task once more while it is handed over hears again that it is not
/// its own, when it goes to the replacement.
#[test]
fn ho_6_who_was_asked_again_hears_that_somebody_else_has_it() {
    let mut store = Memory::new();
    let mut engine = Engine::load(Settings::default(), &store).expect("an engine");
    let task = r#"{"from": "boss", "to": "ada", "content": {"type": "task-assignment", "task_id": "GH-1",
        "title": "Sweep", "policy": {"ack_timeout": "5m", "retry_timeouts": []}}}"#;
    step(&mut engine, &mut store, 0, vec![put("ada"), put("bob"), put("boss"), post(task)]);
    step(&mut engine, &mut store, 300, vec![Command::Wake]);
    assert_eq!(states(&store), ["escalated"]);
    let replace = r#"{"from": "boss", "content": {"type": "replacement-request", "failed_agent": "ada",
        "replacement_agent": "bob", "reason": "context_loss", "policy": {"understanding": "accept"}}}"#;
    step(&mut engine, &mut store, 301, vec![post(replace)]);
    let escalation = escalation(&store);
    let decision = serde_json::json!({"type": "decision", "option": "retry", "escalation": escalation});
    let retry = serde_json::json!({"from": "boss", "content": decision}).to_string();
    step(&mut engine, &mut store, 302, vec![post(&retry)]);
    let order = store.effects().expect("effects").remove(0);
    let published = wilco_protocol::handoff::Published {
        url: "http://127.0.0.1/document".to_owned(),
        bytes: 1,
        published_as: wilco_protocol::handoff::Publish::Local,
        failures: Vec::new(),
        at: after(303),
    };
    let report = wilco_protocol::handoff::Report::DocumentPublished {
        number: 1,
        name: "handoff.md".to_owned(),
        published,
    };
    let report = wilco_protocol::decision::Report::Handoff(report);
    let report = Command::Report { position: order.position, index: order.index, report };
    step(&mut engine, &mut store, 303, vec![report]);
    let ack = r#"{"from": "bob", "to": "boss", "content": {"type": "handoff_ack", "status": "ready_to_proceed",
        "understanding": "I sweep", "starting_from": "the door"}}"#;
    step(&mut engine, &mut store, 304, vec![post(ack)]);
    assert_eq!(states(&store), ["complete", "awaiting-ack"]);
    let told = kinds(&store, "ada");
    assert_eq!(told.last().map(String::as_str), Some("task-cancel"), "{told:?}");
}

/// The only escalation there is.
fn escalation(store: &Memory) -> String {
    let rows = store.messages_before(None, 100).expect("messages");
    let mut ids =
        rows.iter().filter_map(|row| content(&row.body).get("escalation")?.as_str().map(str::to_owned));
    ids.next_back().expect("an escalation")
}

fn content(body: &[u8]) -> serde_json::Value {
    let message: serde_json::Value = serde_json::from_slice(body).expect("a message");
    message["content"].clone()
}

/// What lies in an inbox, oldest first.
fn kinds(store: &Memory, agent: &str) -> Vec<String> {
    let filter = wilco_store::InboxFilter {
        agent: wilco_protocol::Name::new(agent),
        statuses: vec![wilco_store::InboxStatus::Unread],
        walk: wilco_store::Walk::Behind(0),
        limit: 100,
    };
    let rows = store.inbox(&filter).expect("an inbox");
    rows.iter().map(|(_, row)| content(&row.body)["type"].as_str().unwrap_or("").to_owned()).collect()
}

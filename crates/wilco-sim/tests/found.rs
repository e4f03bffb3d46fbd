//! What the simulation found in the engine, each in its shortest form.

use wilco_engine::{Api, Command, Done, Engine, Post, PutAgent, Settings, Viewer, rebuild};
use wilco_language::parse;
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
        mark: None,
        viewer: Viewer::Operator,
    }))
}

fn post(body: &str) -> Command {
    let incoming = parse::message(body.as_bytes()).expect("a message");
    let (viewer, api) = (Viewer::Local, Api::V1);
    Command::Post(Box::new(Post { incoming, idempotency_key: None, viewer, claimed: None, api }))
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
        "content": {"message": "[ACK] GH-1 - REJECTED\nReason: not today\n\n[VERDICT] GH-1 - CORRECT"}}"#;
    step(&mut engine, &mut store, 60, vec![post(text)]);
    let journal = store.journal(0, 1000).expect("a journal");
    let moved = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("\"type\":\"reassigned\"");
    assert_eq!(journal.iter().filter(|row| moved(&row.bytes)).count(), 1);
}

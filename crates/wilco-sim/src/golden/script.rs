//! What no simulated agent does, by hand: a task is paused and goes on, a message enters a context, an interrupted
//! step waits for its machine and counts as done, work is reported in words, words are not understood.

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use wilco_engine::{Command, CommandRule, Engine, Post, PutAgent, Settings, StoredEffect, Viewer};
use wilco_language::parse;
use wilco_protocol::directory::Profile;
use wilco_protocol::{MessageId, Name, Time};
use wilco_store::{Batch, Memory, Reader, Store};

use crate::world::START;

struct Script {
    engine: Engine,
    store: Memory,
    batches: Vec<Batch>,
}

/// Everything that is committed while it is played.
pub(super) fn history() -> anyhow::Result<Vec<Batch>> {
    let mut settings = Settings::default();
    settings.operation_commands.insert("restart-agent".to_owned(), CommandRule::Open);
    let store = Memory::new();
    let engine = Engine::load(settings, &store)?;
    let mut script = Script { engine, store, batches: Vec::new() };
    let version = env!("CARGO_PKG_VERSION").to_owned();
    script.step(0, Command::Started { version, down_from: None, downtime: None })?;
    let node = "one".to_owned();
    script.step(0, Command::TookOver { epoch: 1, node, down_from: None, downtime: None })?;
    for name in ["boss", "ada", "bob"] {
        script.step(0, put(name))?;
    }
    script.pause()?;
    script.interrupt()?;
    script.report_in_words()?;
    script.be_misunderstood()?;
    Ok(script.batches)
}

impl Script {
    fn pause(&mut self) -> anyhow::Result<()> {
        let task = json!({"type": "task-assignment", "task_id": "GH-1", "title": "Sweep the floor",
            "policy": {"understanding": "accept"}});
        let ack = json!({"type": "task-acknowledgment", "task_id": "GH-1", "status": "RECEIVED",
            "understanding": "I sweep the floor"});
        self.say(0, "boss", "ada", task)?;
        let (agent, id) = (Name::new("ada"), MessageId::new("own-0"));
        self.step(10, Command::Injected { agent, id })?;
        self.say(60, "ada", "boss", ack)?;
        let pause = json!({"type": "task-pause", "task_id": "GH-1", "reason": "The hall is in use",
            "expected_duration": "30m"});
        self.say(120, "boss", "ada", pause)?;
        self.say(180, "ada", "boss", json!({"type": "pause-ack", "task_id": "GH-1"}))?;
        self.step(1980, Command::Wake)?;
        self.say(2400, "boss", "ada", json!({"type": "task-resume", "task_id": "GH-1"}))?;
        self.say(2460, "ada", "boss", json!({"type": "resume-ack", "task_id": "GH-1"}))
    }

    fn interrupt(&mut self) -> anyhow::Result<()> {
        let restart = json!({"type": "pre-operation", "operation": "restart", "message": "I restart you.",
            "execute": {"command": ["restart-agent", "{agent}"]}});
        self.say(3000, "boss", "bob", restart)?;
        self.say(3001, "bob", "boss", json!({"type": "text", "message": "ok"}))?;
        let row = self.store.effects()?.pop().context("a step to run")?;
        let StoredEffect::Order(order) = serde_json::from_slice(&row.body)? else {
            anyhow::bail!("expected an order, got {row:?}")
        };
        let report = order.effect.interrupted().context("a step is run once")?;
        self.step(3002, Command::Unreached { position: row.position, index: row.index })?;
        self.step(3002, Command::Report { position: row.position, index: row.index, report })?;
        let notices = self.store.messages_before(None, 10)?;
        let escalation = notices.iter().find_map(|row| {
            let message: Value = serde_json::from_slice(&row.body).ok()?;
            message["content"]["escalation"].as_str().map(str::to_owned)
        });
        let escalation = escalation.context("somebody is to decide")?;
        let proceed = json!({"type": "decision", "escalation": escalation, "option": "proceed"});
        self.say(3003, "boss", "wilco", proceed)
    }

    fn report_in_words(&mut self) -> anyhow::Result<()> {
        let task = json!({"type": "task-assignment", "task_id": "GH-2", "title": "Paint the wall",
            "policy": {"understanding": "accept", "checkpoint_timeout": "2h"}});
        self.say(4000, "boss", "bob", task)?;
        let ack = json!({"type": "task-acknowledgment", "task_id": "GH-2", "status": "received",
            "understanding": "I paint the wall"});
        self.say(4060, "bob", "boss", ack)?;
        let report = "Quick progress update on GH-2: the first coat is on, the second will follow tomorrow.";
        self.say(4120, "bob", "boss", json!({"type": "text", "message": report}))
    }

    /// Words that no protocol can read.
    fn be_misunderstood(&mut self) -> anyhow::Result<()> {
        let text = |words: &str| json!({"type": "text", "message": words});
        let task = json!({"type": "task-assignment", "task_id": "GH-3", "title": "Mend the roof"});
        self.say(5000, "boss", "ada", task)?;
        let notes = json!({"type": "text", "task_id": "GH-3", "message": "The roof is a curious thing."});
        self.say(5010, "ada", "boss", notes)?;
        let restart = json!({"type": "pre-operation", "operation": "restart", "message": "I restart you.",
            "execute": "manual"});
        self.say(5020, "boss", "bob", restart)?;
        self.say(5030, "bob", "boss", text("It rains over here."))?;
        let start = json!({"type": "validation-start", "issue": 7, "main_agent": "bob",
            "phases": [{"name": "unit", "specialist": "ada"}]});
        self.say(5040, "boss", "validation-orchestrator", start)?;
        let notes =
            json!({"type": "text", "message_id": "VALRES-7-ada-1", "message": "It rains here as well."});
        self.say(5050, "ada", "boss", notes)?;
        let handoff = json!({"type": "replacement_handoff", "handoff_id": "HO-1",
            "handoff_url": "http://127.0.0.1/HO-1", "failed_agent": {"id": "eve", "session": "eve"}});
        self.say(5060, "boss", "ada", handoff)?;
        let notes = json!({"type": "text", "handoff_id": "HO-1", "message": "How does it look?"});
        self.say(5070, "boss", "wilco", notes)
    }

    fn say(&mut self, seconds: i64, from: &str, to: &str, content: Value) -> anyhow::Result<()> {
        let id = format!("own-{seconds}");
        let body = json!({"id": id, "from": from, "to": to, "content": content}).to_string();
        let incoming = parse::message(body.as_bytes()).map_err(|error| anyhow::anyhow!("{error:?}"))?;
        let idempotency_key = Some(format!("key-{seconds}"));
        let post = Post { idempotency_key, ..Post::local(incoming) };
        self.step(seconds, Command::Post(Box::new(post)))
    }

    fn step(&mut self, seconds: i64, command: Command) -> anyhow::Result<()> {
        let now = Time::from_millis(START + seconds * 1000);
        let answers = self.engine.decide(vec![command], now, &self.store);
        ensure!(answers.iter().all(Result::is_ok), "{answers:?}");
        if let Some(batch) = self.engine.submit(now)? {
            self.store.commit(&batch)?;
            self.batches.push(batch.clone());
            self.engine.committed(batch);
        }
        Ok(())
    }
}

fn put(name: &str) -> Command {
    let (name, profile) = (name.to_owned(), Profile::default());
    Command::PutAgent(Box::new(PutAgent { name, profile, role: None, mark: None, viewer: Viewer::Operator }))
}

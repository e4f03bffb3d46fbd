//! A table of replies, each said in its situation through the engine: what moved, and who was told.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::{Value, json};
use wilco_engine::{Accepted, Command, Done, Engine, Post, PutAgent, Settings, Viewer};
use wilco_language::parse;
use wilco_language::read::claim::About;
use wilco_language::read::decision::{ReadDecision, decision};
use wilco_language::read::embedded::object;
use wilco_language::read::result;
use wilco_language::read::validation::{Answer, reading};
use wilco_protocol::directory::Profile;
use wilco_protocol::{Meaning, Time};
use wilco_store::{JournalRow, Memory, Message, Reader};

/// Reads every reply of the tables and prints the rates, and what was not read as they say.
pub(crate) fn rate(tables: &[PathBuf]) -> anyhow::Result<()> {
    for table in tables {
        let rates = Rates::of(table)?;
        println!("{}", table.display());
        rates.misread.iter().for_each(|misread| println!("{misread}"));
        rates.print();
    }
    Ok(())
}

/// Prints what somebody sees before a reply: who writes one without knowing the rules needs no more.
pub(crate) fn situations() -> anyhow::Result<()> {
    for situation in SITUATIONS {
        println!("=== {situation}: {} is told\n", replier(situation));
        for message in Stage::set(situation)?.messages_to(replier(situation))? {
            let content: Value =
                serde_json::from_str(message.delivered.as_ref().unwrap_or(&message.content).get())?;
            let text = content["message"].as_str().map_or_else(|| format!("{content:#}"), str::to_owned);
            println!("From {}:\n{text}\n", message.from);
        }
    }
    Ok(())
}

const SITUATIONS: [&str; 12] = [
    "task-new",
    "working",
    "stop-asked",
    "pause-asked",
    "resume-asked",
    "review",
    "question",
    "escalated",
    "operation",
    "check",
    "fix",
    "handoff",
];

/// Who is asked.
fn replier(situation: &str) -> &'static str {
    match situation {
        "review" | "question" | "escalated" => "boss",
        "check" => "tester-9",
        _ => "impl-1",
    }
}

/// How the replies of one table are read: by protocol, by situation and by what they mean.
#[derive(Debug, Default)]
struct Rates {
    all: Rate,
    groups: [BTreeMap<String, Rate>; 3],
    misread: Vec<String>,
    /// What must never happen: a completion, a ready, a PASS that nobody meant.
    false_ends: Vec<String>,
}

impl Rates {
    fn of(table: &Path) -> anyhow::Result<Rates> {
        let text = std::fs::read_to_string(table).with_context(|| table.display().to_string())?;
        let mut rates = Rates::default();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let row: Value = serde_json::from_str(line)?;
            let field = |key: &str| row[key].as_str().unwrap_or_default();
            let (situation, reply, means) = (field("situation"), field("reply"), field("means"));
            let outcome = Stage::set(situation)?.hear(situation, reply)?;
            rates.count(situation, reply, means, &outcome);
        }
        Ok(rates)
    }

    fn count(&mut self, situation: &str, reply: &str, means: &str, outcome: &Outcome) {
        let right = outcome.is_right(situation, means);
        let kind = means.split(':').next().unwrap_or(means);
        let names = [protocol(situation), situation, kind];
        let groups =
            self.groups.iter_mut().zip(names).map(|(group, name)| group.entry(name.to_owned()).or_default());
        groups.chain([&mut self.all]).for_each(|rate| rate.count(outcome, right, means));
        if right {
            return;
        }
        let shown = format!(
            "{situation}: {means} was read as {}\n    {}",
            outcome.read,
            reply.replace('\n', "\n    ")
        );
        if outcome.moved
            && matches!(outcome.read.as_str(), "completed" | "ready" | "pass" | "correct" | "fixed")
        {
            self.false_ends.push(shown.clone());
        }
        self.misread.push(shown);
    }

    fn print(&self) {
        println!("{:<14} {:>6} {:>6} {:>6} {:>6} {:>6}", "", "rows", "right", "wrong", "told", "silent");
        for group in &self.groups {
            group.iter().for_each(|(name, rate)| rate.print(name));
            println!();
        }
        self.all.print("all");
        println!(
            "completed, ready, passed, correct or fixed where none was meant: {}\n",
            self.false_ends.len()
        );
    }
}

fn protocol(situation: &str) -> &'static str {
    match situation {
        "operation" => "Operation",
        "check" | "fix" => "Validation",
        "handoff" => "Handoff",
        _ => "Delegation",
    }
}

/// How many were read right, moved wrongly, told to their sender, and neither moved nor told though meant.
#[derive(Debug, Default)]
struct Rate {
    rows: u32,
    right: u32,
    wrong: u32,
    told: u32,
    silent: u32,
}

impl Rate {
    fn count(&mut self, outcome: &Outcome, right: bool, means: &str) {
        let quiet = matches!(means, "courtesy" | "info" | "progress");
        self.rows += 1;
        self.right += u32::from(right);
        self.wrong += u32::from(!right && outcome.moved);
        self.told += u32::from(outcome.told);
        self.silent += u32::from(!outcome.moved && !outcome.told && !quiet);
    }

    fn print(&self, name: &str) {
        let share = f64::from(self.right) * 100.0 / f64::from(self.rows.max(1));
        let Rate { rows, right, wrong, told, silent } = self;
        println!("{name:<14} {rows:>6} {right:>6} {wrong:>6} {told:>6} {silent:>6}   {share:.1} % right");
    }
}

/// What came of a reply.
struct Outcome {
    /// In the words of the table.
    read: String,
    moved: bool,
    /// Its sender got a message about it.
    told: bool,
}

impl Outcome {
    /// What is to be told is told, whatever the protocol calls it: an operation answers information (OP-3), a handoff a
    /// malformed ACK (HO-12), and both do so to thanks.
    fn is_right(&self, situation: &str, means: &str) -> bool {
        let answered =
            means == "told" || (means == "courtesy" && matches!(situation, "operation" | "handoff"));
        self.read == means || (answered && self.told && !self.moved && self.is_unread())
    }

    /// Progress and courtesy are readings of their own.
    fn is_unread(&self) -> bool {
        !matches!(self.read.as_str(), "progress" | "courtesy")
    }
}

const TITLE: &str = "Add rate limiting to the login endpoint";
const CRITERIA: [&str; 3] = [
    "more than 5 failed logins per minute from one IP get 429",
    "the limit is configurable",
    "a test shows it",
];

struct Stage {
    engine: Engine,
    store: Memory,
    now: Time,
}

impl Stage {
    /// An exchange in the situation.
    fn set(situation: &str) -> anyhow::Result<Stage> {
        let (store, now) = (Memory::new(), Time::from_millis(1_800_000_000_000));
        let engine = Engine::load(Settings::default(), &store)?;
        let mut stage = Stage { engine, store, now };
        stage.register(&["boss", "impl-0", "impl-1", "impl-2", "impl-101", "tester-9"])?;
        match situation {
            "operation" => stage.announced()?,
            "check" | "fix" => stage.validated(situation == "fix")?,
            "handoff" => stage.handed()?,
            _ => stage.assigned(situation)?,
        }
        // Somebody whom nobody named before.
        stage.register(&["impl-3"])?;
        Ok(stage)
    }

    fn register(&mut self, names: &[&str]) -> anyhow::Result<()> {
        let known = names.iter().map(|name| {
            let (name, profile) = ((*name).to_owned(), Profile::default());
            Command::PutAgent(Box::new(PutAgent {
                name,
                profile,
                role: None,
                mark: None,
                viewer: Viewer::Local,
            }))
        });
        self.engine.step(known.collect(), self.now, &mut self.store)?;
        Ok(())
    }

    fn assigned(&mut self, situation: &str) -> anyhow::Result<()> {
        let judge = match situation {
            "review" | "escalated" => "initiator",
            _ => "accept",
        };
        let most = if situation == "escalated" { 0 } else { 2 };
        self.say("boss", "impl-1", json!({
            "type": "task-assignment", "task_id": "GH-210", "title": TITLE, "acceptance_criteria": CRITERIA,
            "candidates": ["impl-2"], "policy": {"understanding": judge, "max_corrections": most},
        }))?;
        let ack = |status: &str, questions: Value| {
            json!({"type": "task-acknowledgment", "task_id": "GH-210", "status": status,
                "understanding": TITLE, "questions": questions})
        };
        let of_task = |kind: &str| json!({"type": kind, "task_id": "GH-210", "message": "as agreed"});
        match situation {
            "task-new" => return Ok(()),
            "question" => {
                let questions = json!(["Does the counter live in Redis?", "Does a login reset the counter?"]);
                return self.say("impl-1", "boss", ack("needs-clarification", questions)).map(drop);
            }
            _ => self.say("impl-1", "boss", ack("received", json!([])))?,
        };
        let steps: &[(&str, &str)] = match situation {
            "working" | "review" => &[],
            "stop-asked" => &[("boss", "task-cancel")],
            "pause-asked" => &[("boss", "task-pause")],
            "resume-asked" => &[("boss", "task-pause"), ("impl-1", "pause-ack"), ("boss", "task-resume")],
            "escalated" => {
                let verdict = json!({"type": "verdict", "task_id": "GH-210", "verdict": "wrong-summary", "correction": "per IP"});
                return self.say("boss", "wilco", verdict).map(drop);
            }
            other => bail!("there is no situation {other}"),
        };
        for (by, kind) in steps {
            let to = if *by == "boss" { "impl-1" } else { "boss" };
            self.say(by, to, of_task(kind))?;
        }
        Ok(())
    }

    fn announced(&mut self) -> anyhow::Result<()> {
        let content =
            json!({"type": "pre-operation", "operation": "restart", "message": "A restart is due."});
        self.say("boss", "impl-1", content).map(drop)
    }

    fn validated(&mut self, failed: bool) -> anyhow::Result<()> {
        self.say(
            "boss",
            "validation-orchestrator",
            json!({
                "type": "validation-start", "issue": 42, "main_agent": "impl-1",
                "phases": [{"name": "unit", "specialist": "tester-9"}],
            }),
        )?;
        if failed {
            let failures = json!([
                {"location": "login.test.ts:41", "error": "expected 429, got 401"},
                {"location": "config.test.ts:12", "error": "expected 10, got 5"},
            ]);
            let result = json!({"type": "validation-result", "status": "FAIL", "failures": failures});
            self.say("tester-9", "boss", result)?;
        }
        Ok(())
    }

    fn handed(&mut self) -> anyhow::Result<()> {
        self.say(
            "boss",
            "impl-1",
            json!({
                "type": "replacement_handoff", "handoff_id": "HO-7", "handoff_url": "http://127.0.0.1/HO-7",
                "failed_agent": {"id": "impl-0", "session": "impl-0"}, "urgency": "immediate",
            }),
        )
        .map(drop)
    }

    /// The reply, in answer to the newest message to whoever is asked.
    fn hear(&mut self, situation: &str, reply: &str) -> anyhow::Result<Outcome> {
        let by = replier(situation);
        let asked = self.newest(by)?.with_context(|| format!("{by} was asked nothing in {situation}"))?;
        let before = self.store.head()?.position;
        let to = if by == "boss" { "wilco" } else { "boss" };
        let body = json!({"from": by, "to": to, "in_reply_to": asked.id.as_str(),
            "content": {"type": "text", "message": reply}});
        let accepted = match self.post(&body)? {
            Ok(accepted) => accepted,
            Err(refused) => {
                return Ok(Outcome { read: format!("refused: {refused}"), moved: false, told: true });
            }
        };
        let message = accepted.messages.first().context("a message")?;
        let reading = message.reading.as_ref().context("a reading")?;
        let told =
            self.newest(by)?.is_some_and(|newest| newest.id != asked.id && newest.from != message.from);
        let meaning = reading.meaning.known().context("a meaning of this version")?;
        let moves = !matches!(
            meaning,
            Meaning::Remark
                | Meaning::Progress
                | Meaning::Doubtful
                | Meaning::Courtesy
                | Meaning::Information
                | Meaning::Contradiction
        );
        let decided = self.store.events(before).iter().find_map(closed);
        let read = match (meaning, decided) {
            (Meaning::Decision, Some(option)) => with_what_it_needs(&option, reply),
            (Meaning::Fail, _) => format!("fail:{}", failures(reply)),
            // An answer to something else is asked for again.
            (Meaning::Courtesy, _) => worded(situation, meaning).to_owned(),
            // Another agent takes the task over, in the same state.
            (Meaning::Rejected, _) if situation != "handoff" => worded(situation, meaning).to_owned(),
            // Received or ready with questions is needs-clarification (DEL-11, HO-13).
            (Meaning::Received | Meaning::ReadyToProceed, _) if reading.effect.contains("clarifying") => {
                "clarification".to_owned()
            }
            _ if asked_again(situation, &reading.effect) => unread(situation).to_owned(),
            (..) => worded(situation, meaning).to_owned(),
        };
        let moved =
            moves && !matches!(&*reading.effect, "none" | "not-understood") && read != unread(situation);
        Ok(Outcome { read, moved, told })
    }

    fn newest(&self, to: &str) -> anyhow::Result<Option<Message>> {
        Ok(self.messages_to(to)?.pop())
    }

    fn messages_to(&self, to: &str) -> anyhow::Result<Vec<Message>> {
        let rows = self.store.messages_after(0, 1000)?;
        let parsed = rows.iter().map(|row| serde_json::from_slice::<Message>(&row.body));
        let messages: Vec<Message> = parsed.collect::<Result<_, _>>()?;
        Ok(messages.into_iter().filter(|message| message.to.as_str() == to).collect())
    }

    fn say(&mut self, from: &str, to: &str, content: Value) -> anyhow::Result<Accepted> {
        let body = json!({"from": from, "to": to, "content": content});
        self.post(&body)?.map_err(|refused| anyhow::anyhow!("{body}: {refused}"))
    }

    fn post(&mut self, body: &Value) -> anyhow::Result<Result<Accepted, String>> {
        self.now = self.now.plus(wilco_protocol::Span::seconds(1));
        let incoming =
            parse::message(body.to_string().as_bytes()).map_err(|error| anyhow::anyhow!("{error}"))?;
        let command = Command::Post(Box::new(Post::local(incoming)));
        let stepped = self.engine.step(vec![command], self.now, &mut self.store)?;
        Ok(match stepped.answers.into_iter().next() {
            Some(Ok(Done::Accepted(accepted))) => Ok(accepted),
            other => Err(format!("{other:?}")),
        })
    }
}

/// Whether nothing went on though an answer was given.
fn asked_again(situation: &str, effect: &str) -> bool {
    match situation {
        "task-new" | "handoff" => effect != "none" && !effect.contains("->"),
        "pause-asked" | "resume-asked" => matches!(effect, "none" | "not-understood"),
        _ => false,
    }
}

/// What the table calls a reply that answers nothing.
fn unread(situation: &str) -> &'static str {
    if situation == "handoff" { "malformed" } else { "told" }
}

/// The option by which an escalation was closed.
fn closed(row: &JournalRow) -> Option<String> {
    let event: Value = serde_json::from_slice(&row.bytes).ok()?;
    let find = |value: &Value| value.get("data")?.get("option")?.as_str().map(str::to_owned);
    find(&event).or_else(|| find(event.get("event")?))
}

fn with_what_it_needs(option: &str, reply: &str) -> String {
    let about = About { ids: &["GH-210", "del-7", "del-7-e1"], title: "" };
    let said = decision(reply, &[option], &about).or_else(|| in_json(option, reply));
    match (option, said) {
        ("reassign", Some(ReadDecision { agent: Some(agent), .. })) => format!("reassign:{agent}"),
        ("extend", Some(ReadDecision { time: Some(time), .. })) => format!("extend:{time}"),
        (option, _) => option.to_owned(),
    }
}

/// A decision that is a typed object.
fn in_json(option: &str, reply: &str) -> Option<ReadDecision> {
    let object = object(reply)?;
    let text = |key: &str| object.get(key).and_then(Value::as_str);
    let (agent, time) = (text("agent").map(str::to_owned), text("time").and_then(|time| time.parse().ok()));
    Some(ReadDecision { option: option.to_owned(), agent, time, status: None })
}

fn failures(reply: &str) -> usize {
    match reading(reply).map(|read| read.answer) {
        Some(Answer::Result { failures, .. }) => failures.len(),
        _ => result::failures(reply).len(),
    }
}

/// A meaning of the protocol in the words of the table.
fn worded(situation: &str, meaning: Meaning) -> &'static str {
    match (situation, meaning) {
        ("task-new", Meaning::Confirmed) => "received",
        (_, Meaning::NeedsClarification | Meaning::HandoffNeedsClarification) => "clarification",
        ("stop-asked" | "pause-asked" | "resume-asked", Meaning::Progress | Meaning::Complete) => "told",
        (_, Meaning::Complete) => "completed",
        (_, Meaning::StopConfirmed) => "stopped",
        (_, Meaning::PauseConfirmed) => "paused",
        (_, Meaning::ResumeConfirmed) => "resumed",
        ("operation", Meaning::Information) => "info",
        ("fix", Meaning::FixAcknowledgment) => "fix-ack",
        ("fix", Meaning::FixCompletion) => "fixed",
        ("handoff", Meaning::ReadyToProceed) => "ready",
        ("handoff", Meaning::EnvironmentIssue) => "environment",
        ("handoff", Meaning::MalformedAck) => "malformed",
        (
            _,
            Meaning::Remark
            | Meaning::Doubtful
            | Meaning::Contradiction
            | Meaning::Unreadable
            | Meaning::UnfinishedVerdict,
        ) => "told",
        (_, other) => other.word(),
    }
}

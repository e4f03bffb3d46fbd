//! What goes on after the play while the server stays up: some things wait for whoever looks, and agents act on
//! what is decided, so that the dashboard is worth watching.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use wilco_language::message::MessageType;
use wilco_wire::Message;

use super::scenes::received;
use super::stage::Stage;

/// Who answers by itself. erik stays silent, so that there is something to decide.
const WORKERS: [&str; 4] = ["carl", "dora", "finn", "gina"];
/// How often an agent looks into its inbox and does a piece of its work.
const TICK: Duration = Duration::from_secs(2);
/// The pieces of work in a task.
const PIECES: u32 = 5;
/// New tasks end after so many; who watches longer has seen it.
const MOST_TASKS: usize = 1_000;

const TITLES: [&str; 6] = [
    "Cache the list of projects",
    "Name the columns of the export",
    "Answer 404 for unknown invoices",
    "Shorten the start of the worker",
    "Log the id of every request",
    "Test the upload of empty files",
];

/// A task that an agent works on.
struct Work {
    agent: String,
    exchange: String,
    done: u32,
}

/// The agents that go on, and what they know.
pub(crate) struct Fleet<'a> {
    stage: &'a Stage,
    /// What each task says, by exchange.
    tasks: BTreeMap<String, (String, String)>,
    at_work: Vec<Work>,
    given: usize,
}

impl<'a> Fleet<'a> {
    /// Opens what waits for a person, and gives the first tasks.
    pub(crate) fn begin(stage: &'a Stage) -> anyhow::Result<Fleet<'a>> {
        stage.scene("9. What waits for you");
        for name in ["finn", "gina"] {
            stage.register(name, &["rust"])?;
        }
        let mut fleet = Fleet { stage, tasks: BTreeMap::new(), at_work: Vec::new(), given: 0 };
        fleet.review()?;
        fleet.question()?;
        fleet.escalation()?;
        fleet.operation()?;
        fleet.give("carl")?;
        fleet.give("gina")?;
        stage.tell("carl and gina work on tasks of their own, and report as they go.");
        Ok(fleet)
    }

    fn delegate(&mut self, to: &str, id: &str, title: &str, more: Value) -> anyhow::Result<String> {
        let mut task = json!({"type": MessageType::TaskAssignment, "task_id": id, "title": title});
        for (key, value) in more.as_object().into_iter().flatten() {
            task[key] = value.clone();
        }
        let criteria = more["acceptance_criteria"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let said = std::iter::once(title).chain(criteria).collect::<Vec<_>>().join(". ");
        let exchange = self.stage.delegate("anna", to, task)?;
        self.tasks.insert(exchange.clone(), (id.to_owned(), said));
        Ok(exchange)
    }

    /// finn says a task back in his own words: somebody has to say whether that is right.
    fn review(&mut self) -> anyhow::Result<()> {
        let criteria = json!({"acceptance_criteria": ["POST /logout ends the session", "A test shows it"]});
        let id = self.delegate("finn", "GH-7", "Add a logout endpoint", criteria)?;
        self.stage.hear("finn", MessageType::TaskAssignment)?;
        self.stage.say(
            "finn",
            &id,
            received("GH-7", "I build a route that signs people out, and cover it with tests"),
        )?;
        self.stage.tell("finn says GH-7 back in his own words. Is that right? The verdict is yours.");
        Ok(())
    }

    fn question(&mut self) -> anyhow::Result<()> {
        let criteria = json!({"acceptance_criteria": ["Every endpoint has an example"]});
        let id = self.delegate("dora", "GH-8", "Document the API", criteria)?;
        self.stage.hear("dora", MessageType::TaskAssignment)?;
        let asked = json!({
            "type": MessageType::TaskAcknowledgment, "task_id": "GH-8", "status": "needs-clarification",
            "questions": ["Which version of the API is meant?"],
        });
        self.stage.say("dora", &id, asked)?;
        self.stage.tell("dora asks which version of the API GH-8 means. Answer her.");
        Ok(())
    }

    fn escalation(&mut self) -> anyhow::Result<()> {
        let policy = json!({"policy": {"ack_timeout": "2s", "retry_timeouts": ["1s"]}});
        self.delegate("erik", "GH-9", "Move the nightly build to arm64", policy)?;
        self.stage.hear("anna", MessageType::Escalation)?;
        self.stage
            .tell("erik is silent again, and nobody else is in line for GH-9. Decide: try reassign to gina.");
        Ok(())
    }

    fn operation(&mut self) -> anyhow::Result<()> {
        let id = self.stage.operate(
            "anna",
            &["carl", "dora", "gina"],
            json!({
                "type": MessageType::PreOperation, "operation": "maintenance",
                "message": "The machine gets a new kernel.", "acknowledgment_timeout": "10m",
            }),
        )?;
        let asked = self.stage.hear("carl", MessageType::PreOperation)?;
        self.stage.reply("carl", &asked, "ok")?;
        let asked = self.stage.hear("gina", MessageType::PreOperation)?;
        self.stage.reply("gina", &asked, "go ahead")?;
        self.stage
            .tell(&format!("carl and gina are ready for maintenance, dora has not said so yet ({id})."));
        Ok(())
    }

    /// The next of the small tasks, for this agent.
    fn give(&mut self, agent: &str) -> anyhow::Result<()> {
        if self.given == MOST_TASKS {
            return Ok(());
        }
        let title = TITLES[self.given % TITLES.len()];
        self.given += 1;
        let id = format!("GH-{}", 9 + self.given);
        self.delegate(agent, &id, title, json!({})).map(drop)
    }

    /// Until the server is gone.
    pub(crate) fn go_on(mut self) {
        while self.tick().is_ok() {
            thread::sleep(TICK);
        }
    }

    fn tick(&mut self) -> anyhow::Result<()> {
        for agent in WORKERS {
            for message in self.stage.unread(agent)? {
                self.act_on(agent, &message)?;
            }
        }
        for mut work in std::mem::take(&mut self.at_work) {
            work.done += 1;
            match self.proceed(&work) {
                // Somebody stopped, paused or moved it meanwhile.
                Err(_) => {}
                Ok(()) if work.done < PIECES => self.at_work.push(work),
                Ok(()) => self.give(&work.agent)?,
            }
        }
        Ok(())
    }

    /// What an agent does about a message. Whatever else it gets, it only reads.
    fn act_on(&mut self, agent: &str, message: &Message) -> anyhow::Result<()> {
        let kind = message.content["type"].as_str().and_then(MessageType::named);
        let Some(exchange) = message.exchange.clone() else { return Ok(()) };
        let say = |content: Value| self.stage.say(agent, &exchange, content).map(drop);
        let asked = [
            MessageType::TaskAssignment,
            MessageType::TaskAmend,
            MessageType::TaskClarification,
            MessageType::TaskCorrection,
            MessageType::TaskSupplement,
        ];
        let answered = match (kind, self.tasks.get(&exchange)) {
            (Some(kind), Some((id, said))) if asked.contains(&kind) => say(received(id, said)),
            (Some(MessageType::TaskCancel), _) => say(json!({"type": MessageType::StopAck})),
            (Some(MessageType::TaskPause), _) => say(json!({"type": MessageType::PauseAck})),
            (Some(MessageType::TaskResume), _) => say(json!({"type": MessageType::ResumeAck})),
            _ => Ok(()),
        };
        if matches!(kind, Some(MessageType::BeginNow)) {
            self.at_work.push(Work { agent: agent.to_owned(), exchange, done: 0 });
        }
        // The exchange may have moved on before the answer came.
        answered.or(Ok(()))
    }

    fn proceed(&self, work: &Work) -> anyhow::Result<()> {
        let content = match work.done {
            PIECES => json!({"type": MessageType::TaskComplete, "message": "Done, and the tests pass."}),
            piece => json!({
                "type": MessageType::CheckpointAck, "checkpoint": piece, "status": "done",
                "summary": format!("piece {piece} of {PIECES}"),
            }),
        };
        self.stage.say(&work.agent, &work.exchange, content).map(drop)
    }
}

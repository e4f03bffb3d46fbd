//! One realm in memory: an engine, its store and a clock that stands still until it is moved. It is asked and answers in
//! the JSON of the API, so that a rule reads the same wherever it is tested.

use std::cell::RefCell;

use serde_json::{Value, json};
use wilco_engine::reads::{self, InboxQuery};
use wilco_engine::{Accepted, Command, Done, Engine, Post, PutAgent, Refused, Settings, Viewer, rebuild};
use wilco_language::parse::{self, ParseError};
use wilco_protocol::{ExchangeId, MessageId, Name, Span, Time};
use wilco_store::{InboxStatus, Memory, Message, Reader};

pub(crate) use wilco_testkit::scene::{ack, said, task, task_with, text};

pub(crate) struct Realm(RefCell<Parts>);

struct Parts {
    engine: Engine,
    store: Memory,
    now: Time,
}

impl Realm {
    pub(crate) fn start() -> Realm {
        Realm::with(Settings::default())
    }

    /// As it is configured.
    pub(crate) fn with(settings: Settings) -> Realm {
        let store = Memory::new();
        let engine = Engine::load(settings, &store).unwrap();
        Realm(RefCell::new(Parts { engine, store, now: Time::from_millis(1_800_000_000_000) }))
    }

    /// The process dies, and another goes on with what is stored.
    pub(crate) fn restart(&self) {
        let parts = &mut *self.0.borrow_mut();
        parts.engine = Engine::load(Settings::default(), &parts.store).unwrap();
    }

    /// Everything that follows from the record is made anew, and is what it was.
    pub(crate) fn rebuild(&self) {
        let parts = &mut *self.0.borrow_mut();
        rebuild(&mut parts.store).unwrap();
        parts.engine = Engine::load(Settings::default(), &parts.store).unwrap();
    }

    pub(crate) fn now(&self) -> Time {
        self.0.borrow().now
    }

    /// Does a command in a commit of its own.
    pub(crate) fn run(&self, command: Command) -> Result<Done, Refused> {
        self.run_all(vec![command]).pop().unwrap()
    }

    /// Does commands in one commit.
    pub(crate) fn run_all(&self, commands: Vec<Command>) -> Vec<Result<Done, Refused>> {
        let Parts { engine, store, now } = &mut *self.0.borrow_mut();
        engine.step(commands, *now, store).unwrap().answers
    }

    /// Asks what is stored.
    pub(crate) fn read<T>(&self, ask: impl FnOnce(&dyn Reader) -> T) -> T {
        ask(&self.0.borrow().store)
    }

    /// How many questions the store was asked one by one so far.
    pub(crate) fn single_lookups(&self) -> u64 {
        self.0.borrow().engine.single_lookups()
    }

    /// Registers agents by their names alone.
    pub(crate) fn register(&self, names: &[&str]) {
        for name in names {
            let (name, profile) = ((*name).to_owned(), Default::default());
            self.run(Command::PutAgent(Box::new(PutAgent {
                name,
                profile,
                role: None,
                mark: None,
                viewer: Viewer::Operator,
            })))
            .unwrap();
        }
    }

    fn post(&self, message: &Value, key: Option<&str>) -> Result<Accepted, Refused> {
        match self.run(posting(message, key)?)? {
            Done::Accepted(accepted) => Ok(accepted),
            other @ (Done::Agent(_) | Done::Nothing) => panic!("no answer to a message: {other:?}"),
        }
    }

    /// Sends with a token.
    pub(crate) fn post_as(&self, viewer: &Viewer, message: &Value) -> Result<Value, Refused> {
        let mut command = posting(message, None)?;
        if let Command::Post(post) = &mut command {
            post.viewer = viewer.clone();
        }
        match self.run(command)? {
            Done::Accepted(accepted) => Ok(answer(&accepted)),
            other @ (Done::Agent(_) | Done::Nothing) => panic!("no answer to a message: {other:?}"),
        }
    }

    /// Sends with a token of role orchestrator.
    pub(crate) fn post_as_orchestrator(&self, name: &str, message: &Value) -> Result<Value, Refused> {
        let mut command = posting(message, None)?;
        if let Command::Post(post) = &mut command {
            (post.viewer, post.orchestrates) = (Viewer::Agent(Name::new(name)), true);
        }
        match self.run(command)? {
            Done::Accepted(accepted) => Ok(answer(&accepted)),
            other @ (Done::Agent(_) | Done::Nothing) => panic!("no answer to a message: {other:?}"),
        }
    }

    /// Sends with a token what must be refused, as a door would with this status; says why.
    pub(crate) fn refused_as(&self, viewer: &Viewer, message: &Value, expected: u16) -> String {
        let problem = problem(self.post_as(viewer, message), expected);
        problem["detail"].as_str().map_or_else(|| problem.to_string(), str::to_owned)
    }

    /// Sends what must be accepted.
    pub(crate) fn send(&self, message: &Value) -> Value {
        answer(
            &self.post(message, None).unwrap_or_else(|refused| panic!("{message} was refused: {refused:?}")),
        )
    }

    /// The same under a key.
    pub(crate) fn send_under(&self, key: &str, message: &Value) -> Value {
        answer(&self.post(message, Some(key)).unwrap())
    }

    /// Sends what must be refused, as a door would with this status; says what is wrong with it.
    pub(crate) fn refused(&self, message: &Value, expected: u16) -> Value {
        problem(self.post(message, None), expected)
    }

    pub(crate) fn refused_under(&self, key: &str, message: &Value, expected: u16) -> Value {
        problem(self.post(message, Some(key)), expected)
    }

    /// Begins an exchange; returns its id.
    pub(crate) fn begin(&self, message: &Value) -> String {
        self.send(message)["exchange"]["id"].as_str().unwrap().to_owned()
    }

    /// A delegation that is being worked on.
    pub(crate) fn begin_working(&self, task_id: &str) -> String {
        self.register(&["boss", "worker"]);
        let id = self.begin(&task(task_id));
        assert_eq!(self.send(&ack(task_id))["exchange"]["state"], "working");
        id
    }

    pub(crate) fn exchange(&self, id: &str) -> Value {
        let id: ExchangeId = id.parse().unwrap();
        json!(reads::exchange(&self.0.borrow().store, &Viewer::Operator, id).unwrap().unwrap())
    }

    pub(crate) fn state(&self, id: &str) -> String {
        self.exchange(id)["state"].as_str().unwrap().to_owned()
    }

    /// Everything in an inbox as its owner gets it, oldest first.
    pub(crate) fn inbox(&self, agent: &str) -> Vec<Value> {
        let statuses = vec![InboxStatus::Unread, InboxStatus::Read];
        let query =
            InboxQuery { agent: Name::new(agent), statuses, after: None, limit: 1000, bytes: usize::MAX };
        let page = reads::inbox(&self.0.borrow().store, &Viewer::Operator, &query).unwrap().unwrap();
        let shown = |message: &Message| {
            let mut shown = json!(message);
            shown["content"] = serde_json::from_str(message.delivered().get()).unwrap();
            shown
        };
        let entry = |entry: &reads::InboxEntry| {
            let mut shown = shown(&entry.message);
            shown["unread"] = json!(entry.status == InboxStatus::Unread);
            shown
        };
        page.items.iter().map(entry).collect()
    }

    /// What waits for an agent.
    pub(crate) fn todo(&self, agent: &str) -> Vec<Value> {
        let (agent, url) = (Name::new(agent), Settings::default().url);
        let items = reads::todo(&self.0.borrow().store, &Viewer::Operator, &agent, &url).unwrap().unwrap();
        let shown = |item: &reads::TodoItem| {
            let reads::TodoItem { kind, exchange, state: _, task_id, due, text } = item;
            json!({
                "kind": kind, "exchange": exchange, "task_id": task_id, "from": text.from, "due": due,
                "asked": text.asked, "answer": text.answer,
            })
        };
        items.iter().map(shown).collect()
    }

    /// The newest message in an inbox.
    pub(crate) fn newest(&self, agent: &str) -> Value {
        self.inbox(agent).pop().unwrap_or(Value::Null)
    }

    /// How the message of this answer was read.
    pub(crate) fn reading(&self, sent: &Value) -> Value {
        let id = MessageId::new(sent["message"]["id"].as_str().unwrap());
        let found = reads::message(&self.0.borrow().store, &Viewer::Operator, &id).unwrap().unwrap();
        json!(found.message.reading)
    }

    /// Moves the clock from due time to due time.
    pub(crate) fn advance(&self, by: &str) {
        let target = self.0.borrow().now.plus(by.parse::<Span>().unwrap());
        loop {
            let due = self.0.borrow().engine.next_wake().filter(|due| *due <= target);
            let Some(due) = due else { break };
            let now = self.0.borrow().now.max(due);
            self.0.borrow_mut().now = now;
            self.run(Command::Wake).unwrap();
        }
        self.0.borrow_mut().now = target;
    }
}

/// The command that a door makes of a message, or what is wrong with it already.
pub(crate) fn posting(message: &Value, key: Option<&str>) -> Result<Command, Refused> {
    let incoming = parse::message(message.to_string().as_bytes()).map_err(|error| match error {
        ParseError::Fields { errors, .. } => Refused::Invalid { errors },
        other => Refused::NotFound { detail: other.to_string() },
    })?;
    let idempotency_key = key.map(str::to_owned);
    Ok(Command::Post(Box::new(Post { idempotency_key, ..Post::local(incoming) })))
}

fn answer(accepted: &Accepted) -> Value {
    json!({"message": accepted.messages.first(), "exchange": accepted.exchange})
}

pub(crate) fn problem<T: std::fmt::Debug>(got: Result<T, Refused>, expected: u16) -> Value {
    let refused = got.expect_err("it was accepted");
    let (status, problem) = match &refused {
        Refused::NotFound { detail } => (404, json!({"detail": detail})),
        Refused::Forbidden { detail } => (403, json!({"detail": detail})),
        Refused::Conflict { detail, .. } => (409, json!({"detail": detail})),
        Refused::Invalid { errors } => {
            let wrong = errors.iter().map(|one| json!({"pointer": one.pointer, "detail": one.detail}));
            (422, json!({"errors": wrong.collect::<Vec<_>>()}))
        }
        Refused::KeyReused => (422, json!({"type": "key-reused"})),
        Refused::TooMany { detail } => (429, json!({"detail": detail})),
        Refused::Store(error) => (503, json!({"detail": error.to_string()})),
    };
    assert_eq!(status, expected, "{refused:?}");
    problem
}

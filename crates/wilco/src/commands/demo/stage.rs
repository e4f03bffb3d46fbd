//! What the simulated agents can do: speak, listen, and be told about.

use std::thread;
use std::time::{Duration, Instant};
use wilco_language::message::MessageType;

use anyhow::Context;
use serde_json::{Value, json};
use wilco_client::{Client, ExchangeParameters, IdempotencyKey, InboxParameters, Outgoing};
use wilco_wire::{AgentSpec, Exchange, Message, Posted, Verified};

use crate::output::escape::one_line;
use crate::output::{self, Screen};

#[derive(Debug)]
pub(crate) struct Stage {
    url: String,
    begun: Instant,
    /// Whether somebody reads along.
    watched: bool,
    screen: Screen,
}

/// Long enough to read a line.
const READING: Duration = Duration::from_millis(350);
/// Longer than any wait in the play.
const PATIENCE: Duration = Duration::from_secs(10);

impl Stage {
    pub(crate) fn new(url: &str, watched: bool) -> Stage {
        Stage { url: url.to_owned(), begun: Instant::now(), watched, screen: Screen::of_stdout() }
    }

    /// A heading.
    pub(crate) fn scene(&self, title: &str) {
        output::print(&format!("\n{}", self.screen.paint.bold(title)));
    }

    /// A sentence, with the time since the start.
    pub(crate) fn tell(&self, sentence: &str) {
        let elapsed = format!("{:5.1}s", self.begun.elapsed().as_secs_f64());
        output::print(&format!("{}  {}", self.screen.paint.dim(&elapsed), one_line(sentence)));
        if self.watched {
            thread::sleep(READING);
        }
    }

    pub(crate) fn register(&self, name: &str, capabilities: &[&str]) -> anyhow::Result<()> {
        let capabilities = Some(capabilities.iter().map(|word| word.to_string()).collect());
        self.client(name).register(name, &AgentSpec { capabilities, ..AgentSpec::default() })?;
        Ok(())
    }

    /// Somebody gives somebody a task; returns the exchange's id.
    pub(crate) fn delegate(&self, from: &str, to: &str, task: Value) -> anyhow::Result<String> {
        let message = Outgoing { to: vec![to.to_owned()], content: task, ..Outgoing::default() };
        let posted = self.post(from, message)?;
        Ok(posted.exchange.context("the delegation did not begin")?.id)
    }

    /// Somebody announces an operation to several; returns the exchange's id.
    pub(crate) fn operate(&self, from: &str, to: &[&str], operation: Value) -> anyhow::Result<String> {
        let to = to.iter().map(|name| (*name).to_owned()).collect();
        let posted = self.post(from, Outgoing { to, content: operation, ..Outgoing::default() })?;
        Ok(posted.exchange.context("the operation did not begin")?.id)
    }

    /// Somebody says something in an exchange; returns its state after that.
    pub(crate) fn say(&self, from: &str, exchange: &str, content: Value) -> anyhow::Result<String> {
        let exchange = Some(exchange.to_owned());
        let posted = self.post(from, Outgoing { exchange, content, ..Outgoing::default() })?;
        Ok(posted.exchange.context("the message moved nothing")?.state)
    }

    /// Somebody answers a message in plain words.
    pub(crate) fn reply(&self, from: &str, to: &Message, text: &str) -> anyhow::Result<String> {
        let posted = self.post(
            from,
            Outgoing {
                to: vec![to.from.clone()],
                in_reply_to: Some(to.id.clone()),
                content: json!({"type": MessageType::Response, "message": text}),
                ..Outgoing::default()
            },
        )?;
        Ok(posted.exchange.context("the reply moved nothing")?.state)
    }

    fn post(&self, from: &str, message: Outgoing) -> anyhow::Result<Posted> {
        let message = Outgoing { from: Some(from.to_owned()), ..message };
        Ok(self.client(from).send(&message, &IdempotencyKey::fresh())?.value)
    }

    /// The next unread message of this type; everything before it is read on the way.
    pub(crate) fn hear(&self, agent: &str, of: MessageType) -> anyhow::Result<Message> {
        let (client, until) = (self.client(agent), Instant::now() + PATIENCE);
        while Instant::now() < until {
            let wait = Some(until.saturating_duration_since(Instant::now()));
            let query =
                InboxParameters { status: Some("unread".to_owned()), wait, ..InboxParameters::default() };
            for message in client.inbox(agent, &query)?.value.items {
                client.mark_read(&message.id)?;
                if message.content["type"] == of.name() {
                    return Ok(message);
                }
            }
        }
        anyhow::bail!("{agent} got no {of} in time")
    }

    /// What an agent has not read yet; read now.
    pub(crate) fn unread(&self, agent: &str) -> anyhow::Result<Vec<Message>> {
        let client = self.client(agent);
        let query = InboxParameters { status: Some("unread".to_owned()), ..InboxParameters::default() };
        let messages = client.inbox(agent, &query)?.value.items;
        messages.iter().try_for_each(|message| client.mark_read(&message.id))?;
        Ok(messages)
    }

    pub(crate) fn exchanges(&self) -> anyhow::Result<Vec<Exchange>> {
        Ok(Client::new(&self.url).exchanges(&ExchangeParameters::default())?.value.items)
    }

    pub(crate) fn verify(&self) -> anyhow::Result<Verified> {
        let verified = Client::new(&self.url).verify()?.value;
        anyhow::ensure!(verified.ok, "the journal is damaged: {verified:?}");
        Ok(verified)
    }

    fn client(&self, name: &str) -> Client {
        Client::new(&self.url).named(Some(name.to_owned()))
    }
}

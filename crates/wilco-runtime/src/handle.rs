//! What doors hold: a way to the writer, to readers, and to those who wait.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::{oneshot, watch};
use wilco_engine::{Answer, Command, NudgeJob, Refused, Settings, Viewer, examine};
use wilco_language::parse::FieldError;
use wilco_outside::{Outside, Replacements, Sleep};
use wilco_protocol::directory::{Agent, Directory};
use wilco_protocol::{Name, Span, Time};
use wilco_store::{Reader, StoreError};

use crate::agent_index::{AgentIndex, number};
use crate::clock::{Clock, ticks};
use crate::meters::{Meters, Readings};
use crate::node::Node;
use crate::readers::Readers;
use crate::search::Follower;
use crate::waiters::Waiters;
use crate::writer::{Job, Queue, Shared};

#[derive(Debug, Clone)]
pub struct Handle {
    pub(crate) queue: Queue,
    pub(crate) readers: Readers,
    pub(crate) waiters: Waiters,
    pub(crate) clock: Clock,
    pub(crate) agents: AgentIndex,
    pub(crate) outside: Arc<Outside>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) search: Option<Follower>,
    pub(crate) meters: Meters,
    /// The first damage that somebody found.
    pub(crate) damage: watch::Sender<Option<Arc<StoreError>>>,
    /// This node among others, if there can be others.
    pub(crate) node: Option<Arc<Node>>,
    /// Where a node hears that it is to leave.
    pub(crate) leave: SyncSender<oneshot::Sender<()>>,
    /// The other end, until the node takes it.
    leaving: Arc<Mutex<Option<Receiver<oneshot::Sender<()>>>>>,
}

/// A writer that takes longer for nothing takes no commits.
const WRITER_ANSWERS: Duration = Duration::from_secs(2);

/// The queue to the writer is full, or the writer is gone. Nothing was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the server is overloaded or shutting down; try again in a moment")]
pub struct Overloaded;

#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the reader failed")]
    Lost,
    /// What could be read here may be old.
    #[error("{reason}")]
    CutOff { reason: String },
}

/// When an agent was last there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    pub at: Option<Time>,
    /// Its client said that its last session ended.
    pub has_left: bool,
}

impl Handle {
    pub(crate) fn new(shared: &Shared, search: Option<Follower>, node: Option<Arc<Node>>) -> Handle {
        let (leave, leaving) = sync_channel(1);
        Handle {
            queue: shared.queue.clone(),
            readers: shared.readers.clone(),
            waiters: shared.waiters.clone(),
            clock: shared.clock.clone(),
            agents: shared.agents.clone(),
            outside: shared.outside.clone(),
            settings: shared.settings.clone(),
            search,
            meters: shared.meters.clone(),
            damage: watch::Sender::new(None),
            node,
            leave,
            leaving: Arc::new(Mutex::new(Some(leaving))),
        }
    }

    /// For the one who watches over the node.
    pub(crate) fn leaving(&self) -> Receiver<oneshot::Sender<()>> {
        let kept = self.leaving.lock().unwrap_or_else(PoisonError::into_inner).take();
        kept.unwrap_or_else(|| sync_channel(1).1)
    }

    /// This node among others; none on an embedded store.
    pub fn node(&self) -> Option<&Node> {
        self.node.as_deref()
    }

    /// Whether somebody takes commands in this process.
    pub fn has_writer(&self) -> bool {
        self.queue.current().is_some()
    }

    /// Does one command; returns after it is durable.
    pub async fn send(&self, command: Command) -> Result<Answer, Overloaded> {
        let mut answers = self.send_all(vec![command]).await?;
        answers.pop().ok_or(Overloaded)
    }

    /// Does commands in order, in one commit.
    pub async fn send_all(&self, commands: Vec<Command>) -> Result<Vec<Answer>, Overloaded> {
        self.ask(|answer| Job::Commands(commands, answer)).await
    }

    /// The newest agents that were registered before this number, and the number behind which the list goes on.
    pub fn newest_agents(&self, before: Option<u64>, limit: usize) -> (Vec<Agent>, Option<u64>) {
        let mut found = self.agents.newest(before, limit.saturating_add(1));
        let more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| more).map(number);
        (found, next)
    }

    /// Some of the agents whose names come behind this one, by name.
    pub fn agents_after(&self, name: Option<&Name>, limit: usize) -> Vec<Agent> {
        self.agents.ask(|all| all.after(name).take(limit).cloned().collect())
    }

    /// When these agents were last there; none where another node writes, which knows it.
    pub async fn seen(&self, agents: Vec<Name>) -> Result<Option<Vec<Seen>>, Overloaded> {
        match self.node.as_ref().is_none_or(|node| node.known().is_here) {
            true => self.ask(|answer| Job::Seen(agents, answer)).await.map(Some),
            false => Ok(None),
        }
    }

    /// The same as the writer stored it last, at most a minute ago. Who has left is not stored.
    pub async fn seen_as_stored(&self, agents: Vec<Name>) -> Result<Vec<Seen>, Overloaded> {
        let presence = self.read(|reader| reader.presence()).await.map_err(|_| Overloaded)?;
        let stored: BTreeMap<_, _> = presence.into_iter().map(|row| (row.name, row.seen)).collect();
        let seen = |name: &Name| Seen { at: stored.get(name).copied(), has_left: false };
        Ok(agents.iter().map(seen).collect())
    }

    /// The agent that a text names exactly: by id, name, alias or session.
    pub fn find_agent(&self, text: &str) -> Option<Agent> {
        self.agents.ask(|all| all.exactly(text).cloned())
    }

    /// Asks the directory of all agents, as of the last commit.
    pub fn ask_directory<T>(&self, ask: impl FnOnce(&Directory) -> T) -> T {
        self.agents.ask(ask)
    }

    /// Moves the test clock, and answers when everything that became due has happened.
    pub async fn advance(&self, by: Span) -> Result<Time, Overloaded> {
        self.ask(|answer| Job::Advance(by, answer)).await
    }

    /// Whether the store takes commits; if not, why not. After a commit that failed it is tried again: nothing else
    /// tells when there is room on the disk. Otherwise only the writer is asked whether it is there.
    pub async fn takes_commits(&self) -> Result<Result<(), Arc<StoreError>>, Overloaded> {
        if let Some(reason) = self.meters.distrusted() {
            return Ok(Err(Arc::new(StoreError::Distrusted { reason: reason.to_owned() })));
        }
        let tried = if self.meters.is_failing() { vec![Command::Alive] } else { Vec::new() };
        let answers =
            tokio::time::timeout(WRITER_ANSWERS, self.send_all(tried)).await.map_err(|_| Overloaded)?;
        match answers?.pop() {
            Some(Err(Refused::Store(error))) => Ok(Err(error)),
            Some(_) | None => Ok(Ok(())),
        }
    }

    /// Tells the server that its record is damaged: it is not to serve it any longer.
    pub fn found_damage(&self, damage: StoreError) {
        self.damage.send_if_modified(|first| {
            let new = first.is_none();
            first.get_or_insert_with(|| Arc::new(damage));
            new
        });
    }

    /// Returns when damage was found, with the first.
    pub async fn damaged(&self) -> Arc<StoreError> {
        let mut damage = self.damage.subscribe();
        let found = damage.wait_for(Option::is_some).await.ok().and_then(|found| found.clone());
        match found {
            Some(first) => first,
            // It cannot close: this holds the other end too.
            None => std::future::pending().await,
        }
    }

    /// Finishes what was accepted, then ends the writer.
    pub async fn stop(&self) {
        if let Some(search) = &self.search {
            search.close().await;
        }
        self.readers.close();
        if self.node.is_some() {
            let (left, gone) = oneshot::channel();
            if self.leave.try_send(left).is_ok() {
                // A node that is gone has left already.
                let _ = gone.await;
            }
            return;
        }
        // A writer that is gone has stopped already.
        let _ = self.ask(Job::Stop).await;
    }

    pub(crate) async fn ask<T>(&self, job: impl FnOnce(oneshot::Sender<T>) -> Job) -> Result<T, Overloaded> {
        let (sender, receiver) = oneshot::channel();
        let queue = self.queue.current().ok_or(Overloaded)?;
        match queue.try_send(job(sender)) {
            Ok(()) => {
                self.meters.queued();
                receiver.await.map_err(|_| Overloaded)
            }
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(Overloaded),
        }
    }

    /// Reads on a thread where blocking is fine.
    pub async fn read<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&dyn Reader) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, ReadError> {
        if let Some(node) = self.node.as_ref().filter(|node| !node.may_read()) {
            return Err(node.cut_off());
        }
        let readers = self.readers.clone();
        let reading = tokio::task::spawn_blocking(move || readers.read(ask));
        let answer = match &self.node {
            None => reading.await,
            // Whoever is cut off meanwhile waits for nothing.
            Some(node) => tokio::select! {
                answer = reading => answer,
                () = node.is_cut_off() => return Err(node.cut_off()),
            },
        };
        answer.map_err(|_| ReadError::Lost)?.map_err(ReadError::Store)
    }

    /// From now on what is known here of agents is at least what any node has acknowledged so far.
    pub async fn catch_up(&self) -> Result<(), ReadError> {
        // As long as its lease lasts, the writer knows everything.
        let Some(node) = self.node().filter(|node| !node.known().is_here || node.lease_margin().is_zero())
        else {
            return Ok(());
        };
        let (agents, known) = (self.agents.clone(), self.agents.position());
        self.read(move |reader| match reader.head()?.position {
            position if position > known => agents.read_at(position, reader),
            _ => Ok(()),
        })
        .await?;
        // Meanwhile it may have been too long ago.
        if node.may_read() { Ok(()) } else { Err(node.cut_off()) }
    }

    /// What more is wrong with a content that is refused already. The writer is not asked.
    pub fn examine(&self, content: &Map<String, Value>) -> Vec<FieldError> {
        self.agents.ask(|all| examine(&self.settings, all, content))
    }

    /// Nudges an agent now, apart from all orders: to see whether it works.
    pub async fn nudge(&self, job: &NudgeJob) -> Result<(), String> {
        self.outside.nudge(job, self.now()).await
    }

    /// Puts an agent to sleep or wakes it; none when no program is configured for it.
    pub async fn sleep(&self, what: Sleep, agent: &Agent) -> Option<Result<String, String>> {
        self.outside.sleep(what, agent).await
    }

    /// How agents were replaced, as far as the viewer may see it: from the audit file and all that was rotated
    /// out of it.
    pub async fn replacements(&self, viewer: Viewer) -> std::io::Result<Replacements> {
        let outside = self.outside.clone();
        let read = tokio::task::spawn_blocking(move || {
            outside.handoffs.replacements(|row| match &viewer {
                Viewer::Agent(agent) => {
                    let parties = [&row.failed_agent, &row.replacement_agent, &row.orchestrator];
                    parties.iter().any(|party| Name::new(party) == *agent)
                }
                Viewer::Local | Viewer::Operator | Viewer::ReadOnly => true,
            })
        });
        read.await.map_err(std::io::Error::other)?
    }

    /// A document that was saved for a handoff.
    pub async fn document(&self, name: String) -> std::io::Result<Option<String>> {
        let outside = self.outside.clone();
        let read = tokio::task::spawn_blocking(move || outside.handoffs.saved(&name));
        read.await.map_err(std::io::Error::other)?
    }

    /// What was counted so far.
    pub fn readings(&self) -> Readings {
        self.meters.readings()
    }

    /// A call was taken to the writer, and answered; it came at this tick.
    pub fn forwarded(&self, began: Duration) {
        self.meters.forwarded(ticks().saturating_sub(began));
    }

    /// Connections to the store that are in use.
    pub fn readers_in_use(&self) -> usize {
        self.readers.in_use()
    }

    pub fn waiters(&self) -> &Waiters {
        &self.waiters
    }

    /// Whether an agent is marked as unresponsive, hibernated or inactive.
    pub fn is_marked(&self, agent: &Name) -> bool {
        self.agents.is_marked(agent)
    }

    /// An agent's name as the directory spells it; letter case does not matter.
    pub fn canonical_name(&self, name: &Name) -> Option<Name> {
        self.agents.canonical_name(name)
    }

    pub fn now(&self) -> Time {
        self.clock.now()
    }

    pub fn has_test_clock(&self) -> bool {
        self.clock.is_test()
    }
}

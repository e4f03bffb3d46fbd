//! The one writer: drains the queue, steps the engine, commits, answers. It also is the alarm (it
//! sleeps until the next wake) and sends the courier off.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use tokio::sync::oneshot;
use wilco_engine::{Answer, Command, Engine, Order, Refused, Settings, Stepped};
use wilco_outside::{Outcome, Outside};
use wilco_protocol::{Span, Time};
use wilco_store::{EffectRow, SearchIndex, Store, StoreError};

use crate::clock::Clock;
use crate::handle::{AgentNow, Handle};
use crate::marks::Marks;
use crate::readers::{OpenReader, Readers};
use crate::search::Follower;
use crate::test_clock::TestClock;
use crate::waiters::Waiters;

/// Jobs that wait for the writer; more are refused.
const QUEUE: usize = 4096;
/// Commands in one commit.
const MAX_BATCH: usize = 1024;
/// Orders that are carried out at the same time.
const MAX_RUNNING: usize = 16;
/// An order that failed this often is given up.
const MAX_ATTEMPTS: u32 = 6;
/// The wait after the first failure; it doubles each time.
const FIRST_WAIT: Span = Span::seconds(5);
/// How often the server leaves a sign of life, and everybody's presence, in the store.
const ALIVE_EVERY: Span = Span::minutes(1);
/// The longest sleep, so that a clock that was set is noticed.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);

pub(crate) enum Job {
    Commands(Vec<Command>, oneshot::Sender<Vec<Answer>>),
    Agents(oneshot::Sender<Vec<AgentNow>>),
    Advance(Span, oneshot::Sender<Time>),
    Stop(oneshot::Sender<()>),
}

/// What a writer starts from.
pub struct Start<S> {
    pub store: S,
    pub readers: OpenReader,
    /// Makes searching quick; without it every message is looked at.
    pub search: Option<SearchIndex>,
    pub settings: Settings,
    pub outside: Outside,
    pub clock: Clock,
    /// The last sign of life before this start, as far as is known.
    pub last_alive: Option<Time>,
    /// Where the test clock is kept, if it is one.
    pub test_clock: Option<TestClock>,
    pub version: String,
}

impl<S> std::fmt::Debug for Start<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Start").field("settings", &self.settings).finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot start the writer: {0}")]
    Thread(#[from] std::io::Error),
}

/// Starts the writer on a thread of its own. Call it inside a tokio runtime: the courier runs there.
pub fn start<S: Store + Send + 'static>(start: Start<S>) -> Result<Handle, StartError> {
    let Start { store, readers, search, settings, outside, clock, last_alive, test_clock, version } = start;
    let (queue, jobs) = sync_channel(QUEUE);
    let engine = Engine::load(settings, &store)?;
    let head = store.head()?;
    let waiters = Waiters::new(head.position);
    let marks = Marks::default();
    marks.take_from(engine.directory());
    let pending = store.effects()?.into_iter().map(|row| ((row.due, row.position, row.index), row)).collect();
    let mut writer = Writer {
        engine,
        store,
        clock: clock.clone(),
        test_clock,
        waiters: waiters.clone(),
        marks: marks.clone(),
        jobs,
        queue: queue.clone(),
        outside: Arc::new(outside),
        courier: tokio::runtime::Handle::current(),
        pending,
        running: 0,
        alive_at: clock.now(),
        advancing: VecDeque::new(),
    };
    let now = clock.now();
    let down_from = head.at.max(last_alive).map(|last| last.min(now));
    let started = Command::Started { version, down_from, downtime: down_from.map(|last| now.since(last)) };
    writer.step(vec![started])?;
    // What became due while the server was down happens before anybody can ask about it.
    writer.wake_due();
    std::thread::Builder::new().name("wilco-writer".to_owned()).spawn(move || writer.run())?;
    let readers = Readers::new(readers);
    let search = search.map(|index| Follower::start(index, readers.clone(), waiters.head()));
    Ok(Handle { queue, readers, waiters, clock, marks, search })
}

struct Writer<S> {
    engine: Engine,
    store: S,
    clock: Clock,
    test_clock: Option<TestClock>,
    waiters: Waiters,
    marks: Marks,
    jobs: Receiver<Job>,
    queue: SyncSender<Job>,
    outside: Arc<Outside>,
    courier: tokio::runtime::Handle,
    /// Orders not carried out yet, by when they are due.
    pending: BTreeMap<(Time, u64, u32), EffectRow>,
    running: usize,
    alive_at: Time,
    /// Where the test clock is asked to go, one after the other.
    advancing: VecDeque<(Time, oneshot::Sender<Time>)>,
}

/// Who waits for how many answers.
type Waiting = (usize, oneshot::Sender<Vec<Answer>>);

/// What a turn of the writer brought.
enum Turn {
    GoOn,
    Stop(oneshot::Sender<()>),
}

impl<S: Store> Writer<S> {
    fn run(mut self) {
        loop {
            self.send_courier();
            let first = match self.jobs.recv_timeout(self.patience()) {
                Ok(job) => Some(job),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let turn = self.turn(first);
            self.stay_alive(matches!(turn, Turn::Stop(_)));
            self.wake_due();
            self.go_on_advancing();
            if let Turn::Stop(stopped) = turn {
                // Closed before anybody hears of it: the last to close moves the log into the database.
                drop(self);
                // Nobody waits for it any more when the caller is gone.
                let _ = stopped.send(());
                return;
            }
        }
    }

    /// How long to sleep when nobody asks for anything.
    fn patience(&self) -> Duration {
        if !self.advancing.is_empty() && self.running == 0 {
            return Duration::ZERO;
        }
        let order =
            self.pending.first_key_value().map(|((due, ..), _)| *due).filter(|_| self.running < MAX_RUNNING);
        let next = [self.engine.next_wake(), order].into_iter().flatten().min();
        let now = self.clock.now();
        match next {
            // A clock that stands still does not come nearer by waiting.
            Some(due) if due > now && self.clock.is_test() => LONGEST_SLEEP,
            Some(due) => Duration::from_millis(due.since(now).as_millis()).min(LONGEST_SLEEP),
            None => LONGEST_SLEEP,
        }
    }

    /// Takes whatever waits in the queue, does it in one commit, answers.
    fn turn(&mut self, first: Option<Job>) -> Turn {
        let (mut commands, mut waiting, mut stop) = (Vec::new(), Vec::new(), None);
        let mut next = first;
        while let Some(job) = next {
            match job {
                Job::Commands(list, answer) => {
                    waiting.push((list.len(), answer));
                    commands.extend(list);
                }
                Job::Agents(answer) => {
                    let _ = answer.send(self.agents());
                }
                Job::Advance(by, answer) => self.advance(by, answer),
                Job::Stop(stopped) => {
                    stop = Some(stopped);
                    break;
                }
            }
            next = if commands.len() < MAX_BATCH { self.jobs.try_recv().ok() } else { None };
        }
        if !waiting.is_empty() {
            self.answer(commands, waiting);
        }
        stop.map_or(Turn::GoOn, Turn::Stop)
    }

    fn answer(&mut self, commands: Vec<Command>, waiting: Vec<Waiting>) {
        let settled = commands.iter().filter(|command| is_settling(command)).count();
        self.running = self.running.saturating_sub(settled);
        match self.step(commands) {
            Ok(stepped) => {
                let mut answers = stepped.answers.into_iter();
                self.hand_out(waiting, move |count| answers.by_ref().take(count).collect());
            }
            Err(error) => {
                tracing::error!(%error, "a commit failed; nothing of it was acknowledged");
                let error = Arc::new(error);
                let refused = move |_| Err(Refused::Store(error.clone()));
                self.hand_out(waiting, move |count| (0..count).map(&refused).collect());
            }
        }
    }

    /// Gives everybody its answers. Waking a task from within its own runtime is much cheaper than from
    /// here, so the writer wakes one task that wakes the others.
    fn hand_out(&self, waiting: Vec<Waiting>, mut next: impl FnMut(usize) -> Vec<Answer> + Send + 'static) {
        self.courier.spawn(async move {
            for (count, waiter) in waiting {
                // A caller that went away gets no answer; what it asked for is done all the same.
                let _ = waiter.send(next(count));
            }
        });
    }

    fn step(&mut self, commands: Vec<Command>) -> Result<Stepped, StoreError> {
        let mut stepped = self.engine.step(commands, self.clock.now(), &mut self.store)?;
        if stepped.agents_changed {
            self.marks.take_from(self.engine.directory());
        }
        if stepped.committed {
            self.waiters.committed(stepped.head, &stepped.reached);
            if let Some(upkeep) = self.store.upkeep() {
                self.courier.spawn_blocking(upkeep);
            }
        }
        for row in stepped.effects.drain(..) {
            self.pending.insert((row.due, row.position, row.index), row);
        }
        Ok(stepped)
    }

    /// Leaves a sign of life now and then, and a last one at the end.
    fn stay_alive(&mut self, last: bool) {
        let now = self.clock.now();
        let due = now.since(self.alive_at) >= ALIVE_EVERY && !self.clock.is_test();
        if !due && !last {
            return;
        }
        self.alive_at = now;
        if let Err(error) = self.step(vec![Command::Alive]) {
            tracing::error!(%error, "a sign of life could not be kept");
        }
    }

    /// Wakes what is due. A wake that cannot be committed is tried again at the next turn.
    fn wake_due(&mut self) {
        if self.engine.next_wake().is_none_or(|due| due > self.clock.now()) {
            return;
        }
        if let Err(error) = self.step(vec![Command::Wake]) {
            tracing::error!(%error, "what is due could not be done; trying again");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Starts orders that are due.
    fn send_courier(&mut self) {
        let now = self.clock.now();
        while self.running < MAX_RUNNING {
            match self.pending.first_key_value() {
                Some(((due, ..), _)) if *due <= now => {}
                Some(_) | None => return,
            }
            let Some((_, row)) = self.pending.pop_first() else { return };
            self.running += 1;
            let (outside, queue) = (self.outside.clone(), self.queue.clone());
            self.courier.spawn(async move {
                let command = carried_out(&outside, row, now).await;
                let (answer, _) = oneshot::channel();
                // Blocking is right here: the queue is bounded, and a report must not be lost.
                let _ = tokio::task::spawn_blocking(move || queue.send(Job::Commands(vec![command], answer)))
                    .await;
            });
        }
    }

    fn agents(&self) -> Vec<AgentNow> {
        let agents = self.engine.directory().iter();
        agents
            .map(|agent| AgentNow { last_seen: self.engine.last_seen(&agent.name), agent: agent.clone() })
            .collect()
    }

    fn advance(&mut self, by: Span, answer: oneshot::Sender<Time>) {
        let now = self.clock.now();
        if !self.clock.is_test() {
            let _ = answer.send(now);
            return;
        }
        let from = self.advancing.back().map_or(now, |(target, _)| *target);
        self.advancing.push_back((from.plus(by), answer));
    }

    /// Moves the test clock from due time to due time, each handled at its own time, effects included.
    fn go_on_advancing(&mut self) {
        let Clock::Test(millis) = self.clock.clone() else { return };
        while let Some((target, _)) = self.advancing.front() {
            let target = *target;
            self.send_courier();
            if self.running > 0 {
                return;
            }
            let order = self.pending.first_key_value().map(|((due, ..), _)| *due);
            let next = [self.engine.next_wake(), order].into_iter().flatten().min();
            let to = next.filter(|due| *due <= target).unwrap_or(target).max(self.clock.now());
            millis.store(to.millis(), std::sync::atomic::Ordering::SeqCst);
            self.wake_due();
            let due_again = self.engine.next_wake().is_some_and(|due| due <= to);
            let order_due = self.pending.first_key_value().is_some_and(|((due, ..), _)| *due <= to);
            if to == target && !due_again && !order_due {
                self.arrived(target);
            }
        }
    }

    fn arrived(&mut self, target: Time) {
        if let Some(kept) = &self.test_clock
            && let Err(error) = kept.keep(target)
        {
            tracing::error!(%error, "the position of the test clock could not be kept");
        }
        if let Some((_, answer)) = self.advancing.pop_front() {
            let _ = answer.send(target);
        }
    }
}

/// Whether a command ends an order that was running.
fn is_settling(command: &Command) -> bool {
    matches!(command, Command::Report { .. } | Command::Postpone { .. })
}

/// Carries out an order; what came of it is a command again.
async fn carried_out(outside: &Outside, row: EffectRow, now: Time) -> Command {
    let (position, index) = (row.position, row.index);
    let order: Order = match serde_json::from_slice(&row.body) {
        Ok(order) => order,
        Err(error) => {
            tracing::error!(%error, position, "an order cannot be read and is put off");
            return Command::Postpone { position, index, due: now.plus(Span::minutes(60)) };
        }
    };
    match outside.carry_out(&order).await {
        Outcome::Reported(report) => Command::Report { position, index, report },
        Outcome::NotYet { reason } if row.attempts + 1 >= MAX_ATTEMPTS => {
            let report = Outside::given_up(&order, reason);
            Command::Report { position, index, report }
        }
        Outcome::NotYet { reason } => {
            tracing::warn!(reason, position, "an order failed and is tried again");
            Command::Postpone { position, index, due: now.plus(FIRST_WAIT.doubled(row.attempts)) }
        }
    }
}

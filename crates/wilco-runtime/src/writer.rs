//! The one writer: drains the queue, lets the engine decide, has it committed, answers. It also is the alarm
//! (it sleeps until the next wake) and sends the courier off. While a large batch is being committed it decides
//! the next; nobody hears an answer before the batch it belongs to is durable.

mod advancing;
mod orders;
mod term;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use tokio::sync::{oneshot, watch};
use wilco_engine::{Answer, Command, Committed, Engine, NudgeJob, Refused};
use wilco_outside::Outside;
use wilco_protocol::{Name, Span, Time};
use wilco_store::{Batch, Reader, StoreError, Tenure};

use crate::agent_index::AgentIndex;
use crate::clock::Clock;
use crate::committer::{CommitResult, Committer, Gone};
use crate::complaint::Complaint;
use crate::handle::Seen;
use crate::lease::Lease;
use crate::meters::Meters;
use crate::places::{OrderKey, PlaceKind, Places};
use crate::test_clock::TestClock;
use crate::waiters::Waiters;

/// Commands in one commit.
const MAX_BATCH: usize = 2048;
/// Jobs whose commands are decided together.
const TOGETHER: usize = 32;
/// How many times as many as still wait are in a small commit.
const SMALL_SHARE: usize = 4;
/// After a failed commit that nobody waits for, the next try comes after this.
const AFTER_A_FAILURE: Duration = Duration::from_millis(200);
/// How often the server leaves a sign of life, and everybody's presence, in the store.
const ALIVE_EVERY: Span = Span::minutes(1);
/// The longest sleep, so that a clock that was set is noticed.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);

pub(crate) use term::{Beginning, Queue, Shared, begin};
pub use term::{StartError, WriterStart, start};

pub(crate) enum Job {
    Commands(Vec<Command>, oneshot::Sender<Vec<Answer>>),
    /// When these were last there.
    Seen(Vec<Name>, oneshot::Sender<Vec<Seen>>),
    /// A node asks what is to be done for a nudge that names it; none: it is seen to here.
    Turn {
        place: OrderKey,
        node: String,
        answer: oneshot::Sender<Option<Box<NudgeJob>>>,
    },
    Advance(Span, oneshot::Sender<Time>),
    /// An order of this kind was carried out, and what came of it is stored.
    Carried(PlaceKind),
    /// A commit is done.
    Look,
    Stop(oneshot::Sender<()>),
}

struct Writer {
    engine: Engine,
    /// What it may answer by itself; none where nobody else can ever write.
    lease: Option<Lease>,
    tenure: Tenure,
    /// Sees what is committed; the engine knows the rest.
    reader: Box<dyn Reader + Send>,
    committer: Committer,
    /// Answers to what was decided since the last batch was handed over.
    decided: Vec<Waiting>,
    /// How many commands that were.
    commands: usize,
    /// Whether what is due was woken since.
    woke: bool,
    /// Answers that wait for the batch that is being committed, if one is.
    committing: Option<Vec<Waiting>>,
    clock: Clock,
    test_clock: Option<TestClock>,
    waiters: Waiters,
    agents: AgentIndex,
    meters: Meters,
    jobs: Receiver<Job>,
    queue: SyncSender<Job>,
    outside: Arc<Outside>,
    courier: tokio::runtime::Handle,
    /// Orders not carried out yet, and how many are.
    places: Places,
    /// Closed when the courier is to drop what it does.
    ending: watch::Sender<()>,
    alive_at: Time,
    complaint: Complaint,
    /// Where the test clock is asked to go, one after the other.
    advancing: VecDeque<(Time, oneshot::Sender<Time>)>,
}

/// Who waits, and the answers it gets.
type Waiting = (Vec<Answer>, oneshot::Sender<Vec<Answer>>);

impl Writer {
    fn run(mut self) {
        loop {
            match self.turn() {
                Ok(None) if self.is_over() => return self.step_down(),
                Ok(None) => {}
                Ok(Some(stopped)) => return self.finish(stopped),
                // Everybody who waits is told that the server is shutting down.
                Err(Gone) => return tracing::error!("the thread that commits has ended"),
            }
        }
    }

    /// Takes a job, and goes on with whatever became possible. Returns who asked to stop.
    fn turn(&mut self) -> Result<Option<oneshot::Sender<()>>, Gone> {
        self.send_courier();
        if self.committing.is_some() && self.is_full(0) {
            let outcome = self.committer.wait()?;
            self.settle_beside(outcome);
        }
        if self.committing.is_some() && !self.woke {
            self.wake_due();
        }
        let first = match self.committing {
            Some(_) => self.jobs.recv().map_err(|_| Gone)?,
            None => match self.jobs.recv_timeout(self.patience()) {
                Ok(job) => job,
                Err(RecvTimeoutError::Timeout) => Job::Look,
                Err(RecvTimeoutError::Disconnected) => return Err(Gone),
            },
        };
        let mut stop = self.take_with_others(first);
        if self.committing.is_some()
            && let Some(outcome) = self.committer.outcome()?
        {
            self.settle_beside(outcome);
        }
        if self.committing.is_none() {
            // Whatever waits by now shares the commit.
            while stop.is_none() && !self.is_full(0) {
                let Ok(job) = self.jobs.try_recv() else { break };
                stop = self.take_with_others(job);
            }
            self.stay_alive();
            if !self.woke {
                self.wake_due();
            }
            self.submit()?;
            if self.committing.is_none() {
                self.go_on_advancing();
            }
        }
        Ok(stop)
    }

    /// Whether what was decided is enough for a commit. Half of what is under way: if all of it were committed
    /// at once, nobody would have anything to do meanwhile, and then everybody at the same time. A small commit
    /// leaves the writer nothing to do meanwhile anyway, and takes in nearly all. `taken`: jobs that are about to be
    /// decided.
    fn is_full(&self, taken: usize) -> bool {
        let others = self.committing.as_ref().map_or(0, Vec::len) + self.meters.waiting();
        let share = if self.committer.is_small(self.engine.gathered()) { SMALL_SHARE } else { 1 };
        self.commands >= MAX_BATCH || self.decided.len() + taken > others * share
    }

    /// How long to sleep when nobody asks for anything.
    fn patience(&self) -> Duration {
        if !self.advancing.is_empty() && self.places.is_idle() {
            return Duration::ZERO;
        }
        let next = [self.engine.next_wake(), self.places.next_due()].into_iter().flatten().min();
        let now = self.clock.now();
        match next {
            // A clock that stands still does not come nearer by waiting.
            Some(due) if due > now && self.clock.is_test() => LONGEST_SLEEP,
            Some(due) => Duration::from_millis(due.since(now).as_millis()).min(LONGEST_SLEEP),
            None => LONGEST_SLEEP,
        }
    }

    /// Takes a job and a few of those that wait behind it: what their commands ask of the store is asked together.
    fn take_with_others(&mut self, first: Job) -> Option<oneshot::Sender<()>> {
        let (mut lists, mut next) = (Vec::new(), Some(first));
        while let Some(job) = next.take() {
            if !matches!(job, Job::Look) {
                self.meters.taken();
            }
            match job {
                Job::Commands(list, answer) => {
                    self.commands += list.len();
                    lists.push((list, answer));
                    if lists.len() < TOGETHER && !self.is_full(lists.len()) {
                        next = self.jobs.try_recv().ok();
                    }
                }
                other => {
                    self.decide_all(lists);
                    return self.take(other);
                }
            }
        }
        self.decide_all(lists);
        None
    }

    fn decide_all(&mut self, lists: Vec<(Vec<Command>, oneshot::Sender<Vec<Answer>>)>) {
        let mut commands = Vec::new();
        let mut waiters = Vec::new();
        for (list, waiter) in lists {
            waiters.push((list.len(), waiter));
            commands.extend(list);
        }
        let mut answers = self.engine.decide(commands, self.clock.now(), &*self.reader).into_iter();
        for (many, waiter) in waiters {
            self.decided.push((answers.by_ref().take(many).collect(), waiter));
        }
    }

    /// Does what a job asks for, as far as it can be done before the next commit.
    fn take(&mut self, job: Job) -> Option<oneshot::Sender<()>> {
        match job {
            Job::Commands(list, answer) => self.decide_all(vec![(list, answer)]),
            // Whoever asks hears that there is no writer: what is remembered here may be old.
            Job::Seen(..) if self.is_over() => {}
            Job::Seen(agents, answer) => {
                let engine = &self.engine;
                let seen = agents
                    .iter()
                    .map(|one| Seen { at: engine.last_seen(one), has_left: engine.has_left(one) });
                let _ = answer.send(seen.collect());
            }
            Job::Turn { place, node, answer } => {
                let _ = answer.send(self.turn_of(place, &node));
            }
            Job::Advance(by, answer) => self.advance(by, answer),
            Job::Carried(kind) => self.places.end(kind),
            Job::Look => {}
            Job::Stop(stopped) => return Some(stopped),
        }
        None
    }

    /// Decides what nobody asked for.
    fn decide_own(&mut self, command: Command) {
        let answers = self.engine.decide(vec![command], self.clock.now(), &*self.reader);
        for refused in answers.into_iter().filter_map(Result::err) {
            self.complain("what is due could not be done; trying again", &format!("{refused:?}"));
        }
    }

    /// Has what was decided committed.
    fn submit(&mut self) -> Result<(), Gone> {
        (self.commands, self.woke) = (0, false);
        let waiting = std::mem::take(&mut self.decided);
        if self.tenure.is_over() {
            // The store would take nothing more of this term anyway.
            self.refuse(StoreError::Fenced { reason: "this term is over".to_owned() }, waiting);
            return Ok(());
        }
        match self.engine.submit(self.clock.now()) {
            Ok(Some(batch)) if self.committer.is_small(batch.journal.len()) => {
                let outcome = self.committer.commit(batch)?;
                self.settle(outcome, waiting);
                self.committer.upkeep()?;
            }
            Ok(Some(batch)) => {
                self.committer.commit_in_background(batch);
                self.committing = Some(waiting);
            }
            // What commits nothing is true only as long as nobody else can have written.
            Ok(None) if self.is_over() => {
                let reason = "the lease has run out".to_owned();
                self.refuse(StoreError::Fenced { reason }, waiting);
            }
            Ok(None) => self.hand_out(waiting),
            Err(error) => self.refuse(error, waiting),
        }
        Ok(())
    }

    /// Whether the term of this writer has ended.
    fn is_over(&self) -> bool {
        !self.tenure.may_answer(self.lease.as_ref().is_none_or(|lease| !lease.has_run_out()))
    }

    /// Leaves everything as it is: the next writer reads what is true. Whoever waits for what is being committed hears
    /// what became of it; whoever else waits, that nothing was done.
    fn step_down(mut self) {
        self.tenure.end();
        if self.committing.is_some()
            && let Ok(outcome) = self.committer.wait()
        {
            self.settle_beside(outcome);
        }
        let waiting = std::mem::take(&mut self.decided);
        if !waiting.is_empty() {
            self.refuse(StoreError::Fenced { reason: "the lease has run out".to_owned() }, waiting);
        }
    }

    /// Commits what was decided by the writer itself.
    fn commit_now(&mut self) -> Result<(), StoreError> {
        let Some(batch) = self.engine.submit(self.clock.now())? else { return Ok(()) };
        let gone = |Gone| StoreError::Unknown("the store is gone".into());
        let outcome = self.committer.commit(batch).map_err(gone)?;
        match outcome.result {
            Ok(()) => {
                self.committed(outcome.batch);
                self.committer.upkeep().map_err(gone)
            }
            Err(error) => {
                self.engine.failed(&outcome.batch);
                Err(error)
            }
        }
    }

    /// Takes in what became of the batch that was handed over.
    fn settle_beside(&mut self, outcome: CommitResult) {
        let waiting = self.committing.take().unwrap_or_default();
        self.settle(outcome, waiting);
    }

    /// Takes in what became of the batch, and tells everybody.
    fn settle(&mut self, outcome: CommitResult, waiting: Vec<Waiting>) {
        match outcome.result {
            Ok(()) => {
                self.committed(outcome.batch);
                self.hand_out(waiting);
            }
            Err(error) => {
                self.engine.failed(&outcome.batch);
                let mut all = waiting;
                all.append(&mut self.decided);
                (self.commands, self.woke) = (0, false);
                // Where nobody else can ever write, there is no other term to wait for.
                if self.lease.is_some() {
                    self.tenure.failed(&error);
                }
                self.refuse(error, all);
            }
        }
    }

    fn committed(&mut self, batch: Batch) {
        if self.complaint.is_over() {
            tracing::warn!("commits succeed again");
        }
        let Committed { reached, effects, head, agents, woken, judged } = self.engine.committed(batch);
        woken.into_iter().for_each(|late| self.meters.went_off(late));
        judged.into_iter().for_each(|by| self.meters.judged(by));
        self.agents.changed(&agents, self.engine.directory());
        self.meters.timers(self.engine.timers());
        self.meters.single_lookups(self.engine.single_lookups());
        self.waiters.committed(head, &reached);
        effects.into_iter().for_each(|row| self.places.put(row));
    }

    fn complain(&mut self, what: &str, error: &str) {
        if let Some(again) = self.complaint.is_due(&format!("{what}: {error}"), Instant::now()) {
            tracing::error!(error, again, "{what}");
        }
    }

    /// Tells everybody that nothing was acknowledged. Where that leaves open whether it was stored, the error
    /// says so, and the store takes no other commit before a restart.
    fn refuse(&mut self, error: StoreError, waiting: Vec<Waiting>) {
        self.complain("a commit failed; nothing of it was acknowledged", &error.to_string());
        if waiting.is_empty() && !self.tenure.is_over() {
            // It was the writer's own, and is tried again.
            std::thread::sleep(AFTER_A_FAILURE);
        }
        let error = Arc::new(error);
        let refused = |(answers, waiter): Waiting| {
            let refused = answers.iter().map(|_| Err(Refused::Store(error.clone()))).collect();
            (refused, waiter)
        };
        self.hand_out(waiting.into_iter().map(refused).collect());
    }

    /// Gives everybody its answers. Waking a task from within its own runtime is much cheaper than from
    /// here, so the writer wakes one task that wakes the others.
    fn hand_out(&self, waiting: Vec<Waiting>) {
        if waiting.is_empty() {
            return;
        }
        self.courier.spawn(async move {
            for (answers, waiter) in waiting {
                // A caller that went away gets no answer; what it asked for is done all the same.
                let _ = waiter.send(answers);
            }
        });
    }

    /// Leaves a sign of life now and then.
    fn stay_alive(&mut self) {
        let now = self.clock.now();
        if now.since(self.alive_at) >= ALIVE_EVERY && !self.clock.is_test() {
            self.alive_at = now;
            self.decide_own(Command::Alive);
        }
    }

    /// Wakes what is due. What cannot be committed is tried again at the next turn.
    fn wake_due(&mut self) {
        let now = self.clock.now();
        if self.engine.next_wake().is_some_and(|due| due <= now) {
            self.woke = true;
            self.decide_own(Command::Wake);
        }
    }

    /// Finishes what was accepted, with a last sign of life.
    fn finish(mut self, stopped: oneshot::Sender<()>) {
        self.recall_courier();
        if self.committing.is_some()
            && let Ok(outcome) = self.committer.wait()
        {
            self.settle_beside(outcome);
        }
        let waiting = std::mem::take(&mut self.decided);
        self.decide_own(Command::Alive);
        match self.commit_now() {
            Ok(()) => self.hand_out(waiting),
            Err(error) => self.refuse(error, waiting),
        }
        // Closed before anybody hears of it: the last to close moves the log into the database.
        drop(self.reader);
        self.committer.stop();
        // Nobody waits for it any more when the caller is gone.
        let _ = stopped.send(());
    }
}

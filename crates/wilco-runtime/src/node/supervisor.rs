//! What a node does all the time: hears, says that it is there, renews its lease or waits for that of another to run out.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use wilco_engine::{Command, runs_once};
use wilco_store::{
    Beat, EffectRow, LeaseTurn, NodeLease, NodeSession, Postgres, PostgresTarget, StoreError, Term,
    WriterRow, lasts,
};

use super::{Node, NodeRole, TOKENS, nodes};
use crate::clock::{Clock, boot};
use crate::complaint::Complaint;
use crate::handle::Handle;
use crate::host::MOST;
use crate::lease::Lease;
use crate::writer::{Beginning, Job, Shared, StartError, begin};

/// How long it listens before it looks by itself.
const TICK: Duration = Duration::from_millis(200);
/// Many commits that come together are looked at together.
const TOGETHER: Duration = Duration::from_millis(20);
/// Milliseconds; more is told.
const CLOCK_MAY_BE_OFF: i64 = 1000;

pub(super) struct Supervisor {
    shared: Arc<Shared>,
    target: PostgresTarget,
    /// None while the database cannot be reached.
    session: Option<NodeSession>,
    node: Arc<Node>,
    leaving: Receiver<oneshot::Sender<()>>,
    /// Where the process hears that it is to end.
    end: watch::Sender<Option<Arc<StoreError>>>,
    runtime: tokio::runtime::Handle,
    lease: NodeLease,
    term: Option<RunningTerm>,
    complaint: Complaint,
    clock_complaint: Complaint,
    /// Until its first term: that one begins with the process.
    is_first: bool,
}

struct RunningTerm {
    term: Term,
    lease: Lease,
    /// What came of loading everything, when it is done.
    begun: Option<Receiver<Result<(), StartError>>>,
}

impl Supervisor {
    pub(super) fn new(
        shared: Shared,
        target: PostgresTarget,
        session: NodeSession,
        node: Arc<Node>,
        handle: &Handle,
    ) -> Supervisor {
        let runtime = tokio::runtime::Handle::current();
        let lease = NodeLease::new(&node.name, target.lease());
        Supervisor {
            shared: Arc::new(shared),
            target,
            session: Some(session),
            node,
            leaving: handle.leaving(),
            end: handle.damage.clone(),
            runtime,
            lease,
            term: None,
            complaint: Complaint::default(),
            clock_complaint: Complaint::default(),
            is_first: true,
        }
    }

    /// Whoever is alone, or comes back under its own name, writes before it serves; everybody else follows.
    pub(super) fn first(&mut self) -> Result<(), StartError> {
        self.tick(Duration::ZERO)?;
        while let Some(RunningTerm { begun: Some(begun), .. }) = &self.term {
            match begun.recv_timeout(TICK) {
                Ok(outcome) => {
                    outcome?;
                    self.has_begun();
                }
                Err(_) => self.tick(Duration::ZERO)?,
            }
        }
        Ok(())
    }

    pub(super) fn run(mut self) {
        loop {
            match self.leaving.try_recv() {
                Ok(left) => return self.leave(left),
                Err(TryRecvError::Empty) => {}
                // Nobody holds this node any more.
                Err(TryRecvError::Disconnected) => return,
            }
            let begun = std::time::Instant::now();
            match self.tick(TICK) {
                Ok(()) => {
                    self.complaint.is_over();
                    std::thread::sleep(TOGETHER.saturating_sub(begun.elapsed()));
                }
                Err(error) => {
                    let text = error.to_string();
                    if let Some(again) = self.complaint.is_due(&text, std::time::Instant::now()) {
                        tracing::error!(error = text, again, "this node cannot reach its database");
                    }
                    self.session = None;
                    std::thread::sleep(TICK);
                }
            }
            self.look_at_lease();
        }
    }

    /// A lease that ran out is nobody's: the writer steps down by itself, and calls are not taken in any more.
    fn look_at_lease(&mut self) {
        if self.term.as_ref().is_some_and(|term| term.lease.has_run_out()) {
            self.end_term("the lease ran out");
        }
        let gone = self.shared.queue.current().is_none();
        if gone && self.term.as_ref().is_some_and(|term| term.begun.is_none()) {
            self.end_term("the writer stepped down");
        }
    }

    fn tick(&mut self, listen: Duration) -> Result<(), StoreError> {
        if self.session.is_none() {
            let again = NodeSession::again(&self.target, &self.node.name);
            self.session = Some(again.map_err(|error| StoreError::NotStored(error.into()))?);
        }
        let Some(session) = &self.session else { return Ok(()) };
        if !listen.is_zero() {
            session.listen(listen)?;
        }
        self.beat()?;
        let Some(session) = &self.session else { return Ok(()) };
        let row = session.writer()?;
        if let Some(reason) = row.is_beyond() {
            return Err(self.serve_no_more(reason));
        }
        self.hear(&row)?;
        self.find_effects()?;
        match &self.term {
            Some(_) => self.renew(&row),
            None => self.follow(row),
        }
    }

    /// Says that this node is there, and learns what time it is.
    fn beat(&mut self) -> Result<(), StoreError> {
        let sent = boot();
        let Some(session) = self.session.as_ref().filter(|_| self.lease.is_beat_due(sent)) else {
            return Ok(());
        };
        let (known, now) = (self.node.known(), Clock::wall());
        let time = session.beat(&Beat {
            address: &self.node.address,
            version: &self.shared.version,
            epoch: known.epoch,
            position: known.position,
            now,
        })?;
        self.shared.clock.follow(time);
        // What the way there took is in it, so a little is nothing.
        let off = now.millis() - time.millis();
        self.node.clock_off.store(off, Ordering::Relaxed);
        if off.abs() > CLOCK_MAY_BE_OFF
            && let Some(again) = self.clock_complaint.is_due("off", std::time::Instant::now())
        {
            tracing::warn!(milliseconds = off, again, "this machine's clock is off; the database's counts");
        }
        if !lasts(self.lease.reads_until(), boot()) {
            // Between the two somebody may have taken this node for gone.
            self.node.host.end_all();
        }
        self.lease.beaten(sent);
        self.node.reads_until.store(self.lease.reads_until(), Ordering::SeqCst);
        let asked = boot();
        self.node.take_in_tokens(asked, session.document(TOKENS)?.unwrap_or_default());
        Ok(())
    }

    /// Takes in what others committed. A database that has less than it had before is not the one that was served.
    fn hear(&mut self, row: &WriterRow) -> Result<(), StoreError> {
        let here = self.term.as_ref().is_some_and(|term| term.begun.is_none());
        let heard = self.node.change(|known| {
            let before = known.position;
            known.hear(row, here).map(|()| before)
        });
        let before = match heard {
            Ok(before) => before,
            Err(reason) => {
                tracing::error!(
                    reason,
                    "nothing is served until an operator has looked; then restart this node"
                );
                self.end_term("the database went back");
                return Err(StoreError::NotStored("the database went back".into()));
            }
        };
        if !here && row.position != before {
            self.shared.readers.read(|reader| self.shared.agents.read_at(row.position, reader))?;
            self.shared.waiters.committed_elsewhere(row.position);
            let age = u64::try_from(row.age.as_millis()).unwrap_or(u64::MAX);
            self.node.heard_after.store(age, Ordering::Relaxed);
        }
        Ok(())
    }

    /// What names this node and is due is carried out here, whoever writes.
    fn find_effects(&self) -> Result<(), StoreError> {
        let Some(session) = &self.session else { return Ok(()) };
        let running = self.node.host.running();
        let due = session.effects(self.shared.clock.now(), MOST + running.len())?;
        let fresh = due.into_iter().filter(|row| !running.contains(&(row.position, row.index)));
        fresh.take(MOST.saturating_sub(running.len())).for_each(|row| self.node.host.found(row));
        Ok(())
    }

    /// Another wilco has the data now: this process answers nothing more, and ends.
    fn serve_no_more(&mut self, reason: String) -> StoreError {
        self.node.change(|known| known.serves_nothing = Some(reason.clone()));
        self.end_term("the schema is a newer wilco's");
        let error = || StoreError::Fenced { reason: reason.clone() };
        self.end.send_replace(Some(Arc::new(error())));
        error()
    }

    /// As the writer: a sign of life, in time.
    fn renew(&mut self, row: &WriterRow) -> Result<(), StoreError> {
        let Some(running) = &mut self.term else { return Ok(()) };
        match running.begun.as_ref().map(Receiver::try_recv) {
            Some(Ok(Ok(()))) => self.has_begun(),
            Some(Ok(Err(error))) => {
                tracing::error!(%error, "this node took over and could not begin");
                self.end_term("it could not begin");
                return Ok(());
            }
            Some(Err(_)) | None => {}
        }
        let sent = boot();
        match self.lease.turn(row, sent) {
            LeaseTurn::Renew => {}
            LeaseTurn::End => {
                self.end_term("another node took over");
                return Ok(());
            }
            LeaseTurn::Wait | LeaseTurn::TakeOver => return Ok(()),
        }
        let (Some(running), Some(session)) = (&self.term, &self.session) else { return Ok(()) };
        match session.renew(&running.term) {
            Ok(()) => {
                self.lease.renewed(sent);
                running.lease.renew(self.lease.writes_until());
                self.node.writes_until.store(self.lease.writes_until(), Ordering::SeqCst);
                self.tell_of_unreached()
            }
            Err(StoreError::Fenced { .. }) => {
                self.end_term("another node took over");
                Ok(())
            }
            Err(other) => Err(other),
        }
    }

    /// As the writer: says so to what must run once and whose node is gone. Whoever knows it already says nothing.
    fn tell_of_unreached(&self) -> Result<(), StoreError> {
        let (Some(session), Some(queue)) = (&self.session, self.shared.queue.current()) else {
            return Ok(());
        };
        let unreached = session.unreached()?.into_iter().filter(|row| runs_once(row).is_some());
        let tell = |row: EffectRow| Command::Unreached { position: row.position, index: row.index };
        let commands: Vec<_> = unreached.map(tell).collect();
        // Without room in the queue they are told next time.
        if !commands.is_empty() && queue.try_send(Job::Commands(commands, oneshot::channel().0)).is_ok() {
            self.shared.meters.queued();
        }
        Ok(())
    }

    /// As a follower: waits until the writer's lease has run out, and then takes over.
    fn follow(&mut self, row: WriterRow) -> Result<(), StoreError> {
        if self.lease.turn(&row, boot()) != LeaseTurn::TakeOver {
            return Ok(());
        }
        if let Some(reason) = row.is_foreign() {
            if let Some(again) = self.complaint.is_due(&reason, std::time::Instant::now()) {
                tracing::warn!(reason, again, "this node does not take over");
            }
            return Ok(());
        }
        let Some(session) = &self.session else { return Ok(()) };
        let sent = boot();
        let Some(term) = session.take_over(&row, &self.node.address)? else { return Ok(()) };
        tracing::warn!(epoch = term.epoch, "this node is the writer now");
        self.node.elections.fetch_add(1, Ordering::Relaxed);
        self.node.change(|known| known.took_over(term.epoch, &self.node.name, &self.node.address));
        self.lease.took_over(term.epoch, sent);
        let lease = Lease::new(self.lease.writes_until());
        self.node.writes_until.store(self.lease.writes_until(), Ordering::SeqCst);
        let (done, begun) = std::sync::mpsc::channel();
        let (shared, target, runtime) = (self.shared.clone(), self.target.clone(), self.runtime.clone());
        let beginning = Beginning {
            started: self.is_first,
            taken_over: Some((term.epoch, self.node.name.clone())),
            last_alive: term.last_renewed.filter(|_| !self.shared.clock.is_test()),
            lease: Some(lease.clone()),
            gone: Vec::new(),
        };
        let its = term.clone();
        std::thread::Builder::new()
            .name("wilco-takeover".to_owned())
            .spawn(move || {
                let _inside = runtime.enter();
                let _ = done.send(take_up(&shared, &target, its, beginning));
            })
            .map_err(|error| StoreError::NotStored(error.into()))?;
        self.term = Some(RunningTerm { term, lease, begun: Some(begun) });
        Ok(())
    }

    fn has_begun(&mut self) {
        self.is_first = false;
        if let Some(running) = &mut self.term {
            running.begun = None;
            self.node.change(|known| known.is_here = true);
        }
    }

    fn end_term(&mut self, why: &str) {
        if let Some(running) = self.term.take() {
            tracing::warn!(epoch = running.term.epoch, why, "this node does not write any more");
            running.lease.end();
            self.lease.end();
            self.node.writes_until.store(0, Ordering::SeqCst);
            self.node.change(|known| known.is_here = false);
            // Awake or asleep, it looks at its lease next.
            if let Some(queue) = self.shared.queue.current() {
                let _ = queue.try_send(Job::Look);
            }
            self.shared.queue.replace(None);
        }
    }

    /// Finishes what was accepted, gives the lease back, and goes.
    fn leave(mut self, left: oneshot::Sender<()>) {
        self.node.host.leave(&self.runtime);
        if let Some(running) = self.term.take() {
            if let Some(queue) = self.shared.queue.current() {
                let (stopped, stopping) = oneshot::channel();
                self.shared.queue.replace(None);
                if queue.send(Job::Stop(stopped)).is_ok() {
                    let _ = stopping.blocking_recv();
                }
            }
            if let Some(session) = &self.session
                && let Err(error) = session.release(&running.term)
            {
                tracing::warn!(%error, "the lease could not be given back; it runs out by itself");
            }
            running.lease.end();
        }
        let _ = left.send(());
    }
}

/// Loads everything in a snapshot after the takeover.
fn take_up(
    shared: &Shared,
    target: &PostgresTarget,
    term: Term,
    mut beginning: Beginning,
) -> Result<(), StartError> {
    let gone = nodes(target)?.into_iter().filter(|node| node.role == NodeRole::Gone);
    beginning.gone = gone.map(|node| node.row.name).collect();
    if let Some(last) = term.last_commit {
        shared.clock.not_before(last);
    }
    let mut store = Postgres::open(target)?;
    store.begin_term(term)?;
    begin(shared, store, beginning)
}

//! One connection to PostgreSQL, used by one thread at a time and without a thread of its own.
//!
//! The connection moves only while somebody waits for an answer, on the thread that waits. Statements that are asked
//! together are sent together: a batch costs two round trips, however many rows it has.

use std::cell::RefCell;
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::ToSql;
use tokio_postgres::{AsyncMessage, Client, Connection, NoTls, Row, SimpleQueryMessage, Socket, Statement};

use super::fault::Fault;
use super::target::{PostgresTarget, Security};
use super::tls::Tls;

/// A value of a statement.
pub(super) type Value<'a> = &'a (dyn ToSql + Sync);

/// What came from the server without being asked for.
#[derive(Debug, Default)]
struct Heard {
    warnings: Vec<String>,
    /// Whether something was told on a channel.
    notified: bool,
}

/// Held only to add to it or to look.
#[derive(Debug, Default)]
struct Ear {
    heard: Mutex<Heard>,
    something: Notify,
}

impl Ear {
    fn with<T>(&self, work: impl FnOnce(&mut Heard) -> T) -> T {
        work(&mut self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What moves a connection while somebody waits. It is dropped without waiting, wherever that happens.
struct Mover(Option<Runtime>);

impl Mover {
    fn new() -> std::io::Result<Mover> {
        Ok(Mover(Some(Builder::new_current_thread().enable_all().build()?)))
    }

    fn block_on<F: Future>(&self, work: F) -> Option<F::Output> {
        self.0.as_ref().map(|runtime| runtime.block_on(work))
    }
}

impl Drop for Mover {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

pub(super) struct Session {
    runtime: Mover,
    client: Client,
    heard: Arc<Ear>,
    statements: RefCell<HashMap<String, Statement>>,
    /// No answer is waited for longer; then nothing is known of the connection any more.
    answers_within: Duration,
    /// A commit that takes longer than a lease is unknown: others may write by then.
    commits_within: Duration,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Session")
    }
}

impl Session {
    /// Connects once.
    pub(super) fn open(target: &PostgresTarget) -> Result<Session, Fault> {
        let runtime = Mover::new().map_err(Fault::of_io)?;
        let heard = Arc::<Ear>::default();
        let connecting = async {
            match &target.security {
                Security::Plain => connect(target, NoTls, heard.clone()).await,
                Security::Verified(config) => connect(target, Tls(config.clone()), heard.clone()).await,
            }
        };
        let client = runtime
            .block_on(async { tokio::time::timeout(target.connects_within, connecting).await.ok() })
            .flatten()
            .ok_or_else(|| Fault::silent("it did not answer in time"))??;
        let statements = RefCell::default();
        let session = Session {
            runtime,
            client,
            heard,
            statements,
            answers_within: target.answers_within,
            commits_within: target.lease.min(target.answers_within),
        };
        session.run(&target.settings())?;
        Ok(session)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    fn wait<T>(
        &self,
        within: Duration,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Fault> {
        match self.runtime.block_on(async { tokio::time::timeout(within, answer).await }) {
            Some(Ok(answer)) => answer.map_err(Fault::of),
            Some(Err(_)) | None => Err(Fault::silent("it did not answer in time")),
        }
    }

    /// Several statements without values, as they stand.
    pub(super) fn run(&self, sql: &str) -> Result<(), Fault> {
        self.wait(self.answers_within, self.client.batch_execute(sql))
    }

    /// The first value of the first row, as text, without anything being prepared.
    pub(super) fn asked_plainly(&self, sql: &str) -> Result<Option<String>, Fault> {
        let messages = self.wait(self.answers_within, self.client.simple_query(sql))?;
        Ok(messages.into_iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        }))
    }

    pub(super) fn query(&self, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>, Fault> {
        self.wait(self.answers_within, async {
            let statement = self.statement(sql).await?;
            self.client.query(&statement, values).await
        })
    }

    pub(super) fn first(&self, sql: &str, values: &[Value<'_>]) -> Result<Option<Row>, Fault> {
        Ok(self.query(sql, values)?.into_iter().next())
    }

    pub(super) fn execute(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, Fault> {
        self.wait(self.answers_within, async {
            let statement = self.statement(sql).await?;
            self.client.execute(&statement, values).await
        })
    }

    /// Begins a transaction whose commit waits for the standby.
    pub(super) fn begin(&self) -> Result<(), Fault> {
        self.wait(self.commits_within, self.client.batch_execute("BEGIN; SET LOCAL synchronous_commit = on"))
    }

    /// Sends all statements in one go, in a transaction that was begun; how many rows each touched. If there is an
    /// error, it is the first in their order.
    pub(super) fn execute_all(&self, statements: &[Prepared<'_>]) -> Result<Vec<u64>, Fault> {
        self.wait(self.commits_within, async {
            let mut prepared = Vec::new();
            for (sql, _) in statements {
                prepared.push(self.statement(sql).await?);
            }
            let each = statements.iter().zip(&prepared).map(|((_, values), statement)| async move {
                let values: Vec<Value<'_>> = values.iter().map(|value| &**value as Value<'_>).collect();
                self.client.execute(statement, &values).await
            });
            join_in_order(each).await.into_iter().collect()
        })
    }

    /// Whether the transaction is committed for sure; what was warned of on the way makes that doubtful.
    pub(super) fn commit(&self) -> Result<Vec<String>, Fault> {
        self.heard.with(|heard| heard.warnings.clear());
        self.wait(self.commits_within, self.client.batch_execute("COMMIT"))?;
        Ok(self.heard.with(|heard| std::mem::take(&mut heard.warnings)))
    }

    /// Leaves a transaction, whatever became of it.
    pub(super) fn roll_back(&self) {
        // If it cannot be said, the connection is gone and the transaction with it.
        let _ = self.run("ROLLBACK");
    }

    /// Waits until something is told on a channel, at most so long; whether something was.
    pub(super) fn listen(&self, within: Duration) -> Result<bool, Fault> {
        let told = || self.heard.with(|heard| std::mem::take(&mut heard.notified));
        let heard = async {
            while !told() && !self.client.is_closed() {
                self.heard.something.notified().await;
            }
        };
        let heard = self.runtime.block_on(async { tokio::time::timeout(within, heard).await });
        match self.client.is_closed() {
            true => Err(Fault::silent("the connection was closed")),
            false => Ok(heard.is_some_and(|heard| heard.is_ok())),
        }
    }

    async fn statement(&self, sql: &str) -> Result<Statement, tokio_postgres::Error> {
        if let Some(known) = self.statements.borrow().get(sql) {
            return Ok(known.clone());
        }
        let statement = self.client.prepare(sql).await?;
        self.statements.borrow_mut().insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

/// A statement with its values.
pub(super) type Prepared<'a> = (&'a str, Vec<Box<dyn ToSql + Sync + 'a>>);

/// Polled in their order from the first on, whatever their number.
async fn join_in_order<F: Future>(all: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = all.map(|one| Box::pin(futures_util::future::maybe_done(one))).collect();
    poll_fn(|context| {
        let mut ready = true;
        for one in &mut waiting {
            ready &= one.as_mut().poll(context).is_ready();
        }
        if ready { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    waiting.iter_mut().filter_map(|one| one.as_mut().take_output()).collect()
}

async fn connect<T>(target: &PostgresTarget, tls: T, heard: Arc<Ear>) -> Result<Client, Fault>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
{
    let (client, connection) = target.config.connect(tls).await.map_err(Fault::of)?;
    tokio::spawn(move_on(connection, heard));
    Ok(client)
}

/// Takes what comes in, as long as the connection stands.
async fn move_on<T>(mut connection: Connection<Socket, T>, ear: Arc<Ear>)
where
    T: tokio_postgres::tls::TlsStream + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        ear.with(|heard| match message {
            AsyncMessage::Notice(notice) if notice.severity() == "WARNING" => {
                heard.warnings.push(notice.message().to_owned());
            }
            AsyncMessage::Notification(_) => heard.notified = true,
            _ => {}
        });
        ear.something.notify_one();
    }
    drop(connection);
    ear.something.notify_one();
}

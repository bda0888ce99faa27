//! Reads: a few read-only connections, each on a thread of its own.
//!
//! A read sees one snapshot and never waits for the writer or for other work that blocks the runtime's threads. A
//! connection that failed is dropped and opened again. Reads that may scan a whole table are limited in number, so they
//! wait for each other, and other reads do not wait for them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use embudo_store::{Result, StoreError};
use embudo_supervisor::{Pulse, Supervisor};
use embudo_trace::OpenSpan;
use rusqlite::Connection;
use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::connection::open_reader;
use crate::failure::{Failure, Step, store_error};
use crate::options::Options;

/// The maximum of queued queries; further callers wait before they queue.
const QUEUE: usize = 1024;
/// How long a caller waits in all.
const PATIENCE: Duration = Duration::from_secs(15);

/// A query on its way to a reader. Returns whether the connection is still usable.
type Task = Box<dyn FnOnce(std::result::Result<&Connection, StoreError>) -> Survived + Send>;

#[derive(PartialEq, Eq)]
enum Survived {
    Yes,
    No,
}

/// The channel to the threads.
pub(crate) struct Readers {
    queue: Option<mpsc::Sender<Task>>,
    /// Held by queries that may scan a whole table: at most half of the readers run these.
    walks: Arc<Semaphore>,
    threads: Vec<JoinHandle<()>>,
}

/// The state of a thread.
struct Reader {
    path: PathBuf,
    options: Options,
    connection: Option<Connection>,
    /// Shared by the threads; one idle thread holds the lock and waits for the next task.
    queue: Arc<Mutex<mpsc::Receiver<Task>>>,
}

impl Readers {
    /// Starts the threads. Fails at once if the file cannot be read.
    pub(crate) fn start(path: &Path, options: &Options, supervisor: &Supervisor) -> Result<Self> {
        let many = options.readers.max(1);
        let (queue, received) = mpsc::channel(QUEUE);
        let received = Arc::new(Mutex::new(received));
        let mut first = Some(open_reader(path, options).map_err(|e| store_error(&e))?);
        let mut threads = Vec::with_capacity(many);
        for _ in 0..many {
            let reader = Reader {
                path: path.to_owned(),
                options: options.clone(),
                connection: first.take(),
                queue: Arc::clone(&received),
            };
            let thread = supervisor
                .thread("sqlite-reader", reader, Reader::run)
                .map_err(|e| StoreError::Unavailable(format!("no thread for reading: {e}")))?;
            threads.push(thread);
        }
        Ok(Self { queue: Some(queue), walks: Arc::new(Semaphore::new((many / 2).max(1))), threads })
    }

    /// Runs a query on one snapshot.
    pub(crate) async fn run<T, F>(&self, query: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Step<T> + Send + 'static,
    {
        in_time(self.ask(query)).await
    }

    /// Runs a query that may scan a whole table.
    pub(crate) async fn walk<T, F>(&self, query: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Step<T> + Send + 'static,
    {
        in_time(async {
            let turn = Arc::clone(&self.walks).acquire_owned().await.map_err(|_| closed())?;
            // The turn lasts as long as the scan, even if its caller has stopped waiting.
            let query = move |connection: &Connection| {
                let _turn = turn;
                query(connection)
            };
            self.ask(query).await
        })
        .await
    }

    async fn ask<T, F>(&self, query: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Step<T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let task: Task = Box::new(move |connection| {
            let connection = match connection {
                Ok(connection) => connection,
                Err(error) => {
                    let _ = reply.send(Err(error));
                    return Survived::No;
                }
            };
            // A caller that stopped waiting needs no answer.
            if reply.is_closed() {
                return Survived::Yes;
            }
            // Unwind-safe: the connection is dropped after a panic.
            let result = catch_unwind(AssertUnwindSafe(|| snapshot(connection, query)))
                .unwrap_or_else(|_| Err(StoreError::Internal("a query panicked".into()).into()));
            let survived = match &result {
                Err(Failure::Sqlite(_) | Failure::Store(StoreError::Internal(_))) => Survived::No,
                _ => Survived::Yes,
            };
            let _ = reply.send(result.map_err(StoreError::from));
            survived
        });
        self.queue.as_ref().ok_or_else(closed)?.send(task).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }

    /// Lets the threads finish what is queued and close their connections.
    pub(crate) fn close(&mut self) {
        self.queue.take();
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                tracing::error!("a reader thread panicked");
            }
        }
    }
}

impl Reader {
    fn run(&mut self, pulse: &Pulse) {
        loop {
            // The queue is consistent even if a thread panicked while it held the lock.
            let next = self.queue.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
            let Some(task) = next else { return };
            let _work = pulse.begin();
            let survived = task(self.connection());
            if survived == Survived::No {
                self.connection = None;
            }
        }
    }

    /// The connection, opened again if the last one was dropped.
    fn connection(&mut self) -> Result<&Connection> {
        match &mut self.connection {
            Some(connection) => Ok(connection),
            none => {
                let opened = open_reader(&self.path, &self.options).map_err(|e| store_error(&e))?;
                Ok(none.insert(opened))
            }
        }
    }
}

async fn in_time<T>(asking: impl Future<Output = Result<T>>) -> Result<T> {
    let _span = OpenSpan::of_store("store read", "sqlite");
    match tokio::time::timeout(PATIENCE, asking).await {
        Ok(end) => end,
        Err(_) => Err(StoreError::Unavailable("too much else is to be read".into())),
    }
}

fn closed() -> StoreError {
    StoreError::Unavailable("the database is closed".into())
}

/// Runs a query in a read transaction. If the query fails, dropping the transaction rolls it back.
fn snapshot<T>(connection: &Connection, query: impl FnOnce(&Connection) -> Step<T>) -> Step<T> {
    let tx = connection.unchecked_transaction()?;
    let value = query(&tx)?;
    tx.commit()?;
    Ok(value)
}

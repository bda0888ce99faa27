//! All writes: one thread that takes the waiting commands, commits them together, then answers all callers.
//!
//! There is no timer: while the disk syncs one batch, the next one collects commands. A command in the queue runs
//! whether or not its caller still waits. This module knows transactions, but not what a command does.

mod batch;
mod task;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread::JoinHandle;
use std::time::Instant;

use embudo_metrics::{COMMIT_COMMANDS, COMMIT_SECONDS_TAKEN, Histogram};
use embudo_store::{Result, StoreError};
use embudo_supervisor::{Pulse, Supervisor};
use embudo_trace::OpenSpan;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::checkpoint::{self, Wal};
use crate::command;
use crate::connection::open_writer;
use crate::failure::{Step, store_error};
use crate::options::Options;
use batch::Outcome;
use task::{Command, Task};

/// The most commands in one transaction.
const MAX_BATCH: usize = 256;
/// The most bytes in one transaction; a larger command runs alone.
const MAX_BATCH_BYTES: usize = 8 << 20;
/// The maximum of queued commands; further callers wait before they queue.
const QUEUE: usize = 1024;

/// Whether a command that fails can leave some of its changes behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One SQL statement, undone by SQLite itself when it fails.
    Single,
    /// Several statements: it needs a savepoint when it shares a transaction.
    Several,
}

/// Counters of the writer.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) commits: AtomicU64,
    pub(crate) commands: AtomicU64,
    /// Whether the last batch could not be written: no space, no file, no permission, or another connection's lock.
    pub(crate) is_failing: AtomicBool,
}

/// The channel to the thread.
pub(crate) struct Writer {
    queue: Option<mpsc::Sender<Box<dyn Task>>>,
    thread: Option<JoinHandle<()>>,
    pub(crate) counters: Arc<Counters>,
}

impl Writer {
    pub(crate) fn start(
        connection: Connection,
        path: &Path,
        options: &Options,
        wal: Arc<Wal>,
        supervisor: &Supervisor,
    ) -> Result<Self> {
        let (queue, received) = mpsc::channel(QUEUE);
        let counters = Arc::new(Counters::default());
        let work = Work {
            connection: Some(watched(connection, &wal).map_err(|e| store_error(&e))?),
            path: path.to_owned(),
            options: options.clone(),
            wal,
            counters: Arc::clone(&counters),
            received,
            commands: COMMIT_COMMANDS.histogram(&[]),
            seconds: COMMIT_SECONDS_TAKEN.histogram(&[]),
        };
        let thread = supervisor
            .thread("sqlite-writer", work, Work::run)
            .map_err(|e| StoreError::Unavailable(format!("no thread for writing: {e}")))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), counters })
    }

    /// Queues a command and waits until it is durable. `bytes` is approximately how much it writes.
    pub(crate) async fn run<T, F>(&self, shape: Shape, bytes: usize, command: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Step<T> + Send + 'static,
    {
        self.queue(shape, bytes, |connection: &mut Connection| command(connection)).await
    }

    /// Queues one of the commands that are written once for both engines.
    pub(crate) async fn run_command<T, F>(&self, bytes: usize, command: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Step<T> + Send + 'static,
    {
        self.queue(Shape::Several, bytes, command).await
    }

    async fn queue<T, F>(&self, shape: Shape, bytes: usize, command: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Step<T> + Send + 'static,
    {
        let _span = OpenSpan::of_store("store write", "sqlite");
        let closed = || StoreError::Unavailable("the database is closed".into());
        let (reply, answer) = oneshot::channel();
        let task = Box::new(Command::new(shape, bytes, command, reply));
        let queue = self.queue.as_ref().ok_or_else(closed)?;
        queue.send(task).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }

    /// Succeeds when the thread answers and is able to write. It needs no sync: it writes only if the last write
    /// failed, to see whether writing works again.
    pub(crate) async fn ping(&self) -> Result<()> {
        if self.counters.is_failing.load(std::sync::atomic::Ordering::Relaxed) {
            return self.run(Shape::Single, 0, command::touch).await;
        }
        self.run(Shape::Single, 0, |_| Ok(())).await
    }

    /// Makes the thread itself panic, outside of any command.
    #[cfg(test)]
    pub(crate) async fn panic(&self) {
        let queue = self.queue.as_ref().expect("it is open");
        assert!(queue.send(Box::new(task::Bomb)).await.is_ok(), "the thread listens");
    }

    /// Lets the thread finish what is queued and close the database.
    pub(crate) fn finish(&mut self) {
        self.queue.take();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the writer thread panicked");
        }
    }
}

/// The state of the thread.
struct Work {
    /// The first connection; `None` once the thread has taken it.
    connection: Option<Connection>,
    path: PathBuf,
    options: Options,
    wal: Arc<Wal>,
    counters: Arc<Counters>,
    received: mpsc::Receiver<Box<dyn Task>>,
    commands: Histogram,
    seconds: Histogram,
}

impl Work {
    /// If a batch panicked, it is in doubt whether it was committed. Its callers notice that their reply channels are
    /// closed, and its connection is dropped.
    fn run(&mut self, pulse: &Pulse) {
        let mut open = self.connection.take();
        let mut waiting: Vec<Box<dyn Task>> = Vec::with_capacity(MAX_BATCH);
        while !waiting.is_empty() || self.received.blocking_recv_many(&mut waiting, MAX_BATCH) > 0 {
            let _work = pulse.begin();
            let count = within_bytes(&waiting);
            let batch = &mut waiting[..count];
            let clock = Instant::now();
            let outcome = match self.connection(&mut open) {
                Ok(connection) => batch::run(connection, batch),
                Err(e) => Outcome::failed(&e),
            };
            self.note(&outcome, count);
            self.commands.record(count as f64);
            self.seconds.record(clock.elapsed());
            for task in waiting.drain(..count) {
                task.answer(&outcome.result);
            }
            if outcome.give_up_connection {
                open = None;
            }
            if let Some(connection) = &open {
                self.wal.between_batches(connection, self.options.busy_timeout);
            }
        }
        if let Some(connection) = open {
            checkpoint::finish(&connection);
        }
    }

    /// The connection, opened again if the last one was given up.
    fn connection<'a>(&self, open: &'a mut Option<Connection>) -> rusqlite::Result<&'a mut Connection> {
        match open {
            Some(connection) => Ok(connection),
            none => Ok(none.insert(watched(open_writer(&self.path, &self.options)?, &self.wal)?)),
        }
    }

    fn note(&self, outcome: &Outcome, commands: usize) {
        use std::sync::atomic::Ordering::Relaxed;
        self.counters.commands.fetch_add(commands as u64, Relaxed);
        self.counters.is_failing.store(outcome.is_failing, Relaxed);
        match &outcome.result {
            Ok(()) => {
                self.counters.commits.fetch_add(1, Relaxed);
            }
            Err(reason) => tracing::error!(commands, reason, "a batch of writes failed"),
        }
    }
}

/// How many of the waiting commands fit into one transaction; at least one.
fn within_bytes(waiting: &[Box<dyn Task>]) -> usize {
    let mut bytes = 0;
    let fit = waiting.iter().take_while(|task| {
        bytes += task.bytes();
        bytes <= MAX_BATCH_BYTES
    });
    fit.count().max(1)
}

/// Reports the length of the write-ahead log after each commit.
fn watched(mut connection: Connection, wal: &Arc<Wal>) -> rusqlite::Result<Connection> {
    let wal = Arc::clone(wal);
    connection.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages: i32| {
        wal.committed(u64::try_from(pages).unwrap_or(0));
        Ok(())
    }))?;
    Ok(connection)
}

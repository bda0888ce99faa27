//! Moves the write-ahead log into the database, outside of the writer's thread.
//!
//! A thread with a connection of its own runs passive checkpoints whenever the log has grown; they block nobody. Under
//! continuous load these alone never empty the log, because new pages arrive while old ones are moved. So once the log
//! is large and nearly all of it has been moved, the writer itself is asked to restart the log between two batches.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use embudo_store::{Result, StoreError};
use embudo_supervisor::{Pulse, Supervisor};
use rusqlite::Connection;

use crate::connection::open_writer;
use crate::failure::store_error;
use crate::options::Options;

/// How long the writer may wait for readers of old pages when it restarts the log.
const RESTART_PATIENCE: Duration = Duration::from_millis(20);
/// The same limit when checkpoints have fallen far behind and a pause is better than a log that grows without limit.
const HELP_PATIENCE: Duration = Duration::from_millis(500);

/// How long an erasure waits for readers of old pages.
const TRUNCATE_PATIENCE: Duration = Duration::from_secs(2);

/// The state that writer and checkpointer share.
pub(crate) struct Wal {
    /// Pages in the log after the last commit; the writer's hook updates the number.
    pages: AtomicU64,
    /// How many of these pages are in the database already.
    moved: AtomicU64,
    /// The checkpointer asks the writer to restart the log.
    restart_due: AtomicBool,
    /// The length of the log when the writer last tried to shorten it without being asked.
    forced_at: AtomicU64,
    /// A log that has grown by this length is worth a checkpoint.
    step_pages: u64,
    /// A log of this length is restarted.
    limit_pages: u64,
    /// Held while pages are moved: SQLite refuses a second checkpoint at once instead of waiting.
    moving: Mutex<()>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    nudged: bool,
    stop: bool,
}

/// What one checkpoint did.
struct Progress {
    pages: u64,
    moved: u64,
}

impl Wal {
    pub(crate) fn new(connection: &Connection, limit_bytes: u64) -> Result<Self> {
        let page_bytes: u32 =
            connection.query_row("PRAGMA page_size", (), |r| r.get(0)).map_err(|e| store_error(&e))?;
        let limit_pages = (limit_bytes / u64::from(page_bytes.max(512))).max(16);
        Ok(Self {
            pages: AtomicU64::new(0),
            moved: AtomicU64::new(0),
            restart_due: AtomicBool::new(false),
            forced_at: AtomicU64::new(0),
            step_pages: (limit_pages / 4).max(4),
            limit_pages,
            moving: Mutex::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Pages in the log after the last commit.
    pub(crate) fn pages(&self) -> u64 {
        self.pages.load(Ordering::Relaxed)
    }

    /// Called by the writer's hook with each commit.
    pub(crate) fn committed(&self, pages: u64) {
        let before = self.pages.swap(pages, Ordering::Relaxed);
        if pages < before {
            // The log was restarted; no page of the new log has been moved yet.
            self.moved.store(0, Ordering::Relaxed);
            self.forced_at.store(0, Ordering::Relaxed);
        }
    }

    /// Called by the writer between batches: restarts the log if that is due, and wakes the checkpointer.
    pub(crate) fn between_batches(&self, connection: &Connection, busy_timeout: Duration) {
        if self.is_far_too_long() {
            let _turn = self.moving.lock().unwrap_or_else(PoisonError::into_inner);
            restart(connection, HELP_PATIENCE, busy_timeout);
        } else if self.restart_due.load(Ordering::Relaxed)
            && let Ok(_turn) = self.moving.try_lock()
        {
            self.restart_due.store(false, Ordering::Relaxed);
            restart(connection, RESTART_PATIENCE, busy_timeout);
        }
        if self.pages().saturating_sub(self.moved.load(Ordering::Relaxed)) < self.step_pages {
            return;
        }
        let mut state = self.lock();
        if !state.nudged {
            state.nudged = true;
            self.changed.notify_one();
        }
    }

    /// Whether checkpoints have fallen so far behind that the writer must slow down and help. After a failed try this
    /// is true again only after some more growth: if another program's reader needs old pages, trying does not help.
    fn is_far_too_long(&self) -> bool {
        let pages = self.pages();
        let tried = self.forced_at.load(Ordering::Relaxed);
        let far = pages >= 4 * self.limit_pages && pages >= tried + self.limit_pages;
        if far {
            self.forced_at.store(pages, Ordering::Relaxed);
        }
        far
    }

    /// Moves the whole log and truncates it. `false`: somebody still reads older pages, or writes.
    pub(crate) fn truncate(&self, path: &Path, options: &Options) -> rusqlite::Result<bool> {
        let _turn = self.moving.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = open_writer(path, options)?;
        connection.busy_timeout(TRUNCATE_PATIENCE)?;
        let busy: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get(0))?;
        Ok(busy == 0)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the log has grown; `false` when it is time to stop.
    fn wait(&self) -> bool {
        let guard = self.lock();
        let mut guard =
            self.changed.wait_while(guard, |s| !s.nudged && !s.stop).unwrap_or_else(PoisonError::into_inner);
        guard.nudged = false;
        !guard.stop
    }

    /// Notes the progress of a checkpoint. Returns `true` if another checkpoint at once would move more pages.
    fn note(&self, progress: &Progress) -> bool {
        // The writer may have restarted the log since: the number of moved pages is never larger than the log.
        let before = self.moved.swap(progress.moved.min(self.pages()), Ordering::Relaxed);
        let rest = progress.pages.saturating_sub(progress.moved);
        if progress.pages >= self.limit_pages && rest < self.step_pages {
            self.restart_due.store(true, Ordering::Relaxed);
        }
        rest >= self.step_pages && progress.moved > before
    }
}

/// The thread that runs checkpoints.
pub(crate) struct Checkpointer {
    wal: Arc<Wal>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    pub(crate) fn start(
        path: &Path,
        options: &Options,
        wal: Arc<Wal>,
        supervisor: &Supervisor,
    ) -> Result<Self> {
        let state = (path.to_owned(), options.clone(), Arc::clone(&wal));
        let thread = supervisor
            .thread("sqlite-checkpoint", state, |(path, options, wal), pulse| {
                work(path, options, wal, pulse);
            })
            .map_err(|e| StoreError::Unavailable(format!("no thread for checkpoints: {e}")))?;
        Ok(Self { wal, thread: Some(thread) })
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.wal.lock().stop = true;
        self.wal.changed.notify_one();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the checkpoint thread panicked");
        }
    }
}

fn work(path: &Path, options: &Options, wal: &Wal, pulse: &Pulse) {
    let mut open = None;
    while wal.wait() {
        loop {
            let _work = pulse.begin();
            let turn = wal.moving.lock().unwrap_or_else(PoisonError::into_inner);
            let done = passive(&mut open, path, options);
            drop(turn);
            match done {
                Ok(progress) => {
                    if !wal.note(&progress) {
                        break;
                    }
                }
                Err(e) => {
                    // The log keeps every commit meanwhile; the next growth tries again on a fresh connection.
                    tracing::warn!(error = %e, "a checkpoint failed");
                    open = None;
                    break;
                }
            }
        }
    }
}

fn passive(open: &mut Option<Connection>, path: &Path, options: &Options) -> rusqlite::Result<Progress> {
    let connection = match open {
        Some(connection) => connection,
        None => open.insert(open_writer(path, options)?),
    };
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", (), |r| {
        Ok(Progress { pages: r.get::<_, i64>(1)?.max(0) as u64, moved: r.get::<_, i64>(2)?.max(0) as u64 })
    })
}

/// Moves the rest of the log and makes the next commit restart it, unless a reader still needs old pages.
fn restart(connection: &Connection, patience: Duration, busy_timeout: Duration) {
    let done = connection
        .busy_timeout(patience)
        .and_then(|()| connection.query_row("PRAGMA wal_checkpoint(RESTART)", (), |row| row.get(0)));
    match done {
        Ok(0) => {}
        Ok(_) => tracing::debug!("a reader keeps the write-ahead log from starting over"),
        Err(e) => tracing::warn!(error = %e, "the write-ahead log could not be started over"),
    }
    if let Err(e) = connection.busy_timeout(busy_timeout) {
        tracing::error!(error = %e, "the time to wait for a lock could not be set");
    }
}

/// The last step of the writer: leaves no log behind if nobody else uses the database.
pub(crate) fn finish(connection: &Connection) {
    let done = connection
        .busy_timeout(RESTART_PATIENCE)
        .and_then(|()| connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(())));
    if let Err(e) = done {
        tracing::debug!(error = %e, "the write-ahead log stays for the next start");
    }
}

//! [`Store`] on SQLite.
//!
//! All writes go through one thread that commits all waiting commands together (`writer`); reads run on a few threads
//! with read-only connections (`readers`); checkpoints run on a thread of their own (`checkpoint`). All are supervised.
//! Commands that are not hot are written once for both engines and run on the writer's connection (`engine`); the
//! others, and queries, are plain functions on a connection (`command/`, `query/`). Their SQL is in files under `sql/`,
//! and only `embudo_store::rows` decides what a row means. No business rule lives here: the caller brings ids, times
//! and decisions.

mod checkpoint;
mod command;
mod connection;
mod engine;
mod failure;
mod migrations;
mod options;
mod query;
mod readers;
mod rows;
mod scrub;
mod store;
mod tables;
mod writer;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use embudo_store::touches::Touches;
use embudo_store::{Recent, Result, Store};
use embudo_supervisor::Supervisor;

use crate::checkpoint::{Checkpointer, Wal};
use crate::failure::store_error;
use crate::readers::Readers;
use crate::writer::Writer;

pub use migrations::NEWEST;
pub use options::Options;
pub use tables::{SqliteFilling, SqliteTables, unlisted};

/// Counters of the writer since the database was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    pub commits: u64,
    /// Commands in these transactions, failed ones included.
    pub commands: u64,
    /// Pages in the write-ahead log after the last commit.
    pub wal_pages: u64,
}

/// A SQLite database file.
///
/// Dropping it finishes every command that is queued and closes the database cleanly.
pub struct SqliteStore {
    readers: Readers,
    writer: Writer,
    /// Stopped after the writer, because of the order of the fields.
    _checkpointer: Checkpointer,
    wal: Arc<Wal>,
    /// For work that needs a connection of its own.
    place: (PathBuf, Options),
    recent: Recent,
    touches: Touches,
    supervisor: Supervisor,
}

/// How long a thread may be busy with the same work: longer than a write waits for another process and a checkpoint for
/// readers.
const STUCK: Duration = Duration::from_secs(30);

impl SqliteStore {
    /// Opens the database and returns the store behind the trait. This is done here so that its commands are compiled
    /// with this crate, and not again in each crate that opens a database.
    pub fn shared(path: &Path, options: &Options) -> Result<Arc<dyn Store>> {
        Ok(Arc::new(Self::open(path, options)?))
    }

    /// Opens the database, creating it (readable by its owner only) and bringing its tables up to date.
    /// Safe while other processes do the same.
    pub fn open(path: &Path, options: &Options) -> Result<Self> {
        connection::check_version()?;
        connection::create_file(path)?;
        let open = || connection::open_writer(path, options);
        let mut opened = connection::retry_while_busy(options.busy_timeout, open)?;
        migrations::run(&mut opened)?;
        let wal = Arc::new(Wal::new(&opened, options.wal_limit_bytes)?);
        let supervisor = Supervisor::default();
        Ok(Self {
            readers: Readers::start(path, options, &supervisor)?,
            writer: Writer::start(opened, path, options, Arc::clone(&wal), &supervisor)?,
            _checkpointer: Checkpointer::start(path, options, Arc::clone(&wal), &supervisor)?,
            wal,
            place: (path.to_owned(), options.clone()),
            recent: Recent::default(),
            touches: Touches::default(),
            supervisor,
        })
    }

    /// Only runs the missing migrations; returns the number of the last one before and after. 0 means an empty
    /// database.
    pub fn migrate(path: &Path, options: &Options) -> Result<(i64, i64)> {
        connection::check_version()?;
        connection::create_file(path)?;
        let open = || connection::open_writer(path, options);
        migrations::run(&mut connection::retry_while_busy(options.busy_timeout, open)?)
    }

    /// The number of the last migration, read without changing anything. `None` if there is no such file.
    pub fn schema_version(path: &Path) -> Result<Option<i64>> {
        if !path.exists() {
            return Ok(None);
        }
        let opened = connection::open_reader(path, &Options::default()).map_err(|e| store_error(&e))?;
        migrations::last_applied(&opened).map(Some).map_err(|e| store_error(&e))
    }

    /// The writer's counters.
    pub fn stats(&self) -> Stats {
        Stats {
            commits: self.writer.counters.commits.load(Ordering::Relaxed),
            commands: self.writer.counters.commands.load(Ordering::Relaxed),
            wal_pages: self.wal.pages(),
        }
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        // The readers are closed first: if a read-only connection were closed last, it could not remove the log.
        self.readers.close();
        self.writer.finish();
    }
}

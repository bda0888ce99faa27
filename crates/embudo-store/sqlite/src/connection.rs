//! How connections are opened: the pragmas on which durability and speed depend, in one place.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

use embudo_store::{Result, StoreError};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::failure::store_error;
use crate::options::Options;

/// Older versions can lose commits when a checkpoint resets the write-ahead log.
const MIN_VERSION: i32 = 3_051_003;

/// More than there are SQL files, so that no statement is ever prepared twice.
const CACHED_STATEMENTS: usize = 128;
/// A batch of turns changes a page of the index by lead for nearly every turn, and whole pages go to the log: small
/// pages make commits quicker and their times steadier. A larger cache than 4 MiB made commits slower. Only a new file
/// gets this page size.
const PAGE_BYTES: u32 = 2048;

/// Refuses a version of SQLite that could lose commits.
pub(crate) fn check_version() -> Result<()> {
    if rusqlite::version_number() < MIN_VERSION {
        let mensaje = format!("SQLite {} is too old, 3.51.3 or later is needed", rusqlite::version());
        return Err(StoreError::Internal(mensaje));
    }
    Ok(())
}

/// Creates the file, if it is new, for its owner alone. SQLite gives the files beside it the same mode.
pub(crate) fn create_file(path: &Path) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(StoreError::Unavailable(format!("{}: {e}", path.display()))),
    }
}

/// Opens the connection of the writer. It does not create the file: if the file has vanished, this is an error and not
/// a new start.
pub(crate) fn open_writer(path: &Path, options: &Options) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(options.busy_timeout)?;
    keep_plans(&connection)?;
    // The full-fsync pragmas matter on macOS only, where a plain sync stops at the drive's cache.
    connection.execute_batch(&format!(
        "PRAGMA page_size = {PAGE_BYTES};
         PRAGMA journal_mode = WAL;
         PRAGMA synchronous = FULL;
         PRAGMA fullfsync = ON;
         PRAGMA checkpoint_fullfsync = ON;
         PRAGMA foreign_keys = ON;
         PRAGMA temp_store = MEMORY;
         PRAGMA secure_delete = FAST;
         PRAGMA cache_size = -4096;
         PRAGMA wal_autocheckpoint = 0;
         PRAGMA journal_size_limit = {};",
        options.wal_limit_bytes
    ))?;
    Ok(connection)
}

/// Opens a connection that can only read.
pub(crate) fn open_reader(path: &Path, options: &Options) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(options.busy_timeout)?;
    keep_plans(&connection)?;
    connection.execute_batch("PRAGMA temp_store = MEMORY;")?;
    Ok(connection)
}

/// Switching to WAL does not use SQLite's own busy handler, so two first starts at the same time would make each other
/// fail.
pub(crate) fn retry_while_busy<T>(limit: Duration, mut f: impl FnMut() -> rusqlite::Result<T>) -> Result<T> {
    let start = Instant::now();
    loop {
        match f() {
            Err(e)
                if e.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
                    && start.elapsed() < limit =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            other => return other.map_err(|e| store_error(&e)),
        }
    }
}

/// Statements stay prepared. Without the stability guarantee (QPSG), SQLite plans a statement again whenever a bound
/// value might allow another partial index. This took a third of the writer's time on the outbox; our statements
/// contain such values as literals instead.
fn keep_plans(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

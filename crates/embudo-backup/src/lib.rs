//! Backups, restores, and copies between engines and places.
//!
//! All of them read the same list of tables ([`embudo_store::tables`]) as of one moment and then copy the blobs that
//! the rows name. A backup is a SQLite file, whatever the engine, with a list of its blobs and a manifest that is
//! written last. Files without a manifest are no backup. Backups of one database share their blobs, so that the next
//! one copies only new blobs. This crate prints nothing and knows no settings.

mod blobs;
mod check;
mod copy;
mod files;
mod held;
mod make;
mod manifest;
mod place;
mod restore;
mod retention;
mod walk;

use std::path::PathBuf;

use embudo_blobs::{BlobError, DatabaseId};
use embudo_store::StoreError;
use embudo_store::tables::{Found, TABLES, TableReader, TableWriter, Value};
use embudo_store_postgres::{PgFilling, PgTables};
use embudo_store_sqlite::{SqliteFilling, SqliteTables};

pub use blobs::Transfer;
pub use check::{Checked, check};
pub use copy::{Copied, Copy, copy};
pub use held::PATIENCE;
pub use make::{Made, Source, make};
pub use manifest::Manifest;
pub use place::{Backup, Place};
pub use restore::{Restore, Restored, restore};
pub use retention::{Kept, keep};
pub use walk::compare;

/// Why a backup, a restore or a copy failed.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Blobs(#[from] BlobError),
    /// An error with a file of our own.
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: std::io::Error },
    /// Another process holds the lease.
    #[error(
        "another process makes a backup or a copy of this database at this moment: wait for it; one that died is forgotten after a minute and a half"
    )]
    Busy,
    /// The lease was lost: another process may have taken it over.
    #[error(
        "another process may have taken this over, because the database heard nothing of this one for more than a minute: nothing is half done, run it again"
    )]
    Lost,
    /// A backup, a database or a setting cannot be used; the text says what to do about it.
    #[error("{0}")]
    Refused(String),
}

pub type Result<T> = std::result::Result<T, BackupError>;

/// Reports progress to the terminal.
pub trait Progress: Send + Sync {
    /// `done` of `total` steps of `what` are done.
    fn at(&self, what: &str, done: u64, total: u64);
}

/// Reports nothing, because nobody waits.
impl Progress for () {
    fn at(&self, _: &str, _: u64, _: u64) {}
}

/// A database, by its address.
#[derive(Clone)]
pub enum Database {
    Sqlite(PathBuf),
    /// The URL, password included.
    Postgres(String),
}

impl Database {
    pub fn engine(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }

    /// Opens all tables for reading, as of now.
    pub async fn read(&self) -> Result<Box<dyn TableReader>> {
        Ok(match self {
            Self::Sqlite(path) => Box::new(SqliteTables::open(path).await?),
            Self::Postgres(url) => Box::new(PgTables::open(url).await?),
        })
    }

    /// Begins to fill the database, or continues an interrupted run; refuses a database that holds other data.
    async fn fill(&self) -> Result<(Box<dyn TableWriter>, Found)> {
        Ok(match self {
            Self::Sqlite(path) => {
                let (filling, found) = SqliteFilling::begin(path).await?;
                (Box::new(filling), found)
            }
            Self::Postgres(url) => {
                let (filling, found) = PgFilling::begin(url).await?;
                (Box::new(filling), found)
            }
        })
    }
}

/// The id under which a database's blobs are stored; the database stores it among its secrets, so every copy has the
/// same id.
pub async fn database_id(reader: &mut dyn TableReader) -> Result<DatabaseId> {
    let unnamed = || BackupError::Refused("the database has no name yet: run embudo with it once".to_owned());
    let table = TABLES.iter().find(|table| table.name == "secreto").ok_or_else(unnamed)?;
    let at = |column| reader.shape().position(table, column);
    let (Some(name), Some(value)) = (at("nombre"), at("valor")) else { return Err(unnamed()) };
    reader.open(table).await?;
    let mut found = None;
    loop {
        let rows = reader.next().await?;
        if rows.is_empty() {
            return found.ok_or_else(unnamed);
        }
        for row in rows {
            if let (Value::Text(text), Value::Bytes(bytes)) = (&row[name], &row[value])
                && text == "database"
            {
                found = bytes.as_slice().try_into().ok().map(DatabaseId::new);
            }
        }
    }
}

//! A database file that is being filled.

use std::path::Path;

use async_trait::async_trait;
use embudo_store::tables::{
    Found, OCCUPIED_WORDS, OTHER_VERSION_WORDS, Row, Shape, TABLES, Table, TableWriter, UNFINISHED,
};
use embudo_store::{Result, StoreError};
use rusqlite::{Connection, params_from_iter};

use super::{Lent, Param, blocking, is_rowid, last_finished, shape};
use crate::failure::store_error;
use crate::options::Options;
use crate::{connection, migrations};

/// The log is moved into the file whenever it has this many pages.
const LOG_PAGES: u32 = 4_000;

/// A database file that is marked as unfinished.
pub struct SqliteFilling {
    connection: Lent,
    shape: Shape,
}

impl SqliteFilling {
    /// Makes the file, or continues with one that an earlier run began to fill. Refuses one that holds anything else.
    pub async fn begin(path: &Path) -> Result<(Self, Found)> {
        let path = path.to_owned();
        blocking(move || {
            connection::check_version()?;
            connection::create_file(&path)?;
            let options = Options::default();
            let open = || connection::open_writer(&path, &options);
            let mut opened = connection::retry_while_busy(options.busy_timeout, open)?;
            let found = prepare(&mut opened)?;
            let ready = || {
                // After a power cut the last rows may be missing, but never earlier ones: the next run finds where to
                // continue.
                opened.execute_batch(&format!(
                    "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = {LOG_PAGES}; PRAGMA cache_size = -65536;"
                ))?;
                shape(&opened)
            };
            let shape = ready().map_err(|e| store_error(&e))?;
            Ok((Self { connection: Lent(Some(opened)), shape }, found))
        })
        .await
    }
}

/// Finds out what the database contains, and marks an empty one as unfinished.
fn prepare(connection: &mut Connection) -> Result<Found> {
    let failed = |e: rusqlite::Error| store_error(&e);
    if migrations::last_applied(connection).map_err(failed)? == i64::from(UNFINISHED) {
        if last_finished(connection).map_err(failed)? != migrations::NEWEST {
            return Err(StoreError::Internal(OTHER_VERSION_WORDS.to_owned()));
        }
        return Ok(Found::Begun);
    }
    // An occupied database is not even migrated.
    refuse_occupied(connection)?;
    migrations::run(connection)?;
    refuse_occupied(connection)?;
    let sql = include_str!("../../sql/migracion/insert.sql");
    connection.execute(sql, (UNFINISHED, "unfinished copy")).map_err(failed)?;
    Ok(Found::Empty)
}

/// Checks the tables that exist, of any version.
fn refuse_occupied(connection: &Connection) -> Result<()> {
    let failed = |e: rusqlite::Error| store_error(&e);
    for table in TABLES {
        if !connection.table_exists(None, table.name).map_err(failed)? {
            continue;
        }
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {})", table.name);
        if connection.query_row(&sql, (), |row| row.get(0)).map_err(failed)? {
            return Err(StoreError::Internal(OCCUPIED_WORDS.to_owned()));
        }
    }
    Ok(())
}

#[async_trait]
impl TableWriter for SqliteFilling {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    async fn append(&mut self, table: &'static Table, rows: Vec<Row>) -> Result<()> {
        let columns = self.shape.columns(table);
        let names = columns.iter().map(|c| if is_rowid(table, c) { "rowid" } else { c });
        let names = names.collect::<Vec<_>>().join(", ");
        let places = vec!["?"; columns.len()].join(", ");
        let sql = format!("INSERT INTO {} ({names}) VALUES ({places})", table.name);
        let insert = move |connection: &mut Connection| {
            let tx = connection.transaction()?;
            {
                let mut statement = tx.prepare_cached(&sql)?;
                for row in &rows {
                    statement.execute(params_from_iter(row.iter().map(Param)))?;
                }
            }
            tx.commit()
        };
        self.connection.run(insert).await
    }

    async fn clear(&mut self) -> Result<()> {
        let clear = |connection: &mut Connection| {
            let tx = connection.transaction()?;
            for table in TABLES.iter().rev() {
                tx.execute_batch(&format!("DELETE FROM {}", table.name))?;
            }
            tx.commit()
        };
        self.connection.run(clear).await
    }

    async fn finish(mut self: Box<Self>) -> Result<()> {
        let finish = |connection: &mut Connection| {
            connection.execute_batch("PRAGMA synchronous = FULL")?;
            let tx = connection.transaction()?;
            tx.execute_batch("INSERT INTO lead_trigrama (lead_trigrama) VALUES ('rebuild')")?;
            tx.execute("DELETE FROM migracion WHERE numero = ?1", (UNFINISHED,))?;
            tx.commit()?;
            // Everything is in one file afterwards; a server that opens it switches back to WAL.
            connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
        };
        self.connection.run(finish).await
    }
}

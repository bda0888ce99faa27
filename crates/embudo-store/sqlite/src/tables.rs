//! Reads every table row by row, as of one moment, and writes tables into a database that is not in use yet.
//!
//! Each step runs on a blocking thread with the connection, which comes back with the answer.

mod filling;

use std::path::Path;

use async_trait::async_trait;
use embudo_store::tables::{
    LEFT_OUT, ROWID, Row, SLICE_BYTES, SLICE_ROWS, SQLITE_ONLY, Shape, TABLES, Table, TableReader, Value,
};
use embudo_store::{Result, StoreError};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};

pub use filling::SqliteFilling;

use crate::failure::store_error;
use crate::options::Options;
use crate::{connection, migrations};

/// One read transaction on a database file.
pub struct SqliteTables {
    connection: Lent,
    shape: Shape,
    walk: Option<(&'static Table, Option<Vec<Value>>)>,
}

impl SqliteTables {
    /// Begins to read a database whose tables are up to date, or which is being filled.
    pub async fn open(path: &Path) -> Result<Self> {
        let path = path.to_owned();
        blocking(move || {
            let opened = connection::open_reader(&path, &Options::default()).map_err(|e| store_error(&e))?;
            check_version(&opened)?;
            let begin = || {
                // The snapshot is taken by the first read, not by the BEGIN.
                opened.execute_batch("BEGIN; SELECT max(numero) FROM migracion")?;
                shape(&opened)
            };
            let shape = begin().map_err(|e| store_error(&e))?;
            Ok(Self { connection: Lent(Some(opened)), shape, walk: None })
        })
        .await
    }
}

#[async_trait]
impl TableReader for SqliteTables {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    async fn count(&mut self, table: &'static Table) -> Result<u64> {
        let sql = format!("SELECT count(*) FROM {}", table.name);
        let count = move |c: &mut Connection| c.query_row(&sql, (), |row| row.get::<_, i64>(0));
        Ok(self.connection.run(count).await?.unsigned_abs())
    }

    async fn open(&mut self, table: &'static Table) -> Result<()> {
        self.walk = Some((table, None));
        Ok(())
    }

    async fn next(&mut self) -> Result<Vec<Row>> {
        let Some((table, after)) = self.walk.take() else { return Ok(Vec::new()) };
        let sql = select(&self.shape, table, after.is_some());
        let rows = self.connection.run(move |c| slice(c, &sql, &after.unwrap_or_default())).await?;
        if let Some(last) = rows.last() {
            let at = |name: &&str| self.shape.position(table, name).and_then(|at| last.get(at)).cloned();
            self.walk = Some((table, table.key.iter().map(at).collect()));
        }
        Ok(rows)
    }
}

/// The query for the rows after a key, or for the first rows, in the order of the key.
fn select(shape: &Shape, table: &Table, after: bool) -> String {
    let name = |column: &str| if is_rowid(table, column) { "rowid".to_owned() } else { column.to_owned() };
    let columns = shape.columns(table).iter().map(|c| name(c)).collect::<Vec<_>>().join(", ");
    let key = table.key.iter().map(|c| name(c)).collect::<Vec<_>>().join(", ");
    let places = (1..=table.key.len()).map(|n| format!("?{n}")).collect::<Vec<_>>().join(", ");
    let from = if after { format!("WHERE ({key}) > ({places}) ") } else { String::new() };
    format!("SELECT {columns} FROM {} {from}ORDER BY {key} LIMIT {SLICE_ROWS}", table.name)
}

fn slice(connection: &mut Connection, sql: &str, after: &[Value]) -> rusqlite::Result<Vec<Row>> {
    let mut statement = connection.prepare_cached(sql)?;
    let width = statement.column_count();
    let mut found = statement.query(params_from_iter(after.iter().map(Param)))?;
    let (mut rows, mut weight) = (Vec::new(), 0);
    while weight < SLICE_BYTES
        && let Some(row) = found.next()?
    {
        let row: Row = (0..width).map(|n| row.get_ref(n).map(value)).collect::<rusqlite::Result<_>>()?;
        weight += row.iter().map(Value::weight).sum::<usize>();
        rows.push(row);
    }
    Ok(rows)
}

fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_owned()),
    }
}

struct Param<'v>(&'v Value);

impl ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Int(number) => ValueRef::Integer(*number),
            Value::Real(number) => ValueRef::Real(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

fn is_rowid(table: &Table, column: &str) -> bool {
    ROWID.contains(&(table.name, column))
}

/// The columns of each table, without those that only SQLite has, and with those that are stored as `rowid`.
fn shape(connection: &Connection) -> rusqlite::Result<Shape> {
    let mut shape = Shape::default();
    let mut asking = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
    for table in TABLES {
        let names = asking.query_map((table.name,), |row| row.get(0))?;
        let mut names: Vec<String> = names.collect::<rusqlite::Result<_>>()?;
        names.retain(|name| !SQLITE_ONLY.contains(&(table.name, name)));
        names.extend(ROWID.iter().filter(|(of, _)| *of == table.name).map(|(_, name)| (*name).to_owned()));
        names.sort();
        shape.0.insert(table.name, names);
    }
    Ok(shape)
}

/// Refuses tables of another version than this program's, because their columns differ.
fn check_version(connection: &Connection) -> Result<()> {
    let found = last_finished(connection).map_err(|e| store_error(&e))?;
    if found != migrations::NEWEST {
        let newest = migrations::NEWEST;
        return Err(StoreError::Internal(format!(
            "the tables are at version {found}, this program's at {newest}: bring them up to date first (embudo migrate)"
        )));
    }
    Ok(())
}

/// The last migration that was run, whether or not the database is being filled.
fn last_finished(connection: &Connection) -> rusqlite::Result<i64> {
    if !connection.table_exists(None, "migracion")? {
        return Ok(0);
    }
    let sql = "SELECT coalesce(max(numero), 0) FROM migracion WHERE numero <> ?1";
    connection.query_row(sql, (embudo_store::tables::UNFINISHED,), |row| row.get(0))
}

/// A connection that is on a blocking thread while it works.
struct Lent(Option<Connection>);

impl Lent {
    async fn run<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let lost = || StoreError::Internal("the connection was lost in an earlier step".into());
        let mut connection = self.0.take().ok_or_else(lost)?;
        let (connection, done) = blocking(move || {
            let done = work(&mut connection);
            Ok((connection, done))
        })
        .await?;
        self.0 = Some(connection);
        done.map_err(|e| store_error(&e))
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(StoreError::Internal(error.to_string())))
}

/// Tables that are missing in the list, and, with a `-` before the name, tables of the list that do not exist.
#[doc(hidden)]
pub fn unlisted(path: &Path) -> Result<Vec<String>> {
    let look = || -> rusqlite::Result<Vec<String>> {
        let connection = connection::open_reader(path, &Options::default())?;
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
             AND name NOT LIKE 'lead\\_trigrama%' ESCAPE '\\'";
        let mut asking = connection.prepare(sql)?;
        let there: Vec<String> = asking.query_map((), |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        let listed: Vec<&str> = TABLES.iter().map(|t| t.name).chain(LEFT_OUT.iter().copied()).collect();
        let unknown = there.iter().filter(|name| !listed.contains(&name.as_str())).cloned();
        let gone =
            listed.iter().filter(|name| there.iter().all(|t| t != *name)).map(|name| format!("-{name}"));
        Ok(unknown.chain(gone).collect())
    };
    look().map_err(|e| store_error(&e))
}

//! Reads every table row by row, as of one moment, and writes tables into a database that is not in use yet.

mod cell;
mod filling;

use std::pin::Pin;

use async_trait::async_trait;
use embudo_store::tables::{
    LEFT_OUT, POSTGRES_ONLY, Row, SLICE_BYTES, SLICE_ROWS, Shape, TABLES, Table, TableReader, UNFINISHED,
    Value,
};
use embudo_store::{Result, StoreError};
use futures_util::TryStreamExt;
use tokio_postgres::{Client, Error, RowStream};

pub use filling::PgFilling;

use crate::connection::Target;
use crate::failure::store_error;
use crate::migrations;
use cell::Cell;

/// A walk may take any time, and reads each table once, in order.
const SETTINGS: &str = "SET statement_timeout = 0; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = 0; \
     SET jit = off; SET work_mem = '64MB'";

/// One read transaction on a database.
pub struct PgTables {
    client: Client,
    shape: Shape,
    walk: Option<Pin<Box<RowStream>>>,
}

impl PgTables {
    /// Begins to read a database whose tables are up to date, or which is being filled.
    pub async fn open(url: &str) -> Result<Self> {
        let client = Target::parse(url)?.connect().await?;
        check_version(&client).await?;
        let begin = async {
            client.batch_execute(SETTINGS).await?;
            // The snapshot is taken by the first query.
            client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
            shape(&client).await
        };
        let shape = begin.await.map_err(failed)?;
        Ok(Self { client, shape, walk: None })
    }
}

#[async_trait]
impl TableReader for PgTables {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    async fn count(&mut self, table: &'static Table) -> Result<u64> {
        self.walk = None;
        let sql = format!("SELECT count(*) FROM {}", table.name);
        let row = self.client.query_one(sql.as_str(), &[]).await.map_err(failed)?;
        Ok(row.get::<_, i64>(0).unsigned_abs())
    }

    async fn open(&mut self, table: &'static Table) -> Result<()> {
        // The server answers in order: the answers to the next queries would come only after all unread rows.
        self.walk = None;
        let columns = self.shape.columns(table).join(", ");
        let key = self.client.prepare(&format!("SELECT {} FROM {}", table.key.join(", "), table.name)).await;
        let key = key.map_err(failed)?;
        // Texts are ordered by their bytes, whatever the database's language is.
        let order = key.columns().iter().map(|column| {
            let collation = if column.type_().name() == "text" { " COLLATE \"C\"" } else { "" };
            format!("{}{collation}", column.name())
        });
        let order = order.collect::<Vec<_>>().join(", ");
        let sql = format!("SELECT {columns} FROM {} ORDER BY {order}", table.name);
        let none: [&(dyn tokio_postgres::types::ToSql + Sync); 0] = [];
        let rows = self.client.query_raw(sql.as_str(), none).await.map_err(failed)?;
        self.walk = Some(Box::pin(rows));
        Ok(())
    }

    /// Rows that are not requested yet wait at the server.
    async fn next(&mut self) -> Result<Vec<Row>> {
        let Some(walk) = &mut self.walk else { return Ok(Vec::new()) };
        let (mut rows, mut weight) = (Vec::new(), 0);
        while rows.len() < SLICE_ROWS && weight < SLICE_BYTES {
            let Some(found) = walk.try_next().await.map_err(failed)? else {
                self.walk = None;
                break;
            };
            let values = (0..found.len()).map(|n| Ok(found.try_get::<_, Cell>(n)?.0));
            let row: Row = values.collect::<std::result::Result<_, Error>>().map_err(failed)?;
            weight += row.iter().map(Value::weight).sum::<usize>();
            rows.push(row);
        }
        Ok(rows)
    }
}

/// The columns of each table, without those that only PostgreSQL has.
async fn shape(client: &Client) -> std::result::Result<Shape, Error> {
    let sql = "SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = current_schema()";
    let found = client.query(sql, &[]).await?;
    let mut shape = Shape::default();
    for table in TABLES {
        let own = found.iter().filter(|row| row.get::<_, &str>(0) == table.name);
        let own = own.map(|row| row.get::<_, String>(1));
        let mut names: Vec<String> =
            own.filter(|name| !POSTGRES_ONLY.contains(&(table.name, name))).collect();
        names.sort();
        shape.0.insert(table.name, names);
    }
    Ok(shape)
}

/// Refuses tables of another version than this program's, because their columns differ.
async fn check_version(client: &Client) -> Result<()> {
    let found = last_finished(client).await?;
    let newest = migrations::last();
    if found != newest {
        return Err(StoreError::Internal(format!(
            "the tables are at version {found}, this program's at {newest}: bring them up to date first (embudo migrate)"
        )));
    }
    Ok(())
}

/// The last migration that was run, whether or not the database is being filled.
async fn last_finished(client: &Client) -> Result<i32> {
    if migrations::version(client).await?.0 == 0 {
        return Ok(0);
    }
    let sql = "SELECT coalesce(max(numero), 0) FROM migracion WHERE numero <> $1";
    Ok(client.query_one(sql, &[&UNFINISHED]).await.map_err(failed)?.get(0))
}

#[allow(clippy::needless_pass_by_value, reason = "as `map_err` hands it over")]
fn failed(error: Error) -> StoreError {
    store_error(&error)
}

/// Tables that are missing in the list, and, with a `-` before the name, tables of the list that do not exist.
#[doc(hidden)]
pub async fn unlisted(url: &str) -> Result<Vec<String>> {
    let client = Target::parse(url)?.connect().await?;
    let sql = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema()";
    let there = client.query(sql, &[]).await.map_err(failed)?;
    let there: Vec<String> = there.iter().map(|row| row.get(0)).collect();
    let listed: Vec<&str> = TABLES.iter().map(|t| t.name).chain(LEFT_OUT.iter().copied()).collect();
    let unknown = there.iter().filter(|name| !listed.contains(&name.as_str())).cloned();
    let gone = listed.iter().filter(|name| there.iter().all(|t| t != *name)).map(|name| format!("-{name}"));
    Ok(unknown.chain(gone).collect())
}

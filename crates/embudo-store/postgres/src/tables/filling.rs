//! A database that is being filled.

use std::pin::pin;

use async_trait::async_trait;
use embudo_store::tables::{
    Found, OCCUPIED_WORDS, OTHER_VERSION_WORDS, POSTGRES_ONLY, Row, Shape, TABLES, Table, TableWriter,
    UNFINISHED,
};
use embudo_store::{Result, StoreError};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error};
use uuid::Uuid;

use super::cell::Param;
use super::{SETTINGS, failed, last_finished, shape};
use crate::connection::Target;
use crate::{PgStore, migrations};

/// From which number automatic ids continue: the highest existing one, or the last one that the projector has seen, if
/// that row is gone.
const GO_ON: &str = "SELECT setval(pg_get_serial_sequence($1, $2), greatest(last, 1), last > 0) \
     FROM (SELECT greatest((SELECT coalesce(max(:column), 0) FROM :table), (SELECT coalesce(max(hasta), 0) FROM proyeccion)) AS last) l";

/// How long a reader may need to notice that its connection was lost.
const CLEAR_PATIENCE: &str = "10min";

/// A database that is marked as unfinished.
pub struct PgFilling {
    client: Client,
    shape: Shape,
}

impl PgFilling {
    /// Brings the tables of an empty database up to date, or continues with one that an earlier run began to fill.
    /// Refuses a database that holds anything else.
    pub async fn begin(url: &str) -> Result<(Self, Found)> {
        let client = Target::parse(url)?.connect().await?;
        let found = if migrations::version(&client).await?.0 == UNFINISHED {
            if last_finished(&client).await? != migrations::last() {
                return Err(StoreError::Internal(OTHER_VERSION_WORDS.to_owned()));
            }
            Found::Begun
        } else {
            refuse_occupied(&client).await?;
            PgStore::migrate(url).await?;
            mark_unfinished(&client).await?;
            Found::Empty
        };
        client.batch_execute(SETTINGS).await.map_err(failed)?;
        let shape = shape(&client).await.map_err(failed)?;
        Ok((Self { client, shape }, found))
    }

    async fn copy(&self, table: &Table, rows: &[Row]) -> std::result::Result<(), Error> {
        let mut names = self.shape.columns(table).to_vec();
        let own = POSTGRES_ONLY.iter().filter(|(of, name)| *of == table.name && *name == "id");
        names.extend(own.map(|(_, name)| (*name).to_owned()));
        let names = names.join(", ");
        let types = self.client.prepare(&format!("SELECT {names} FROM {}", table.name)).await?;
        let types: Vec<Type> = types.columns().iter().map(|column| column.type_().clone()).collect();
        let sql = format!("COPY {} ({names}) FROM STDIN (FORMAT binary)", table.name);
        let mut writer = pin!(BinaryCopyInWriter::new(self.client.copy_in(sql.as_str()).await?, &types));
        for row in rows {
            let id = Uuid::new_v4();
            let values: Vec<Param<'_>> = row.iter().map(Param).collect();
            let values = values.iter().map(|value| value as &(dyn ToSql + Sync));
            let own = std::iter::once(&id as &(dyn ToSql + Sync)).take(types.len() - row.len());
            writer.as_mut().write(&values.chain(own).collect::<Vec<_>>()).await?;
        }
        writer.finish().await.map(drop)
    }
}

/// Checks the tables that exist, of any version.
async fn refuse_occupied(client: &Client) -> Result<()> {
    for table in TABLES {
        let there = client.query_one("SELECT to_regclass($1) IS NOT NULL", &[&table.name]).await;
        if !there.map_err(failed)?.get::<_, bool>(0) {
            continue;
        }
        let sql = format!("SELECT EXISTS (SELECT FROM {})", table.name);
        if client.query_one(sql.as_str(), &[]).await.map_err(failed)?.get(0) {
            return Err(StoreError::Internal(OCCUPIED_WORDS.to_owned()));
        }
    }
    Ok(())
}

/// Marks an empty database as one that is being filled.
async fn mark_unfinished(client: &Client) -> Result<()> {
    refuse_occupied(client).await?;
    let sql = "INSERT INTO migracion (numero, nombre, en) VALUES ($1, 'unfinished copy', now())";
    client.execute(sql, &[&UNFINISHED]).await.map_err(failed).map(drop)
}

#[async_trait]
impl TableWriter for PgFilling {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    async fn append(&mut self, table: &'static Table, rows: Vec<Row>) -> Result<()> {
        self.copy(table, &rows).await.map_err(failed)
    }

    async fn clear(&mut self) -> Result<()> {
        let names = TABLES.iter().map(|table| table.name).collect::<Vec<_>>().join(", ");
        // A comparison may still be reading a long table; its rows are not used any more.
        let sql = format!("BEGIN; SET LOCAL lock_timeout = '{CLEAR_PATIENCE}'; TRUNCATE {names}; COMMIT");
        self.client.batch_execute(&sql).await.map_err(failed)
    }

    async fn finish(self: Box<Self>) -> Result<()> {
        let finish = async {
            let sql = "SELECT table_name::text, column_name::text FROM information_schema.columns \
                 WHERE table_schema = current_schema() AND is_identity = 'YES'";
            for row in self.client.query(sql, &[]).await? {
                let (table, column): (&str, &str) = (row.get(0), row.get(1));
                let sql = GO_ON.replace(":column", column).replace(":table", table);
                self.client.query_one(sql.as_str(), &[&table, &column]).await?;
            }
            self.client.batch_execute("ANALYZE").await?;
            self.client.execute("DELETE FROM migracion WHERE numero = $1", &[&UNFINISHED]).await.map(drop)
        };
        finish.await.map_err(failed)
    }
}

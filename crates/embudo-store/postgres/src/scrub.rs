//! What is left of deleted rows outside of the tables: dead rows in their files, and samples of their values.

use embudo_store::{Result, StoreError};

use crate::PgStore;
use crate::connection::Target;
use crate::statistics::{forget_if_empty, tables};

/// What is left where the role may not vacuum a table of the server's own.
const STATISTICS_REMAIN: &str = "pg_statistic may still hold earlier samples of values in its file, and this role may not write that anew: \
     let the owner of the database, or an administrator, run «VACUUM FULL pg_statistic» in it";

/// The server skips what the role may not do, with a warning that nobody reads.
const MAY_VACUUM: &str = "SELECT r.rolsuper OR pg_has_role(d.datdba, 'USAGE') FROM pg_roles r, pg_database d \
     WHERE r.rolname = current_user AND d.datname = current_database()";

impl PgStore {
    /// Writes the files of every table that something of a person stood in anew, and those of the samples of their
    /// values. Each table is locked meanwhile, so this is for a time when nobody works. What the write-ahead log, its
    /// archive and backups hold goes as they are recycled. Returns what remains, if something does.
    pub async fn scrub(url: &str) -> Result<Option<&'static str>> {
        let client = Target::parse(url)?.connect().await?;
        for table in tables() {
            let of_table = |error| StoreError::Unavailable(format!("{table}: {error}"));
            client.batch_execute(&format!("VACUUM (FULL, ANALYZE) {table}")).await.map_err(of_table)?;
            forget_if_empty(&client, table).await.map_err(of_table)?;
        }
        let failed = |error: tokio_postgres::Error| StoreError::Unavailable(error.to_string());
        let may_vacuum: bool = client.query_one(MAY_VACUUM, &[]).await.map_err(failed)?.get(0);
        if may_vacuum {
            client.batch_execute("VACUUM (FULL) pg_catalog.pg_statistic").await.map_err(failed)?;
        }
        client.batch_execute("CHECKPOINT").await.or_else(|error| match error.code() {
            // Only who administers the server may ask for one; it comes by itself.
            Some(code) if code.code() == "42501" => Ok(()),
            _ => Err(failed(error)),
        })?;
        Ok((!may_vacuum).then_some(STATISTICS_REMAIN))
    }
}

//! The remains of deleted rows outside of the tables: dead rows in their files, and samples of their values.

use embudo_store::{Result, StoreError};

use crate::PgStore;
use crate::connection::Target;
use crate::statistics::{forget_if_empty, tables};

/// What [`PgStore::scrub`] returns if the role may not vacuum `pg_statistic`, which belongs to the server.
const STATISTICS_REMAIN: &str = "pg_statistic may still hold earlier samples of values in its file, and this role may not write that anew: \
     let the owner of the database, or an administrator, run «VACUUM FULL pg_statistic» in it";

/// Checked beforehand, because the server skips a table that the role may not vacuum, with a warning that nobody reads.
const MAY_VACUUM: &str = "SELECT r.rolsuper OR pg_has_role(d.datdba, 'USAGE') FROM pg_roles r, pg_database d \
     WHERE r.rolname = current_user AND d.datname = current_database()";

impl PgStore {
    /// Rewrites the files of every table that had data of a person, and the files with samples of their values. Each
    /// table is locked meanwhile, so this is for a time when nobody works. The data in the write-ahead log, its archive
    /// and backups disappears as they are recycled. Returns what remains, if anything does.
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
            // Only an administrator of the server may request a checkpoint; the next one comes by itself.
            Some(code) if code.code() == "42501" => Ok(()),
            _ => Err(failed(error)),
        })?;
        Ok((!may_vacuum).then_some(STATISTICS_REMAIN))
    }
}

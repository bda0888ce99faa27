//! What is left of deleted rows outside of the tables: in the write-ahead log, in free pages and in the gaps of others.

use std::path::Path;
use std::sync::Arc;

use embudo_store::{Result, StoreError};

use crate::SqliteStore;
use crate::connection::open_writer;
use crate::failure::store_error;
use crate::options::Options;

/// Built anew from the texts, so that no segment of it remembers what was taken out.
const REBUILD_SEARCH: &str = "INSERT INTO lead_trigrama (lead_trigrama) VALUES ('rebuild')";

impl SqliteStore {
    /// Cuts the write-ahead log off, where nobody needs it; tells whether it is gone.
    pub(crate) async fn truncate_log(&self) -> Result<bool> {
        let (wal, (path, options)) = (Arc::clone(&self.wal), self.place.clone());
        let cut = tokio::task::spawn_blocking(move || wal.truncate(&path, &options)).await;
        let cut = cut.map_err(|e| StoreError::Internal(e.to_string()))?;
        cut.map_err(|e| store_error(&e))
    }

    /// Writes the whole file anew, so that it holds what the tables say and nothing else. Other writers wait for it, so
    /// this is for a time when nobody does; it takes as long as copying the file a few times, and needs room for two of
    /// it.
    pub fn scrub(path: &Path, options: &Options) -> Result<()> {
        let scrubbed = || {
            let connection = open_writer(path, options)?;
            connection.execute_batch(REBUILD_SEARCH)?;
            connection.execute_batch("VACUUM")?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get::<_, i64>(0))
        };
        match scrubbed().map_err(|e| store_error(&e))? {
            0 => Ok(()),
            _ => Err(StoreError::Unavailable(
                "the file is written anew, and somebody still reads from its log: stop the server and run this again"
                    .to_owned(),
            )),
        }
    }
}

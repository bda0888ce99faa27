//! The remains of deleted rows outside of the tables: in the write-ahead log, in free pages and in gaps of other pages.

use std::path::Path;
use std::sync::Arc;

use embudo_store::{Result, StoreError};

use crate::SqliteStore;
use crate::connection::open_writer;
use crate::failure::store_error;
use crate::options::Options;

/// Rebuilds the index from the texts, so that none of its segments contains deleted text.
const REBUILD_SEARCH: &str = "INSERT INTO lead_trigrama (lead_trigrama) VALUES ('rebuild')";

impl SqliteStore {
    /// Truncates the write-ahead log if no connection needs it; returns whether it is gone.
    pub(crate) async fn truncate_log(&self) -> Result<bool> {
        let (wal, (path, options)) = (Arc::clone(&self.wal), self.place.clone());
        let cut = tokio::task::spawn_blocking(move || wal.truncate(&path, &options)).await;
        let cut = cut.map_err(|e| StoreError::Internal(e.to_string()))?;
        cut.map_err(|e| store_error(&e))
    }

    /// Rewrites the whole file, so that it contains only what is in the tables. Other writers wait meanwhile, so this
    /// is for a time when nobody writes. It takes as long as copying the file a few times, and needs space for two
    /// copies.
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

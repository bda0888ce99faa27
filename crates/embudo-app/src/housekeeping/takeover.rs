//! Blobs of the older layout, which knew no databases, brought under this database's own place.
//!
//! Only what a row of this database names is brought; the rest may be another's. It can be interrupted and done again, and
//! until it is done such blobs are read where they are, so nobody waits for it.

use std::sync::atomic::{AtomicU64, Ordering};

use embudo_blobs::BlobInfo;
use futures_util::TryStreamExt;

use super::Housekeeping;
use crate::AppError;

/// Blobs that are moved at the same time: in S3 most of it is waiting.
const AT_ONCE: usize = 8;

impl Housekeeping<'_> {
    /// Takes over every blob of the older layout that this database names; returns how many.
    pub async fn take_over_blobs(self) -> Result<u64, AppError> {
        let taken = &AtomicU64::new(0);
        let take = |blob: BlobInfo| async move {
            if self.app.store.blob_in_use(blob.lead, blob.digest).await? {
                self.app.blobs.take_over(&blob).await?;
                taken.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        };
        self.app.blobs.list_older().map_err(AppError::from).try_for_each_concurrent(AT_ONCE, take).await?;
        Ok(taken.load(Ordering::Relaxed))
    }
}

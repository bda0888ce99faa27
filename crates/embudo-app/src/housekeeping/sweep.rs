//! The sweep: blobs that no photo, rendition or quote names are deleted, without racing an ingestion of the same bytes.
//!
//! The steps are: look, mark, delete, leave a trace. The mark is refused while a photo names the blob, or while another
//! sweep is deleting it. An ingestion that finds a mark waits. An ingestion that finds a trace puts its bytes again,
//! because it may have found them before they were deleted. Young blobs are left alone, because their row may not be
//! committed yet. A sweep that would delete a large share of all blobs is not begun: it is more likely that the
//! database does not belong to these blobs.

use std::time::{Duration, Instant};

use embudo_blobs::BlobInfo;
use embudo_domain::{Digest, LeadId};
use futures_util::TryStreamExt;

use super::Housekeeping;
use crate::AppError;

/// Up to this number of orphans is never too many.
const FEW: usize = 20;
/// Above `FEW`, more than one orphan in this number of blobs is too many.
const ONE_IN: u64 = 10;

/// If a blob was not deleted within this time after its mark, it is not deleted any more. The time is well below
/// [`embudo_store::blob_marks::MARK_LIFE`], after which another sweep may mark the blob.
const DELETE_WITHIN: Duration = Duration::from_secs(60);

/// The result of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sweep {
    pub seen: u64,
    /// Blobs that no row names.
    pub extra: u64,
    pub deleted: u64,
    /// Whether the sweep was not begun, because it would have deleted too many blobs.
    pub stopped: bool,
}

/// What a sweep would delete.
#[derive(Debug, Default)]
pub struct Orphans {
    pub seen: u64,
    /// Blobs that no row names.
    pub blobs: Vec<BlobInfo>,
}

impl Orphans {
    /// Whether the orphans are such a large share that a person should look first.
    pub fn too_many(&self) -> bool {
        self.blobs.len() > FEW && self.blobs.len() as u64 * ONE_IN > self.seen
    }

    /// The total size of the orphans.
    pub fn bytes(&self) -> u64 {
        self.blobs.iter().map(|blob| blob.size).sum()
    }
}

impl Housekeeping<'_> {
    /// Deletes the blobs older than `min_age` that no row names, unless they are [too many](Orphans::too_many). Also
    /// finishes the sweeps of processes that died.
    pub async fn sweep_blobs(self, min_age: Duration) -> Result<Sweep, AppError> {
        let finished = self.finish_dead_sweeps().await?;
        let orphans = self.orphans(min_age).await?;
        let (seen, extra) = (orphans.seen, orphans.blobs.len() as u64);
        if orphans.too_many() {
            return Ok(Sweep { seen, extra, deleted: finished, stopped: true });
        }
        Ok(Sweep { seen, extra, deleted: finished + self.sweep(&orphans).await?, stopped: false })
    }

    /// The blobs older than `min_age` that no row names.
    pub async fn orphans(self, min_age: Duration) -> Result<Orphans, AppError> {
        let limit = self.app.now() - min_age;
        let mut found = Orphans::default();
        let mut blobs = Box::pin(self.app.blobs.list());
        while let Some(blob) = blobs.try_next().await? {
            found.seen += 1;
            if blob.last_modified <= limit && !self.app.store.blob_in_use(blob.lead, blob.digest).await? {
                found.blobs.push(blob);
            }
        }
        Ok(found)
    }

    /// Deletes orphans, except those that a row names by now; returns how many.
    pub async fn sweep(self, orphans: &Orphans) -> Result<u64, AppError> {
        let mut deleted = 0;
        for blob in &orphans.blobs {
            deleted += u64::from(self.sweep_one(blob.lead, blob.digest).await?);
        }
        Ok(deleted)
    }

    /// Finishes the sweeps of processes that died, because until then these bytes cannot be sent again. Returns how
    /// many blobs were deleted.
    pub async fn finish_dead_sweeps(self) -> Result<u64, AppError> {
        let mut deleted = 0;
        for (lead, digest) in self.app.store.marked_blobs().await? {
            deleted += u64::from(self.sweep_one(lead, digest).await?);
        }
        Ok(deleted)
    }

    /// Deletes one blob, unless it is in use or another sweep is deleting it.
    pub(crate) async fn sweep_one(self, lead: LeadId, digest: Digest) -> Result<bool, AppError> {
        let until = Instant::now() + DELETE_WITHIN;
        let Some(nth) = self.app.store.mark_blob(lead, digest, self.app.now()).await? else {
            return Ok(false);
        };
        self.app.blobs.delete(lead, &digest, until).await?;
        self.app.store.blob_swept(lead, digest, nth).await?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orphans(n: usize, seen: u64) -> Orphans {
        let blob = BlobInfo {
            lead: LeadId(uuid::Uuid::nil()),
            digest: Digest([0; 32]),
            size: 1,
            last_modified: jiff::Timestamp::UNIX_EPOCH,
        };
        Orphans { seen, blobs: vec![blob; n] }
    }

    #[test]
    fn more_than_twenty_and_a_tenth_are_too_many() {
        for (n, seen, too_many) in [
            (0, 0, false),
            (20, 20, false),
            (21, 21, true),
            (21, 209, true),
            (21, 210, false),
            (1_000, 10_000, false),
        ] {
            assert_eq!(orphans(n, seen).too_many(), too_many, "{n} of {seen}");
        }
    }
}

//! Which blobs rows name, and the marks that keep a sweep and an ingestion of the same bytes apart.

use async_trait::async_trait;
use embudo_domain::{Digest, LeadId, Timestamp};
use jiff::SignedDuration;

use crate::Result;

/// For how long a mark keeps other sweeps away. A sweep deletes a blob well within this time after marking it, or not
/// at all. Otherwise two sweeps could be about to delete the same bytes, without knowing when the other one has
/// finished, and an ingestion would put the bytes again in between.
pub const MARK_LIFE: SignedDuration = SignedDuration::from_mins(10);

/// A blob that a sweep marked, or has deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlobMark {
    pub digest: Digest,
    /// The number of the mark.
    pub nth: i64,
    /// `false`: about to be deleted. `true`: deleted.
    pub sweep: bool,
}

#[async_trait]
pub trait BlobMarkStore: Send + Sync + 'static {
    /// Marks a blob for sweeping and returns the number of the mark, which is higher than every one before. `None`: the
    /// blob is in use ([`crate::BlobReads::blob_in_use`]), or another sweep has marked it and may still be about to
    /// delete it ([`MARK_LIFE`]). An unknown lead's blob can be marked. While [`crate::leases::Lease::Backup`] is held,
    /// nothing is marked.
    async fn mark_blob(&self, lead: LeadId, digest: Digest, at: Timestamp) -> Result<Option<i64>>;
    /// Turns the mark with this number into a trace of the deletion, once the blob is deleted; does nothing to any
    /// other mark. The trace stays, so that an ingestion which found the bytes before they were deleted gets to know of
    /// the deletion ([`crate::StoreError::BlobMarked`]).
    async fn blob_swept(&self, lead: LeadId, digest: Digest, nth: i64) -> Result<()>;
    /// Deletes at most `max` traces older than `before`; returns how many.
    async fn purge_marks(&self, before: Timestamp, max: u32) -> Result<u64>;
}

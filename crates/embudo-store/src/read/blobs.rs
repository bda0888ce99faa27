//! Which blobs rows name, and which are marked for sweeping.

use async_trait::async_trait;
use embudo_domain::{Digest, LeadId};

use super::{Reader, first};
use crate::Result;
use crate::blob_marks::BlobMark;
use crate::queries::blob;

#[async_trait]
pub trait BlobReads: Send + Sync + 'static {
    /// Whether a photo of the lead, a rendition or the PDF of a quote names the blob.
    async fn blob_in_use(&self, lead: LeadId, digest: Digest) -> Result<bool>;
    /// The marks and traces of a lead.
    async fn blob_marks(&self, lead: LeadId) -> Result<Vec<BlobMark>>;
    /// Every blob that is marked and not swept yet, by a sweep that is running or by one that died.
    async fn marked_blobs(&self) -> Result<Vec<(LeadId, Digest)>>;
}

#[async_trait]
impl<R: Reader> BlobReads for R {
    async fn blob_in_use(&self, lead: LeadId, digest: Digest) -> Result<bool> {
        Ok(first(self, blob::in_use(lead, digest)).await? == Some(true))
    }

    async fn blob_marks(&self, lead: LeadId) -> Result<Vec<BlobMark>> {
        self.read(blob::marks(lead)).await
    }

    async fn marked_blobs(&self) -> Result<Vec<(LeadId, Digest)>> {
        self.read(blob::marked()).await
    }
}

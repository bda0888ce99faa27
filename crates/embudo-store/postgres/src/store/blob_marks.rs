//! Which blobs are named by a row, and marks that keep a sweep and an ingestion of the same bytes apart.

use async_trait::async_trait;
use embudo_domain::{Digest, LeadId, Timestamp};
use embudo_store::blob_marks::BlobMark;
use embudo_store::{BlobMarks, Result, read};

use crate::PgStore;
use crate::command::blob;
use crate::patience::patiently;

#[async_trait]
impl BlobMarks for PgStore {
    async fn blob_in_use(&self, lead: LeadId, digest: Digest) -> Result<bool> {
        read::blob_in_use(self, lead, digest).await
    }

    async fn mark_blob(&self, lead: LeadId, digest: Digest, at: Timestamp) -> Result<Option<i64>> {
        patiently!(self, self.turns.on(lead.0), blob::mark(&self.pool, lead, digest, at))
    }

    async fn blob_swept(&self, lead: LeadId, digest: Digest, nth: i64) -> Result<()> {
        patiently!(self, self.turns.on(lead.0), blob::swept(&self.pool, lead, digest, nth))
    }

    async fn blob_marks(&self, lead: LeadId) -> Result<Vec<BlobMark>> {
        read::blob_marks(self, lead).await
    }

    async fn marked_blobs(&self) -> Result<Vec<(LeadId, Digest)>> {
        read::marked_blobs(self).await
    }

    async fn purge_marks(&self, antes: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), blob::purge(&self.pool, antes, max))
    }
}

//! Which blobs are named by a row, and marks that keep a sweep and an ingestion of the same bytes apart.

use async_trait::async_trait;
use embudo_domain::{Digest, LeadId, Timestamp};
use embudo_store::{BlobMarks, Result, write};

use crate::PgStore;
use crate::command::blob;
use crate::patience::patiently;

#[async_trait]
impl BlobMarks for PgStore {
    async fn mark_blob(&self, lead: LeadId, digest: Digest, at: Timestamp) -> Result<Option<i64>> {
        patiently!(self, self.turns.on(lead.0), blob::mark(&self.pool, lead, digest, at))
    }

    async fn blob_swept(&self, lead: LeadId, digest: Digest, nth: i64) -> Result<()> {
        write::blobs::blob_swept(self, lead, digest, nth).await
    }

    async fn purge_marks(&self, antes: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), blob::purge(&self.pool, antes, max))
    }
}

//! Which blobs are named by a row, and marks that keep a sweep and an ingestion of the same bytes apart.

use async_trait::async_trait;
use embudo_domain::{Digest, LeadId, Timestamp};
use embudo_store::blob_marks::BlobMark;
use embudo_store::{BlobMarks, Result, read};

use super::ROW;
use crate::SqliteStore;
use crate::command::blob;
use crate::writer::Shape;

#[async_trait]
impl BlobMarks for SqliteStore {
    async fn blob_in_use(&self, lead: LeadId, digest: Digest) -> Result<bool> {
        read::blob_in_use(self, lead, digest).await
    }

    async fn mark_blob(&self, lead: LeadId, digest: Digest, at: Timestamp) -> Result<Option<i64>> {
        self.writer.run(Shape::Single, ROW, move |c| blob::mark(c, lead, digest, at)).await
    }

    async fn blob_swept(&self, lead: LeadId, digest: Digest, nth: i64) -> Result<()> {
        self.writer.run(Shape::Single, ROW, move |c| blob::swept(c, lead, digest, nth)).await
    }

    async fn blob_marks(&self, lead: LeadId) -> Result<Vec<BlobMark>> {
        read::blob_marks(self, lead).await
    }

    async fn marked_blobs(&self) -> Result<Vec<(LeadId, Digest)>> {
        read::marked_blobs(self).await
    }

    async fn purge_marks(&self, antes: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Single, ROW, move |c| blob::purge(c, antes, max)).await
    }
}

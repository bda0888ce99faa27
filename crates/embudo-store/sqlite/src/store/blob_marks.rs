//! Which blobs are named by a row, and marks that keep a sweep and an ingestion of the same bytes apart.

use async_trait::async_trait;
use embudo_domain::{Digest, LeadId, Timestamp};
use embudo_store::{BlobMarks, Result, write};

use super::ROW;
use crate::SqliteStore;
use crate::command::blob;
use crate::writer::Shape;

#[async_trait]
impl BlobMarks for SqliteStore {
    async fn mark_blob(&self, lead: LeadId, digest: Digest, at: Timestamp) -> Result<Option<i64>> {
        self.writer.run(Shape::Single, ROW, move |c| blob::mark(c, lead, digest, at)).await
    }

    async fn blob_swept(&self, lead: LeadId, digest: Digest, nth: i64) -> Result<()> {
        write::blobs::blob_swept(self, lead, digest, nth).await
    }

    async fn purge_marks(&self, antes: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Single, ROW, move |c| blob::purge(c, antes, max)).await
    }
}

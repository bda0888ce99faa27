//! What a person sees and does of the outbox.

use async_trait::async_trait;
use embudo_domain::{JobId, Timestamp};
use embudo_store::{OutboxAdmin, Result};

use super::ROW;
use crate::SqliteStore;
use crate::command::outbox;
use crate::writer::Shape;

#[async_trait]
impl OutboxAdmin for SqliteStore {
    async fn retry(&self, id: JobId, at: Timestamp) -> Result<()> {
        self.writer.run(Shape::Single, ROW, move |c| outbox::retry(c, id, at)).await
    }

    async fn discard(&self, id: JobId, at: Timestamp) -> Result<()> {
        self.writer.run(Shape::Single, ROW, move |c| outbox::discard(c, id, at)).await
    }

    async fn purge_jobs(&self, antes: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Several, ROW, move |c| outbox::purge(c, antes, max)).await
    }
}

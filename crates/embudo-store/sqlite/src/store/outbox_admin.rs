//! What a person sees and does of the outbox.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::{JobId, Timestamp};
use embudo_store::outbox_admin::RepeatJob;
use embudo_store::{OutboxAdmin, Result, write};

use super::ROW;
use crate::SqliteStore;
use crate::command::outbox;
use crate::writer::Shape;

#[async_trait]
impl OutboxAdmin for SqliteStore {
    async fn retry(&self, id: JobId, at: Timestamp, audit: Option<AuditEntry>) -> Result<()> {
        write::outbox::retry(self, id, at, audit).await
    }

    async fn discard(&self, id: JobId, at: Timestamp, audit: Option<AuditEntry>) -> Result<()> {
        write::outbox::discard(self, id, at, audit).await
    }

    async fn take_as_sent(&self, id: JobId, at: Timestamp, audit: AuditEntry) -> Result<bool> {
        write::outbox::take_as_sent(self, id, at, audit).await
    }

    async fn repeat_job(&self, command: RepeatJob) -> Result<bool> {
        write::outbox::repeat_job(self, command).await
    }

    async fn purge_jobs(&self, antes: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Several, ROW, move |c| outbox::purge(c, antes, max)).await
    }
}

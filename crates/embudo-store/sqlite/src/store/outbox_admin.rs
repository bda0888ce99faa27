//! What a person sees and does of the outbox.

use async_trait::async_trait;
use embudo_domain::job::{Delivery, Job};
use embudo_domain::{JobId, Timestamp};
use embudo_store::outbox_admin::{JobCount, JobFilter};
use embudo_store::{OutboxAdmin, Result, read};

use super::ROW;
use crate::SqliteStore;
use crate::command::outbox;
use crate::writer::Shape;

#[async_trait]
impl OutboxAdmin for SqliteStore {
    async fn job(&self, id: JobId) -> Result<(Job, Vec<Delivery>)> {
        read::job(self, id).await
    }

    async fn list_jobs(
        &self,
        filter: JobFilter,
        after: Option<(Timestamp, JobId)>,
        limit: u32,
    ) -> Result<Vec<Job>> {
        read::list_jobs(self, &filter, after, limit).await
    }

    async fn count_jobs(&self) -> Result<Vec<JobCount>> {
        read::count_jobs(self).await
    }

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

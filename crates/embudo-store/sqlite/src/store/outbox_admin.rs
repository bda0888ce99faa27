//! What a person sees and does of the outbox.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::job::{Delivery, Job};
use embudo_domain::{EmpresaId, JobId, Timestamp};
use embudo_store::outbox_admin::{JobCount, JobFilter, ListedJob, OutboxFilter, RepeatJob, StandingCount};
use embudo_store::{OutboxAdmin, Result, read};

use super::ROW;
use crate::SqliteStore;
use crate::command::{outbox, pause};
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

    async fn retry(&self, id: JobId, at: Timestamp, audit: Option<AuditEntry>) -> Result<()> {
        self.writer.run(Shape::Several, 2 * ROW, move |c| outbox::retry(c, id, at, audit.as_ref())).await
    }

    async fn discard(&self, id: JobId, at: Timestamp, audit: Option<AuditEntry>) -> Result<()> {
        self.writer.run(Shape::Several, 2 * ROW, move |c| outbox::discard(c, id, at, audit.as_ref())).await
    }

    async fn take_as_sent(&self, id: JobId, at: Timestamp, audit: AuditEntry) -> Result<bool> {
        self.writer.run(Shape::Several, 2 * ROW, move |c| outbox::take_as_sent(c, id, at, &audit)).await
    }

    async fn repeat_job(&self, command: RepeatJob) -> Result<bool> {
        self.writer.run(Shape::Several, 4 * ROW, move |c| pause::repeat(c, &command)).await
    }

    async fn list_outbox(
        &self,
        filter: OutboxFilter,
        now: Timestamp,
        after: Option<(Timestamp, JobId)>,
        limit: u32,
    ) -> Result<Vec<ListedJob>> {
        read::list_outbox(self, &filter, now, after, limit).await
    }

    async fn listed_job(&self, id: JobId, now: Timestamp) -> Result<ListedJob> {
        read::listed_job(self, id, now).await
    }

    async fn count_outbox(&self, empresa: EmpresaId, now: Timestamp) -> Result<Vec<StandingCount>> {
        read::count_outbox(self, empresa, now).await
    }

    async fn count_stopped(&self, empresa: EmpresaId) -> Result<u64> {
        read::count_stopped(self, empresa).await
    }

    async fn purge_jobs(&self, antes: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Several, ROW, move |c| outbox::purge(c, antes, max)).await
    }
}

//! What a person sees and does of the outbox.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::job::{Delivery, Job};
use embudo_domain::{EmpresaId, JobId, Timestamp};
use embudo_store::outbox_admin::{JobCount, JobFilter, ListedJob, OutboxFilter, RepeatJob, StandingCount};
use embudo_store::{OutboxAdmin, Result, read};

use crate::PgStore;
use crate::command::{outbox, pause};
use crate::patience::patiently;

#[async_trait]
impl OutboxAdmin for PgStore {
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
        patiently!(self, self.turns.command(), outbox::retry(&self.pool, id, at, audit.as_ref()))?;
        self.announcer.now().await;
        Ok(())
    }

    async fn discard(&self, id: JobId, at: Timestamp, audit: Option<AuditEntry>) -> Result<()> {
        patiently!(self, self.turns.command(), outbox::discard(&self.pool, id, at, audit.as_ref()))
    }

    async fn take_as_sent(&self, id: JobId, at: Timestamp, audit: AuditEntry) -> Result<bool> {
        patiently!(self, self.turns.command(), outbox::take_as_sent(&self.pool, id, at, &audit))
    }

    async fn repeat_job(&self, command: RepeatJob) -> Result<bool> {
        let is_made = patiently!(self, self.turns.command(), pause::repeat(&self.pool, &command))?;
        self.tell_of(is_made);
        Ok(is_made)
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
        patiently!(self, self.turns.command(), outbox::purge(&self.pool, antes, max))
    }
}

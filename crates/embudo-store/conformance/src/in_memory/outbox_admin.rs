//! What a person sees in the outbox and does there.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::job::{Delivery, Job, JobKind};
use embudo_domain::{EmpresaId, JobId, Timestamp};
use embudo_store::outbox_admin::{
    DueJobs, JobCount, JobFilter, ListedJob, OutboxFilter, RepeatJob, StandingCount,
};
use embudo_store::pauses::Pause;
use embudo_store::{AuditStore, JobReads, OutboxAdminStore, OutboxLists, Result};

use super::Memory;

#[async_trait]
impl OutboxAdminStore for Memory {
    async fn retry(&self, id: JobId, at: Timestamp, audit: Option<AuditEntry>) -> Result<()> {
        self.world().retry(id, at)?;
        self.tell(audit).await
    }

    async fn discard(&self, id: JobId, at: Timestamp, audit: Option<AuditEntry>) -> Result<()> {
        self.world().discard(id, at)?;
        self.tell(audit).await
    }

    async fn take_as_sent(&self, id: JobId, at: Timestamp, audit: AuditEntry) -> Result<bool> {
        let is_taken = self.world().take_as_sent(id, at);
        self.tell(is_taken.then_some(audit)).await?;
        Ok(is_taken)
    }

    async fn repeat_job(&self, command: RepeatJob) -> Result<bool> {
        let is_made = self.world().repeat(&command)?;
        self.tell(is_made.then_some(command.audit)).await?;
        Ok(is_made)
    }

    async fn purge_jobs(&self, before: Timestamp, max: u32) -> Result<u64> {
        Ok(self.world().purge_jobs(before, max))
    }
}

#[async_trait]
impl OutboxLists for Memory {
    async fn list_outbox(
        &self,
        filter: OutboxFilter,
        _: Timestamp,
        after: Option<(Timestamp, JobId)>,
        limit: u32,
    ) -> Result<Vec<ListedJob>> {
        let mut list = self.world().outbox_of(&filter);
        list.retain(|l| after.is_none_or(|d| (l.creado_en, l.id) < d));
        list.truncate(limit as usize);
        Ok(list)
    }

    async fn listed_job(&self, id: JobId, _: Timestamp) -> Result<ListedJob> {
        let world = self.world();
        world.put(id).map(|p| world.listed(p))
    }

    async fn count_outbox(&self, empresa: EmpresaId, _: Timestamp) -> Result<Vec<StandingCount>> {
        Ok(self.world().count_outbox(empresa))
    }

    async fn count_stopped(&self, empresa: EmpresaId) -> Result<u64> {
        Ok(self.world().count_stopped(empresa))
    }

    async fn pauses(&self, empresa: EmpresaId) -> Result<Vec<Pause>> {
        let world = self.world();
        Ok(world.pauses.iter().filter(|(of, _)| *of == empresa).map(|(_, pause)| pause.clone()).collect())
    }

    async fn paused_kinds(&self) -> Result<Vec<(EmpresaId, JobKind)>> {
        Ok(self.world().pauses.iter().map(|(of, pause)| (*of, pause.kind)).collect())
    }
}

#[async_trait]
impl JobReads for Memory {
    async fn jobs(&self, ids: Vec<JobId>) -> Result<Vec<Job>> {
        let world = self.world();
        Ok(ids.into_iter().filter_map(|id| Some(world.put(id).ok()?.job.clone())).collect())
    }

    async fn job(&self, id: JobId) -> Result<(Job, Vec<Delivery>)> {
        self.world().put(id).map(|p| (p.job.clone(), p.deliveries.clone()))
    }

    async fn list_jobs(
        &self,
        filter: JobFilter,
        after: Option<(Timestamp, JobId)>,
        limit: u32,
    ) -> Result<Vec<Job>> {
        let mut list = self.world().job_list(&filter);
        list.retain(|t| after.is_none_or(|d| (t.creado_en, t.id) < d));
        list.truncate(limit as usize);
        Ok(list)
    }

    async fn count_jobs(&self) -> Result<Vec<JobCount>> {
        Ok(self.world().tally())
    }

    async fn due_jobs(&self, now: Timestamp) -> Result<Vec<DueJobs>> {
        Ok(self.world().due_jobs(now))
    }
}

impl Memory {
    async fn tell(&self, audit: Option<AuditEntry>) -> Result<()> {
        match audit {
            Some(entry) => self.record_audit(entry).await,
            None => Ok(()),
        }
    }
}

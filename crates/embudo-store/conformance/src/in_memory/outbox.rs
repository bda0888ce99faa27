//! The model's outbox behind the trait.

use async_trait::async_trait;
use embudo_domain::job::{Delivery, Job, JobKind};
use embudo_domain::{JobId, ProcessId, Timestamp};

use super::Memory;
use embudo_store::outbox::{
    Allotment, JobAttemptEnd, JobCount, JobFilter, Lease, MarkLoopOverdue, Outbox, OverdueLoop,
};
use embudo_store::{Outcome, Result};

#[async_trait]
impl Outbox for Memory {
    async fn claim(&self, allotments: Vec<Allotment>, lease: Lease, now: Timestamp) -> Result<Vec<Job>> {
        Ok(self.world().take(&allotments, lease, now))
    }

    async fn renew(&self, ids: Vec<JobId>, lease: Lease) -> Result<Vec<JobId>> {
        Ok(self.world().renew(&ids, lease))
    }

    async fn release(&self, who: ProcessId) -> Result<u64> {
        Ok(self.world().release(who))
    }

    async fn begin_send(&self, id: JobId, who: ProcessId) -> Result<bool> {
        Ok(self.world().deliver(id, who))
    }

    async fn finish(&self, end: JobAttemptEnd) -> Result<bool> {
        Ok(self.world().finish(end))
    }

    async fn next_due(&self, kinds: Vec<JobKind>) -> Result<Option<Timestamp>> {
        let (free, leased) = self.world().next(&kinds);
        // A lease of the model ends on a clock without dates; any moment to come will do.
        let when_overdue = Timestamp::now() + std::time::Duration::from_secs(3600);
        Ok(free.or(leased.then_some(when_overdue)))
    }

    async fn woken(&self) {
        std::future::pending::<()>().await;
    }

    async fn job(&self, id: JobId) -> Result<(Job, Vec<Delivery>)> {
        self.world().put(id).map(|p| (p.job.clone(), p.deliveries.clone()))
    }

    async fn jobs(&self, ids: Vec<JobId>) -> Result<Vec<Job>> {
        let world = self.world();
        Ok(ids.into_iter().filter_map(|id| Some(world.put(id).ok()?.job.clone())).collect())
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

    async fn retry(&self, id: JobId, at: Timestamp) -> Result<()> {
        self.world().retry(id, at)
    }

    async fn discard(&self, id: JobId, at: Timestamp) -> Result<()> {
        self.world().discard(id, at)
    }

    async fn purge_jobs(&self, antes: Timestamp, max: u32) -> Result<u64> {
        Ok(self.world().purge_jobs(antes, max))
    }

    async fn complete_outcome(
        &self,
        scope: String,
        key: String,
        outcome: Outcome,
        expira_en: Option<Timestamp>,
    ) -> Result<()> {
        self.world().complete(scope, key, &outcome, expira_en);
        Ok(())
    }

    async fn overdue_loops(&self, now: Timestamp, max: u32) -> Result<Vec<OverdueLoop>> {
        Ok(self.world().overdue_ones(now).into_iter().take(max as usize).collect())
    }

    async fn mark_loop_overdue(&self, command: MarkLoopOverdue) -> Result<bool> {
        Ok(self.world().expire(command))
    }
}

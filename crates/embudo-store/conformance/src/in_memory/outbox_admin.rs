//! What a person sees and does of the outbox.

use async_trait::async_trait;
use embudo_domain::job::{Delivery, Job};
use embudo_domain::{JobId, Timestamp};
use embudo_store::outbox_admin::{JobCount, JobFilter};
use embudo_store::{JobReads, OutboxAdmin, Result};

use super::Memory;

#[async_trait]
impl OutboxAdmin for Memory {
    async fn retry(&self, id: JobId, at: Timestamp) -> Result<()> {
        self.world().retry(id, at)
    }

    async fn discard(&self, id: JobId, at: Timestamp) -> Result<()> {
        self.world().discard(id, at)
    }

    async fn purge_jobs(&self, antes: Timestamp, max: u32) -> Result<u64> {
        Ok(self.world().purge_jobs(antes, max))
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
}

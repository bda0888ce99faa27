//! The outbox from the worker's side.

use async_trait::async_trait;
use embudo_domain::job::{Job, JobKind};
use embudo_domain::{JobId, ProcessId, Timestamp};
use embudo_store::outbox::{Allotment, JobAttemptEnd, Lease};
use embudo_store::{OutboxStore, Result};

use super::Memory;

#[async_trait]
impl OutboxStore for Memory {
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
        // A lease of the model ends on a clock without dates, so any moment in the future will do.
        let when_overdue = Timestamp::now() + std::time::Duration::from_secs(3600);
        Ok(free.or(leased.then_some(when_overdue)))
    }

    async fn woken(&self) {
        std::future::pending::<()>().await;
    }
}

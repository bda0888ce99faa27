//! The outbox from the worker's side.

use std::future::ready;

use async_trait::async_trait;
use embudo_domain::job::{Job, JobKind};
use embudo_domain::{JobId, ProcessId, Timestamp};
use embudo_store::outbox::{Allotment, JobAttemptEnd, Lease};
use embudo_store::{JobReads as _, OutboxStore, Result};

use crate::PgStore;
use crate::command::outbox;
use crate::patience::patiently;
use crate::query::job;

#[async_trait]
impl OutboxStore for PgStore {
    async fn claim(&self, allotments: Vec<Allotment>, lease: Lease, now: Timestamp) -> Result<Vec<Job>> {
        patiently!(self, self.turns.command(), outbox::claim(&self.pool, &allotments, lease, now))
    }

    async fn renew(&self, ids: Vec<JobId>, lease: Lease) -> Result<Vec<JobId>> {
        patiently!(self, outbox::renew(&self.vital, &ids, lease))
    }

    async fn release(&self, who: ProcessId) -> Result<u64> {
        let released = patiently!(self, outbox::release(&self.vital, who))?;
        if released > 0 {
            self.announcer.now().await;
        }
        Ok(released)
    }

    async fn begin_send(&self, id: JobId, who: ProcessId) -> Result<bool> {
        patiently!(self, self.turns.command(), outbox::begin_send(&self.pool, id, who))
    }

    async fn finish(&self, attempt_end: JobAttemptEnd) -> Result<bool> {
        let end = self.write(attempt_end).await?;
        self.finished(end);
        Ok(end.is_some())
    }

    async fn next_due(&self, kinds: Vec<JobKind>) -> Result<Option<Timestamp>> {
        patiently!(read self, ready(()), job::next_due(&self.pool, &kinds))
    }

    async fn woken(&self) {
        self.listener.heard().await;
    }

    async fn just_made(&self, ids: Vec<JobId>) -> Result<Vec<Job>> {
        match self.recent.take(&ids) {
            Some(jobs) => Ok(jobs),
            None => self.jobs(ids).await,
        }
    }
}

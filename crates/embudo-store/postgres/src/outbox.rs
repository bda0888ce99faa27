//! The outbox's trait, method by method. Where a command leaves work for whoever comes, the others are told after its commit.

use async_trait::async_trait;
use embudo_domain::job::{Delivery, Job, JobKind};
use embudo_domain::{JobId, ProcessId, Timestamp};
use embudo_store::outbox::{
    Allotment, JobAttemptEnd, JobCount, JobFilter, Lease, MarkLoopOverdue, OverdueLoop,
};
use embudo_store::{Outbox, Outcome, Result, read};

use crate::PgStore;
use crate::command::{idempotency, outbox, watched_loop};
use crate::patience::patiently;
use crate::query::job;

#[async_trait]
impl Outbox for PgStore {
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
        self.tell_of(end == Some(true));
        Ok(end.is_some())
    }

    async fn next_due(&self, kinds: Vec<JobKind>) -> Result<Option<Timestamp>> {
        patiently!(self, job::next_due(&self.pool, &kinds))
    }

    async fn woken(&self) {
        self.listener.heard().await;
    }

    async fn job(&self, id: JobId) -> Result<(Job, Vec<Delivery>)> {
        read::job(self, id).await
    }

    async fn jobs(&self, ids: Vec<JobId>) -> Result<Vec<Job>> {
        read::jobs(self, &ids).await
    }

    async fn just_made(&self, ids: Vec<JobId>) -> Result<Vec<Job>> {
        match self.recent.take(&ids) {
            Some(jobs) => Ok(jobs),
            None => self.jobs(ids).await,
        }
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
        patiently!(self, self.turns.command(), outbox::retry(&self.pool, id, at))?;
        self.announcer.now().await;
        Ok(())
    }

    async fn discard(&self, id: JobId, at: Timestamp) -> Result<()> {
        patiently!(self, self.turns.command(), outbox::discard(&self.pool, id, at))
    }

    async fn purge_jobs(&self, antes: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), outbox::purge(&self.pool, antes, max))
    }

    async fn complete_outcome(
        &self,
        scope: String,
        key: String,
        outcome: Outcome,
        expira_en: Option<Timestamp>,
    ) -> Result<()> {
        patiently!(
            self,
            self.turns.command(),
            idempotency::complete(&self.pool, &scope, &key, &outcome, expira_en)
        )
    }

    async fn overdue_loops(&self, now: Timestamp, max: u32) -> Result<Vec<OverdueLoop>> {
        patiently!(self, job::overdue(&self.pool, now, max))
    }

    async fn mark_loop_overdue(&self, command: MarkLoopOverdue) -> Result<bool> {
        let end =
            patiently!(self, self.turns.on(command.lead.0), watched_loop::expire(&self.pool, &command))?;
        self.tell_of(end == Some(true));
        Ok(end.is_some())
    }
}

impl PgStore {
    /// Tells the other processes, if there is something for them.
    pub(crate) fn tell_of(&self, loose: bool) {
        if loose {
            self.announcer.soon();
        }
    }
}

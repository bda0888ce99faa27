//! The outbox's half of the trait, method by method.

use async_trait::async_trait;
use embudo_domain::job::{Delivery, Job, JobKind};
use embudo_domain::{JobId, ProcessId, Timestamp};
use embudo_store::outbox::{
    Allotment, JobAttemptEnd, JobCount, JobFilter, Lease, MarkLoopOverdue, OverdueLoop,
};
use embudo_store::{Outbox, Outcome, Result, read};

use crate::SqliteStore;
use crate::command::{finish, idempotency, outbox, watched_loop};
use crate::query::job;
use crate::store::{ROW, bytes_of};
use crate::writer::Shape;

#[async_trait]
impl Outbox for SqliteStore {
    async fn claim(&self, allotments: Vec<Allotment>, lease: Lease, now: Timestamp) -> Result<Vec<Job>> {
        self.writer.run(Shape::Several, 4 * ROW, move |c| outbox::claim(c, &allotments, lease, now)).await
    }

    async fn renew(&self, ids: Vec<JobId>, lease: Lease) -> Result<Vec<JobId>> {
        let bytes = ROW * ids.len();
        self.writer.run(Shape::Several, bytes, move |c| outbox::renew(c, ids, lease)).await
    }

    async fn release(&self, who: ProcessId) -> Result<u64> {
        self.writer.run(Shape::Single, ROW, move |c| outbox::release(c, who)).await
    }

    async fn begin_send(&self, id: JobId, who: ProcessId) -> Result<bool> {
        self.writer.run(Shape::Single, ROW, move |c| outbox::begin_send(c, id, who)).await
    }

    async fn finish(&self, end: JobAttemptEnd) -> Result<bool> {
        let texts = [&end.delivery.error, &end.delivery.answer];
        let bytes = 4 * ROW + texts.into_iter().flatten().map(String::len).sum::<usize>();
        let bytes = bytes + bytes_of(&end.jobs);
        self.writer.run(Shape::Several, bytes, move |c| finish::finish(c, &end)).await
    }

    async fn next_due(&self, kinds: Vec<JobKind>) -> Result<Option<Timestamp>> {
        self.readers.run(move |c| job::next_due(c, &kinds)).await
    }

    /// Only the command line writes beside this process, and the worker looks by itself every few seconds.
    async fn woken(&self) {
        std::future::pending::<()>().await;
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
        self.writer.run(Shape::Single, ROW, move |c| outbox::retry(c, id, at)).await
    }

    async fn discard(&self, id: JobId, at: Timestamp) -> Result<()> {
        self.writer.run(Shape::Single, ROW, move |c| outbox::discard(c, id, at)).await
    }

    async fn purge_jobs(&self, antes: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Several, ROW, move |c| outbox::purge(c, antes, max)).await
    }

    async fn complete_outcome(
        &self,
        scope: String,
        key: String,
        outcome: Outcome,
        expira_en: Option<Timestamp>,
    ) -> Result<()> {
        let complete = move |c: &_| idempotency::complete(c, &scope, &key, &outcome, expira_en);
        self.writer.run(Shape::Single, ROW, complete).await
    }

    async fn overdue_loops(&self, now: Timestamp, max: u32) -> Result<Vec<OverdueLoop>> {
        self.readers.run(move |c| job::overdue(c, now, max)).await
    }

    async fn mark_loop_overdue(&self, command: MarkLoopOverdue) -> Result<bool> {
        let bytes = 2 * ROW + bytes_of(command.resignal.as_slice()) + bytes_of(&command.notices);
        self.writer.run(Shape::Several, bytes, move |c| watched_loop::expire(c, &command)).await
    }
}

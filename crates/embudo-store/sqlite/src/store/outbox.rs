//! The outbox from the worker's side.

use async_trait::async_trait;
use embudo_domain::job::{Job, JobKind};
use embudo_domain::{JobId, ProcessId, Timestamp};
use embudo_store::outbox::{Allotment, JobAttemptEnd, Lease};
use embudo_store::touches::Touch;
use embudo_store::{JobReads as _, OutboxStore, Result};

use super::{ROW, bytes_of};
use crate::SqliteStore;
use crate::command::{finish, outbox};
use crate::query::job;
use crate::writer::Shape;

#[async_trait]
impl OutboxStore for SqliteStore {
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
        let ended = self.writer.run(Shape::Several, bytes, move |c| finish::finish(c, &end)).await?;
        ended.iter().for_each(|lead| self.touches.note(*lead, Touch::anew()));
        Ok(ended.is_some())
    }

    async fn next_due(&self, kinds: Vec<JobKind>) -> Result<Option<Timestamp>> {
        self.readers.run(move |c| job::next_due(c, &kinds)).await
    }

    /// Never returns: only the command line writes besides this process, and the worker looks by itself every few
    /// seconds.
    async fn woken(&self) {
        std::future::pending::<()>().await;
    }

    async fn just_made(&self, ids: Vec<JobId>) -> Result<Vec<Job>> {
        match self.recent.take(&ids) {
            Some(jobs) => Ok(jobs),
            None => self.jobs(ids).await,
        }
    }
}

//! What SQLite does in its own way.

use std::sync::atomic::Ordering;

use embudo_domain::{Digest, JobId, LeadId, ProcessId, Timestamp};
use embudo_store::loop_deadlines::OverdueLoop;
use embudo_store::projection::{Heard, LeadChange};
use embudo_store::touches::Touch;
use embudo_store::write::Native;
use embudo_store::{Result, StoreError};

use super::ROW;
use crate::command::{blob, idempotency, outbox, pause, projection};
use crate::query::job;
use crate::writer::Shape;
use crate::{STUCK, SqliteStore};

impl Native for SqliteStore {
    /// Every other write waits for the only writer, so it is worth reading first whether there is anything to write.
    const LOOKS_FIRST: bool = true;

    async fn ping(&self) -> Result<()> {
        self.supervisor.check(STUCK).map_err(StoreError::Unavailable)?;
        let (written, read) = tokio::join!(self.writer.ping(), self.readers.run(|_| Ok(())));
        written.and(read)
    }

    async fn hold(&self, ids: Vec<JobId>, who: ProcessId) -> Result<()> {
        self.writer.run(Shape::Several, ROW * ids.len(), move |c| pause::hold_own(c, &ids, who)).await
    }

    async fn purge_jobs(&self, before: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Several, ROW, move |c| outbox::purge(c, before, max)).await
    }

    /// There is no other process to notify.
    async fn jobs_due(&self) {}

    async fn purge_idempotency(&self, at: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Single, ROW, move |c| idempotency::purge(c, at, max)).await
    }

    async fn mark_blob(&self, lead: LeadId, digest: Digest, at: Timestamp) -> Result<Option<i64>> {
        self.writer.run(Shape::Single, ROW, move |c| blob::mark(c, lead, digest, at)).await
    }

    async fn purge_marks(&self, before: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Single, ROW, move |c| blob::purge(c, before, max)).await
    }

    async fn overdue_loops(&self, now: Timestamp, max: u32) -> Result<Vec<OverdueLoop>> {
        self.readers.run(move |c| job::overdue(c, now, max)).await
    }

    /// There is only one writer, so no other transaction can still write.
    async fn older_writes_ended(&self, _: LeadId) -> Result<bool> {
        Ok(true)
    }

    /// The remains are in the write-ahead log, until all of it is in the tables and nobody reads older pages.
    async fn scrub(&self) -> Result<bool> {
        self.truncate_log().await
    }

    async fn project(&self, touches: Vec<(LeadId, Touch)>) -> Result<Vec<LeadChange>> {
        let bytes = touches.len() * 2 * ROW;
        self.writer.run(Shape::Several, bytes, move |c| projection::project(c, touches)).await
    }

    fn commands_written(&self) -> Option<u64> {
        Some(self.writer.counters.commands.load(Ordering::Relaxed))
    }

    /// There is no other process that serves, so nobody is notified.
    fn tell_changes(&self, _: Heard) {}

    async fn changes_told(&self) -> Heard {
        std::future::pending().await
    }

    /// SQLite keeps no statistics here, because nothing runs `ANALYZE`.
    async fn forget_statistics(&self) -> Result<()> {
        Ok(())
    }
}

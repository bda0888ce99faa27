//! What PostgreSQL does in its own way.

use std::future::ready;
use std::time::Duration;

use embudo_domain::{Digest, JobId, LeadId, ProcessId, Timestamp};
use embudo_store::loop_deadlines::OverdueLoop;
use embudo_store::projection::{Heard, LeadChange};
use embudo_store::touches::Touch;
use embudo_store::write::Native;
use embudo_store::{Result, StoreError};

use crate::command::{blob, idempotency, outbox, pause, projection, rights};
use crate::patience::patiently;
use crate::query::job;
use crate::{PgStore, query, statistics};

/// How long the server may take to answer.
const ANSWER_PATIENCE: Duration = Duration::from_secs(2);
/// How long taking all samples may last.
const STATISTICS: Duration = Duration::from_secs(300);

impl Native for PgStore {
    const LOOKS_FIRST: bool = false;

    async fn ping(&self) -> Result<()> {
        tokio::try_join!(self.writers_answer(), self.server_answers(), self.commits.check()).map(drop)
    }

    async fn hold(&self, ids: Vec<JobId>, who: ProcessId) -> Result<()> {
        patiently!(self, self.turns.command(), pause::hold(&self.pool, &ids, who))
    }

    async fn purge_jobs(&self, before: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), outbox::purge(&self.pool, before, max))
    }

    async fn jobs_due(&self) {
        self.announcer.now().await;
    }

    async fn purge_idempotency(&self, at: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), idempotency::purge(&self.pool, at, max))
    }

    async fn mark_blob(&self, lead: LeadId, digest: Digest, at: Timestamp) -> Result<Option<i64>> {
        patiently!(self, self.turns.on(lead.0), blob::mark(&self.pool, lead, digest, at))
    }

    async fn purge_marks(&self, before: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), blob::purge(&self.pool, before, max))
    }

    async fn overdue_loops(&self, now: Timestamp, max: u32) -> Result<Vec<OverdueLoop>> {
        patiently!(read self, ready(()), job::overdue(&self.pool, now, max))
    }

    /// A chat turn reads its lead and does not lock it: a turn that began before the lead was erased may be committed
    /// afterwards.
    async fn older_writes_ended(&self, lead: LeadId) -> Result<bool> {
        patiently!(read self, self.turns.on(lead.0), rights::older_ended(&self.pool))
    }

    async fn scrub(&self) -> Result<bool> {
        Ok(true)
    }

    async fn project(&self, touches: Vec<(LeadId, Touch)>) -> Result<Vec<LeadChange>> {
        patiently!(self, self.turns.command(), projection::project(&self.pool, &touches))
    }

    /// `None`: other processes write too, so this process cannot count all commands.
    fn commands_written(&self) -> Option<u64> {
        None
    }

    fn tell_changes(&self, changes: Heard) {
        self.teller.tell(changes);
    }

    async fn changes_told(&self) -> Heard {
        self.listener.changes().await
    }

    async fn forget_statistics(&self) -> Result<()> {
        let client = self.pool.get().await.map_err(|error| StoreError::Unavailable(error.to_string()))?;
        match tokio::time::timeout(STATISTICS, statistics::forget(&client)).await {
            Ok(end) => end.map_err(|error| StoreError::Unavailable(format!("statistics: {error}"))),
            Err(_) => {
                // The connection still runs the statement, and must not be given to another user.
                drop(deadpool_postgres::Object::take(client));
                Err(StoreError::Unavailable("statistics: it takes too long".to_owned()))
            }
        }
    }
}

impl PgStore {
    /// Checks that the server answers and accepts writes.
    async fn server_answers(&self) -> Result<()> {
        let asking = async { patiently!(read self, ready(()), query::ping(&self.vital)) };
        let end = tokio::time::timeout(ANSWER_PATIENCE, asking).await;
        end.unwrap_or_else(|_| {
            // The connection that got no answer is in its pool again, so the idle connections are closed.
            drop(self.vital.retain(|_, _| false));
            Err(StoreError::Unavailable("the server does not answer".into()))
        })
    }
}

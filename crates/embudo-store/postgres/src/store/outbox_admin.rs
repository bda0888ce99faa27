//! What a person sees and does of the outbox.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::{JobId, Timestamp};
use embudo_store::outbox_admin::RepeatJob;
use embudo_store::{OutboxAdmin, Result};

use crate::PgStore;
use crate::command::{outbox, pause};
use crate::patience::patiently;

#[async_trait]
impl OutboxAdmin for PgStore {
    async fn retry(&self, id: JobId, at: Timestamp, audit: Option<AuditEntry>) -> Result<()> {
        patiently!(self, self.turns.command(), outbox::retry(&self.pool, id, at, audit.as_ref()))?;
        self.announcer.now().await;
        Ok(())
    }

    async fn discard(&self, id: JobId, at: Timestamp, audit: Option<AuditEntry>) -> Result<()> {
        patiently!(self, self.turns.command(), outbox::discard(&self.pool, id, at, audit.as_ref()))
    }

    async fn take_as_sent(&self, id: JobId, at: Timestamp, audit: AuditEntry) -> Result<bool> {
        patiently!(self, self.turns.command(), outbox::take_as_sent(&self.pool, id, at, &audit))
    }

    async fn repeat_job(&self, command: RepeatJob) -> Result<bool> {
        let is_made = patiently!(self, self.turns.command(), pause::repeat(&self.pool, &command))?;
        self.tell_of(is_made);
        Ok(is_made)
    }

    async fn purge_jobs(&self, antes: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), outbox::purge(&self.pool, antes, max))
    }
}

//! What a person sees and does of the outbox.

use async_trait::async_trait;
use embudo_domain::{JobId, Timestamp};
use embudo_store::{OutboxAdmin, Result};

use crate::PgStore;
use crate::command::outbox;
use crate::patience::patiently;

#[async_trait]
impl OutboxAdmin for PgStore {
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
}

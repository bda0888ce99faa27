//! Keys of calls, once their work is done.

use async_trait::async_trait;
use embudo_domain::Timestamp;
use embudo_store::{IdempotencyKeys, Outcome, Result, write};

use crate::PgStore;
use crate::command::idempotency;
use crate::patience::patiently;

#[async_trait]
impl IdempotencyKeys for PgStore {
    async fn complete_outcome(
        &self,
        scope: String,
        key: String,
        outcome: Outcome,
        expira_en: Option<Timestamp>,
    ) -> Result<()> {
        write::idempotency::complete(self, scope, key, outcome, expira_en).await
    }

    async fn purge_idempotency(&self, at: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), idempotency::purge(&self.pool, at, max))
    }
}

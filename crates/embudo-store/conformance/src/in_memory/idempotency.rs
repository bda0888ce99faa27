//! Keys of calls, once their work is done.

use async_trait::async_trait;
use embudo_domain::Timestamp;
use embudo_store::{IdempotencyStore, Outcome, Result};

use super::Memory;

#[async_trait]
impl IdempotencyStore for Memory {
    async fn complete_outcome(
        &self,
        scope: String,
        key: String,
        outcome: Outcome,
        expira_en: Option<Timestamp>,
    ) -> Result<()> {
        self.world().complete(scope, key, &outcome, expira_en);
        Ok(())
    }

    async fn purge_idempotency(&self, at: Timestamp, max: u32) -> Result<u64> {
        Ok(self.world().purge(at, max))
    }
}

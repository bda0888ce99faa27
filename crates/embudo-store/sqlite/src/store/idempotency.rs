//! Keys of calls, once their work is done.

use async_trait::async_trait;
use embudo_domain::Timestamp;
use embudo_store::{IdempotencyKeys, Outcome, Result, write};

use super::ROW;
use crate::SqliteStore;
use crate::command::idempotency;
use crate::writer::Shape;

#[async_trait]
impl IdempotencyKeys for SqliteStore {
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
        self.writer.run(Shape::Single, ROW, move |c| idempotency::purge(c, at, max)).await
    }
}

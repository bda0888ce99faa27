//! Keys of calls, once their work is done.

use async_trait::async_trait;
use embudo_domain::Timestamp;
use embudo_store::{IdempotencyKeys, Outcome, Result};

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
        let complete = move |c: &_| idempotency::complete(c, &scope, &key, &outcome, expira_en);
        self.writer.run(Shape::Single, ROW, complete).await
    }

    async fn purge_idempotency(&self, at: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Single, ROW, move |c| idempotency::purge(c, at, max)).await
    }
}

//! Idempotency keys of calls, once their work is done.

use async_trait::async_trait;
use embudo_domain::Timestamp;

use super::{Load, Native, run, sql};
use crate::{IdempotencyStore, Outcome, Result};

#[async_trait]
impl<E: Native> IdempotencyStore for E {
    async fn complete_outcome(
        &self,
        scope: String,
        key: String,
        outcome: Outcome,
        expira_en: Option<Timestamp>,
    ) -> Result<()> {
        let cuerpo = outcome.write();
        let complete = sql!("idempotencia/complete.sql", ambito: scope, clave: key, cuerpo, expira_en);
        run(self, Load::SMALL, complete).await.map(drop)
    }

    async fn purge_idempotency(&self, at: Timestamp, max: u32) -> Result<u64> {
        Native::purge_idempotency(self, at, max).await
    }
}

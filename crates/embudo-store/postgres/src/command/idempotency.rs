//! Idempotency keys, taken in the transaction that does the work.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::Timestamp;
use embudo_store::idempotency::{decide, write_jobs};
use embudo_store::{Done, Idempotency};

use crate::failure::Step;
use crate::rows::{self, Instant};
use crate::statement::{OnPool, params, sql};

/// Takes a key. `None`: the key is ours; it is stored when the transaction commits. `Some`: the call was done before.
///
/// If a concurrent call has taken the same key, this one waits for it: in the insert, or at the row's lock if both take
/// over an expired key.
pub(crate) async fn take(tx: &Transaction<'_>, key: &Idempotency) -> Step<Option<Done>> {
    let whole = params! {
        ambito: key.scope,
        clave: key.key,
        cuerpo_sha256: key.cuerpo_sha256.as_slice(),
        cuerpo: key.outcome.write(),
        trabajos: write_jobs(&key.jobs),
        now: Instant::from(key.creada_en),
        expira_en: Instant::from(key.expira_en),
    };
    let name = params! { ambito: key.scope, clave: key.key };
    loop {
        if tx.execute(sql!("idempotencia/insert.sql"), whole).await? == 1 {
            return Ok(None);
        }
        // The row that the insert conflicted with is gone: it expired and was deleted, so the key is free.
        let Some(row) = tx.row_opt(sql!("idempotencia/get.sql"), name).await? else { continue };
        if let Some(decided) = decide(&rows::idempotency(&row)?, key) {
            return Ok(Some(decided?));
        }
        tx.execute(sql!("idempotencia/replace.sql"), whole).await?;
        return Ok(None);
    }
}

/// Deletes rows that expired before `at`.
pub(crate) async fn purge(pool: &Pool, at: Timestamp, max: u32) -> Step<u64> {
    let params = params! { now: Instant::from(at), limit: i64::from(max) };
    pool.get().await?.execute(sql!("idempotencia/purge.sql"), params).await
}

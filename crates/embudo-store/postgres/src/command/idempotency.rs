//! Idempotency keys, taken in the transaction that does the work.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::Timestamp;
use embudo_store::idempotency::{decide, write_jobs};
use embudo_store::{Done, Idempotency, Outcome};
use tokio_postgres::types::ToSql;

use crate::failure::Step;
use crate::rows::{self, Instant};

/// Takes a key. `None`: it is ours, go on; it is stored when the transaction commits. `Some`: this was done before.
///
/// A racing twin that has taken it is waited for: by the insert, or, where both take over an expired key, by the row's lock.
pub(crate) async fn take(tx: &Transaction<'_>, key: &Idempotency) -> Step<Option<Done>> {
    let (body, jobs) = (key.outcome.write(), write_jobs(&key.jobs));
    let digest = key.cuerpo_sha256.as_slice();
    let (creada_en, expira_en) = (Instant::from(key.creada_en), Instant::from(key.expira_en));
    let whole: [&(dyn ToSql + Sync); 7] =
        [&key.scope, &key.key, &digest, &body, &jobs, &creada_en, &expira_en];
    let insert = tx.prepare_cached(include_str!("../../sql/idempotencia/insert.sql")).await?;
    loop {
        if tx.execute(&insert, &whole).await? == 1 {
            return Ok(None);
        }
        let get = tx.prepare_cached(include_str!("../../sql/idempotencia/get.sql")).await?;
        // Gone since the insert met it: expired and swept, so the key is free.
        let Some(row) = tx.query_opt(&get, &[&key.scope, &key.key]).await? else { continue };
        if let Some(decided) = decide(&rows::idempotency(&row)?, key) {
            return Ok(Some(decided?));
        }
        let replace = tx.prepare_cached(include_str!("../../sql/idempotencia/replace.sql")).await?;
        tx.execute(&replace, &whole).await?;
        return Ok(None);
    }
}

/// Deletes rows that expired before `en`.
pub(crate) async fn purge(pool: &Pool, at: Timestamp, max: u32) -> Step<u64> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/idempotencia/purge.sql")).await?;
    Ok(client.execute(&statement, &[&Instant::from(at), &i64::from(max)]).await?)
}

/// Stores the final outcome over a provisional one.
pub(crate) async fn complete(
    pool: &Pool,
    scope: &str,
    key: &str,
    outcome: &Outcome,
    expira_en: Option<Timestamp>,
) -> Step<()> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/idempotencia/complete.sql")).await?;
    client.execute(&statement, &[&scope, &key, &outcome.write(), &expira_en.map(Instant::from)]).await?;
    Ok(())
}

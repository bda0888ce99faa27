//! The marks of the blob sweep, and the traces they leave.
//!
//! A sweep and an ingestion of the same bytes use the same advisory lock of the lead, which also works for a lead that
//! does not exist. The ingestion takes the lock shared, the mark takes it exclusively, and each reads what the other
//! wrote only after it has the lock.

use deadpool_postgres::Pool;
use embudo_domain::{Digest, LeadId, Timestamp};
use embudo_store::blob_marks::MARK_LIFE;
use embudo_store::queries;

use super::alone::commit;
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};

/// The number of a lead's lock.
pub(crate) fn sweep_lock(lead: LeadId) -> i64 {
    let (high, low) = lead.0.as_u64_pair();
    (high ^ low).cast_signed()
}

/// Marks a blob for sweeping and returns the number of the mark. `None`: the blob is in use or marked already, or a
/// backup is being made.
pub(crate) async fn mark(pool: &Pool, lead: LeadId, digest: Digest, at: Timestamp) -> Step<Option<i64>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    tx.execute(sql!("blob_marca/lock.sql"), params! { lock: sweep_lock(lead) }).await?;
    if run_in(&tx, &queries::blob::in_use(lead, digest)).await? == [true] {
        return Ok(None);
    }
    let (now, dead) = (Instant::from(at), Instant::from(at - MARK_LIFE));
    let mark = params! { lead: lead.0, huella: digest.0.as_slice(), now, dead };
    let marked = tx.row_opt(sql!("blob_marca/insert.sql"), mark).await?;
    let nth = marked.map(|row| row.try_get("vez")).transpose()?;
    commit(tx).await?;
    Ok(nth)
}

/// Deletes old traces.
pub(crate) async fn purge(pool: &Pool, before: Timestamp, max: u32) -> Step<u64> {
    let params = params! { before: Instant::from(before), limit: i64::from(max) };
    pool.get().await?.execute(sql!("blob_marca/purge.sql"), params).await
}

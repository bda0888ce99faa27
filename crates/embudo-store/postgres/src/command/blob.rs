//! The marks of the blob sweep, and the traces they leave.
//!
//! A sweep and an ingestion of the same bytes meet at an advisory lock of the lead, which exists also for a lead that does
//! not: the ingestion shares it, the mark has it alone, and each looks at what the other wrote only once it holds it.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::{Digest, LeadId, Timestamp};
use embudo_store::blob_marks::MARK_LIFE;
use embudo_store::{StoreError, queries};

use super::alone::commit;
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;

/// The number of a lead's lock.
pub(super) fn sweep_lock(lead: LeadId) -> i64 {
    let (high, low) = lead.0.as_u64_pair();
    (high ^ low).cast_signed()
}

/// Marks a blob for sweeping unless it is in use.
pub(crate) async fn mark(pool: &Pool, lead: LeadId, digest: Digest, at: Timestamp) -> Step<Option<i64>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let lock = tx.prepare_cached(include_str!("../../sql/blob_marca/lock.sql")).await?;
    tx.execute(&lock, &[&sweep_lock(lead)]).await?;
    if run_in(&tx, &queries::blob::in_use(lead, digest)).await? == [true] {
        return Ok(None);
    }
    let mark = tx.prepare_cached(include_str!("../../sql/blob_marca/insert.sql")).await?;
    let (now, dead) = (Instant::from(at), Instant::from(at - MARK_LIFE));
    let marked = tx.query_opt(&mark, &[&lead.0, &digest.0.as_slice(), &now, &dead]).await?;
    let nth = marked.map(|row| row.try_get("vez")).transpose()?;
    commit(tx).await?;
    Ok(nth)
}

/// Refuses blobs that are being swept, or were since their bytes were put; traces that the caller knows of have done their
/// service and go. To be called under the lead's lock, shared or not.
pub(super) async fn check(
    tx: &Transaction<'_>,
    lead: LeadId,
    digests: &[Digest],
    swept: &[(Digest, i64)],
) -> Step<()> {
    let digests: Vec<&[u8]> = digests.iter().map(|h| h.0.as_slice()).collect();
    let times: Vec<i64> = swept.iter().map(|(_, nth)| *nth).collect();
    let swept: Vec<&[u8]> = swept.iter().map(|(h, _)| h.0.as_slice()).collect();
    let look = tx.prepare_cached(include_str!("../../sql/blob_marca/marked.sql")).await?;
    if tx.query_one(&look, &[&lead.0, &digests, &swept, &times]).await?.try_get("marcada")? {
        return Err(StoreError::BlobMarked.into());
    }
    if !swept.is_empty() {
        let forget = tx.prepare_cached(include_str!("../../sql/blob_marca/forget.sql")).await?;
        tx.execute(&forget, &[&lead.0, &swept, &times, &digests]).await?;
    }
    Ok(())
}

/// Turns this very mark into a trace.
pub(crate) async fn swept(pool: &Pool, lead: LeadId, digest: Digest, nth: i64) -> Step<()> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/blob_marca/swept.sql")).await?;
    client.execute(&statement, &[&lead.0, &digest.0.as_slice(), &nth]).await?;
    Ok(())
}

/// Deletes old traces.
pub(crate) async fn purge(pool: &Pool, antes: Timestamp, max: u32) -> Step<u64> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/blob_marca/purge.sql")).await?;
    Ok(client.execute(&statement, &[&Instant::from(antes), &i64::from(max)]).await?)
}

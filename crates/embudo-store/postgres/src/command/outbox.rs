//! The outbox: who works on what. Whose a job is, is asked in the statement that changes it.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::audit::AuditEntry;
use embudo_domain::job::{HELD, Job, JobState};
use embudo_domain::{JobId, ProcessId, Timestamp};
use embudo_store::StoreError;
use embudo_store::outbox::{Allotment, Lease};
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::alone::commit;
use super::audit;
use super::job::micros;
use crate::failure::Step;
use crate::rows::{self, Instant};

/// How often a claim looks again for what is due after it could only hold.
const LOOKS: u32 = 8;

/// Leases what is due.
pub(crate) async fn claim(
    pool: &Pool,
    allotments: &[Allotment],
    lease: Lease,
    now: Timestamp,
) -> Step<Vec<Job>> {
    let allotments: Vec<&Allotment> = allotments.iter().filter(|c| c.how_many > 0).collect();
    if allotments.is_empty() {
        return Ok(Vec::new());
    }
    let kinds: Vec<&str> = allotments.iter().map(|c| c.kind.as_str()).collect();
    let how_many: Vec<i64> = allotments.iter().map(|c| i64::from(c.how_many)).collect();
    let first: Vec<bool> = allotments.iter().map(|c| c.first_attempts_only).collect();
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/trabajo/claim.sql")).await?;
    let (who, lasts, now) = (lease.who.0, micros(lease.lasts), Instant::from(now));
    let held = Instant::from(HELD);
    for _ in 0..LOOKS {
        let values: [&(dyn ToSql + Sync); 7] = [&kinds, &how_many, &first, &who, &lasts, &now, &held];
        let rows = client.query(&statement, &values).await?;
        let all: Vec<Job> = rows.iter().map(rows::job).collect::<Step<_>>()?;
        let is_idle = all.is_empty();
        let taken: Vec<Job> = all.into_iter().filter(|job| !job.is_held()).collect();
        // Nothing but what had to be held: something else may wait behind it.
        if is_idle || !taken.is_empty() {
            return Ok(taken);
        }
    }
    Ok(Vec::new())
}

/// Prolongs leases.
pub(crate) async fn renew(pool: &Pool, ids: &[JobId], lease: Lease) -> Step<Vec<JobId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let uuids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/trabajo/renew.sql")).await?;
    let rows = client.query(&statement, &[&uuids, &lease.who.0, &micros(lease.lasts)]).await?;
    rows.iter().map(|row| Ok(JobId(row.try_get("id")?))).collect()
}

/// Gives back everything.
pub(crate) async fn release(pool: &Pool, who: ProcessId) -> Step<u64> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/trabajo/release.sql")).await?;
    Ok(client.execute(&statement, &[&who.0]).await?)
}

/// Notes that a mail is about to be handed over.
pub(crate) async fn begin_send(pool: &Pool, id: JobId, who: ProcessId) -> Step<bool> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/trabajo/begin_send.sql")).await?;
    Ok(client.execute(&statement, &[&id.0, &who.0]).await? == 1)
}

/// Makes a job pending and due.
pub(crate) async fn retry(pool: &Pool, id: JobId, at: Timestamp, entry: Option<&AuditEntry>) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let job = lock_unless_done(&tx, id).await?.tried_again(at);
    let statement = tx.prepare_cached(include_str!("../../sql/trabajo/retry.sql")).await?;
    let (intentos, proximo_en) = (i64::from(job.intentos), Instant::from(job.proximo_en));
    tx.execute(&statement, &[&id.0, &job.state.as_str(), &intentos, &proximo_en, &job.en_duda]).await?;
    tell(&tx, entry).await?;
    commit(tx).await
}

/// Ends a job that need not be sent.
pub(crate) async fn discard(pool: &Pool, id: JobId, at: Timestamp, entry: Option<&AuditEntry>) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    lock_unless_done(&tx, id).await?;
    let statement = tx.prepare_cached(include_str!("../../sql/trabajo/discard.sql")).await?;
    tx.execute(&statement, &[&id.0, &Instant::from(at)]).await?;
    tell(&tx, entry).await?;
    commit(tx).await
}

/// Ends a parked job as done.
pub(crate) async fn take_as_sent(pool: &Pool, id: JobId, at: Timestamp, entry: &AuditEntry) -> Step<bool> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let statement = tx.prepare_cached(include_str!("../../sql/trabajo/take_as_sent.sql")).await?;
    if tx.execute(&statement, &[&id.0, &Instant::from(at)]).await? == 0 {
        return Ok(false);
    }
    audit::record_in(&tx, entry).await?;
    commit(tx).await?;
    Ok(true)
}

async fn tell(tx: &Transaction<'_>, entry: Option<&AuditEntry>) -> Step<()> {
    match entry {
        Some(entry) => audit::record_in(tx, entry).await,
        None => Ok(()),
    }
}

async fn lock_unless_done(tx: &Transaction<'_>, id: JobId) -> Step<Job> {
    let job = lock(tx, id).await?;
    match job.state {
        JobState::Done => Err(StoreError::JobFinished.into()),
        _ => Ok(job),
    }
}

pub(super) async fn lock(tx: &Transaction<'_>, id: JobId) -> Step<Job> {
    let lock = tx.prepare_cached(include_str!("../../sql/trabajo/lock.sql")).await?;
    rows::job(&tx.query_opt(&lock, &[&id.0]).await?.ok_or(StoreError::JobNotFound)?)
}

/// Deletes jobs that ended long ago.
pub(crate) async fn purge(pool: &Pool, antes: Timestamp, max: u32) -> Step<u64> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/trabajo/purge.sql")).await?;
    Ok(client.execute(&statement, &[&Instant::from(antes), &i64::from(max)]).await?)
}

//! The outbox: which process works on which job. Statements that prolong or use a lease check that the process still
//! holds the job.

use deadpool_postgres::Pool;
use embudo_domain::job::{HELD, Job};
use embudo_domain::{JobId, ProcessId, Timestamp};
use embudo_store::outbox::{Allotment, Lease};

use super::column;
use super::job::micros;
use crate::failure::Step;
use crate::rows::{self, Instant};
use crate::statement::{OnPool, params, sql};

/// How often a claim tries again if it found only paused jobs.
const LOOKS: u32 = 8;

/// Takes leases on jobs that are due.
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
    let params = params! {
        tipo: column(&allotments, |c| c.kind.as_str()),
        cuantos: column(&allotments, |c| i64::from(c.how_many)),
        solo_primeros: column(&allotments, |c| c.first_attempts_only),
        quien: lease.who.0,
        dura: micros(lease.lasts),
        now: Instant::from(now),
        held: Instant::from(HELD),
    };
    let client = pool.get().await?;
    for _ in 0..LOOKS {
        let rows = client.rows(sql!("trabajo/claim.sql"), params).await?;
        let all: Vec<Job> = rows.iter().map(rows::job).collect::<Step<_>>()?;
        let is_idle = all.is_empty();
        let taken: Vec<Job> = all.into_iter().filter(|job| !job.is_held()).collect();
        // The claim found only jobs that had to be held: other jobs may wait behind them.
        if is_idle || !taken.is_empty() {
            return Ok(taken);
        }
    }
    Ok(Vec::new())
}

/// Prolongs leases; returns the jobs whose lease was prolonged.
pub(crate) async fn renew(pool: &Pool, ids: &[JobId], lease: Lease) -> Step<Vec<JobId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let params = params! { id: column(ids, |id| id.0), quien: lease.who.0, dura: micros(lease.lasts) };
    let rows = pool.get().await?.rows(sql!("trabajo/renew.sql"), params).await?;
    rows.iter().map(|row| Ok(JobId(row.try_get("id")?))).collect()
}

/// Gives back all jobs that a process holds.
pub(crate) async fn release(pool: &Pool, who: ProcessId) -> Step<u64> {
    pool.get().await?.execute(sql!("trabajo/release.sql"), params! { quien: who.0 }).await
}

/// Notes that a mail is about to be handed over. `false`: the process does not hold the job any more.
pub(crate) async fn begin_send(pool: &Pool, id: JobId, who: ProcessId) -> Step<bool> {
    let params = params! { id: id.0, quien: who.0 };
    Ok(pool.get().await?.execute(sql!("trabajo/begin_send.sql"), params).await? == 1)
}

/// Deletes jobs that ended long ago.
pub(crate) async fn purge(pool: &Pool, before: Timestamp, max: u32) -> Step<u64> {
    let params = params! { before: Instant::from(before), limit: i64::from(max) };
    pool.get().await?.execute(sql!("trabajo/purge.sql"), params).await
}

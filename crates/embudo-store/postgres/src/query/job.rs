//! Jobs, their log, and what is due.

use std::collections::HashMap;

use deadpool_postgres::Pool;
use embudo_domain::job::{Delivery, Job, JobKind, JobState};
use embudo_domain::{JobId, Timestamp};
use embudo_store::StoreError;
use embudo_store::outbox::{JobCount, JobFilter, OverdueLoop};
use tokio_postgres::IsolationLevel;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::all;
use super::record::ask;
use crate::failure::Step;
use crate::rows::{self, Instant};

/// One job and its log, as they were at one moment.
pub(crate) async fn job(pool: &Pool, id: JobId) -> Step<(Job, Vec<Delivery>)> {
    let mut client = pool.get().await?;
    let tx = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await?;
    let one = vec![id.0];
    let (own, log) = tokio::try_join!(
        ask(&tx, include_str!("../../sql/trabajo/get.sql"), &one),
        ask(&tx, include_str!("../../sql/entrega/list.sql"), &id.0),
    )?;
    tx.rollback().await?;
    let own = rows::job(own.first().ok_or(StoreError::JobNotFound)?)?;
    Ok((own, log.iter().map(rows::delivery).collect::<Step<_>>()?))
}

/// Several jobs, in the order asked.
pub(crate) async fn jobs(pool: &Pool, ids: &[JobId]) -> Step<Vec<Job>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let uuids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let rows = all(pool, include_str!("../../sql/trabajo/get.sql"), &[&uuids]).await?;
    let found = rows.iter().map(rows::job).collect::<Step<Vec<_>>>()?;
    let found: HashMap<JobId, Job> = found.into_iter().map(|t| (t.id, t)).collect();
    Ok(ids.iter().filter_map(|id| found.get(id).cloned()).collect())
}

/// One page of jobs, newest first.
pub(crate) async fn list(
    pool: &Pool,
    filter: &JobFilter,
    after: Option<(Timestamp, JobId)>,
    limit: u32,
) -> Step<Vec<Job>> {
    let client = pool.get().await?;
    let rows = client
        .query_typed(
            include_str!("../../sql/trabajo/list.sql"),
            &[
                (&filter.state.map(JobState::as_str), Type::TEXT),
                (&filter.kind.map(JobKind::as_str), Type::TEXT),
                (&filter.lead.map(|l| l.0), Type::UUID),
                (&after.map(|(at, _)| Instant::from(at)), Type::TIMESTAMPTZ),
                (&after.map(|(_, id)| id.0), Type::UUID),
                (&i64::from(limit), Type::INT8),
            ],
        )
        .await?;
    rows.iter().map(rows::job).collect()
}

/// When there is something to do next.
pub(crate) async fn next_due(pool: &Pool, kinds: &[JobKind]) -> Step<Option<Timestamp>> {
    let kinds: Vec<&str> = kinds.iter().map(|t| t.as_str()).collect();
    let rows = all(pool, include_str!("../../sql/trabajo/next_due.sql"), &[&kinds]).await?;
    rows.first().map_or(Ok(None), rows::instant)
}

/// How many jobs are pending, dead and parked.
pub(crate) async fn count(pool: &Pool) -> Step<Vec<JobCount>> {
    let rows = all(pool, include_str!("../../sql/trabajo/count.sql"), &[]).await?;
    rows.iter().map(rows::job_count).collect()
}

/// Leads whose step is overdue.
pub(crate) async fn overdue_ones(pool: &Pool, now: Timestamp, max: u32) -> Step<Vec<OverdueLoop>> {
    let sql = include_str!("../../sql/lead/vencidos.sql");
    all(pool, sql, &[&Instant::from(now), &i64::from(max)]).await?.iter().map(rows::overdue).collect()
}

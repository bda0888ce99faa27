//! Queries for the next work of the outbox and of the watched loop.

use deadpool_postgres::Pool;
use embudo_domain::Timestamp;
use embudo_domain::job::JobKind;
use embudo_store::loop_deadlines::OverdueLoop;

use crate::failure::Step;
use crate::rows::{self, Instant, read};
use crate::statement::{OnPool, params, sql};

/// When the next job can be taken: when a job that no process holds becomes due, or a lease runs out.
pub(crate) async fn next_due(pool: &Pool, kinds: &[JobKind]) -> Step<Option<Timestamp>> {
    let kinds: Vec<&str> = kinds.iter().map(|t| t.as_str()).collect();
    rows::instant(&pool.get().await?.row(sql!("trabajo/next_due.sql"), params! { tipo: kinds }).await?)
}

/// Leads whose step is overdue and not yet marked so, the longest overdue first.
pub(crate) async fn overdue(pool: &Pool, now: Timestamp, max: u32) -> Step<Vec<OverdueLoop>> {
    let params = params! { now: Instant::from(now), limit: i64::from(max) };
    let rows = pool.get().await?.rows(sql!("bucle/overdue.sql"), params).await?;
    rows.iter().map(|row| read(row, embudo_store::rows::overdue)).collect()
}

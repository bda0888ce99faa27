//! Leases: work that only one process does at a time.

use std::time::Duration;

use deadpool_postgres::Pool;
use embudo_domain::ProcessId;
use embudo_store::leases::Lease;

use crate::failure::Step;
use crate::statement::{OnPool, params, sql};

pub(crate) async fn take(pool: &Pool, lease: Lease, who: ProcessId, time: Duration) -> Step<bool> {
    let dura = i64::try_from(time.as_micros()).unwrap_or(i64::MAX);
    let lease = params! { nombre: lease.as_str(), quien: who.0, dura };
    Ok(pool.get().await?.execute(sql!("arriendo/take.sql"), lease).await? > 0)
}

pub(crate) async fn end(pool: &Pool, lease: Lease, who: ProcessId) -> Step<()> {
    let lease = params! { nombre: lease.as_str(), quien: who.0 };
    pool.get().await?.execute(sql!("arriendo/end.sql"), lease).await?;
    Ok(())
}

//! Jobs that are held because their destination is paused.

use deadpool_postgres::Pool;
use embudo_domain::job::HELD;
use embudo_domain::{JobId, ProcessId};

use super::column;
use crate::failure::Step;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};

/// Ends the leases of a process on these jobs. A job whose destination is paused is not due until the destination is
/// resumed.
pub(crate) async fn hold(pool: &Pool, ids: &[JobId], who: ProcessId) -> Step<()> {
    let given = params! { id: column(ids, |id| id.0), quien: who.0, held: Instant::from(HELD) };
    pool.get().await?.execute(sql!("trabajo/hold.sql"), given).await?;
    Ok(())
}

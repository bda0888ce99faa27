//! Counts that several processes share.

use deadpool_postgres::Pool;
use embudo_domain::Timestamp;
use embudo_store::counts::Count;

use super::column;
use crate::failure::Step;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};

/// The keys come in one order from every process, so that no two wait for each other.
pub(crate) async fn add(pool: &Pool, counts: &[Count]) -> Step<()> {
    let values = params! {
        tipo: column(counts, |count| count.key.kind),
        sujeto: column(counts, |count| count.key.subject),
        ventana: column(counts, |count| count.key.window),
        n: column(counts, |count| i64::from(count.n)),
        expira: column(counts, |count| Instant::from(count.expires)),
    };
    pool.get().await?.execute(sql!("conteo/add.sql"), values).await?;
    Ok(())
}

pub(crate) async fn purge(pool: &Pool, now: Timestamp, max: u32) -> Step<u64> {
    let expired = params! { now: Instant::from(now), max: i64::from(max) };
    pool.get().await?.execute(sql!("conteo/purge.sql"), expired).await
}

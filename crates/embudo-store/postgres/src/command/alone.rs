//! A command in a transaction of its own, on a connection of the pool.

use deadpool_postgres::{Pool, Transaction};
use embudo_store::{Done, Idempotency, StoreError};

use super::idempotency;
use crate::commits::SETTLE;
use crate::failure::{Failure, Kind, Step, kind};
use crate::writer::{Grouped, run_within};

/// How a command ended that may have an idempotency key.
pub(crate) enum Ended<T> {
    Now(T),
    /// The call was done before, under the same key.
    Before(Done),
}

/// Commits. If the connection is lost meanwhile, it is unknown whether the commit took effect, so it is not repeated.
pub(crate) async fn commit(tx: Transaction<'_>) -> Step<()> {
    tx.commit().await.map_err(|error| match kind(&error) {
        Kind::Lost => StoreError::Unavailable("the connection was lost while committing".into()).into(),
        _ => Failure::Pg(error),
    })
}

/// Commits a transaction that found its work done already. The commit that did the work was in doubt and may not have
/// reached the standby yet. This transaction wrote nothing and would not wait for the standby by itself.
pub(crate) async fn commit_again(tx: Transaction<'_>) -> Step<()> {
    tx.batch_execute(SETTLE).await?;
    commit(tx).await
}

/// Runs one command alone, after its group failed. It has the same ids as before, so a commit in doubt is safe to
/// repeat.
pub(crate) async fn plain<K: Grouped>(pool: &Pool, command: &K) -> Step<K::End> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let end = run_within(&tx, command).await?;
    tx.batch_execute(SETTLE).await?;
    tx.commit().await?;
    Ok(end)
}

/// Runs one command under its key.
pub(crate) async fn keyed<K: Grouped>(pool: &Pool, key: &Idempotency, command: &K) -> Step<Ended<K::End>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    if let Some(before) = idempotency::take(&tx, key).await? {
        commit_again(tx).await?;
        return Ok(Ended::Before(before));
    }
    let end = run_within(&tx, command).await?;
    commit(tx).await?;
    Ok(Ended::Now(end))
}

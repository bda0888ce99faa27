//! A command in a transaction of its own, on a connection of the pool.

use deadpool_postgres::{Pool, Transaction};
use embudo_store::{Hecho, Idempotencia, StoreError};

use super::{Grouped, idempotencia};
use crate::failure::{Failure, Kind, Step, kind};

/// Commits. Where the connection is lost meanwhile, nobody knows how it ended: that is not done again.
pub(crate) async fn commit(tx: Transaction<'_>) -> Step<()> {
    tx.commit().await.map_err(|error| match kind(&error) {
        Kind::Lost => StoreError::Unavailable("the connection was lost while committing".into()).into(),
        _ => Failure::Pg(error),
    })
}

/// Runs one command that was to go together with others. It is one statement, with the same ids as before: done twice it does no
/// harm.
pub(crate) async fn plain<K: Grouped>(pool: &Pool, command: &K) -> Step<Hecho> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(K::sql(&[command])).await?;
    if !K::run(&**client, &statement, &[command]).await?.is_empty() {
        return Err(StoreError::LeadNotFound.into());
    }
    Ok(Hecho::Ahora)
}

/// Runs one command under its key.
pub(crate) async fn keyed<K: Grouped>(pool: &Pool, key: &Idempotencia, command: &K) -> Step<Hecho> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    if let Some(before) = idempotencia::take(&tx, key).await? {
        return Ok(before);
    }
    let statement = tx.prepare_cached(K::sql(&[command])).await?;
    if !K::run(&*tx, &statement, &[command]).await?.is_empty() {
        return Err(StoreError::LeadNotFound.into());
    }
    commit(tx).await?;
    Ok(Hecho::Ahora)
}

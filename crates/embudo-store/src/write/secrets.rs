//! Secrets of our own.

use super::{Engine, Load, Tx, sql};
use crate::queries::Query;
use crate::{Result, StoreError};

/// The secret of a name, this one if there was none. A racing twin is waited for by the insert.
pub async fn ensure_secret(engine: &impl Engine, name: String, proposed: [u8; 32]) -> Result<[u8; 32]> {
    let command = (name, proposed);
    engine.write(Load::SMALL, command, |tx, (name, proposed)| Box::pin(ensure(tx, name, *proposed))).await
}

async fn ensure(tx: &Tx<'_>, name: &str, proposed: [u8; 32]) -> Result<[u8; 32]> {
    tx.run(sql!("secreto/insert.sql", nombre: name, valor: proposed)).await?;
    let kept = Query::new(include_str!("../../sql/secreto/get.sql"), |c| c.get("valor")).bind("nombre", name);
    tx.first(kept).await?.ok_or_else(|| StoreError::Internal("a secret was not kept".into()))
}

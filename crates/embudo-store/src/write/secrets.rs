//! Secrets of the installation.

use async_trait::async_trait;

use super::{Load, Native, Tx, sql};
use crate::queries::Query;
use crate::{InstallationStore, Result, StoreError};

#[async_trait]
impl<E: Native> InstallationStore for E {
    async fn ping(&self) -> Result<()> {
        Native::ping(self).await
    }

    async fn ensure_secret(&self, nombre: String, proposed: [u8; 32]) -> Result<[u8; 32]> {
        let command = (nombre, proposed);
        self.write(Load::SMALL, command, |tx, (name, proposed)| Box::pin(ensure(tx, name, *proposed))).await
    }
}

/// The secret with this name; stores `proposed` if there is none. The insert waits for a concurrent call.
async fn ensure(tx: &Tx<'_>, name: &str, proposed: [u8; 32]) -> Result<[u8; 32]> {
    tx.run(sql!("secreto/insert.sql", nombre: name, valor: proposed)).await?;
    let kept = Query::new(include_str!("../../sql/secreto/get.sql"), |c| c.get("valor")).bind("nombre", name);
    tx.first(kept).await?.ok_or_else(|| StoreError::Internal("a secret was not kept".into()))
}

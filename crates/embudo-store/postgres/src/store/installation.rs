//! What belongs to the installation as a whole.

use std::future::ready;
use std::time::Duration;

use async_trait::async_trait;
use embudo_store::write::secrets::ensure_secret;
use embudo_store::{Installation, Result, StoreError};

use crate::patience::patiently;
use crate::{PgStore, query};

/// How long the server may take to say that it is there.
const ANSWER_PATIENCE: Duration = Duration::from_secs(2);

#[async_trait]
impl Installation for PgStore {
    async fn ping(&self) -> Result<()> {
        tokio::try_join!(self.writers_answer(), self.server_answers(), self.commits.check()).map(drop)
    }

    async fn ensure_secret(&self, nombre: String, proposed: [u8; 32]) -> Result<[u8; 32]> {
        ensure_secret(self, nombre, proposed).await
    }
}

impl PgStore {
    /// The server answers and takes writes.
    async fn server_answers(&self) -> Result<()> {
        let asking = async { patiently!(read self, ready(()), query::ping(&self.vital)) };
        let end = tokio::time::timeout(ANSWER_PATIENCE, asking).await;
        end.unwrap_or_else(|_| {
            // The connection that said nothing lies in its pool again.
            drop(self.vital.retain(|_, _| false));
            Err(StoreError::Unavailable("the server does not answer".into()))
        })
    }
}

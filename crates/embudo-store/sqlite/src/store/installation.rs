//! What belongs to the installation as a whole.

use async_trait::async_trait;
use embudo_store::write::secrets::ensure_secret;
use embudo_store::{Installation, Result, StoreError};

use crate::{STUCK, SqliteStore};

#[async_trait]
impl Installation for SqliteStore {
    async fn ping(&self) -> Result<()> {
        self.supervisor.check(STUCK).map_err(StoreError::Unavailable)?;
        let (written, read) = tokio::join!(self.writer.ping(), self.readers.run(|_| Ok(())));
        written.and(read)
    }

    async fn ensure_secret(&self, nombre: String, proposed: [u8; 32]) -> Result<[u8; 32]> {
        ensure_secret(self, nombre, proposed).await
    }
}

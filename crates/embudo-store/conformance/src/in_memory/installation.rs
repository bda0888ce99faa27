//! What belongs to the installation as a whole.

use async_trait::async_trait;
use embudo_store::{InstallationReads, InstallationStore, Result};

use super::Memory;

#[async_trait]
impl InstallationStore for Memory {
    async fn ping(&self) -> Result<()> {
        Ok(())
    }

    async fn ensure_secret(&self, nombre: String, proposed: [u8; 32]) -> Result<[u8; 32]> {
        Ok(*self.company().secrets.entry(nombre).or_insert(proposed))
    }
}

#[async_trait]
impl InstallationReads for Memory {
    async fn database_bytes(&self) -> Result<u64> {
        Ok(1)
    }
}

//! What belongs to the installation as a whole.

use async_trait::async_trait;

use crate::Result;

/// The database itself.
#[async_trait]
pub trait InstallationStore: Send + Sync + 'static {
    /// Succeeds when the database answers and can be written to.
    async fn ping(&self) -> Result<()>;
    /// The secret with this name: stores `proposed` if there is none, and returns the stored one otherwise. Safe to
    /// call from several processes.
    async fn ensure_secret(&self, nombre: String, proposed: [u8; 32]) -> Result<[u8; 32]>;
}

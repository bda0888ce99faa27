//! The database itself.

use async_trait::async_trait;

use super::{Reader, first};
use crate::Result;

#[async_trait]
pub trait InstallationReads: Send + Sync + 'static {
    /// How large the database is, in bytes.
    async fn database_bytes(&self) -> Result<u64>;
}

#[async_trait]
impl<R: Reader> InstallationReads for R {
    async fn database_bytes(&self) -> Result<u64> {
        Ok(first(self, R::database_bytes()).await?.unwrap_or(0))
    }
}

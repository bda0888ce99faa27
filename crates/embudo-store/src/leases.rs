//! Leases: of several processes on one database, one does something, and another takes over if it dies.

use std::time::Duration;

use async_trait::async_trait;
use embudo_domain::ProcessId;

use crate::Result;

/// What can be held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lease {
    /// A backup or a copy is being made: while somebody holds it, no blob is marked for sweeping
    /// ([`crate::BlobMarkStore`]), so that whatever a row of the moment names can still be read.
    Backup,
}

impl Lease {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Backup => "backup",
        }
    }
}

/// Who does what.
#[async_trait]
pub trait LeaseStore: Send + Sync + 'static {
    /// Takes the lease for this time from now, by the database's clock, or prolongs one's own. `false`: another holds
    /// it.
    async fn take_lease(&self, lease: Lease, who: ProcessId, time: Duration) -> Result<bool>;
    /// Gives one's own lease back; another's stays.
    async fn end_lease(&self, lease: Lease, who: ProcessId) -> Result<()>;
}

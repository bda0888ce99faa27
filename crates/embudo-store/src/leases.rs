//! Leases: of several processes on one database, only one does something, and another takes over if it dies.

use std::time::Duration;

use async_trait::async_trait;
use embudo_domain::ProcessId;

use crate::Result;

/// The work for which a lease is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lease {
    /// A backup or a copy is being made. While a process holds this lease, no blob is marked for sweeping
    /// ([`crate::BlobMarkStore`]), so that every blob that a row of that moment names can still be read.
    Backup,
}

impl Lease {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Backup => "backup",
        }
    }
}

/// Which process holds which lease.
#[async_trait]
pub trait LeaseStore: Send + Sync + 'static {
    /// Takes the lease for this time from now, by the database's clock, or prolongs it if `who` holds it already.
    /// `false`: another process holds it.
    async fn take_lease(&self, lease: Lease, who: ProcessId, time: Duration) -> Result<bool>;
    /// Gives back a lease that `who` holds; another process's lease stays.
    async fn end_lease(&self, lease: Lease, who: ProcessId) -> Result<()>;
}

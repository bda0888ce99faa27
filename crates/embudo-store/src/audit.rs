//! The audit log: entries are appended and read. Only an entry about an action that still goes on is updated.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::{AuditId, EmpresaId, Timestamp, UserId};

use crate::Result;

/// Which entries to read; `None` means all.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    pub user: Option<UserId>,
    pub empresa: Option<EmpresaId>,
}

/// Where a page of entries ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditCursor {
    pub at: Timestamp,
    pub id: AuditId,
}

/// The audit log.
#[async_trait]
pub trait AuditStore: Send + Sync + 'static {
    /// Appends an entry that belongs to no other command.
    async fn record_audit(&self, entry: AuditEntry) -> Result<()>;
    /// Updates the result (`after`) of an entry about an action that goes on. Does nothing if there is no such entry.
    async fn grow_audit(&self, id: AuditId, after: String) -> Result<()>;
}

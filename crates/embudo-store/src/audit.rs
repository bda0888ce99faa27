//! The audit log: appended to and read. Only a line about something that goes on grows while it does.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::{AuditId, EmpresaId, Timestamp, UserId};

use crate::Result;

/// Which entries are asked for; `None` asks for all.
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
    /// Appends an entry that comes with no command of its own.
    async fn record_audit(&self, entry: AuditEntry) -> Result<()>;
    /// What an entry tells goes on: what it says came of it is written anew. Nothing, if there is no such entry.
    async fn grow_audit(&self, id: AuditId, after: String) -> Result<()>;
}

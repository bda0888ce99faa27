//! The audit log.

use async_trait::async_trait;
use embudo_domain::AuditId;
use embudo_domain::audit::AuditEntry;
use embudo_store::{Audit, Result};

use crate::PgStore;
use crate::command::audit;
use crate::patience::patiently;

#[async_trait]
impl Audit for PgStore {
    async fn record_audit(&self, entry: AuditEntry) -> Result<()> {
        patiently!(self, self.turns.command(), audit::record(&self.pool, &entry))
    }

    async fn grow_audit(&self, id: AuditId, after: String) -> Result<()> {
        patiently!(self, self.turns.command(), audit::grow(&self.pool, id, &after))
    }
}

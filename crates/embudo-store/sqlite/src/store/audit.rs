//! The audit log.

use async_trait::async_trait;
use embudo_domain::AuditId;
use embudo_domain::audit::AuditEntry;
use embudo_store::{Audit, Result};

use super::{ROW, len};
use crate::SqliteStore;
use crate::command::audit;
use crate::writer::Shape;

#[async_trait]
impl Audit for SqliteStore {
    async fn record_audit(&self, entry: AuditEntry) -> Result<()> {
        let bytes = ROW + len(entry.before.as_ref()) + len(entry.after.as_ref());
        self.writer.run(Shape::Single, bytes, move |c| audit::record(c, &entry)).await
    }

    async fn grow_audit(&self, id: AuditId, after: String) -> Result<()> {
        let bytes = ROW + after.len();
        self.writer.run(Shape::Single, bytes, move |c| audit::grow(c, id, &after)).await
    }
}

//! Erasures, and what else people may ask for of their data.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::{LeadId, PresupuestoId, Timestamp};
use embudo_store::projection::show_at_once;
use embudo_store::queries::rights as queries;
use embudo_store::read::Reader as _;
use embudo_store::rights::{CallName, EraseLead, ErasedLead, Seen};
use embudo_store::{Result, Rights, write};
use uuid::Uuid;

use crate::SqliteStore;
use crate::command::rights;
use crate::writer::Shape;

/// An erasure rewrites many pages: it goes alone.
const ERASURE: usize = 1 << 30;

impl SqliteStore {
    /// Looks at every key, on a reader: nobody who writes waits for it.
    async fn keys_naming(&self, ids: &[Uuid]) -> Result<Vec<CallName>> {
        let mut keys = Vec::new();
        for query in queries::keys_naming(ids) {
            keys.extend(self.read(query).await?);
        }
        Ok(keys)
    }
}

#[async_trait]
impl Rights for SqliteStore {
    async fn erase_lead(&self, command: EraseLead) -> Result<ErasedLead> {
        let lead = command.lead;
        let mut ids = self.read(queries::things(lead)).await?;
        ids.push(lead.0);
        let keys = self.keys_naming(&ids).await?;
        let erase = move |c: &_| rights::erase(c, &command, &keys);
        let end = self.writer.run(Shape::Several, ERASURE, erase).await?;
        let ErasedLead::Gone(united) = &end else { return Ok(end) };
        // Those of calls that came in between.
        let keys = self.keys_naming(&ids).await?;
        if !keys.is_empty() {
            let again = move |c: &_| rights::erase_again(c, lead, &keys);
            self.writer.run(Shape::Several, ERASURE, again).await?;
        }
        show_at_once(self, united).await;
        Ok(end)
    }

    /// The one writer has written nothing meanwhile. What is left is in the write-ahead log, until everything in it is in the tables and
    /// nobody reads what was before.
    async fn settle_erasure(&self, lead: LeadId) -> Result<bool> {
        let keys = self.keys_naming(&[lead.0]).await?;
        let again = move |c: &_| rights::erase_again(c, lead, &keys);
        self.writer.run(Shape::Several, ERASURE, again).await?;
        self.truncate_log().await
    }

    /// None are kept: nothing here asks for `ANALYZE`.
    async fn forget_statistics(&self) -> Result<()> {
        Ok(())
    }

    async fn end_erasure(&self, lead: LeadId, at: Timestamp) -> Result<()> {
        write::rights::end_erasure(self, lead, at).await
    }

    async fn drop_blocked(&self, id: PresupuestoId, now: Timestamp) -> Result<bool> {
        write::rights::drop_blocked(self, id, now).await
    }

    async fn note_seen(&self, seen: Vec<Seen>) -> Result<()> {
        write::rights::note_seen(self, seen).await
    }

    async fn revoke_passes(&self, lead: LeadId, thing: Uuid, at: Timestamp, audit: AuditEntry) -> Result<()> {
        write::rights::revoke_passes(self, lead, thing, at, audit).await
    }

    async fn rotate_secret(&self, name: String, new: [u8; 32], previous: String) -> Result<()> {
        write::rights::rotate_secret(self, &name, new, &previous).await
    }

    async fn drop_secrets(&self, names: Vec<String>) -> Result<()> {
        write::rights::drop_secrets(self, &names).await
    }
}
